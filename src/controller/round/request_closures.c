// Closures in ticks, escape routes and parking cells. See request_closures.h.

#include "controller/round/request_closures.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/heap.h"
#include "world/closures.h"
#include "world/moves.h"

// ---- the list

// Adds a closure, in any order; sort_closures follows once all are there.
static void add_closure(fw_round_request_t * request, fw_closure_t closure)
{
  if (request->closure_count == request->closure_capacity) {
    const int32_t capacity = 2 * request->closure_capacity + 64;
    fw_closure_t * closures = fw__realloc(request->closures, (size_t)capacity * sizeof *closures);
    if (closures == NULL) {
      request->has_failed = true;
      return;
    }
    request->closures = closures;
    request->closure_capacity = capacity;
  }
  FW_ASSERT(closure.cell >= 0 && closure.from >= 0 && closure.from <= closure.to);
  request->closures[request->closure_count++] = closure;
}

static int by_cell_and_tick(const void * a, const void * b)
{
  const fw_closure_t * one = a;
  const fw_closure_t * two = b;
  return one->cell != two->cell ? (one->cell < two->cell ? -1 : 1) : (one->from > two->from) - (one->from < two->from);
}

// Sorts the closures and joins those of one cell that touch.
static void sort_closures(fw_round_request_t * request)
{
  int32_t count = 0;
  if (request->closure_count > 0) {
    qsort(request->closures, (size_t)request->closure_count, sizeof *request->closures, by_cell_and_tick);
  }
  for (int32_t k = 0; k < request->closure_count; ++k) {
    const fw_closure_t closure = request->closures[k];
    fw_closure_t * last = count > 0 ? &request->closures[count - 1] : NULL;
    if (last == NULL || last->cell != closure.cell || closure.from > last->to + 1) {
      request->closures[count++] = closure;
    } else if (closure.to > last->to) {
      last->to = closure.to;
    }
  }
  request->closure_count = count;
  FW_ASSERT(fw__round_request_closures_validate(request));
}

bool fw__round_request_closures_validate(const fw_round_request_t * request)
{
  for (int32_t k = 0; k < request->closure_count; ++k) {
    const fw_closure_t * closure = &request->closures[k];
    const fw_closure_t * before = k > 0 ? closure - 1 : NULL;
    if (closure->from > closure->to) {
      return false;
    }
    if (
      before != NULL &&
      (closure->cell < before->cell || (closure->cell == before->cell && closure->from - 1 <= before->to))) {
      return false;
    }
  }
  return true;
}

// ---- queries

// The first closure of a cell that ends at the tick or later, NULL if there is none.
static const fw_closure_t * find_closure(const fw_round_request_t * request, fw_cell_t cell, fw_tick_t tick)
{
  const int32_t at = fw__closures_find(request->closures, request->closure_count, cell, tick);
  return at < request->closure_count && request->closures[at].cell == cell ? &request->closures[at] : NULL;
}

bool fw__round_request_is_closed(
  const fw_round_request_t * request, fw_placed_body_t placed, fw_tick_t from, fw_tick_t to)
{
  bool is_closed = false;
  for (int32_t k = 0; !is_closed && k < fw__robot_body_cell_count(placed.body, placed.place); ++k) {
    const fw_cell_t cell = fw__robot_body_cell(placed.body, &request->grid, placed.place, k);
    const fw_closure_t * closure = cell == FW_CELL_NONE ? NULL : find_closure(request, cell, from);
    is_closed = closure != NULL && closure->from <= to;
  }
  return is_closed;
}

bool fw__round_request_closes_forever(const fw_round_request_t * request, fw_placed_body_t placed)
{
  return fw__round_request_is_closed(request, placed, FW_TICK_MAX, FW_TICK_MAX);
}

// ---- changes

static void remove_at(fw_round_request_t * request, int32_t index)
{
  FW_ASSERT(index >= 0 && index < request->closure_count);
  for (int32_t k = index; k + 1 < request->closure_count; ++k) {
    request->closures[k] = request->closures[k + 1];
  }
  request->closure_count -= 1;
}

