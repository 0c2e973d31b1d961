// Program: the main() that the three nodes share. See program.h.

#include "ros/program.h"

#include <pthread.h>
#include <rcutils/logging_macros.h>
#include <signal.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"

// What the signal thread needs.
typedef struct stop_watch_t {
  const ros_program_t * program;
  sigset_t signals;
  atomic_bool is_stopped;
} stop_watch_t;

static void * wait_for_signal(void * argument)
{
  stop_watch_t * watch = argument;
  int signal_number = 0;
  (void)sigwait(&watch->signals, &signal_number);
  atomic_store(&watch->is_stopped, true);
  if (watch->program->wake != NULL) {
    watch->program->wake(watch->program->state);
  }
  return NULL;
}

// Before any thread is created, so that all of them inherit the mask. A shell that starts a process in the background
// makes it ignore SIGINT; sigwait never returns for an ignored signal, hence the default disposition.
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

static bool wants_help(int argc, char ** argv)
{
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      return true;
    }
  }
  return false;
}

static void print_help(const ros_program_t * program)
{
  printf("%s\nParameters [initial value]:\n", program->help);
  program->print_parameters(stdout);
  printf("\nExit codes: %s\n", program->exit_codes);
}

static fw_ret_t run(stop_watch_t * watch, fw_error_t * error)
{
  const ros_program_t * program = watch->program;
  pthread_t thread;
  if (pthread_create(&thread, NULL, wait_for_signal, watch) != 0) {
    return fw__error(error, FW_RET_ERROR, "cannot start the thread that waits for signals");
  }
  const fw_ret_t ret = program->run(program->state, &watch->is_stopped, error);
  (void)pthread_kill(thread, SIGTERM);  // ends sigwait if no signal has come
  (void)pthread_join(thread, NULL);
  return ret;
}

int ros_program_main(const ros_program_t * program, int argc, char ** argv)
{
  FW_ASSERT(
    program->init != NULL && program->run != NULL && program->fini != NULL && program->print_parameters != NULL);
  if (wants_help(argc, argv)) {
    print_help(program);
    return 0;
  }
  stop_watch_t watch = {.program = program};
  block_signals(&watch.signals);
  fw_error_t error = {0};
  int exit_code = 0;
  const fw_ret_t ret = program->init(program->state, argc, argv, &error);
  if (ret == FW_RET_INVALID_ARGUMENT || ret == FW_RET_NOT_FOUND || ret == FW_RET_FILE) {
    exit_code = program->exit_invalid;
  } else if (ret != FW_RET_OK || run(&watch, &error) != FW_RET_OK) {
    exit_code = program->exit_failed;
  }
  if (exit_code != 0 && error.text[0] != '\0') {
    const bool has_logger = program->session != NULL && program->session->logger != NULL;
    RCUTILS_LOG_FATAL_NAMED(has_logger ? program->session->logger : program->name, "%s", error.text);
  }
  program->fini(program->state);
  return exit_code;
}
