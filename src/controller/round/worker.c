// The worker's thread: recording, solving with as many agents as possible, and the hand-over to the node's thread. See
// worker.h.

#include "controller/round/worker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/heap.h"
#include "controller/round/request_closures.h"

// ---- the record

void fw__round_worker_open_record(
  fw_round_worker_t * worker, const char * path, int64_t bytes_max, const fw_log_t * log)
{
  fw_round_recording_t * recording = &worker->recording;
  fw_error_t error = {0};
  recording->log = log;
  if (path == NULL || path[0] == '\0') {
    return;
  }
  recording->is_on = fw__record_writer_open(&recording->recorder, path, bytes_max, &error) == FW_RET_OK;
  if (recording->is_on) {
    fw__log(log, FW_LOG_INFO, "problems and plans are recorded in %s", path);
  } else {
    fw__log(log, FW_LOG_ERROR, "nothing is recorded: %s", error.text);
  }
}

static void close_record(fw_round_recording_t * recording)
{
  fw__record_writer_close(&recording->recorder);
  recording->is_on = false;
}

typedef struct recorded_solve_t {
  fw_planner_t * planner;
  const fw_planner_choice_t * choice;
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
static void stop_recording(fw_round_recording_t * recording, const fw_error_t * error)
{
  fw__log(recording->log, FW_LOG_ERROR, "recording stops: %s", error->text);
  close_record(recording);
}

static void warn_if_full(fw_round_recording_t * recording)
{
  const bool is_full = recording->recorder.is_full;
  if (is_full && !recording->was_full) {
    fw__log(
      recording->log, FW_LOG_WARN,
      "the record is full; it continues in a new file with the next plan that is not a continuation of the one before");
  }
  recording->was_full = is_full;
}

// As fw_planner_solve, with a record if there is one.
static fw_ret_t solve_recorded(
  fw_round_recording_t * recording, const recorded_solve_t * solve, fw_plan_t * plan, fw_error_t * error)
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
static const double PARTIAL_SHARE = 0.1;  // for the agents that a partial round concerns
enum { ATTEMPTS_MAX = 32 };               // without a deadline

typedef struct attempt_t {
  fw_round_worker_t * worker;
  fw_round_request_t * request;  // the worker's `solved`
  fw_round_result_t * result;    // the worker's
  fw_budget_t cancel;            // without deadline
  int64_t deadline_ns;           // for all solves together; 0: they are counted instead
} attempt_t;

typedef struct agent_group_t {
  int32_t first;  // in the list of agents that have a goal
  int32_t count;
} agent_group_t;

static bool has_time(const attempt_t * attempt)
{
  const bool has_more =
    attempt->deadline_ns > 0 ? fw_clock_now_ns() < attempt->deadline_ns : attempt->result->attempts < ATTEMPTS_MAX;
  return !fw__round_worker_is_cancelled(attempt->worker) && has_more;
}

// True if the plan ends before the goals because the horizon does; the next round continues from there.
static bool is_window(const fw_round_request_t * request, const fw_plan_t * plan)
{
  return plan->outcome == FW_OUTCOME_PARTIAL && plan->safe_until >= request->horizon &&
         fw__round_request_is_windowed(request);
}

// A useful plan solves the problem, moves at least one agent, or is a window in which all may have to wait.
static bool is_useful(const fw_round_request_t * request, const fw_round_result_t * result)
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

// With a fraction of the time limit, and so many expansions.
static fw_budget_t budget_of(const attempt_t * attempt, double share, int64_t expansions_max)
{
  FW_ASSERT(share > 0.0 && share <= 1.0);
  const int64_t allowed_ns = (int64_t)(share * attempt->request->time_limit * 1e9);
  fw_budget_t budget = attempt->cancel;
  budget.deadline_ns = attempt->deadline_ns > 0 ? fw_clock_now_ns() + allowed_ns : 0;
  budget.expansions_max = expansions_max;
  return budget;
}

static fw_ret_t solve_problem(
  attempt_t * attempt, const fw_problem_t * problem, const fw_budget_t * budget, fw_plan_t * plan)
{
  attempt->result->error = (fw_error_t){.robot = -1};
  const recorded_solve_t solve = {
    .planner = &attempt->worker->planner, .choice = &attempt->request->planner, .problem = problem, .budget = budget};
  const fw_ret_t ret = solve_recorded(&attempt->worker->recording, &solve, plan, &attempt->result->error);
  attempt->result->expanded += plan->stats.expanded;
  return ret;
}

// Solves the request once, with a fraction of the time limit. True if the plan is useful.
static bool try_share(attempt_t * attempt, double share)
{
  fw__round_request_resolve_goal_conflicts(attempt->request);
  const fw_problem_t problem = fw__round_request_problem(attempt->request);
  attempt->result->attempts += 1;
  const fw_budget_t budget = budget_of(attempt, share, attempt->request->expansions_max);
  attempt->result->ret = solve_problem(attempt, &problem, &budget, &attempt->result->plan);
  attempt->request->since = 0;  // the planner now remembers this attempt, of which nothing has been driven
  return is_useful(attempt->request, attempt->result);
}

// An agent that is to park elsewhere stays where it is, although its cell closes.
static void let_stay(fw_round_request_t * request, fw_round_agent_t * agent)
{
  fw__round_request_open_until(request, (fw_placed_body_t){&agent->body, agent->start}, FW_TICK_MAX);
  agent->parking = agent->start.cell;
  // One that has no way out of a no-waiting area only stays there.
  agent->fault = fw_grid_allows_waiting(&request->grid, agent->start.cell) ? FW_FAULT_START_OCCUPIED : agent->fault;
  agent->is_parked = true;
}

// Parks the agent that the planner names as the one without a plan. An agent that is already parked, on a cell that
// closes and that it cannot leave, may stay there. True if something changed.
static bool park_named(attempt_t * attempt)
{
  fw_round_request_t * request = attempt->request;
  const fw_round_result_t * result = attempt->result;
  const int32_t robot = result->error.robot;
  if (
    result->ret != FW_RET_OK || result->plan.outcome != FW_OUTCOME_UNSOLVABLE || robot < 0 || robot >= request->count) {
    return false;
  }
  fw_round_agent_t * agent = &request->agents[robot];  // the planner counts robots as the request counts agents
  if (!agent->is_parked && agent->goal != FW_CELL_NONE) {
    agent->fault = FW_FAULT_NO_VALID_PATH;
    agent->is_parked = true;
    return true;
  }
  if (
    fw__round_request_is_closed(request, (fw_placed_body_t){&agent->body, agent->start}, 0, FW_TICK_MAX) ||
    agent->parking != agent->start.cell) {
    let_stay(request, agent);
    return true;
  }
  return false;
}

static void park_group(fw_round_request_t * request, const int32_t * list, agent_group_t group, bool is_parked)
{
  for (int32_t k = group.first; k < group.first + group.count; ++k) {
    request->agents[list[k]].is_parked = is_parked;
    // Not tried yet: what a try finds out replaces this.
    request->agents[list[k]].fault = is_parked ? FW_FAULT_TIMEOUT : FW_FAULT_NONE;
  }
}

// Why a robot has no plan: no path is said only of what was searched to the end.
static fw_fault_t fault_after(const fw_plan_t * plan)
{
  return plan->stop == FW_STOP_DONE ? FW_FAULT_NO_VALID_PATH : FW_FAULT_TIMEOUT;
}

// Group testing, as described above. True if the plan is useful.
static bool isolate(attempt_t * attempt, int32_t * list, agent_group_t * stack)
{
  fw_round_request_t * request = attempt->request;
  int32_t count = 0;
  for (int32_t k = 0; k < request->count; ++k) {
    if (!request->agents[k].is_parked && request->agents[k].goal != FW_CELL_NONE) {
      list[count++] = k;
    }
  }
  const agent_group_t all = {0, count};
  const fw_fault_t fault_of_all = fault_after(&attempt->result->plan);
  park_group(request, list, all, true);
  int32_t depth = 0;
  if (count == 1) {  // it is known to fail
    request->agents[list[0]].fault = fault_of_all;
  } else if (count > 1) {  // all together are known to fail
    stack[depth++] = (agent_group_t){count / 2, count - count / 2};
    stack[depth++] = (agent_group_t){0, count / 2};
  }
  while (depth > 0 && has_time(attempt)) {
    FW_ASSERT(depth <= request->count + 2);  // the stack's capacity: groups on it are disjoint
    const agent_group_t group = stack[--depth];
    FW_ASSERT(group.count > 0 && group.first + group.count <= count);
    fw__round_request_forget_goal_conflicts(request);
    park_group(request, list, group, false);
    if (try_share(attempt, GROUP_SHARE)) {
      continue;
    }
    fw__round_request_forget_goal_conflicts(request);
    park_group(request, list, group, true);
    if (group.count == 1) {
      request->agents[list[group.first]].fault = fault_after(&attempt->result->plan);
    } else {
      stack[depth++] = (agent_group_t){group.first + group.count / 2, group.count - group.count / 2};
      stack[depth++] = (agent_group_t){group.first, group.count / 2};
    }
  }
  fw__round_request_forget_goal_conflicts(request);
  return try_share(attempt, FIRST_SHARE);
}

// Not even with all goals given up is there a plan: agents inside keepouts that were to leave stay, and all goals are
// tried again. False if there is no such agent.
static bool give_up_leaving(fw_round_request_t * request)
{
  bool has_changed = false;
  for (int32_t k = 0; k < request->count; ++k) {
    fw_round_agent_t * agent = &request->agents[k];
    if (agent->is_kept_out && agent->goal == FW_CELL_NONE && agent->parking != agent->start.cell) {
      let_stay(request, agent);
      has_changed = true;
    }
  }
  for (int32_t k = 0; has_changed && k < request->count; ++k) {
    fw_round_agent_t * agent = &request->agents[k];
    const bool is_wanted = agent->goal != FW_CELL_NONE && agent->is_parked;
    agent->is_parked = agent->is_parked && !is_wanted;
    agent->fault = is_wanted ? FW_FAULT_NONE : agent->fault;
  }
  return has_changed;
}

static void attempt_all(attempt_t * attempt)
{
  fw_round_request_t * request = attempt->request;
  if (
    try_share(attempt, FIRST_SHARE) || attempt->result->ret != FW_RET_OK ||
    fw__round_worker_is_cancelled(attempt->worker)) {
    return;
  }
  fw__round_request_forget_goal_conflicts(request);
  if (fw__round_request_park_unreachable(request) > 0 && try_share(attempt, FIRST_SHARE)) {
    return;
  }
  for (int32_t k = 0; k < 2 * request->count && has_time(attempt) && park_named(attempt); ++k) {
    fw__round_request_forget_goal_conflicts(request);
    if (try_share(attempt, FIRST_SHARE)) {
      return;
    }
  }
  int32_t * list = fw__calloc((size_t)request->count + 1, sizeof *list);
  agent_group_t * stack = fw__calloc((size_t)request->count + 2, sizeof *stack);
  if (list != NULL && stack != NULL && !fw__round_worker_is_cancelled(attempt->worker)) {
    fw__round_request_forget_goal_conflicts(request);
    if (!isolate(attempt, list, stack) && has_time(attempt) && give_up_leaving(request)) {
      fw__round_request_forget_goal_conflicts(request);
      if (!try_share(attempt, FIRST_SHARE)) {
        fw__round_request_forget_goal_conflicts(request);
        (void)isolate(attempt, list, stack);
      }
    }
  }
  free(list);
  free(stack);
}

// Gives a fault to agents that do not arrive, unless only the window ends before the goal.
static void set_faults(fw_round_request_t * request, const fw_plan_t * plan)
{
  if (plan->outcome == FW_OUTCOME_SOLVED || is_window(request, plan)) {
    return;
  }
  for (int32_t k = 0; k < request->count && k < plan->robot_count; ++k) {
    fw_round_agent_t * agent = &request->agents[k];
    const bool wants = !agent->is_parked && agent->goal != FW_CELL_NONE;
    if (wants && fw_path_at(&plan->paths[k], plan->safe_until) != request->robots[k].goal) {
      agent->fault = fault_after(plan);
    }
  }
}

static bool is_cancelled(void * state) { return fw__round_worker_is_cancelled(state); }

// The plan of the last try may be complete only because agents were parked: the outcome is that of the whole request.
static void note_outcome(fw_round_result_t * result, const fw_round_request_t * request)
{
  result->outcome = result->plan.outcome;
  result->stop = result->plan.stop;
  for (int32_t k = 0; k < request->count; ++k) {
    const fw_fault_t fault = request->agents[k].fault;
    const bool is_open = fault == FW_FAULT_TIMEOUT || fault == FW_FAULT_NO_VALID_PATH;
    result->outcome = is_open && result->outcome == FW_OUTCOME_SOLVED ? FW_OUTCOME_PARTIAL : result->outcome;
    if (fault == FW_FAULT_TIMEOUT && result->stop == FW_STOP_DONE) {
      result->stop = request->expansions_max > 0 ? FW_STOP_EXPANSIONS : FW_STOP_DEADLINE;
    }
  }
}

static void check(fw_round_request_t * request, fw_round_result_t * result)
{
  const fw_problem_t problem = fw__round_request_problem(request);
  FW_ASSERT(result->plan.robot_count == request->count);
  result->ret = fw_check_plan(&problem, &result->plan, NULL, &result->conflict, &result->error);
  if (result->ret == FW_RET_OK && result->conflict.kind != FW_CONFLICT_NONE) {
    fw_conflict_describe(&problem, &result->conflict, result->conflict_text, sizeof result->conflict_text);
  }
}

// Plans the agents that the round concerns, and joins their paths with the tails of the others. False if the joined
// plan is not a good one.
static bool solve_part(attempt_t * attempt)
{
  fw_partial_round_t * partial = &attempt->worker->partial;
  fw_round_result_t * result = attempt->result;
  const bool is_empty = partial->problem.robot_count == 0;
  fw_plan_t part = {0};
  if (!is_empty) {
    const fw_budget_t budget = budget_of(attempt, PARTIAL_SHARE, attempt->request->partial_expansions_max);
    const fw_ret_t ret = solve_problem(attempt, &partial->problem, &budget, &part);
    if (ret != FW_RET_OK || part.outcome != FW_OUTCOME_SOLVED) {
      return false;
    }
  }
  if (!fw__partial_round_join(partial, attempt->request, is_empty ? NULL : &part, &result->plan)) {
    return false;
  }
  check(attempt->request, result);
  return result->ret == FW_RET_OK && result->conflict.kind == FW_CONFLICT_NONE;
}

// A partial round. False if the round must be a whole one; nothing has changed then but the count of expansions.
static bool attempt_part(attempt_t * attempt)
{
  fw_round_request_t * request = attempt->request;
  fw_round_result_t * result = attempt->result;
  if (!request->may_be_partial || !fw__partial_round_begin(&attempt->worker->partial, request)) {
    return false;
  }
  const bool is_done = solve_part(attempt);
  if (is_done) {
    const fw_problem_t problem = fw__round_request_problem(request);
    result->plan.stats.sum_of_costs = fw_paths_sum_of_costs(&problem, result->plan.paths);
    result->planned = attempt->worker->partial.problem.robot_count;
    result->attempts = 1;
  } else {
    *result = (fw_round_result_t){.expanded = result->expanded};
    fw__partial_round_undo(request);
  }
  result->was_partial = true;
  result->is_partial = is_done;
  return is_done;
}

// Solves the worker's request and checks the plan.
static void solve(fw_round_worker_t * worker)
{
  fw_round_request_t * request = &worker->solved;
  fw_round_result_t * result = &worker->result;
  const bool is_timed = worker->mode == FW_CONTROLLER_WORKER_THREAD;
  const int64_t begin_ns = is_timed ? fw_clock_now_ns() : 0;
  attempt_t attempt = {
    .worker = worker,
    .request = request,
    .result = result,
    .cancel = {.is_cancelled = is_cancelled, .cancel_state = worker},
    .deadline_ns = is_timed ? begin_ns + (int64_t)(request->time_limit * 1e9) : 0,
  };
  const bool continues = request->since > 0 && fw__round_request_is_windowed(request);
  const bool is_partial = attempt_part(&attempt);
  if (!is_partial) {
    result->planned = request->count;
    attempt_all(&attempt);
    result->continues = continues && result->attempts == 1;
  }
  if (result->ret == FW_RET_OK) {
    set_faults(request, &result->plan);
    note_outcome(result, request);
  }
  if (result->ret == FW_RET_OK && !is_partial) {
    check(request, result);
  }
  result->elapsed_ns = is_timed ? fw_clock_now_ns() - begin_ns : 0;
}

// ---- the thread

static bool is_same_choice(const fw_planner_choice_t * a, const fw_planner_choice_t * b)
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
static fw_ret_t make_planner(fw_round_worker_t * worker, const fw_planner_choice_t * choice, fw_error_t * error)
{
  if (worker->planner.impl != NULL && is_same_choice(&worker->choice, choice)) {
    return FW_RET_OK;
  }
  worker->solved.since = 0;  // a new planner has no warm start
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
    const fw_parameter_def_t * parameter = &definition->parameters[k];
    const char * value = choice->values[k][0] != '\0' ? choice->values[k] : parameter->in_fleet;
    ret = value == NULL ? FW_RET_OK : fw_planner_set(&worker->planner, parameter->name, value, error);
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

static void work(fw_round_worker_t * worker)
{
  worker->result = (fw_round_result_t){0};
  if (!fw__round_request_copy(&worker->solved, &worker->request)) {
    worker->result.ret = fw__error_memory(&worker->result.error);
    return;
  }
  worker->result.ret = make_planner(worker, &worker->request.planner, &worker->result.error);
  if (worker->result.ret == FW_RET_OK) {
    solve(worker);
  }
}

static void * run(void * argument)
{
  fw_round_worker_t * worker = argument;
  pthread_mutex_lock(&worker->mutex);
  while (!worker->is_ending) {
    if (worker->state != FW_ROUND_WORKER_BUSY) {
      pthread_cond_wait(&worker->changed, &worker->mutex);
      continue;
    }
    pthread_mutex_unlock(&worker->mutex);
    work(worker);
    pthread_mutex_lock(&worker->mutex);
    worker->state = FW_ROUND_WORKER_DONE;
    if (worker->on_done != NULL) {
      worker->on_done(worker->context);
    }
  }
  pthread_mutex_unlock(&worker->mutex);
  return NULL;
}

bool fw__round_worker_init(
  fw_round_worker_t * worker, fw_controller_worker_t mode, void (*on_done)(void * context), void * context)
{
  worker->on_done = on_done;
  worker->context = context;
  worker->mode = mode;
  if (pthread_mutex_init(&worker->mutex, NULL) != 0) {
    return false;
  }
  if (pthread_cond_init(&worker->changed, NULL) != 0) {
    (void)pthread_mutex_destroy(&worker->mutex);
    return false;
  }
  worker->is_initialised = true;
  if (mode != FW_CONTROLLER_WORKER_THREAD) {
    return true;
  }
  worker->is_started = pthread_create(&worker->thread, NULL, run, worker) == 0;
  return worker->is_started;
}

void fw__round_worker_fini(fw_round_worker_t * worker)
{
  if (worker->is_started) {
    fw__round_worker_cancel(worker);
    pthread_mutex_lock(&worker->mutex);
    worker->is_ending = true;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->mutex);
    (void)pthread_join(worker->thread, NULL);
  }
  if (worker->is_initialised) {
    (void)pthread_cond_destroy(&worker->changed);
    (void)pthread_mutex_destroy(&worker->mutex);
  }
  close_record(&worker->recording);
  fw__partial_round_fini(&worker->partial);
  fw_planner_fini(&worker->planner);
  fw__round_request_fini(&worker->request);
  fw__round_request_fini(&worker->solved);
  worker->is_started = false;
  worker->is_initialised = false;
}

fw_round_worker_state_t fw__round_worker_state(fw_round_worker_t * worker)
{
  pthread_mutex_lock(&worker->mutex);
  const fw_round_worker_state_t state = worker->state;
  pthread_mutex_unlock(&worker->mutex);
  return state;
}

static void change_state(fw_round_worker_t * worker, fw_round_worker_state_t state)
{
  pthread_mutex_lock(&worker->mutex);
  worker->state = state;
  pthread_cond_signal(&worker->changed);
  pthread_mutex_unlock(&worker->mutex);
}

void fw__round_worker_start(fw_round_worker_t * worker)
{
  FW_ASSERT(fw__round_worker_state(worker) == FW_ROUND_WORKER_IDLE);
  FW_ASSERT(worker->request.count > 0 && !fw__round_request_has_failed(&worker->request));
  atomic_store(&worker->is_cancelled, false);
  change_state(worker, FW_ROUND_WORKER_BUSY);
  if (worker->mode == FW_CONTROLLER_WORKER_INLINE) {
    fw__round_worker_solve(worker, false);
  }
}

void fw__round_worker_solve(fw_round_worker_t * worker, bool fails)
{
  FW_ASSERT(worker->mode != FW_CONTROLLER_WORKER_THREAD && worker->state == FW_ROUND_WORKER_BUSY);
  if (fails) {
    worker->result = (fw_round_result_t){0};
    worker->result.ret = fw__error_memory(&worker->result.error);
  } else {
    work(worker);
  }
  change_state(worker, FW_ROUND_WORKER_DONE);
}

void fw__round_worker_finish(fw_round_worker_t * worker)
{
  FW_ASSERT(fw__round_worker_state(worker) == FW_ROUND_WORKER_DONE);
  change_state(worker, FW_ROUND_WORKER_IDLE);
}

void fw__round_worker_cancel(fw_round_worker_t * worker) { atomic_store(&worker->is_cancelled, true); }

bool fw__round_worker_is_cancelled(const fw_round_worker_t * worker) { return atomic_load(&worker->is_cancelled); }
