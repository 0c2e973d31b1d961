// One robot alone by a search of src/search: the floor that it is handed has the robot's virtual costs in its bytes.
//
//   byte of a cell = what the floor costs x scale + virtual cost, in the same measure
//
// From one question to the next only cells whose byte differs are changed, so that a search that has prepared for the map
// (HPA*) makes anew what lies under virtual costs and nothing else.

#include <string.h>

#include "planner/bcp/bcp.h"

enum {
  SCALE_MAX = 8,  // fractions of a move
  ROOM = 4,       // virtual costs go up to so many times the dearest floor at least
  CLUSTER = 16,   // of HPA*: small, as some change with every question
};

static int32_t dearest(const fw_grid_t * grid)
{
  int32_t most = 1;
  for (int32_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    most = grid->cost[cell] > most ? grid->cost[cell] : most;
  }
  return most;
}

// The finest scale with which costs of whole ways fit into 31 bits. False if there is none.
static bool choose_scale(fw_bcp_floor_t * floor, const fw_grid_t * grid)
{
  const int64_t room = INT32_MAX / (2 * ((int64_t)fw_grid_cell_count(grid) + 1));
  const int32_t most = dearest(grid);
  floor->ceiling = room < UINT8_MAX ? (int32_t)room : UINT8_MAX;
  floor->scale = floor->ceiling / (ROOM * most);
  floor->scale = floor->scale > SCALE_MAX ? SCALE_MAX : (floor->scale < 1 ? 1 : floor->scale);
  return floor->ceiling >= most;
}

// NULL when there is no memory, or when costs do not fit: then the arena has not failed.
static fw_bcp_floor_t * make_floor(fw_bcp_t * run, const fw_router_def_t * def, const fw_moves_t * moves)
{
  fw_arena_t * arena = run->context->scratch;
  const fw_grid_t * grid = run->problem->grid;
  const size_t count = (size_t)fw_grid_cell_count(grid);
  fw_bcp_floor_t scaled = {.moves = moves, .grid = *grid, .next = run->floors};
  if (!choose_scale(&scaled, grid)) {
    return NULL;
  }
  fw_bcp_floor_t * floor = fw__arena_allocate_zeroed(arena, 1, sizeof(*floor));
  int64_t * parameters = fw__arena_allocate_zeroed(arena, FW_PARAMETERS_MAX, sizeof(*parameters));
  uint8_t * cost = fw__arena_allocate(arena, count, sizeof(*cost));
  if (floor == NULL || parameters == NULL || cost == NULL) {
    return NULL;
  }
  *floor = scaled;
  for (size_t i = 0; i < count; ++i) {
    cost[i] = (uint8_t)(grid->cost[i] * floor->scale);
  }
  for (int32_t i = 0; i < def->parameter_count; ++i) {
    const bool is_cluster = strcmp(def->parameters[i].name, "cluster") == 0;
    parameters[i] = is_cluster ? CLUSTER : def->parameters[i].initial;
  }
  floor->grid.cost = cost;
  floor->trail.arena = floor->laid.arena = floor->changed.arena = arena;
  floor->context = (fw_router_context_t){
    .built = arena,
    .floor = &floor->floor,
    .parameters = parameters,
    .meter = run->context->meter,
    .trail = &floor->trail,
  };
  const fw_floor_options_t options = {
    .connectivity = run->problem->connectivity,
    .footprint = moves->body->footprints[0],
    .cost_max = floor->ceiling,
  };
  if (
    fw__floor_init(&floor->floor, arena, &floor->grid, &options, NULL) != FW_RET_OK ||
    def->build(&floor->context, NULL) != FW_RET_OK) {
    return NULL;
  }
  run->floors = floor;
  return floor;
}

static fw_bcp_floor_t * floor_for(fw_bcp_t * run, const fw_router_def_t * def, const fw_moves_t * moves)
{
  for (fw_bcp_floor_t * floor = run->floors; floor != NULL; floor = floor->next) {
    if (floor->moves == moves) {
      return floor;
    }
  }
  return make_floor(run, def, moves);
}

// ---- virtual costs --------------------------------------------------------------------------------------------------

static void set_byte(const fw_bcp_t * run, fw_bcp_floor_t * floor, fw_cell_t cell)
{
  const int32_t base = run->problem->grid->cost[cell] * floor->scale;
  const int64_t bump = (int64_t)fw__bcp_field_at(&run->field, cell) * floor->scale / run->unit;
  const int64_t sum = base + bump;
  floor->grid.cost[cell] = (uint8_t)(base == 0 ? 0 : (sum < floor->ceiling ? sum : floor->ceiling));
}

