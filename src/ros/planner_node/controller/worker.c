// The worker's thread: recording, solving with as many agents as possible, and the hand-over to the node's thread. See
// worker.h.

#include "ros/planner_node/controller/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcutils/logging_macros.h>

#include "base/assert.h"
#include "ros/planner_node/controller/request_closures.h"

// ---- the record

static const int64_t MEGABYTE = 1000000;  // bytes

void node_worker_open_record(node_worker_t * worker, const node_settings_t * settings, const char * logger)
{
  node_recording_t * recording = &worker->recording;
  fw_error_t error = {0};
  recording->logger = logger;
  if (settings->record[0] == '\0') {
    return;
  }
  recording->is_on = fw__record_writer_open(
                       &recording->recorder, settings->record, settings->record_max_mb * MEGABYTE, &error) == FW_RET_OK;
  if (recording->is_on) {
    RCUTILS_LOG_INFO_NAMED(logger, "problems and plans are recorded in %s", settings->record);
  } else {
    RCUTILS_LOG_ERROR_NAMED(logger, "nothing is recorded: %s", error.text);
  }
}

static void close_record(node_recording_t * recording)
{
  fw__record_writer_close(&recording->recorder);
  recording->is_on = false;
}

typedef struct recorded_solve_t {
  fw_planner_t * planner;
  const node_planner_choice_t * choice;
  const fw_problem_t * problem;
  const fw_budget_t * budget;
} recorded_solve_t;

static fw_record_planner_t describe(const recorded_solve_t * solve)
{
  const fw_planner_def_t * definition = fw_planner_definition(solve->planner);
  fw_record_planner_t planner = {
    .threads = solve->choice->threads,
    .seed = solve->choice->seed,
    .memory_max_bytes = solve->choice->memory_max_bytes,
    .parameter_count = definition->parameter_count,
  };
  (void)snprintf(planner.name, sizeof planner.name, "%s", definition->name);
  for (int32_t k = 0; k < definition->parameter_count; ++k) {
    (void)snprintf(planner.names[k], sizeof planner.names[k], "%s", definition->parameters[k].name);
    (void)snprintf(planner.values[k], sizeof planner.values[k], "%s", solve->choice->values[k]);
  }
  return planner;
}

// A record that cannot be written ends; planning continues.
static void stop_recording(node_recording_t * recording, const fw_error_t * error)
{
  RCUTILS_LOG_ERROR_NAMED(recording->logger, "recording stops: %s", error->text);
  close_record(recording);
}

static void warn_if_full(node_recording_t * recording)
{
  const bool is_full = recording->recorder.is_full;
  if (is_full && !recording->was_full) {
    RCUTILS_LOG_WARN_NAMED(
      recording->logger,
      "the record is full; it continues in a new file with the next plan that is not a continuation of the one before");
  }
  recording->was_full = is_full;
}

// As fw_planner_solve, with a record if there is one.
static fw_ret_t solve_recorded(
  node_recording_t * recording, const recorded_solve_t * solve, fw_plan_t * plan, fw_error_t * error)
{
  if (!recording->is_on) {
    return fw_planner_solve(solve->planner, solve->problem, solve->budget, plan, error);
  }
  fw_error_t record_error = {0};
  const fw_record_planner_t planner = describe(solve);
  const fw_budget_t noted = fw__replay_clock_record(&recording->watch, solve->budget);
  fw_ret_t recorded = fw__record_writer_add_problem(&recording->recorder, &planner, solve->problem, &record_error);
  const fw_ret_t ret = fw_planner_solve(solve->planner, solve->problem, &noted, plan, error);
  if (recorded == FW_RET_OK) {
    const fw_record_result_t result = {
      .problem = solve->problem, .notes = &recording->watch.notes, .ret = ret, .plan = plan};
    recorded = fw__record_writer_add_result(&recording->recorder, &result, &record_error);
  }
  if (recorded != FW_RET_OK) {
    stop_recording(recording, &record_error);
  }
  warn_if_full(recording);
  return ret;
}