static void open_cell_until(fw_round_request_t * request, fw_cell_t cell, fw_tick_t tick)
{
  int32_t at = fw__closures_find(request->closures, request->closure_count, cell, 0);
  while (at < request->closure_count && request->closures[at].cell == cell && request->closures[at].from < tick) {
    if (request->closures[at].to < tick || tick == FW_TICK_MAX) {
      remove_at(request, at);
    } else {
      request->closures[at++].from = tick;
    }
  }
}

void fw__round_request_open_until(fw_round_request_t * request, fw_placed_body_t placed, fw_tick_t tick)
{
  for (int32_t k = 0; k < fw__robot_body_cell_count(placed.body, placed.place); ++k) {
    open_cell_until(request, fw__robot_body_cell(placed.body, &request->grid, placed.place, k), tick);
  }
}

// A cell that is closed forever from the first tick on becomes an obstacle: planners look farther around obstacles.
static void turn_permanent_closures_into_obstacles(fw_round_request_t * request)
{
  int32_t count = 0;
  for (int32_t k = 0; k < request->closure_count; ++k) {
    const fw_closure_t closure = request->closures[k];
    if (closure.from == 0 && closure.to == FW_TICK_MAX) {
      request->grid.cost[closure.cell] = 0;
    } else {
      request->closures[count++] = closure;
    }
  }
  request->closure_count = count;
}

// ---- routes

typedef struct breadth_first_t {
  fw_cell_t * queue;
  int32_t * before;  // by cell: index in the queue of the cell it was reached from; -1: the start, -2: not reached
} breadth_first_t;

// The cells of a route, from the start to element `end` of the queue; the caller frees them. Returns their number, -1
// if there is no memory.

static int32_t write_route(const breadth_first_t * search, int32_t end, fw_cell_t ** route)
{
  int32_t length = 1;
  for (int32_t at = end; search->before[search->queue[at]] >= 0; at = search->before[search->queue[at]]) {
    ++length;
  }
  *route = fw__calloc((size_t)length, sizeof **route);
  int32_t at = end;
  for (int32_t k = length - 1; *route != NULL && k >= 0; --k) {
    (*route)[k] = search->queue[at];
    at = search->before[search->queue[at]];
  }
  return *route == NULL ? -1 : length;
}

// How long one step takes this body at most, turns before it included.
static fw_tick_t step_ticks_max(const fw_robot_body_t * body) { return body->ticks_per_move + 4 * body->turn_ticks; }

// Whether a route may end on a cell that is reached at a tick.
typedef bool is_target_t(
  const fw_round_request_t * request, const fw_round_agent_t * agent, fw_cell_t cell, fw_tick_t tick);

// What a route may lead to, and over.
typedef struct route_rule_t {
  is_target_t * is_target;
  bool avoids_others;  // no cell where another agent stands, who may not be able to make room
} route_rule_t;

static bool is_free_of_others(const fw_round_request_t * request, const fw_round_agent_t * agent, fw_cell_t cell)
{
  const fw_placed_body_t here = {&agent->body, {.cell = cell}};
  bool is_free = true;
  for (int32_t k = 0; is_free && k < request->count; ++k) {
    const fw_round_agent_t * other = &request->agents[k];
    is_free = other == agent ||
              !fw__robot_bodies_overlap(here, (fw_placed_body_t){&other->body, other->start}, request->grid.width);
  }
  return is_free;
}

