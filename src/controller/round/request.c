// Agents, the cells they take, and goals that cannot be given. See request.h.

#include "controller/round/request.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/heap.h"
#include "controller/round/request_closures.h"
#include "world/footprint.h"

// ---- cell owners

// Frees all cells. False if there is no memory: the owners must not be used then.
static bool reset_owners(fw_cell_owners_t * owners, const fw_grid_t * grid)
{
  const int32_t cell_count = fw_grid_cell_count(grid);
  if (owners->cell_count != cell_count) {
    free(owners->owners);
    owners->owners = fw__calloc((size_t)cell_count, sizeof *owners->owners);
    owners->cell_count = owners->owners == NULL ? 0 : cell_count;
    owners->count = 0;
  }
  for (int32_t k = 0; k < owners->count; ++k) {
    owners->owners[owners->cells[k]] = 0;
  }
  owners->count = 0;
  owners->has_failed = owners->cell_count != cell_count;
  return !owners->has_failed;
}

static void free_owners(fw_cell_owners_t * owners)
{
  free(owners->owners);
  free(owners->cells);
  *owners = (fw_cell_owners_t){0};
}

void fw__cell_owners_add_cell(fw_cell_owners_t * owners, fw_cell_t cell, int32_t robot)
{
  FW_ASSERT(robot >= 0 && cell < owners->cell_count);
  if (cell == FW_CELL_NONE || owners->owners[cell] != 0) {
    return;
  }
  if (owners->count == owners->capacity) {
    const int32_t capacity = 2 * owners->capacity + 64;
    fw_cell_t * cells = fw__realloc(owners->cells, (size_t)capacity * sizeof *cells);
    if (cells == NULL) {
      owners->has_failed = true;
      return;
    }
    owners->cells = cells;
    owners->capacity = capacity;
  }
  owners->owners[cell] = robot + 1;
  owners->cells[owners->count++] = cell;
}

void fw__cell_owners_add(fw_cell_owners_t * owners, const fw_grid_t * grid, fw_placed_body_t placed, int32_t robot)
{
  for (int32_t k = 0; k < fw__robot_body_cell_count(placed.body, placed.place); ++k) {
    fw__cell_owners_add_cell(owners, fw__robot_body_cell(placed.body, grid, placed.place, k), robot);
  }
}

int32_t fw__cell_owners_find(const fw_cell_owners_t * owners, const fw_grid_t * grid, fw_placed_body_t placed)
{
  for (int32_t k = 0; k < fw__robot_body_cell_count(placed.body, placed.place); ++k) {
    const fw_cell_t cell = fw__robot_body_cell(placed.body, grid, placed.place, k);
    if (cell != FW_CELL_NONE && owners->owners[cell] != 0) {
      return owners->owners[cell] - 1;
    }
  }
  return -1;
}

// ---- the request

bool fw__round_request_reset(fw_round_request_t * request, const fw_grid_t * grid, int32_t capacity)
{
  request->count = 0;
  request->closure_count = 0;
  request->tails.count = 0;
  request->may_be_partial = false;
  request->has_failed = false;
  if (request->grid.width != grid->width || request->grid.height != grid->height) {
    fw_grid_fini(&request->grid);
    if (fw_grid_init(&request->grid, grid->width, grid->height, NULL, NULL) != FW_RET_OK) {
      request->grid = (fw_grid_t){0};
      return false;
    }
  }
  memcpy(request->grid.cost, grid->cost, (size_t)fw_grid_cell_count(grid));
  if (!fw__grid_copy_rules(&request->grid, grid)) {
    return false;
  }
  if (capacity > request->capacity) {
    free(request->agents);
    free(request->robots);
    request->agents = fw__calloc((size_t)capacity, sizeof *request->agents);
    request->robots = fw__calloc((size_t)capacity, sizeof *request->robots);
    request->capacity = request->agents == NULL || request->robots == NULL ? 0 : capacity;
  }
  return request->capacity >= capacity && reset_owners(&request->owners, &request->grid);
}