// ---- solving: all agents, or as many as possible
//
// When all agents together cannot be planned, some are parked so that the others go on: first agents without any path
// to their goal, then agents that the planner names as unsolvable. Then by group testing: all are parked, groups are
// released one by one, and a group that makes the plan fail is split in halves, down to the single agent. With c
// culprits among n agents that takes about 2 c log n solves.

// Fractions of the time limit: for a try with all agents that are left, and for one with a group.
static const double FIRST_SHARE = 0.6;
static const double GROUP_SHARE = 0.1;

typedef struct attempt_t {
  node_worker_t * worker;
  node_request_t * request;  // the worker's
  node_result_t * result;    // the worker's
  fw_budget_t cancel;        // without deadline
  int64_t deadline_ns;       // for all solves together
} attempt_t;

typedef struct agent_group_t {
  int32_t first;  // in the list of agents that have a goal
  int32_t count;
} agent_group_t;

static bool has_time(const attempt_t * attempt)
{
  return !node_worker_is_cancelled(attempt->worker) && fw_clock_now_ns() < attempt->deadline_ns;
}

// True if the plan ends before the goals because the horizon does; the next round continues from there.
static bool is_window(const node_request_t * request, const fw_plan_t * plan)
{
  return plan->outcome == FW_OUTCOME_PARTIAL && plan->safe_until >= request->horizon &&
         node_request_is_windowed(request);
}

// A useful plan solves the problem, moves at least one agent, or is a window in which all may have to wait.
static bool is_useful(const node_request_t * request, const node_result_t * result)
{
  const fw_plan_t * plan = &result->plan;
  if (result->ret != FW_RET_OK || plan->outcome == FW_OUTCOME_SOLVED) {
    return result->ret == FW_RET_OK;
  }
  if (is_window(request, plan)) {
    return true;
  }
  for (int32_t k = 0; plan->outcome == FW_OUTCOME_PARTIAL && k < plan->robot_count; ++k) {
    const fw_path_t * path = &plan->paths[k];
    for (fw_tick_t tick = 1; tick <= plan->safe_until && tick < path->length; ++tick) {
      if (path->cells[tick] != path->cells[0] || fw_path_heading(path, tick) != fw_path_heading(path, 0)) {
        return true;
      }
    }
  }
  return false;
}

// Solves once, with a fraction of the time limit. True if the plan is useful.
static bool try_share(attempt_t * attempt, double share)
{
  FW_ASSERT(share > 0.0 && share <= 1.0);
  const int64_t allowed_ns = (int64_t)(share * attempt->request->time_limit * 1e9);
  fw_budget_t budget = attempt->cancel;
  budget.deadline_ns = fw_clock_now_ns() + allowed_ns;
  node_request_resolve_goal_conflicts(attempt->request);
  const fw_problem_t problem = node_request_problem(attempt->request);
  attempt->result->attempts += 1;
  attempt->result->error = (fw_error_t){.robot = -1};
  const recorded_solve_t solve = {
    .planner = &attempt->worker->planner, .choice = &attempt->request->planner, .problem = &problem, .budget = &budget};
  attempt->result->ret =
    solve_recorded(&attempt->worker->recording, &solve, &attempt->result->plan, &attempt->result->error);
  attempt->request->since = 0;  // the planner now remembers this attempt, of which nothing has been driven
  return is_useful(attempt->request, attempt->result);
}

// Goal conflicts belong to one choice of parked agents: the next choice starts without them.
static void forget_goal_conflicts(node_request_t * request)
{
  for (int32_t k = 0; k < request->count; ++k) {
    node_agent_t * agent = &request->agents[k];
    if (agent->fault == FW_FAULT_GOAL_OCCUPIED && agent->goal != FW_CELL_NONE) {
      agent->is_parked = false;
      agent->fault = FW_FAULT_NONE;
      agent->other = -1;
    }
  }
}

