// The floor: the grid as one robot sees it, padded, with its moves and their lengths.

#include "search/floor.h"

#include <string.h>

#include "base/error.h"
#include "world/body.h"

// The six neighbours of a tile, clockwise from east, for rows of even and odd y: odd rows lie half a tile to the east.
static const fw_offset_t hexagon_steps[2][6] = {
  {{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {-1, -1}, {0, -1}},
  {{1, 0}, {1, 1}, {0, 1}, {-1, 0}, {0, -1}, {1, -1}},
};

// ---- lengths --------------------------------------------------------------------------------------------------------

typedef struct metric_t {
  int32_t straight;
  int32_t diagonal;
} metric_t;

// Continued-fraction approximations of the square root of 2, the best first; each is off by less than 1 / (2.8
// straight^2).
static const metric_t roots[] = {{2378, 3363}, {985, 1393}, {408, 577}, {169, 239},
                                 {70, 99},     {29, 41},    {12, 17},   {5, 7}};

// Chooses the finest lengths with which the cost of no simple path can overflow 32 bits. False if there are none.
static bool choose_metric(fw_floor_t * floor)
{
  const int64_t weight = (int64_t)floor->free_count * floor->cost_max;
  metric_t metric = {1, floor->degree == 4 ? 2 : 1};
  const bool has_roots = floor->degree == 8 && floor->diagonal_rule == FW_DIAGONAL_ROOT;
  for (size_t i = 0; has_roots && i < sizeof(roots) / sizeof(roots[0]); ++i) {
    metric = roots[i];
    if (weight * metric.diagonal < INT32_MAX) {
      break;
    }
  }
  floor->straight = metric.straight;
  floor->diagonal = metric.diagonal;
  for (int32_t d = 0; d < floor->degree; ++d) {
    floor->lengths[d] = floor->degree == 8 && d >= 4 ? metric.diagonal : metric.straight;
  }
  return weight * metric.diagonal < INT32_MAX;
}

// ---- directions -----------------------------------------------------------------------------------------------------

static void set_directions(fw_floor_t * floor)
{
  for (int32_t d = 0; d < floor->degree; ++d) {
    for (int32_t row = 0; row < 2; ++row) {
      const fw_offset_t step = floor->degree == 6 ? hexagon_steps[row][d] : fw__directions[d];
      floor->steps[row][d] = step.dy * floor->stride + step.dx;
    }
    floor->opposite[d] = floor->degree == 6 ? (d + 3) % 6 : (d & 4) | ((d + 2) & 3);
  }
}

int32_t fw__floor_estimate_between(const fw_floor_t * floor, int32_t from, int32_t to)
{
  const int32_t dy = fw__floor_y(floor, to) - fw__floor_y(floor, from);
  const int32_t dx = fw__floor_x(floor, to) - fw__floor_x(floor, from);
  if (floor->degree != 6) {
    return fw__floor_estimate(floor, dx, dy);
  }
  // Axial coordinates: the distance on hexagonal tiles is the largest of three differences.
  const int32_t slant_from = fw__floor_x(floor, from) - (fw__floor_y(floor, from) >> 1);
  const int32_t slant_to = fw__floor_x(floor, to) - (fw__floor_y(floor, to) >> 1);
  const int32_t a = abs(slant_to - slant_from);
  const int32_t b = abs(dy);
  const int32_t c = abs(slant_to - slant_from + dy);
  return (a > b ? (a > c ? a : c) : (b > c ? b : c)) * floor->straight * floor->cost_min;
}

// ---- places ---------------------------------------------------------------------------------------------------------

// The cost byte of a place, 0 where the footprint does not fit.
static uint8_t cost_at(const fw_floor_t * floor, int32_t x, int32_t y)
{
  for (int32_t i = 0; i < floor->footprint.count; ++i) {
    if (!fw_grid_is_free(floor->grid, x + floor->footprint.cells[i].dx, y + floor->footprint.cells[i].dy)) {
      return 0;
    }
  }
  return floor->grid->cost[fw_grid_cell(floor->grid, x, y)];
}

// Those of the moves that the rules of both cells allow.
static int32_t allowed_moves(const fw_floor_t * floor, int32_t place, int32_t moves)
{
  FW_ASSERT(floor->degree != 6);
  for (int32_t d = 0; d < floor->degree; ++d) {
    const int32_t heading = d < 4 ? 2 * d : 2 * (d - 4) + 1;
    if ((moves >> d & 1) != 0) {
      const uint16_t rules = floor->grid->rules[fw__floor_cell(floor, place)] |
                             floor->grid->rules[fw__floor_cell(floor, fw__floor_next(floor, place, d))];
      moves &= (rules & FW_RULE_ONE_WAY(heading)) != 0 ? ~(1 << d) : ~0;
    }
  }
  return moves;
}

// The moves from a place, one bit for each direction. A diagonal needs both side cells free (no corner cutting).
static uint8_t moves_at(const fw_floor_t * floor, int32_t place)
{
  int32_t moves = 0;
  if (floor->cost[place] == 0) {
    return 0;
  }
  for (int32_t d = 0; d < floor->degree; ++d) {
    bool is_open = floor->cost[fw__floor_next(floor, place, d)] != 0;
    if (floor->degree == 8 && d >= 4) {  // the straight directions on both sides of a diagonal
      is_open = is_open && (moves >> (d - 4) & 1) != 0 && (moves >> ((d - 3) & 3) & 1) != 0;
    }
    moves |= is_open ? 1 << d : 0;
  }
  return (uint8_t)(floor->has_one_way ? allowed_moves(floor, place, moves) : moves);
}

static void fill_places(fw_floor_t * floor)
{
  floor->cost_min = 255;
  for (int32_t y = 0; y < floor->height; ++y) {
    for (int32_t x = 0; x < floor->width; ++x) {
      const uint8_t cost = cost_at(floor, x, y);
      floor->cost[fw__floor_place_at(floor, x, y)] = cost;
      if (cost != 0) {
        ++floor->free_count;
        floor->cost_min = cost < floor->cost_min ? cost : floor->cost_min;
        floor->cost_max = cost > floor->cost_max ? cost : floor->cost_max;
      }
    }
  }
  floor->cost_min = floor->free_count == 0 ? 1 : floor->cost_min;
  floor->is_uniform = floor->cost_min == 1 && floor->cost_max == 1;
  for (int32_t place = floor->stride; place < floor->place_count - floor->stride; ++place) {
    floor->moves[place] = moves_at(floor, place);
  }
}

// The cells of the robot, and those within `clearance` (Euclidean) of its own cell.
static void make_footprint(fw_floor_t * floor, fw_arena_t * arena, const fw_floor_options_t * options)
{
  const int32_t radius = options->clearance;
  const int32_t side = 2 * radius + 1;
  const fw_footprint_t robot = options->footprint.count == 0 ? fw__footprint_single : options->footprint;
  fw_offset_t * cells = fw__arena_allocate(arena, (size_t)(robot.count + side * side), sizeof(*cells));
  if (cells == NULL) {
    return;
  }
  memcpy(cells, robot.cells, (size_t)robot.count * sizeof(*cells));
  int32_t count = robot.count;
  for (int32_t i = 0; radius > 0 && i < side * side; ++i) {
    const fw_offset_t cell = {i % side - radius, i / side - radius};
    if (cell.dx * cell.dx + cell.dy * cell.dy <= radius * radius) {
      cells[count++] = cell;
    }
  }
  for (int32_t i = 0; i < count; ++i) {
    const int32_t far = abs(cells[i].dx) > abs(cells[i].dy) ? abs(cells[i].dx) : abs(cells[i].dy);
    floor->reach = far > floor->reach ? far : floor->reach;
  }
  FW_ASSERT(count <= robot.count + side * side);
  floor->footprint = (fw_footprint_t){cells, count};
}

fw_ret_t fw__floor_init(fw_floor_t * floor, fw_arena_t * arena, const fw_floor_options_t * options, fw_error_t * error)
{
  const fw_grid_t * grid = options->grid;
  FW_ASSERT(
    options->connectivity == 0 || options->connectivity == 4 || options->connectivity == 6 ||
    options->connectivity == 8);
  FW_ASSERT(grid->width > 0 && grid->height > 0);
  *floor = (fw_floor_t){
    .grid = grid,
    .width = grid->width,
    .height = grid->height,
    .stride = grid->width + 2,
    .place_count = (grid->width + 2) * (grid->height + 2),
    .degree = options->connectivity == 0 ? 4 : options->connectivity,
    .cost_max = options->cost_max > 1 ? options->cost_max : 1,
    .diagonal_rule = options->diagonal,
  };
  for (int32_t i = 0; grid->rules != NULL && i < fw_grid_cell_count(grid) && !floor->has_one_way; ++i) {
    floor->has_one_way = (grid->rules[i] & 0xff) != 0;
  }
  if (floor->has_one_way && floor->degree == 6) {
    return fw__error(error, FW_RET_UNSUPPORTED, "hexagonal tiles do not support one-way areas, which this map has");
  }
  floor->cost = fw__arena_allocate_zeroed(arena, (size_t)floor->place_count, sizeof(*floor->cost));
  floor->moves = fw__arena_allocate_zeroed(arena, (size_t)floor->place_count, sizeof(*floor->moves));
  make_footprint(floor, arena, options);
  if (floor->cost == NULL || floor->moves == NULL || floor->footprint.cells == NULL) {
    return fw__error_memory(error);
  }
  set_directions(floor);
  fill_places(floor);
  if (!choose_metric(floor)) {
    return fw__error(
      error, FW_RET_UNSUPPORTED,
      "the map has %d free cells of cost up to %d: the cost of a path could overflow 32 bits", floor->free_count,
      floor->cost_max);
  }
  return FW_RET_OK;
}

// ---- changes --------------------------------------------------------------------------------------------------------

typedef struct box_t {
  int32_t left;
  int32_t top;
  int32_t right;
  int32_t bottom;
} box_t;

// The cells within `reach` (Chebyshev) of a cell, cut off at the edge of the map.
static box_t box_around(const fw_floor_t * floor, fw_cell_t cell, int32_t reach)
{
  const int32_t x = fw_grid_x(floor->grid, cell);
  const int32_t y = fw_grid_y(floor->grid, cell);
  return (box_t){
    .left = x > reach ? x - reach : 0,
    .top = y > reach ? y - reach : 0,
    .right = x + reach < floor->width ? x + reach : floor->width - 1,
    .bottom = y + reach < floor->height ? y + reach : floor->height - 1,
  };
}

bool fw__floor_update(fw_floor_t * floor, const fw_cell_t * cells, int32_t cell_count)
{
  for (int32_t i = 0; i < cell_count; ++i) {
    const box_t box = box_around(floor, cells[i], floor->reach);
    for (int32_t y = box.top; y <= box.bottom; ++y) {
      for (int32_t x = box.left; x <= box.right; ++x) {
        const uint8_t cost = cost_at(floor, x, y);
        uint8_t * known = &floor->cost[fw__floor_place_at(floor, x, y)];
        if (cost != 0 && (cost < floor->cost_min || cost > floor->cost_max)) {
          return false;
        }
        floor->free_count += (cost != 0) - (*known != 0);
        *known = cost;
      }
    }
  }
  for (int32_t i = 0; i < cell_count; ++i) {
    const box_t box = box_around(floor, cells[i], floor->reach + 1);
    for (int32_t y = box.top; y <= box.bottom; ++y) {
      for (int32_t x = box.left; x <= box.right; ++x) {
        const int32_t place = fw__floor_place_at(floor, x, y);
        floor->moves[place] = moves_at(floor, place);
      }
    }
  }
  return (int64_t)floor->free_count * floor->cost_max * floor->diagonal < INT32_MAX;
}