void fw__round_request_fini(fw_round_request_t * request)
{
  fw_grid_fini(&request->grid);
  free(request->agents);
  free(request->robots);
  free(request->closures);
  free(request->tails.cells);
  free(request->tails.headings);
  free_owners(&request->owners);
  *request = (fw_round_request_t){0};
}

// Makes room for `count` more ticks. False if there is no memory.
static bool reserve_tails(fw_round_tails_t * tails, int32_t count)
{
  if (tails->count + count <= tails->capacity) {
    return true;
  }
  const int32_t capacity = 2 * tails->capacity + count;
  fw_cell_t * cells = fw__realloc(tails->cells, (size_t)capacity * sizeof *cells);
  tails->cells = cells == NULL ? tails->cells : cells;
  uint8_t * headings = cells == NULL ? NULL : fw__realloc(tails->headings, (size_t)capacity * sizeof *headings);
  tails->headings = headings == NULL ? tails->headings : headings;
  tails->capacity = headings == NULL ? tails->capacity : capacity;
  return headings != NULL;
}

// `copy` is empty.
static bool copy_tails(fw_round_tails_t * copy, const fw_round_tails_t * tails)
{
  if (!reserve_tails(copy, tails->count)) {
    return false;
  }
  if (tails->count > 0) {
    memcpy(copy->cells, tails->cells, (size_t)tails->count * sizeof *copy->cells);
    memcpy(copy->headings, tails->headings, (size_t)tails->count * sizeof *copy->headings);
  }
  copy->count = tails->count;
  return true;
}

bool fw__round_request_copy(fw_round_request_t * copy, const fw_round_request_t * request)
{
  fw_round_request_t made = *copy;
  fw_closure_t * closures = fw__realloc(made.closures, ((size_t)request->closure_count + 1) * sizeof *closures);
  made.closures = closures == NULL ? made.closures : closures;
  made.closure_capacity = closures == NULL ? made.closure_capacity : request->closure_count + 1;
  if (
    closures == NULL || !fw__round_request_reset(&made, &request->grid, request->capacity) ||
    !copy_tails(&made.tails, &request->tails)) {
    fw__round_request_fini(&made);
    *copy = made;
    return false;
  }
  *copy = *request;
  copy->grid = made.grid;
  copy->agents = made.agents;
  copy->robots = made.robots;
  copy->capacity = made.capacity;
  copy->owners = made.owners;
  copy->closures = made.closures;
  copy->closure_capacity = made.closure_capacity;
  copy->tails = made.tails;
  memcpy(copy->agents, request->agents, (size_t)request->count * sizeof *copy->agents);
  if (request->closure_count > 0) {
    memcpy(copy->closures, request->closures, (size_t)request->closure_count * sizeof *copy->closures);
  }
  return true;
}

bool fw__round_request_has_failed(const fw_round_request_t * request)
{
  return request->has_failed || request->owners.has_failed;
}

// The turn that an agent is making. fw__footprint_visit_swept knows turns from heading 0 or 1; the rest is `quarters`
// of a turn.
typedef struct turn_sweep_t {
  fw_round_request_t * request;
  fw_grid_pose_t from;
  int32_t quarters;
  int32_t robot;
} turn_sweep_t;

static void own_swept_cell(void * context, fw_offset_t cell)
{
  const turn_sweep_t * sweep = context;
  const fw_grid_t * grid = &sweep->request->grid;
  const fw_offset_t by = fw__offset_rotate(cell, sweep->quarters);
  const int32_t x = fw_grid_x(grid, sweep->from.cell) + by.dx, y = fw_grid_y(grid, sweep->from.cell) + by.dy;
  if (fw_grid_contains(grid, x, y)) {
    fw__cell_owners_add_cell(&sweep->request->owners, fw_grid_cell(grid, x, y), sweep->robot);
  }
}