// Parks the agent that the planner names as the one without a plan. An agent that is already parked, on a cell that
// closes and that it cannot leave, may stay there. True if something changed.
static bool park_named(attempt_t * attempt)
{
  node_request_t * request = attempt->request;
  const node_result_t * result = attempt->result;
  const int32_t robot = result->error.robot;
  if (
    result->ret != FW_RET_OK || result->plan.outcome != FW_OUTCOME_UNSOLVABLE || robot < 0 || robot >= request->count) {
    return false;
  }
  node_agent_t * agent = &request->agents[robot];  // the planner counts robots as the request counts agents
  if (!agent->is_parked && agent->goal != FW_CELL_NONE) {
    agent->fault = FW_FAULT_NO_VALID_PATH;
  } else if (
    node_request_is_closed(request, (node_placed_t){&agent->body, agent->start}, 0, FW_TICK_MAX) ||
    agent->parking != agent->start.cell) {
    node_request_open_until(request, (node_placed_t){&agent->body, agent->start}, FW_TICK_MAX);
    agent->parking = agent->start.cell;
    agent->fault = FW_FAULT_START_OCCUPIED;
  } else {
    return false;
  }
  agent->is_parked = true;
  return true;
}

static void park_group(node_request_t * request, const int32_t * list, agent_group_t group, bool is_parked)
{
  for (int32_t k = group.first; k < group.first + group.count; ++k) {
    request->agents[list[k]].is_parked = is_parked;
    request->agents[list[k]].fault = is_parked ? FW_FAULT_NO_VALID_PATH : FW_FAULT_NONE;
  }
}

// Group testing, as described above.
static void isolate(attempt_t * attempt, int32_t * list, agent_group_t * stack)
{
  node_request_t * request = attempt->request;
  int32_t count = 0;
  for (int32_t k = 0; k < request->count; ++k) {
    if (!request->agents[k].is_parked && request->agents[k].goal != FW_CELL_NONE) {
      list[count++] = k;
    }
  }
  const agent_group_t all = {0, count};
  park_group(request, list, all, true);
  int32_t depth = 0;
  if (count > 1) {  // all together are known to fail
    stack[depth++] = (agent_group_t){count / 2, count - count / 2};
    stack[depth++] = (agent_group_t){0, count / 2};
  }
  while (depth > 0 && has_time(attempt)) {
    FW_ASSERT(depth <= request->count + 2);  // the stack's capacity: groups on it are disjoint
    const agent_group_t group = stack[--depth];
    FW_ASSERT(group.count > 0 && group.first + group.count <= count);
    forget_goal_conflicts(request);
    park_group(request, list, group, false);
    if (try_share(attempt, GROUP_SHARE)) {
      continue;
    }
    forget_goal_conflicts(request);
    park_group(request, list, group, true);
    if (group.count == 1) {
      const bool ran_out = attempt->result->plan.stop == FW_STOP_DEADLINE;
      request->agents[list[group.first]].fault = ran_out ? FW_FAULT_TIMEOUT : FW_FAULT_NO_VALID_PATH;
    } else {
      stack[depth++] = (agent_group_t){group.first + group.count / 2, group.count - group.count / 2};
      stack[depth++] = (agent_group_t){group.first, group.count / 2};
    }
  }
  forget_goal_conflicts(request);
  (void)try_share(attempt, FIRST_SHARE);
}

