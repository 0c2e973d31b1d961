// Which agents keep their plans, the problem of the others, and the join of both. See partial.h.

#include "controller/round/partial.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "controller/round/request_closures.h"
#include "world/closures.h"
#include "world/problem.h"

// A path is a long detour if it takes more than this factor of the shortest one, and so many ticks beyond that.
static const fw_tick_t DETOUR_FACTOR = 2;
static const fw_tick_t DETOUR_TICKS = 16;

void fw__partial_round_fini(fw_partial_round_t * partial)
{
  if (partial->is_initialised) {
    fw__arena_fini(&partial->arena);
  }
  *partial = (fw_partial_round_t){0};
}

static void reset(fw_partial_round_t * partial)
{
  if (!partial->is_initialised) {
    partial->memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = SIZE_MAX};
    fw__arena_init(&partial->arena, &partial->memory);
    partial->is_initialised = true;
  }
  fw__arena_reset(&partial->arena);
  partial->problem = (fw_problem_t){0};
}

// ---- who keeps its tail

static bool has_left_start(const fw_path_t * tail) { return tail->length > 1; }

// Is the agent on free and open cells wherever it stands on its tail? What it sweeps in between is left to the check of
// the plan.
static bool is_tail_free(const fw_round_request_t * request, const fw_round_agent_t * agent, const fw_path_t * tail)
{
  fw_tick_t since = 0;  // the tick from which on it is on its way to the present pose, or there
  for (int32_t at = 0, next; at < tail->length; at = next) {
    for (next = at + 1; next < tail->length && !fw__path_arrives(tail, next); ++next) {}
    const fw_placed_body_t placed = {&agent->body, fw__path_pose(tail, at)};
    const fw_tick_t until = next < tail->length ? next - 1 : FW_TICK_MAX;
    if (
      !fw__robot_body_fits(placed.body, &request->grid, placed.place) ||
      (request->closure_count > 0 && fw__round_request_is_closed(request, placed, since, until))) {
      return false;
    }
    const bool is_move = next < tail->length && tail->cells[next] != tail->cells[next - 1];
    since = next - (is_move ? agent->body.ticks_per_move : agent->body.turn_ticks) + 1;
  }
  return true;
}

// An agent without goal keeps its tail wherever that leads: it has been moved aside, and returns.
static bool leads_to_goal(const fw_round_request_t * request, const fw_round_agent_t * agent, const fw_path_t * tail)
{
  const fw_cell_t end = tail->cells[tail->length - 1];
  const bool may_end = fw_grid_allows_waiting(&request->grid, end);
  return agent->goal == FW_CELL_NONE ? agent->parking == agent->start.cell && may_end : agent->goal == end;
}

static void choose_kept(fw_round_request_t * request)
{
  for (int32_t k = 0; k < request->count; ++k) {
    fw_round_agent_t * agent = &request->agents[k];
    const fw_path_t tail = fw__round_request_tail(request, agent);
    agent->is_kept = tail.length > 0 && leads_to_goal(request, agent, &tail) && is_tail_free(request, agent, &tail);
    if (agent->is_kept && agent->goal == FW_CELL_NONE) {
      agent->parking = tail.cells[tail.length - 1];
    }
  }
}

// The agent does not keep its tail.
static void drop(fw_round_agent_t * agent)
{
  if (agent->is_kept && agent->goal == FW_CELL_NONE) {
    agent->parking = agent->start.cell;
  }
  agent->is_kept = false;
}

void fw__partial_round_undo(fw_round_request_t * request)
{
  for (int32_t k = 0; k < request->count; ++k) {
    drop(&request->agents[k]);
  }
  fw__round_request_forget_goal_conflicts(request);
}

// An agent that was parked because another has its goal gives up its tail, unless that ends where it is.
static int32_t drop_parked(fw_round_request_t * request)
{
  int32_t concerned = 0;
  for (int32_t k = 0; k < request->count; ++k) {
    fw_round_agent_t * agent = &request->agents[k];
    const fw_path_t tail = fw__round_request_tail(request, agent);
    if (agent->is_kept && agent->is_parked && agent->goal != FW_CELL_NONE && has_left_start(&tail)) {
      drop(agent);
    }
    concerned += agent->is_kept ? 0 : 1;
  }
  return concerned;
}