// Takes the cells that an agent sweeps on the turn that it is on.
static void own_turn(fw_round_request_t * request, const fw_round_agent_t * agent)
{
  const int32_t step = fw__heading_step(request->connectivity);
  const bool is_right = (agent->from.heading + step) % FW_HEADING_COUNT == agent->start.heading;
  const int32_t first = is_right ? agent->from.heading : agent->start.heading;
  turn_sweep_t sweep = {request, agent->from, first / 2, agent->robot};
  for (int32_t k = 0; k < agent->body.outline->counts[0]; ++k) {
    const fw_turn_t turn = {first % 2, first % 2 + step};
    fw__footprint_visit_swept(agent->body.outline->cells[0][k], turn, own_swept_cell, &sweep);
  }
}

static void own_cells(fw_round_request_t * request, const fw_round_agent_t * agent, fw_grid_pose_t place)
{
  fw__cell_owners_add(&request->owners, &request->grid, (fw_placed_body_t){&agent->body, place}, agent->robot);
}

void fw__round_request_add_agent(fw_round_request_t * request, const fw_round_agent_t * agent)
{
  FW_ASSERT(request->count < request->capacity);
  FW_ASSERT(agent->start.cell != FW_CELL_NONE && agent->arrives >= 0);
  request->agents[request->count++] = *agent;
  own_cells(request, agent, agent->start);
  if (agent->arrives > 0) {
    own_cells(request, agent, agent->from);
  }
  if (agent->arrives > 0 && agent->from.heading != agent->start.heading) {
    own_turn(request, agent);
  }
}

// ---- tails

void fw__round_request_add_tail(fw_round_request_t * request, fw_round_agent_t * agent, const fw_path_t * tail)
{
  fw_round_tails_t * tails = &request->tails;
  FW_ASSERT(agent->tail_length == 0 && tail->length > 0 && (agent->body.turn_ticks > 0) == (tail->headings != NULL));
  if (!reserve_tails(tails, tail->length)) {
    request->has_failed = true;
    return;
  }
  agent->tail_first = tails->count;
  agent->tail_length = tail->length;
  for (fw_tick_t tick = 0; tick < tail->length; ++tick) {
    tails->cells[tails->count + tick] = tail->cells[tick];
    tails->headings[tails->count + tick] = (uint8_t)fw_path_heading(tail, tick);
  }
  tails->count += tail->length;
}

fw_path_t fw__round_request_tail(const fw_round_request_t * request, const fw_round_agent_t * agent)
{
  if (agent->tail_length == 0) {
    return (fw_path_t){0};
  }
  FW_ASSERT(agent->tail_first + agent->tail_length <= request->tails.count);
  return (fw_path_t){
    .cells = request->tails.cells + agent->tail_first,
    .length = agent->tail_length,
    .headings = agent->body.turn_ticks > 0 ? request->tails.headings + agent->tail_first : NULL,
  };
}

// ---- goals that two agents want

// Where an agent is to end: its goal, or its parking cell.
static fw_cell_t final_cell(const fw_round_agent_t * agent)
{
  return agent->is_parked || agent->goal == FW_CELL_NONE ? agent->parking : agent->goal;
}

static bool stays(const fw_round_agent_t * agent) { return final_cell(agent) == agent->start.cell; }

// Takes the cells that an agent certainly covers at its end, and finds the agent that has taken one of them already.
// The heading on arrival is not known, so that for an agent that turns and moves only the cell of its centre counts.
static void own_final_cells(fw_round_request_t * request, const fw_round_agent_t * agent, int32_t * other)
{
  static fw_offset_t own[1] = {{0, 0}};
  static const fw_rotated_footprint_t single = {.cells = {own}, .counts = {1}};
  fw_robot_body_t body = agent->body;
  fw_grid_pose_t place = {.cell = final_cell(agent)};
  if (stays(agent)) {
    place = agent->start;
  } else if (body.turn_ticks > 0) {
    body.outline = &single;
  }
  *other = fw__cell_owners_find(&request->owners, &request->grid, (fw_placed_body_t){&body, place});
  fw__cell_owners_add(&request->owners, &request->grid, (fw_placed_body_t){&body, place}, agent->robot);
}