static void add_around(const fw_bcp_t * run, fw_bcp_floor_t * floor, const fw_bcp_bump_t * bump)
{
  const fw_grid_t * grid = &floor->grid;
  const int32_t reach = fw__bcp_field_reach(&run->field, bump);
  const int32_t x = fw_grid_x(grid, bump->cell);
  const int32_t y = fw_grid_y(grid, bump->cell);
  for (int32_t dy = y < reach ? -y : -reach; dy <= reach && y + dy < grid->height; ++dy) {
    for (int32_t dx = x < reach ? -x : -reach; dx <= reach && x + dx < grid->width; ++dx) {
      fw__trail_add(&floor->laid, fw_grid_cell(grid, x + dx, y + dy));
    }
  }
}

// Brings the floor from the virtual costs of the robot before to those of this one. False when there is no memory.
static bool lay(const fw_bcp_t * run, const fw_router_def_t * def, fw_bcp_floor_t * floor, int32_t robot)
{
  const fw_bcp_bumps_t * bumps = &run->bumps[robot];
  const int32_t before = floor->laid.count;
  for (int32_t i = 0; i < bumps->count; ++i) {
    add_around(run, floor, &bumps->items[i]);
  }
  floor->changed.count = 0;
  for (int32_t i = 0; i < floor->laid.count; ++i) {  // of the one before and of this one
    const fw_cell_t cell = floor->laid.places[i];
    const uint8_t old = floor->grid.cost[cell];
    set_byte(run, floor, cell);
    if (floor->grid.cost[cell] != old) {
      fw__trail_add(&floor->changed, cell);
    }
  }
  if (floor->laid.has_failed || floor->changed.has_failed) {
    return false;
  }
  floor->laid.count -= before;
  for (int32_t i = 0; i < floor->laid.count; ++i) {
    floor->laid.places[i] = floor->laid.places[i + before];
  }
  const fw_trail_t * changed = &floor->changed;
  return changed->count == 0 || (fw__floor_update(&floor->floor, changed->places, changed->count) &&
                                 def->update(&floor->context, changed->places, changed->count, NULL) == FW_RET_OK);
}

// ---- the answer -----------------------------------------------------------------------------------------------------

// With so many ticks for a move; on the way to a place a robot is listed on the one that it leaves.
static bool tell(fw_bcp_t * run, const fw_bcp_floor_t * floor, int32_t ticks, fw_path_t * path)
{
  const int32_t length = (floor->trail.count - 1) * ticks + 1;
  if (!fw__bcp_reserve_path(run, length)) {
    return false;
  }
  for (int32_t at = 0; at < length; ++at) {
    run->cells[at] = fw__floor_cell(&floor->floor, floor->trail.places[at / ticks]);
  }
  *path = (fw_path_t){.cells = run->cells, .length = length};
  return true;
}

static bool ask(fw_bcp_t * run, const fw_router_def_t * def, fw_bcp_floor_t * floor, int32_t robot)
{
  fw_router_context_t * context = &floor->context;
  if (!lay(run, def, floor, robot)) {
    return false;
  }
  context->start = fw__floor_place(&floor->floor, run->problem->robots[robot].start);
  context->goal = fw__floor_place(&floor->floor, run->problem->robots[robot].goal);
  context->expanded = 0;
  floor->trail.count = 0;
  if (context->start == context->goal) {
    fw__trail_add(&floor->trail, context->start);
  } else {
    def->find(context);
    (void)fw__meter_add(run->context->meter, context->expanded % FW_METER_STRIDE);  // what the strides have left
  }
  return !floor->trail.has_failed && !run->context->scratch->has_failed;
}

fw_found_t fw__bcp_route(fw_bcp_t * run, const fw_router_def_t * def, int32_t robot, fw_path_t * path)
{
  const fw_moves_t * moves = run->fleet.moves[robot];
  const bool has_floor = moves->heading_of == NULL && !run->problem->cuts_corners;
  fw_bcp_floor_t * floor = has_floor ? floor_for(run, def, moves) : NULL;
  if (floor == NULL && !run->context->scratch->has_failed) {
    return fw__bcp_astar(run, robot, 100, path);
  }
  if (floor == NULL || !ask(run, def, floor, robot)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
  if (fw__bcp_has_stopped(run)) {
    return FW_FOUND_STOPPED;
  }
  if (floor->trail.count == 0) {
    return FW_FOUND_NONE;
  }
  return tell(run, floor, run->fleet.bodies.of[robot]->ticks_per_move, path) ? FW_FOUND_PATH : FW_FOUND_STOPPED;
}
