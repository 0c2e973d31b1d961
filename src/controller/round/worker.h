// The worker: it solves planning requests, in a thread of its own or when it is told to, and records them.
//
// The controller's thread writes `request` while the worker is idle, starts it, and reads `result` when it is done; in
// between both belong to the worker:
//
//          fw__round_worker_start            (solved)             fw__round_worker_finish
//   IDLE -------------------> BUSY ---------------> DONE --------------------> IDLE
//
// A round that concerns few agents is planned for these first (see partial.h), and for all if that fails.
//
// When no plan exists for all agents together, some are parked so that the others can drive: first agents whose goal is
// unreachable, then those that the planner names, then by group testing (see worker.c).

#ifndef CONTROLLER__ROUND__WORKER_H_
#define CONTROLLER__ROUND__WORKER_H_

#include <pthread.h>
#include <stdatomic.h>

#include "plan/record.h"
#include "controller/round/partial.h"
#include "controller/round/request.h"

typedef struct fw_round_result_t {
  fw_ret_t ret;
  fw_error_t error;        // if ret is not FW_RET_OK
  fw_plan_t plan;          // a view into the planner; its robots are the request's agents
  fw_conflict_t conflict;  // found by the checker; a plan with a conflict must not be used
  char conflict_text[FW_REASON_SIZE];
  fw_outcome_t outcome;  // of the whole request: partial where agents had to be parked
  fw_stop_t stop;
  int32_t attempts;    // solves that it took
  bool continues;      // the plan is the next part of the plan before (warm start)
  bool is_partial;     // agents that the round does not concern keep their plans: see partial.h
  bool was_partial;    // that was tried; if `is_partial` is false, in vain
  int32_t planned;     // agents that were planned
  int64_t expanded;    // search nodes of all solves
  int64_t elapsed_ns;  // of all solves and the check
} fw_round_result_t;

// Every problem and its plan in a file, for `fleetweave replay`: parameter `record`. Belongs to the worker's thread
// once that has started.
typedef struct fw_round_recording_t {
  fw_record_writer_t recorder;
  fw_replay_clock_t watch;
  const fw_log_t * log;
  bool is_on;
  bool was_full;
} fw_round_recording_t;

typedef enum fw_round_worker_state_t {
  FW_ROUND_WORKER_IDLE,
  FW_ROUND_WORKER_BUSY,
  FW_ROUND_WORKER_DONE
} fw_round_worker_state_t;

typedef struct fw_round_worker_t {
  fw_round_request_t request;  // written while the worker is idle, constant until it is idle again
  fw_round_request_t solved;   // as it was solved: with agents parked, their faults, and closures opened for them
  fw_round_result_t result;

  // Private
  fw_round_recording_t recording;
  fw_partial_round_t partial;
  fw_planner_t planner;  // kept from solve to solve, for its warm start
  fw_planner_choice_t choice;
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  fw_round_worker_state_t state;
  fw_controller_worker_t mode;
  bool is_initialised;
  bool is_started;
  bool is_ending;
  atomic_bool is_cancelled;
  void (*on_done)(void * context);  // called in the worker's thread
  void * context;
} fw_round_worker_t;

// Opens the record if `path` is not empty; one that cannot be written is logged, and nothing is recorded. Before
// fw__round_worker_init.
void fw__round_worker_open_record(
  fw_round_worker_t * worker, const char * path, int64_t bytes_max, const fw_log_t * log);
// Starts the thread, if `mode` wants one. `on_done`, which may be NULL, is called in it after each solve.
bool fw__round_worker_init(
  fw_round_worker_t * worker, fw_controller_worker_t mode, void (*on_done)(void * context), void * context);
void fw__round_worker_fini(fw_round_worker_t * worker);  // cancels and waits

fw_round_worker_state_t fw__round_worker_state(fw_round_worker_t * worker);
void fw__round_worker_start(fw_round_worker_t * worker);  // idle -> busy; solves at once if the mode is inline
// Without a thread: busy -> done. `fails`: with an error instead of a plan.
void fw__round_worker_solve(fw_round_worker_t * worker, bool fails);
void fw__round_worker_finish(fw_round_worker_t * worker);  // done -> idle; `result` is void after the next start
void fw__round_worker_cancel(fw_round_worker_t * worker);  // a solve under way ends soon; its result must not be used
bool fw__round_worker_is_cancelled(const fw_round_worker_t * worker);

#endif  // CONTROLLER__ROUND__WORKER_H_