// Agents that stay come first, then by age of the goal; ties by index in the fleet.
static int by_precedence(const void * a, const void * b)
{
  const fw_round_agent_t * one = *(const fw_round_agent_t * const *)a;
  const fw_round_agent_t * two = *(const fw_round_agent_t * const *)b;
  if (stays(one) != stays(two)) {
    return stays(one) ? -1 : 1;
  }
  if (one->goal_order != two->goal_order) {
    return one->goal_order < two->goal_order ? -1 : 1;
  }
  return (one->robot > two->robot) - (one->robot < two->robot);
}

// Parks the first agent whose goal another has taken. False if there is none, or no memory: the problem's own check
// finds what is left then.
static bool resolve_one_goal_conflict(fw_round_request_t * request, fw_round_agent_t ** order)
{
  if (!reset_owners(&request->owners, &request->grid)) {
    return false;
  }
  qsort(order, (size_t)request->count, sizeof(fw_round_agent_t *), by_precedence);
  for (int32_t k = 0; k < request->count && !request->owners.has_failed; ++k) {
    fw_round_agent_t * agent = order[k];
    int32_t other = -1;
    own_final_cells(request, agent, &other);
    if (other >= 0 && !agent->is_parked && agent->goal != FW_CELL_NONE) {
      agent->is_parked = true;
      agent->fault = FW_FAULT_GOAL_OCCUPIED;
      agent->other = other;
      return true;
    }
  }
  return false;
}

void fw__round_request_resolve_goal_conflicts(fw_round_request_t * request)
{
  fw_round_agent_t ** order = fw__calloc((size_t)request->count + 1, sizeof *order);
  if (order == NULL) {
    return;
  }
  for (int32_t k = 0; k < request->count; ++k) {
    order[k] = &request->agents[k];
  }
  // A parked agent stays on its own cell, which may be the goal of another: repeat until no agent is newly parked.
  for (int32_t round = 0; round <= request->count && resolve_one_goal_conflict(request, order); ++round) {}
  free(order);
}

void fw__round_request_forget_goal_conflicts(fw_round_request_t * request)
{
  for (int32_t k = 0; k < request->count; ++k) {
    fw_round_agent_t * agent = &request->agents[k];
    if (agent->fault == FW_FAULT_GOAL_OCCUPIED && agent->goal != FW_CELL_NONE) {
      agent->is_parked = false;
      agent->fault = FW_FAULT_NONE;
      agent->other = -1;
    }
  }
}

// ---- goals that an agent cannot reach

// Connected components of the floor for one body. A diagonal needs both side cells, so that components by four
// neighbours are right for connectivity 8 too, unless corners are cut.
typedef struct component_t {
  const fw_round_request_t * request;
  const fw_robot_body_t * body;
  int32_t * labels;  // by cell; 0: not reached
  fw_cell_t * queue;
} component_t;