// ---- who is in the way at a goal

// A concerned agent can stay on its goal only once the last kept tail has passed it. So agents whose tails lead over
// that goal when it may be reached already are concerned too: they are planned around it.

// The cells that an agent covers on its goal, as far as they do not depend on the heading there.
static int32_t goal_cells(const fw_round_request_t * request, const fw_round_agent_t * agent, fw_cell_t * cells)
{
  const int32_t count = agent->body.turn_ticks > 0 ? 1 : agent->body.outline->counts[0];
  cells[0] = agent->goal;
  for (int32_t k = 0; agent->body.turn_ticks == 0 && k < count; ++k) {
    cells[k] = fw__robot_body_cell(&agent->body, &request->grid, (fw_grid_pose_t){.cell = agent->goal}, k);
  }
  return count;
}

static int32_t distance_bound(const fw_round_request_t * request, fw_cell_t from, fw_cell_t to)
{
  const int32_t dx = abs(fw_grid_x(&request->grid, from) - fw_grid_x(&request->grid, to));
  const int32_t dy = abs(fw_grid_y(&request->grid, from) - fw_grid_y(&request->grid, to));
  return request->connectivity == 8 ? (dx > dy ? dx : dy) : dx + dy;
}

// Does the tail cover a cell at or after the tick at which it may be another's for good? `reached` is by cell: that
// tick plus 1, 0 for none.
static bool leads_over(
  const fw_round_request_t * request, const fw_round_agent_t * agent, const fw_path_t * tail, const fw_tick_t * reached)
{
  for (int32_t at = 0, next; at < tail->length; at = next) {
    for (next = at + 1; next < tail->length && !fw__path_arrives(tail, next); ++next) {}
    const fw_grid_pose_t pose = fw__path_pose(tail, at);
    for (int32_t k = 0; k < fw__robot_body_cell_count(&agent->body, pose); ++k) {
      const fw_cell_t cell = fw__robot_body_cell(&agent->body, &request->grid, pose, k);
      if (cell != FW_CELL_NONE && reached[cell] > 0 && next >= reached[cell]) {
        return true;
      }
    }
  }
  return false;
}

// Returns how many agents give up their tails; -1 if there is no memory.
static int32_t drop_blocking(fw_arena_t * arena, fw_round_request_t * request)
{
  const size_t count = (size_t)fw_grid_cell_count(&request->grid);
  fw_tick_t * reached = fw__arena_allocate_zeroed(arena, count, sizeof(*reached));
  fw_cell_t * cells = fw__arena_allocate(arena, count, sizeof(*cells));
  int32_t dropped = 0;
  if (reached == NULL || cells == NULL) {
    return -1;
  }
  for (int32_t k = 0; k < request->count; ++k) {
    const fw_round_agent_t * agent = &request->agents[k];
    if (agent->is_kept || agent->is_parked || agent->goal == FW_CELL_NONE) {
      continue;
    }
    const fw_tick_t tick = agent->body.ticks_per_move * distance_bound(request, agent->start.cell, agent->goal);
    const int32_t cell_count = goal_cells(request, agent, cells);
    for (int32_t c = 0; c < cell_count; ++c) {
      reached[cells[c]] = tick + 1;
    }
  }
  for (int32_t k = 0; k < request->count; ++k) {
    fw_round_agent_t * agent = &request->agents[k];
    const fw_path_t tail = fw__round_request_tail(request, agent);
    if (agent->is_kept && has_left_start(&tail) && leads_over(request, agent, &tail, reached)) {
      drop(agent);
      ++dropped;
    }
  }
  return dropped;
}

// ---- priorities

