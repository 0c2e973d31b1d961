// planner_node: serves the planning library to a ROS 2 graph. SIGINT and SIGTERM end it cleanly, with exit code 0.

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "ros/planner_node/node.h"

typedef struct life_t {
  node_t node;
  sigset_t signals;
  atomic_bool is_over;
} life_t;

// A thread of its own waits for the signals: what has to be done then is more than a handler may do.
static void * wait_for_signal(void * argument)
{
  life_t * life = argument;
  int signal_number = 0;
  (void)sigwait(&life->signals, &signal_number);
  atomic_store(&life->is_over, true);
  node_wake(&life->node);
  return NULL;
}

// Blocked here, before any thread is made, so that all of them inherit it. A shell that starts us in the background
// has SIGINT ignored; an ignored signal would never be waited for.
static void block_signals(sigset_t * signals)
{
  (void)sigemptyset(signals);
  (void)sigaddset(signals, SIGINT);
  (void)sigaddset(signals, SIGTERM);
  (void)pthread_sigmask(SIG_BLOCK, signals, NULL);
  const struct sigaction standard = {.sa_handler = SIG_DFL};
  (void)sigaction(SIGINT, &standard, NULL);
  (void)sigaction(SIGTERM, &standard, NULL);
}

int main(int argc, char ** argv)
{
  static life_t life;  // large, and zero is its empty state
  block_signals(&life.signals);
  bool is_fine = node_init(&life.node, argc, argv);
  pthread_t watcher;
  if (is_fine && pthread_create(&watcher, NULL, wait_for_signal, &life) == 0) {
    while (is_fine && !atomic_load(&life.is_over)) {
      is_fine = node_spin_once(&life.node);
    }
    (void)pthread_kill(watcher, SIGTERM);  // if it still waits
    (void)pthread_join(watcher, NULL);
  }
  node_fini(&life.node);
  return is_fine ? 0 : 1;
}