static void flood_from(const component_t * component, fw_cell_t from, int32_t label)
{
  static const fw_offset_t steps[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
  const fw_grid_t * grid = &component->request->grid;
  const size_t step_count = component->request->cuts_corners ? 8 : 4;
  int32_t head = 0, tail = 0;
  FW_ASSERT(label > 0 && from >= 0 && from < fw_grid_cell_count(grid));
  component->labels[from] = label;
  component->queue[tail++] = from;
  while (head < tail) {
    const int32_t x = fw_grid_x(grid, component->queue[head]), y = fw_grid_y(grid, component->queue[head]);
    ++head;
    for (size_t k = 0; k < step_count; ++k) {
      const int32_t next_x = x + steps[k].dx, next_y = y + steps[k].dy;
      const fw_cell_t next = fw_grid_is_free(grid, next_x, next_y) ? fw_grid_cell(grid, next_x, next_y) : FW_CELL_NONE;
      if (
        next != FW_CELL_NONE && component->labels[next] == 0 &&
        fw__robot_body_fits_on(component->body, grid, component->request->connectivity, next)) {
        component->labels[next] = label;
        component->queue[tail++] = next;
      }
    }
  }
}

static bool moves_alike(const fw_robot_body_t * a, const fw_robot_body_t * b)
{
  return a->outline == b->outline && (a->turn_ticks > 0) == (b->turn_ticks > 0);
}

// Parks unreachable agents among those that move as agent `first` does. Returns how many.
static int32_t park_alike(fw_round_request_t * request, component_t * component, int32_t first)
{
  int32_t parked = 0;
  component->body = &request->agents[first].body;
  memset(component->labels, 0, (size_t)fw_grid_cell_count(&request->grid) * sizeof *component->labels);
  for (int32_t k = first; k < request->count; ++k) {
    fw_round_agent_t * agent = &request->agents[k];
    if (!moves_alike(&agent->body, component->body) || agent->is_parked || agent->goal == FW_CELL_NONE) {
      continue;
    }
    if (component->labels[agent->start.cell] == 0) {
      flood_from(component, agent->start.cell, k + 1);
    }
    if (component->labels[agent->goal] != component->labels[agent->start.cell]) {
      agent->is_parked = true;
      agent->fault = FW_FAULT_NO_VALID_PATH;
      parked += 1;
    }
  }
  return parked;
}

int32_t fw__round_request_park_unreachable(fw_round_request_t * request)
{
  const size_t cells = (size_t)fw_grid_cell_count(&request->grid);
  component_t component = {
    .request = request,
    .labels = fw__malloc(cells * sizeof *component.labels),
    .queue = fw__malloc(cells * sizeof *component.queue),
  };
  int32_t parked = -1;
  if (component.labels != NULL && component.queue != NULL) {
    parked = 0;
    for (int32_t k = 0; k < request->count; ++k) {
      bool is_first = true;
      for (int32_t before = 0; is_first && before < k; ++before) {
        is_first = !moves_alike(&request->agents[before].body, &request->agents[k].body);
      }
      parked += is_first ? park_alike(request, &component, k) : 0;
    }
  }
  free(component.labels);
  free(component.queue);
  return parked;
}

// ---- the problem

fw_problem_t fw__round_request_problem(fw_round_request_t * request)
{
  for (int32_t k = 0; k < request->count; ++k) {
    const fw_round_agent_t * agent = &request->agents[k];
    const fw_robot_body_t * body = &agent->body;
    request->robots[k] = (fw_robot_t){
      .start = agent->start.cell,
      .goal = final_cell(agent),
      .priority = agent->priority,
      .ticks_per_move = body->ticks_per_move,
      .footprint = body->outline->cells[0],
      .footprint_count = body->outline->counts[0],
      .turn_ticks = body->turn_ticks,
      .heading = agent->start.heading,
      .sweeps_sides = body->sweeps_sides,
      .id = agent->robot,
      .arrives = agent->arrives,
      .from = agent->arrives > 0 ? agent->from.cell : 0,
      .from_heading = agent->arrives > 0 ? agent->from.heading : 0,
    };
  }
  FW_ASSERT(fw__round_request_closures_validate(request));
  return (fw_problem_t){
    .grid = &request->grid,
    .robots = request->robots,
    .robot_count = request->count,
    .connectivity = request->connectivity,
    .cuts_corners = request->cuts_corners,
    .robust_ticks = request->robust_ticks,
    .closures = request->closures,
    .closure_count = request->closure_count,
    .horizon = fw__round_request_is_windowed(request) ? request->horizon : 0,
    .since = request->since,
  };
}