// Would a concerned agent have to give way to one of lower priority?
static bool inverts_priorities(const fw_round_request_t * request)
{
  int32_t highest = INT32_MIN, lowest = INT32_MAX;
  for (int32_t k = 0; k < request->count; ++k) {
    const fw_round_agent_t * agent = &request->agents[k];
    const fw_path_t tail = fw__round_request_tail(request, agent);
    if (!agent->is_kept) {
      highest = agent->priority > highest ? agent->priority : highest;
    } else if (has_left_start(&tail)) {
      lowest = agent->priority < lowest ? agent->priority : lowest;
    }
  }
  return highest > lowest;
}

// ---- tails as closures

typedef struct closing_t {
  fw_arena_t * arena;
  const fw_grid_t * grid;
  const fw_body_t * body;
  fw_closure_t * items;
  int32_t count;
  int32_t capacity;
} closing_t;

// Without memory the arena remembers.
static void close_cell(closing_t * closing, fw_cell_t cell, fw_tick_t from, fw_tick_t to)
{
  if (from > to) {
    return;
  }
  if (closing->count == closing->capacity || closing->items == NULL) {
    fw_closure_t * items = fw__arena_grow(closing->arena, closing->items, sizeof(*items), &closing->capacity);
    if (items == NULL) {
      return;
    }
    closing->items = items;
  }
  closing->items[closing->count++] = (fw_closure_t){.cell = cell, .from = from, .to = to};
}

static void close_offset(closing_t * closing, fw_cell_t origin, fw_offset_t by, const fw_closure_t * span)
{
  const int32_t x = fw_grid_x(closing->grid, origin) + by.dx, y = fw_grid_y(closing->grid, origin) + by.dy;
  if (fw_grid_contains(closing->grid, x, y)) {
    close_cell(closing, fw_grid_cell(closing->grid, x, y), span->from, span->to);
  }
}

// The motion that ends at index `at`, and the stand there until `to`: a motion's first sweeps are the footprint at its
// end. The cells beside a diagonal are closed too, against diagonals that cross it.
static void close_motion(closing_t * closing, const fw_path_t * path, int32_t at, fw_tick_t to)
{
  const fw_grid_pose_t from = fw__path_pose(path, at - 1), end = fw__path_pose(path, at);
  const fw_motion_t * motion = fw__body_motion(closing->body, closing->grid, from, end);
  const fw_tick_t depart = at - motion->ticks;
  for (int32_t i = 0; i < motion->sweep_count; ++i) {
    const fw_swept_cell_t * sweep = &motion->sweeps[i];
    const fw_tick_t until = i < closing->body->footprints[end.heading].count ? to : depart + sweep->to;
    const fw_closure_t span = {.from = depart + sweep->from, .to = until};
    close_offset(closing, from.cell, (fw_offset_t){sweep->dx, sweep->dy}, &span);
  }
  const fw_footprint_t footprint = closing->body->footprints[from.heading];
  for (int32_t i = 0; motion->dx != 0 && motion->dy != 0 && i < footprint.count; ++i) {
    const fw_offset_t own = footprint.cells[i];
    const fw_closure_t span = {.from = depart + 1, .to = at};
    close_offset(closing, from.cell, (fw_offset_t){own.dx + motion->dx, own.dy}, &span);
    close_offset(closing, from.cell, (fw_offset_t){own.dx, own.dy + motion->dy}, &span);
  }
}

// Closes all that the robot covers on its tail; where it ends, for ever. With robust_ticks of 1 or more no planner lets
// a robot swap places with a closed cell.
static void close_tail(closing_t * closing, const fw_path_t * tail)
{
  for (int32_t at = 0, next; at < tail->length; at = next) {
    for (next = at + 1; next < tail->length && !fw__path_arrives(tail, next); ++next) {}
    const fw_tick_t to = next == tail->length ? FW_TICK_MAX : next - fw__path_motion_ticks(tail, next, closing->body);
    const fw_grid_pose_t pose = fw__path_pose(tail, at);
    const fw_footprint_t footprint = closing->body->footprints[pose.heading];
    for (int32_t i = 0; at == 0 && i < footprint.count; ++i) {
      const fw_closure_t span = {.from = 0, .to = to};
      close_offset(closing, pose.cell, footprint.cells[i], &span);
    }
    if (at > 0) {
      close_motion(closing, tail, at, to);
    }
  }
}

