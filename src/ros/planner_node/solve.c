#include "ros/planner_node/solve.h"

#include <stdlib.h>

#include "ros/planner_node/job_closures.h"

// When all robots together cannot be planned, some are held so that the others go on. Who? First whoever has no way at
// all, then whom the planner names. Then by halves: everybody is held, groups are let go one by one, and a group that makes the plan fail is split,
// down to the single robot. With c culprits among n robots that takes about 2 c log n solves.

// Of the time limit, for the first try with all robots; what is left is for finding who is in the way.
static const double FIRST_SHARE = 0.6;
static const double GROUP_SHARE = 0.1;

typedef struct attempt_t {
  solver_t solver;
  job_t * job;
  const fw_budget_t * cancel;
  answer_t * answer;
  int64_t deadline_ns;
} attempt_t;

typedef struct group_t {
  int32_t first;  // in the list of those who want to go
  int32_t count;
} group_t;

static bool is_cancelled(const attempt_t * attempt)
{
  return attempt->cancel->is_cancelled(attempt->cancel->cancel_state);
}

static bool has_time(const attempt_t * attempt)
{
  return !is_cancelled(attempt) && fw_clock_now_ns() < attempt->deadline_ns;
}

// It is only that the plan ends before the goals, as it was asked to; the next round goes on from there.
static bool is_window(const job_t * job, const fw_plan_t * plan)
{
  return plan->outcome == FW_OUTCOME_PARTIAL && plan->safe_until >= job->horizon && job_goes_by_windows(job);
}