// Breadth-first search over cells where the agent fits, along one-way areas. Returns the index in the queue of the
// nearest target, -1 if there is none.
static int32_t flood_to(
  const fw_round_request_t * request, const fw_round_agent_t * agent, route_rule_t rule, breadth_first_t * search)
{
  static const fw_offset_t steps[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  const fw_grid_t * grid = &request->grid;
  int32_t tail = 0, layer_end = 1;
  fw_tick_t tick = agent->arrives;
  FW_ASSERT(agent->start.cell >= 0 && agent->start.cell < fw_grid_cell_count(grid));
  search->queue[tail++] = agent->start.cell;
  search->before[agent->start.cell] = -1;
  for (int32_t head = 0; head < tail; ++head) {
    if (head == layer_end) {
      layer_end = tail;
      tick += step_ticks_max(&agent->body);
    }
    const fw_cell_t cell = search->queue[head];
    if (rule.is_target(request, agent, cell, tick)) {
      return head;
    }
    for (size_t k = 0; k < 4; ++k) {
      const int32_t x = fw_grid_x(grid, cell) + steps[k].dx, y = fw_grid_y(grid, cell) + steps[k].dy;
      const fw_cell_t next = fw_grid_is_free(grid, x, y) ? fw_grid_cell(grid, x, y) : FW_CELL_NONE;
      if (
        next != FW_CELL_NONE && search->before[next] == -2 && fw__grid_allows_move(grid, cell, next) &&
        fw__robot_body_fits_on(&agent->body, grid, request->connectivity, next) &&
        (!rule.avoids_others || is_free_of_others(request, agent, next))) {
        search->before[next] = head;
        search->queue[tail++] = next;
      }
    }
  }
  return -1;
}

// The shortest route of an agent from its start to the nearest target. The caller frees `route`. Returns its length; 0
// if there is none, also without memory: then the request has failed.
static int32_t find_route(
  fw_round_request_t * request, const fw_round_agent_t * agent, route_rule_t rule, fw_cell_t ** route)
{
  const int32_t cells = fw_grid_cell_count(&request->grid);
  breadth_first_t search = {fw__malloc((size_t)cells * sizeof(fw_cell_t)), fw__malloc((size_t)cells * sizeof(int32_t))};
  int32_t length = -1;
  *route = NULL;
  if (search.queue != NULL && search.before != NULL) {
    for (int32_t k = 0; k < cells; ++k) {
      search.before[k] = -2;
    }
    const int32_t end = flood_to(request, agent, rule, &search);
    length = end < 0 ? 0 : write_route(&search, end, route);
  }
  free(search.queue);
  free(search.before);
  request->has_failed = request->has_failed || length < 0;
  return length < 0 ? 0 : length;
}

// ---- from sources to ticks

// An escape route stays open this much longer than driving out takes, beyond `robust_ticks`.
static const fw_tick_t GRACE_TICKS = 2;

static int64_t floor_ticks(int64_t duration_ns, int64_t tick_ns)
{
  return duration_ns >= 0 ? duration_ns / tick_ns : -((-duration_ns + tick_ns - 1) / tick_ns);
}

// Adds a span in ticks from the epoch, rounded outwards.
static void add_span(fw_round_request_t * request, const fw_closed_span_t * span)
{
  const bool is_permanent = span->to_ns == FW_TIME_MAX_NS || span->to_ns - request->epoch_ns > FW_CLOSURES_AHEAD_NS;
  if (span->from_ns > request->epoch_ns + FW_CLOSURES_AHEAD_NS || (!is_permanent && span->to_ns <= request->epoch_ns)) {
    return;
  }
  const int64_t from = floor_ticks(span->from_ns - request->epoch_ns, request->tick_ns);
  const int64_t to = is_permanent ? FW_TICK_MAX : -floor_ticks(request->epoch_ns - span->to_ns, request->tick_ns);
  add_closure(request, (fw_closure_t){span->cell, from < 0 ? 0 : (fw_tick_t)from, (fw_tick_t)to});
}

// The step from heading to heading that covers all those that a body can have.
static int32_t heading_step(const fw_round_request_t * request, const fw_robot_body_t * body)
{
  return body->turn_ticks == 0 ? FW_HEADING_COUNT : fw__heading_step(request->connectivity);
}

// Is the cell open while the agent moves onto it and arrives at `tick`, with any heading?
static bool is_open(const fw_round_request_t * request, const fw_round_agent_t * agent, fw_cell_t cell, fw_tick_t tick)
{
  const fw_robot_body_t * body = &agent->body;
  if (tick <= agent->arrives) {
    return !fw__round_request_is_closed(request, (fw_placed_body_t){body, agent->start}, 0, 0);
  }
  bool is_open = true;
  for (int32_t heading = 0; is_open && heading < FW_HEADING_COUNT; heading += heading_step(request, body)) {
    is_open = !fw__round_request_is_closed(
      request, (fw_placed_body_t){body, {cell, heading}}, tick - body->ticks_per_move + 1, tick);
  }
  return is_open;
}

// The same where nobody else stands.
static bool is_open_and_free(
  const fw_round_request_t * request, const fw_round_agent_t * agent, fw_cell_t cell, fw_tick_t tick)
{
  return is_open(request, agent, cell, tick) && is_free_of_others(request, agent, cell);
}

// Opens the start of an agent, where it comes from, and a cell of its route, until `tick`.
static void open_for(fw_round_request_t * request, const fw_round_agent_t * agent, fw_cell_t cell, fw_tick_t tick)
{
  fw__round_request_open_until(request, (fw_placed_body_t){&agent->body, agent->start}, tick);
  if (agent->arrives > 0) {
    fw__round_request_open_until(request, (fw_placed_body_t){&agent->body, agent->from}, tick);
  }
  for (int32_t heading = 0; heading < FW_HEADING_COUNT; heading += heading_step(request, &agent->body)) {
    fw__round_request_open_until(request, (fw_placed_body_t){&agent->body, {cell, heading}}, tick);
  }
}

// Opens the route to the nearest cell that is open in time, best past other agents: one who makes room may have to go
// where it blocks the way on. Without such a route the agent may stay.
static void open_escape_route(fw_round_request_t * request, const fw_round_agent_t * agent)
{
  const fw_tick_t step = step_ticks_max(&agent->body);
  fw_cell_t * route = NULL;
  const route_rule_t rules[] = {{is_open, true}, {is_open_and_free, false}, {is_open, false}};
  int32_t length = 0;
  for (size_t k = 0; length == 0 && k < sizeof rules / sizeof rules[0]; ++k) {
    length = find_route(request, agent, rules[k], &route);
  }
  if (length == 0) {
    fw__round_request_open_until(request, (fw_placed_body_t){&agent->body, agent->start}, FW_TICK_MAX);
  }
  for (int32_t k = 0; k + 1 < length; ++k) {
    open_for(request, agent, route[k], agent->arrives + (k + 1) * step + GRACE_TICKS + request->robust_ticks);
  }
  free(route);
}

// Is the start closed when the agent arrives there, or where it comes from until then?
static bool starts_closed(const fw_round_request_t * request, const fw_round_agent_t * agent)
{
  return fw__round_request_is_closed(request, (fw_placed_body_t){&agent->body, agent->start}, 0, agent->arrives) ||
         (agent->arrives > 0 &&
          fw__round_request_is_closed(request, (fw_placed_body_t){&agent->body, agent->from}, 0, agent->arrives));
}

void fw__round_request_close_cell(fw_round_request_t * request, fw_cell_t cell)
{
  add_closure(request, (fw_closure_t){cell, 0, FW_TICK_MAX});
}

void fw__round_request_write_closures(fw_round_request_t * request, const fw_closure_sources_t * closures)
{
  for (int32_t s = 0; s < closures->count; ++s) {
    const fw_closure_source_t * source = &closures->sources[s];
    for (int32_t k = 0; k < source->span_count; ++k) {
      add_span(request, &source->spans[k]);
    }
  }
  sort_closures(request);
  for (int32_t k = 0; k < request->count; ++k) {
    const fw_round_agent_t * agent = &request->agents[k];
    if (agent->arrives > 0 && starts_closed(request, agent)) {
      open_for(request, agent, agent->start.cell, agent->arrives + 1 + request->robust_ticks);
    }
    if (agent->stays_inside) {
      fw__round_request_open_until(request, (fw_placed_body_t){&agent->body, agent->start}, FW_TICK_MAX);
    } else if (starts_closed(request, agent)) {
      open_escape_route(request, agent);
    }
  }
  turn_permanent_closures_into_obstacles(request);
  request->closure_revision = closures->revision;
}

void fw__round_request_keep_closures_of_sources(fw_round_request_t * request, const fw_closure_sources_t * closures)
{
  int32_t count = 0;
  for (int32_t k = 0; k < request->closure_count; ++k) {
    const fw_closure_t closure = request->closures[k];
    const fw_time_interval_t when = {
      request->epoch_ns + (int64_t)closure.from * request->tick_ns,
      closure.to == FW_TICK_MAX ? FW_TIME_MAX_NS : request->epoch_ns + (int64_t)closure.to * request->tick_ns,
    };
    if (fw__closure_sources_find(closures, closure.cell, when) >= 0) {
      request->closures[count++] = closure;
    }
  }
  request->closure_count = count;
}

// ---- parking cells

// Could another agent make room? It has no goal and no other cell to park on yet.
static bool can_make_room(const fw_round_agent_t * other)
{
  return other->goal == FW_CELL_NONE && other->parking == other->start.cell;
}

// Can the agent park on this cell without being in the way of another start, goal or parking cell? `others_leave`: the
// starts of agents that can make room do not count.
static bool is_free_to_park(
  const fw_round_request_t * request, const fw_round_agent_t * agent, fw_cell_t cell, bool others_leave)
{
  const fw_placed_body_t here = {&agent->body, {.cell = cell}};
  bool is_free = !fw__round_request_closes_forever(request, here) && fw_grid_allows_waiting(&request->grid, cell);
  for (int32_t k = 0; is_free && k < request->count; ++k) {
    const fw_round_agent_t * other = &request->agents[k];
    const fw_placed_body_t start = {&other->body, other->start};
    const fw_placed_body_t goal = {&other->body, {.cell = other->goal}};
    const fw_placed_body_t parking = {&other->body, {.cell = other->parking}};
    if (others_leave && other != agent && can_make_room(other)) {
      continue;
    }
    is_free = !fw__robot_bodies_overlap(here, start, request->grid.width) &&
              !fw__robot_bodies_overlap(here, parking, request->grid.width) &&
              (other->goal == FW_CELL_NONE || !fw__robot_bodies_overlap(here, goal, request->grid.width));
  }
  return is_free;
}

static bool is_parking_cell(
  const fw_round_request_t * request, const fw_round_agent_t * agent, fw_cell_t cell, fw_tick_t tick)
{
  (void)tick;
  return is_free_to_park(request, agent, cell, false);
}

static bool is_parking_cell_of_others(
  const fw_round_request_t * request, const fw_round_agent_t * agent, fw_cell_t cell, fw_tick_t tick)
{
  (void)tick;
  return is_free_to_park(request, agent, cell, true);
}

// Sets the agent's parking cell to the nearest target. False if there is none.
static bool park(fw_round_request_t * request, fw_round_agent_t * agent, is_target_t * is_target)
{
  fw_cell_t * route = NULL;
  const int32_t length = find_route(request, agent, (route_rule_t){is_target, false}, &route);
  if (length > 0) {
    agent->parking = route[length - 1];
  }
  free(route);
  return length > 0;
}

// Parks an agent where others without goals stand, and these elsewhere. False, and nothing has changed, if one of them
// has nowhere to go.
static bool park_among_others(fw_round_request_t * request, fw_round_agent_t * agent)
{
  if (!park(request, agent, is_parking_cell_of_others)) {
    return false;
  }
  const fw_placed_body_t here = {&agent->body, {.cell = agent->parking}};
  bool all_leave = true;
  for (int32_t k = 0; k < request->count; ++k) {
    fw_round_agent_t * other = &request->agents[k];
    other->makes_room =
      other != agent && can_make_room(other) &&
      fw__robot_bodies_overlap(here, (fw_placed_body_t){&other->body, other->start}, request->grid.width);
    all_leave = all_leave && (!other->makes_room || park(request, other, is_parking_cell));
  }
  for (int32_t k = 0; !all_leave && k < request->count; ++k) {
    fw_round_agent_t * other = &request->agents[k];
    other->parking = other == agent || other->makes_room ? other->start.cell : other->parking;
  }
  return all_leave;
}

void fw__round_request_write_parking(fw_round_request_t * request)
{
  for (int32_t k = 0; k < request->count; ++k) {
    fw_round_agent_t * agent = &request->agents[k];
    const fw_placed_body_t start = {&agent->body, agent->start};
    const bool closes = fw__round_request_closes_forever(request, start);
    const bool may_stay = fw_grid_allows_waiting(&request->grid, agent->start.cell);
    const bool must_leave = closes || !may_stay || (agent->must_leave && agent->goal == FW_CELL_NONE);
    if (!must_leave || agent->parking != agent->start.cell || park(request, agent, is_parking_cell)) {
      continue;
    }
    if (closes && (agent->goal != FW_CELL_NONE || !park_among_others(request, agent))) {
      fw__round_request_open_until(request, start, FW_TICK_MAX);
    }
  }
}
