// The thread that solves. The node's thread fills `job` while the worker is idle, starts it, and reads `answer` when
// it is done; in between both belong to the worker.

#ifndef ROS__PLANNER_NODE__WORKER_H_
#define ROS__PLANNER_NODE__WORKER_H_

#include <pthread.h>
#include <stdatomic.h>

#include "ros/planner_node/solve.h"

typedef enum worker_state_t { WORKER_IDLE, WORKER_BUSY, WORKER_DONE } worker_state_t;

typedef struct worker_t {
  job_t job;
  answer_t answer;
  recording_t recording;  // opened before the first start, by the caller

  // Private
  fw_planner_t planner;  // kept from solve to solve, for what it remembers
  node_planner_choice_t choice;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  worker_state_t state;
  bool is_started;
  bool is_ending;
  atomic_bool is_cancelled;
  void (*on_done)(void * context);  // called in the worker's thread
  void * context;
} worker_t;

bool worker_init(worker_t * worker, void (*on_done)(void * context), void * context);
void worker_fini(worker_t * worker);  // cancels and waits

worker_state_t worker_state(worker_t * worker);
void worker_start(worker_t * worker);   // idle -> busy, with `job`
void worker_finish(worker_t * worker);  // done -> idle; `answer` is void after the next start
void worker_cancel(worker_t * worker);  // a solve under way ends soon; its answer is of no use

#endif  // ROS__PLANNER_NODE__WORKER_H_