static void attempt_all(attempt_t * attempt)
{
  node_request_t * request = attempt->request;
  if (
    try_share(attempt, FIRST_SHARE) || attempt->result->ret != FW_RET_OK || node_worker_is_cancelled(attempt->worker)) {
    return;
  }
  forget_goal_conflicts(request);
  if (node_request_park_unreachable(request) > 0 && try_share(attempt, FIRST_SHARE)) {
    return;
  }
  for (int32_t k = 0; k < 2 * request->count && has_time(attempt) && park_named(attempt); ++k) {
    forget_goal_conflicts(request);
    if (try_share(attempt, FIRST_SHARE)) {
      return;
    }
  }
  int32_t * list = calloc((size_t)request->count + 1, sizeof *list);
  agent_group_t * stack = calloc((size_t)request->count + 2, sizeof *stack);
  if (list != NULL && stack != NULL && !node_worker_is_cancelled(attempt->worker)) {
    forget_goal_conflicts(request);
    isolate(attempt, list, stack);
  }
  free(list);
  free(stack);
}

// Gives a fault to agents that do not arrive, unless only the window ends before the goal.
static void set_faults(node_request_t * request, const fw_plan_t * plan)
{
  if (plan->outcome == FW_OUTCOME_SOLVED || is_window(request, plan)) {
    return;
  }
  for (int32_t k = 0; k < request->count && k < plan->robot_count; ++k) {
    node_agent_t * agent = &request->agents[k];
    const bool wants = !agent->is_parked && agent->goal != FW_CELL_NONE;
    if (wants && fw_path_at(&plan->paths[k], plan->safe_until) != request->robots[k].goal) {
      agent->fault = plan->stop == FW_STOP_DEADLINE ? FW_FAULT_TIMEOUT : FW_FAULT_NO_VALID_PATH;
    }
  }
}

static bool is_cancelled(void * state) { return node_worker_is_cancelled(state); }

// Solves the worker's request and checks the plan.
static void solve(node_worker_t * worker)
{
  node_request_t * request = &worker->request;
  node_result_t * result = &worker->result;
  const int64_t begin_ns = fw_clock_now_ns();
  attempt_t attempt = {
    .worker = worker,
    .request = request,
    .result = result,
    .cancel = {.is_cancelled = is_cancelled, .cancel_state = worker},
    .deadline_ns = begin_ns + (int64_t)(request->time_limit * 1e9),
  };
  *result = (node_result_t){0};
  const bool continues = request->since > 0 && node_request_is_windowed(request);
  attempt_all(&attempt);
  result->continues = continues && result->attempts == 1;
  if (result->ret == FW_RET_OK) {
    const fw_problem_t problem = node_request_problem(request);
    FW_ASSERT(result->plan.robot_count == request->count);
    set_faults(request, &result->plan);
    result->ret = fw_check_plan(&problem, &result->plan, NULL, &result->conflict, &result->error);
    if (result->ret == FW_RET_OK && result->conflict.kind != FW_CONFLICT_NONE) {
      fw_conflict_describe(&problem, &result->conflict, result->conflict_text, sizeof result->conflict_text);
    }
  }
  result->elapsed_ns = fw_clock_now_ns() - begin_ns;
}

// ---- the thread

static bool is_same_choice(const node_planner_choice_t * a, const node_planner_choice_t * b)
{
  if (
    strcmp(a->name, b->name) != 0 || a->threads != b->threads || a->seed != b->seed ||
    a->memory_max_bytes != b->memory_max_bytes) {
    return false;
  }
  for (int32_t k = 0; k < FW_PARAMETERS_MAX; ++k) {
    if (strcmp(a->values[k], b->values[k]) != 0) {
      return false;
    }
  }
  return true;
}