// A plan that takes somebody somewhere, or leaves nothing to do, or is a window in which all may have to wait.
static bool is_useful(const job_t * job, const answer_t * answer)
{
  const fw_plan_t * plan = &answer->plan;
  if (answer->ret != FW_RET_OK || plan->outcome == FW_OUTCOME_SOLVED) {
    return answer->ret == FW_RET_OK;
  }
  if (is_window(job, plan)) {
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

static bool try_share(attempt_t * attempt, double share)
{
  const int64_t allowed_ns = (int64_t)(share * attempt->job->time_limit * 1e9);
  fw_budget_t budget = *attempt->cancel;
  budget.deadline_ns = fw_clock_now_ns() + allowed_ns;
  job_settle(attempt->job);
  const fw_problem_t problem = job_pose(attempt->job);
  attempt->answer->attempts += 1;
  attempt->answer->error = (fw_error_t){.robot = -1};
  const recorded_solve_t asked = {
    .planner = attempt->solver.planner, .choice = &attempt->job->planner, .problem = &problem, .budget = &budget};
  attempt->answer->ret =
    recording_solve(attempt->solver.recording, &asked, &attempt->answer->plan, &attempt->answer->error);
  attempt->job->since = 0;  // what the planner remembers from now on is this attempt, which nobody has driven
  return is_useful(attempt->job, attempt->answer);
}

// Being held for a taken cell belongs to one choice of who goes: the next choice starts without it.
static void forget_claims(job_t * job)
{
  for (int32_t k = 0; k < job->count; ++k) {
    entrant_t * entrant = &job->entrants[k];
    if (entrant->fault == FW_FAULT_GOAL_OCCUPIED && entrant->goal != FW_CELL_NONE) {
      entrant->is_held = false;
      entrant->fault = FW_FAULT_NONE;
      entrant->other = -1;
    }
  }
}

// Where a planner says whom there is no plan for: one that wants to go stays, and one that only stays, on a cell that
// closes and that it cannot leave, is left there. True if that was somebody.
static bool hold_named(attempt_t * attempt)
{
  job_t * job = attempt->job;
  const answer_t * answer = attempt->answer;
  const int32_t robot = answer->error.robot;
  if (answer->ret != FW_RET_OK || answer->plan.outcome != FW_OUTCOME_UNSOLVABLE || robot < 0 || robot >= job->count) {
    return false;
  }
  entrant_t * entrant = &job->entrants[robot];
  if (!entrant->is_held && entrant->goal != FW_CELL_NONE) {
    entrant->fault = FW_FAULT_NO_VALID_PATH;
  } else if (
    job_is_closed(job, (placed_t){&entrant->body, entrant->start}, 0, FW_TICK_MAX) ||
    entrant->home != entrant->start.cell) {
    job_open_until(job, (placed_t){&entrant->body, entrant->start}, FW_TICK_MAX);
    entrant->home = entrant->start.cell;
    entrant->fault = FW_FAULT_START_OCCUPIED;
  } else {
    return false;
  }
  entrant->is_held = true;
  return true;
}

static void hold_group(job_t * job, const int32_t * list, group_t group, bool hold)
{
  for (int32_t k = group.first; k < group.first + group.count; ++k) {
    job->entrants[list[k]].is_held = hold;
    job->entrants[list[k]].fault = hold ? FW_FAULT_NO_VALID_PATH : FW_FAULT_NONE;
  }
}

static void isolate(attempt_t * attempt, int32_t * list, group_t * stack)
{
  job_t * job = attempt->job;
  int32_t count = 0;
  for (int32_t k = 0; k < job->count; ++k) {
    if (!job->entrants[k].is_held && job->entrants[k].goal != FW_CELL_NONE) {
      list[count++] = k;
    }
  }
  const group_t all = {0, count};
  hold_group(job, list, all, true);
  int32_t depth = 0;
  if (count > 1) {  // all together is known to fail
    stack[depth++] = (group_t){count / 2, count - count / 2};
    stack[depth++] = (group_t){0, count / 2};
  }
  while (depth > 0 && has_time(attempt)) {
    const group_t group = stack[--depth];
    forget_claims(job);
    hold_group(job, list, group, false);
    if (try_share(attempt, GROUP_SHARE)) {
      continue;
    }
    forget_claims(job);
    hold_group(job, list, group, true);
    if (group.count == 1) {
      const bool ran_out = attempt->answer->plan.stop == FW_STOP_DEADLINE;
      job->entrants[list[group.first]].fault = ran_out ? FW_FAULT_TIMEOUT : FW_FAULT_NO_VALID_PATH;
    } else {
      stack[depth++] = (group_t){group.first + group.count / 2, group.count - group.count / 2};
      stack[depth++] = (group_t){group.first, group.count / 2};
    }
  }
  forget_claims(job);
  (void)try_share(attempt, FIRST_SHARE);
}

static void attempt_all(attempt_t * attempt)
{
  job_t * job = attempt->job;
  if (try_share(attempt, FIRST_SHARE) || attempt->answer->ret != FW_RET_OK || is_cancelled(attempt)) {
    return;
  }
  forget_claims(job);
  if (job_hold_unreachable(job) > 0 && try_share(attempt, FIRST_SHARE)) {
    return;
  }
  for (int32_t k = 0; k < 2 * job->count && has_time(attempt) && hold_named(attempt); ++k) {
    forget_claims(job);
    if (try_share(attempt, FIRST_SHARE)) {
      return;
    }
  }
  int32_t * list = calloc((size_t)job->count + 1, sizeof *list);
  group_t * stack = calloc((size_t)job->count + 2, sizeof *stack);
  if (list != NULL && stack != NULL && !is_cancelled(attempt)) {
    forget_claims(job);
    isolate(attempt, list, stack);
  }
  free(list);
  free(stack);
}

// Who does not arrive is told so, unless it is only the window that ends before the goal.
static void note_left_out(job_t * job, const fw_plan_t * plan)
{
  if (plan->outcome == FW_OUTCOME_SOLVED || is_window(job, plan)) {
    return;
  }
  for (int32_t k = 0; k < job->count && k < plan->robot_count; ++k) {
    entrant_t * entrant = &job->entrants[k];
    const bool wants = !entrant->is_held && entrant->goal != FW_CELL_NONE;
    if (wants && fw_path_at(&plan->paths[k], plan->safe_until) != job->robots[k].goal) {
      entrant->fault = plan->stop == FW_STOP_DEADLINE ? FW_FAULT_TIMEOUT : FW_FAULT_NO_VALID_PATH;
    }
  }
}

void solve(solver_t solver, job_t * job, const fw_budget_t * cancel, answer_t * answer)
{
  const int64_t begin_ns = fw_clock_now_ns();
  attempt_t attempt = {
    .solver = solver,
    .job = job,
    .cancel = cancel,
    .answer = answer,
    .deadline_ns = begin_ns + (int64_t)(job->time_limit * 1e9),
  };
  *answer = (answer_t){0};
  const bool goes_on = job->since > 0 && job_goes_by_windows(job);
  attempt_all(&attempt);
  answer->goes_on = goes_on && answer->attempts == 1;
  if (answer->ret == FW_RET_OK) {
    const fw_problem_t problem = job_pose(job);
    note_left_out(job, &answer->plan);
    answer->ret = fw_check_plan(&problem, &answer->plan, NULL, &answer->conflict, &answer->error);
    if (answer->ret == FW_RET_OK && answer->conflict.kind != FW_CONFLICT_NONE) {
      fw_conflict_describe(&problem, &answer->conflict, answer->conflict_text, sizeof answer->conflict_text);
    }
  }
  answer->elapsed_ns = fw_clock_now_ns() - begin_ns;
}