// Cells that are closed for good from the first tick on become obstacles: planners look farther around obstacles.
static void turn_into_obstacles(fw_partial_round_t * partial, fw_closure_t * closures)
{
  int32_t count = 0;
  for (int32_t k = 0; k < partial->problem.closure_count; ++k) {
    if (closures[k].from == 0 && closures[k].to == FW_TICK_MAX) {
      partial->grid.cost[closures[k].cell] = 0;
    } else {
      closures[count++] = closures[k];
    }
  }
  partial->problem.closure_count = count;
}

// ---- the problem of the others

// Closes the tails that are kept, and what the whole problem has closed. False if there is no memory.
static bool write_closures(fw_partial_round_t * partial, const fw_round_request_t * request, const fw_problem_t * whole)
{
  fw_arena_t * arena = &partial->arena;
  fw_bodies_t bodies = {0};
  const fw_problem_t normal = fw__problem_normalise(whole, arena);
  if (normal.robots == NULL || !fw__bodies_init(&bodies, arena, &normal)) {
    return false;
  }
  closing_t closing = {.arena = arena, .grid = whole->grid};
  for (int32_t k = 0; k < whole->closure_count; ++k) {
    close_cell(&closing, whole->closures[k].cell, whole->closures[k].from, whole->closures[k].to);
  }
  for (int32_t k = 0; k < request->count; ++k) {
    if (request->agents[k].is_kept) {
      const fw_path_t tail = fw__round_request_tail(request, &request->agents[k]);
      closing.body = bodies.of[k];
      close_tail(&closing, &tail);
    }
  }
  fw_closure_t * merged = fw__arena_allocate(arena, (size_t)closing.count + 1, sizeof(*merged));
  if (fw__arena_has_failed(arena)) {
    return false;
  }
  partial->problem.closures = closing.items;
  partial->problem.closure_count = closing.count;
  partial->problem.closure_count = fw__closures_merge(&partial->problem, merged);
  partial->problem.closures = merged;
  turn_into_obstacles(partial, merged);
  return true;
}

// The concerned agents, on a copy of the grid. False if there is no memory.
static bool write_problem(fw_partial_round_t * partial, fw_round_request_t * request, int32_t concerned)
{
  fw_arena_t * arena = &partial->arena;
  const fw_problem_t whole = fw__round_request_problem(request);
  const size_t cells = (size_t)fw_grid_cell_count(whole.grid);
  fw_robot_t * robots = fw__arena_allocate(arena, (size_t)concerned + 1, sizeof(*robots));
  partial->agents = fw__arena_allocate(arena, (size_t)concerned + 1, sizeof(*partial->agents));
  partial->grid =
    (fw_grid_t){.width = whole.grid->width, .height = whole.grid->height, .cost = fw__arena_allocate(arena, cells, 1)};
  partial->grid.rules = whole.grid->rules;  // they do not change
  if (fw__arena_has_failed(arena)) {
    return false;
  }
  memcpy(partial->grid.cost, whole.grid->cost, cells);
  partial->problem = whole;
  partial->problem.grid = &partial->grid;
  partial->problem.robots = robots;
  partial->problem.robot_count = 0;
  for (int32_t k = 0; k < request->count; ++k) {
    if (!request->agents[k].is_kept) {
      FW_ASSERT(partial->problem.robot_count < concerned);
      partial->agents[partial->problem.robot_count] = k;
      robots[partial->problem.robot_count++] = whole.robots[k];
    }
  }
  return concerned == 0 || write_closures(partial, request, &whole);
}

bool fw__partial_round_begin(fw_partial_round_t * partial, fw_round_request_t * request)
{
  reset(partial);
  choose_kept(request);
  fw__round_request_resolve_goal_conflicts(request);
  int32_t concerned = drop_parked(request);
  const int32_t blocking = drop_blocking(&partial->arena, request);
  concerned += blocking;
  const bool is_small = blocking >= 0 && 2 * concerned <= request->count;
  if (!is_small || inverts_priorities(request) || !write_problem(partial, request, concerned)) {
    fw__partial_round_undo(request);
    return false;
  }
  return true;
}