// Keeps the planner if it is the one that is chosen, otherwise makes it.
static fw_ret_t make_planner(node_worker_t * worker, const node_planner_choice_t * choice, fw_error_t * error)
{
  if (worker->planner.impl != NULL && is_same_choice(&worker->choice, choice)) {
    return FW_RET_OK;
  }
  worker->request.since = 0;  // a new planner has no warm start
  fw_planner_fini(&worker->planner);
  worker->planner = (fw_planner_t){0};
  fw_planner_options_t options = fw_planner_options_default();
  options.memory_max_bytes = choice->memory_max_bytes;
  options.threads = choice->threads;
  options.seed = choice->seed;
  fw_ret_t ret = fw_planner_init(&worker->planner, choice->name, &options, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  const fw_planner_def_t * definition = fw_planner_definition(&worker->planner);
  for (int32_t k = 0; ret == FW_RET_OK && k < definition->parameter_count; ++k) {
    ret = fw_planner_set(&worker->planner, definition->parameters[k].name, choice->values[k], error);
  }
  fw__record_writer_forget_planner(&worker->recording.recorder);
  if (ret == FW_RET_OK) {
    worker->choice = *choice;
  } else {
    fw_planner_fini(&worker->planner);
    worker->planner = (fw_planner_t){0};
  }
  return ret;
}

static void work(node_worker_t * worker)
{
  worker->result = (node_result_t){0};
  worker->result.ret = make_planner(worker, &worker->request.planner, &worker->result.error);
  if (worker->result.ret == FW_RET_OK) {
    solve(worker);
  }
}

static void * run(void * argument)
{
  node_worker_t * worker = argument;
  pthread_mutex_lock(&worker->mutex);
  while (!worker->is_ending) {
    if (worker->state != NODE_WORKER_BUSY) {
      pthread_cond_wait(&worker->changed, &worker->mutex);
      continue;
    }
    pthread_mutex_unlock(&worker->mutex);
    work(worker);
    pthread_mutex_lock(&worker->mutex);
    worker->state = NODE_WORKER_DONE;
    worker->on_done(worker->context);
  }
  pthread_mutex_unlock(&worker->mutex);
  return NULL;
}

bool node_worker_init(node_worker_t * worker, void (*on_done)(void * context), void * context)
{
  worker->on_done = on_done;
  worker->context = context;
  if (pthread_mutex_init(&worker->mutex, NULL) != 0 || pthread_cond_init(&worker->changed, NULL) != 0) {
    return false;
  }
  worker->is_started = pthread_create(&worker->thread, NULL, run, worker) == 0;
  return worker->is_started;
}

void node_worker_fini(node_worker_t * worker)
{
  if (worker->is_started) {
    node_worker_cancel(worker);
    pthread_mutex_lock(&worker->mutex);
    worker->is_ending = true;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->mutex);
    (void)pthread_join(worker->thread, NULL);
    (void)pthread_cond_destroy(&worker->changed);
    (void)pthread_mutex_destroy(&worker->mutex);
  }
  close_record(&worker->recording);
  fw_planner_fini(&worker->planner);
  node_request_fini(&worker->request);
  worker->is_started = false;
}

node_worker_state_t node_worker_state(node_worker_t * worker)
{
  pthread_mutex_lock(&worker->mutex);
  const node_worker_state_t state = worker->state;
  pthread_mutex_unlock(&worker->mutex);
  return state;
}

static void change_state(node_worker_t * worker, node_worker_state_t state)
{
  pthread_mutex_lock(&worker->mutex);
  worker->state = state;
  pthread_cond_signal(&worker->changed);
  pthread_mutex_unlock(&worker->mutex);
}

void node_worker_start(node_worker_t * worker)
{
  FW_ASSERT(node_worker_state(worker) == NODE_WORKER_IDLE);
  FW_ASSERT(worker->request.count > 0 && !node_request_has_failed(&worker->request));
  atomic_store(&worker->is_cancelled, false);
  change_state(worker, NODE_WORKER_BUSY);
}

void node_worker_finish(node_worker_t * worker)
{
  FW_ASSERT(node_worker_state(worker) == NODE_WORKER_DONE);
  change_state(worker, NODE_WORKER_IDLE);
}

void node_worker_cancel(node_worker_t * worker) { atomic_store(&worker->is_cancelled, true); }

bool node_worker_is_cancelled(const node_worker_t * worker) { return atomic_load(&worker->is_cancelled); }
