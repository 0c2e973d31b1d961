// The worker: the thread that solves planning requests, with the planner and the record of what it was given.
//
// The node's thread writes `request` while the worker is idle, starts it, and reads `result` when it is done; in
// between both belong to the worker:
//
//          node_worker_start            (solved)             node_worker_finish
//   IDLE -------------------> BUSY ---------------> DONE --------------------> IDLE
//
// When no plan exists for all agents together, some are parked so that the others can drive: first agents whose goal is
// unreachable, then those that the planner names, then by group testing (see worker.c).

#ifndef ROS__PLANNER_NODE__CONTROLLER__WORKER_H_
#define ROS__PLANNER_NODE__CONTROLLER__WORKER_H_

#include <pthread.h>
#include <stdatomic.h>

#include "plan/record.h"
#include "ros/planner_node/controller/request.h"

typedef struct node_result_t {
  fw_ret_t ret;
  fw_error_t error;        // if ret is not FW_RET_OK
  fw_plan_t plan;          // a view into the planner; its robots are the request's agents
  fw_conflict_t conflict;  // found by the checker; a plan with a conflict must not be used
  char conflict_text[NODE_REASON_SIZE];
  int32_t attempts;    // solves that it took
  bool continues;      // the plan is the next part of the plan before (warm start)
  int64_t elapsed_ns;  // of all solves and the check
} node_result_t;

// Every problem and its plan in a file, for `fleetweave replay`: parameter `record`. Belongs to the worker's thread
// once that has started.
typedef struct node_recording_t {
  fw_record_writer_t recorder;
  fw_replay_clock_t watch;
  const char * logger;
  bool is_on;
  bool was_full;
} node_recording_t;

typedef enum node_worker_state_t { NODE_WORKER_IDLE, NODE_WORKER_BUSY, NODE_WORKER_DONE } node_worker_state_t;

typedef struct node_worker_t {
  node_request_t request;
  node_result_t result;

  // Private
  node_recording_t recording;
  fw_planner_t planner;  // kept from solve to solve, for its warm start
  node_planner_choice_t choice;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  node_worker_state_t state;
  bool is_started;
  bool is_ending;
  atomic_bool is_cancelled;
  void (*on_done)(void * context);  // called in the worker's thread
  void * context;
} node_worker_t;

// Opens the record if the settings name a file; one that cannot be written is logged, and nothing is recorded. Before
// node_worker_init.
void node_worker_open_record(node_worker_t * worker, const node_settings_t * settings, const char * logger);
// Starts the thread. `on_done` is called in it after each solve.
bool node_worker_init(node_worker_t * worker, void (*on_done)(void * context), void * context);
void node_worker_fini(node_worker_t * worker);  // cancels and waits

node_worker_state_t node_worker_state(node_worker_t * worker);
void node_worker_start(node_worker_t * worker);   // idle -> busy
void node_worker_finish(node_worker_t * worker);  // done -> idle; `result` is void after the next start
void node_worker_cancel(node_worker_t * worker);  // a solve under way ends soon; its result must not be used
bool node_worker_is_cancelled(const node_worker_t * worker);

#endif  // ROS__PLANNER_NODE__CONTROLLER__WORKER_H_