// ---- detours

// Moves from the agent's start to its goal if no other robot were there: breadth-first. -1 without a way or memory.
static int32_t count_moves(fw_arena_t * arena, const fw_round_request_t * request, const fw_round_agent_t * agent)
{
  const fw_grid_t * grid = &request->grid;
  const size_t cells = (size_t)fw_grid_cell_count(grid);
  int32_t * moves = fw__arena_allocate_zeroed(arena, cells, sizeof(*moves));  // by cell, plus 1; 0: not reached
  fw_cell_t * queue = fw__arena_allocate(arena, cells, sizeof(*queue));
  int32_t tail = 0;
  if (moves == NULL || queue == NULL) {
    return -1;
  }
  moves[agent->start.cell] = 1;
  queue[tail++] = agent->start.cell;
  for (int32_t head = 0; head < tail && moves[agent->goal] == 0; ++head) {
    for (int32_t d = 0; d < (request->connectivity == 8 ? 8 : 4); ++d) {
      const int32_t x = fw_grid_x(grid, queue[head]) + fw__directions[d].dx;
      const int32_t y = fw_grid_y(grid, queue[head]) + fw__directions[d].dy;
      const fw_cell_t next = fw_grid_is_free(grid, x, y) ? fw_grid_cell(grid, x, y) : FW_CELL_NONE;
      if (
        next != FW_CELL_NONE && moves[next] == 0 &&
        fw__robot_body_fits_on(&agent->body, grid, request->connectivity, next)) {
        moves[next] = moves[queue[head]] + 1;
        queue[tail++] = next;
      }
    }
  }
  return moves[agent->goal] - 1;
}

// The tick of the last motion.
static fw_tick_t last_arrival(const fw_path_t * path)
{
  int32_t last = path->length - 1;
  while (last > 0 && !fw__path_arrives(path, last)) {
    --last;
  }
  return last;
}

static bool is_detour(
  fw_partial_round_t * partial, const fw_round_request_t * request, const fw_round_agent_t * agent,
  const fw_path_t * path)
{
  if (agent->goal == FW_CELL_NONE || agent->is_parked) {
    return false;
  }
  const fw_tick_t spare = last_arrival(path) - DETOUR_TICKS - 4 * agent->body.turn_ticks;
  const fw_tick_t per_move = DETOUR_FACTOR * agent->body.ticks_per_move;
  if (spare <= per_move * distance_bound(request, agent->start.cell, agent->goal)) {
    return false;
  }
  return spare > per_move * count_moves(&partial->arena, request, agent);
}

// ---- the join

bool fw__partial_round_join(
  fw_partial_round_t * partial, const fw_round_request_t * request, const fw_plan_t * part, fw_plan_t * plan)
{
  fw_path_t * paths = fw__arena_allocate(&partial->arena, (size_t)request->count + 1, sizeof(*paths));
  if (paths == NULL) {
    return false;
  }
  for (int32_t k = 0; k < request->count; ++k) {
    paths[k] = fw__round_request_tail(request, &request->agents[k]);
  }
  for (int32_t i = 0; part != NULL && i < part->robot_count; ++i) {
    const fw_round_agent_t * agent = &request->agents[partial->agents[i]];
    if (is_detour(partial, request, agent, &part->paths[i])) {
      return false;
    }
    paths[partial->agents[i]] = part->paths[i];
  }
  *plan = (fw_plan_t){
    .outcome = FW_OUTCOME_SOLVED,
    .stop = FW_STOP_DONE,
    .safe_until = FW_TICK_MAX,
    .paths = paths,
    .robot_count = request->count,
  };
  if (part != NULL) {
    plan->stats = part->stats;
  }
  plan->stats.lower_bound = 0;  // that of the part says nothing about the whole
  plan->stats.makespan = fw_paths_makespan(paths, request->count);
  return true;
}
