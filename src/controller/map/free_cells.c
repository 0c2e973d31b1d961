// The disc of a robot among the obstacles of a map. See free_cells.h.
//
// Everything is measured in map cells here. A disc that moves along a line sweeps a convex shape. What a convex shape
// covers of one row of the map is a single span of columns, so whether it overlaps an obstacle is a question of a few
// words of bits per row. All cells in a row of the planning grid share the same spans, shifted.

#include "controller/map/free_cells.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/memory.h"

static const double EDGE_TOLERANCE = 0.01;  // in planning cells
static const double RADIUS_MAX = 1e6;       // metres

// ---- the obstacles of a map

void fw__free_cells_make_table(bool is_obstacle[256], const fw_occupancy_rule_t * rule)
{
  for (int32_t value = -128; value < 128; ++value) {
    const double occupancy = (double)value / 100.0;
    const bool is_known = value >= 0 && value <= 100;
    const bool is_occupied = is_known && occupancy > rule->occupied_thresh;
    const bool is_free = is_known && !is_occupied && (rule->is_scaled || occupancy < rule->free_thresh);
    is_obstacle[value & 255] = is_occupied || (!is_free && !rule->unknown_is_free);
  }
}

fw_ret_t fw__free_cells_init_empty(
  fw_free_cells_t * cells, const fw_map_frame_t * frame, const fw_allocator_t * allocator)
{
  *cells = (fw_free_cells_t){0};
  if (!fw__raster_frame_is_valid(frame)) {
    return FW_RET_INVALID_ARGUMENT;
  }
  const int32_t words_per_row = (frame->width - 1) / 64 + 1;
  const fw_allocator_t used = fw__allocator_or_default(allocator);
  uint64_t * words = fw__allocate_array(&used, (size_t)words_per_row * (size_t)frame->height, sizeof(*words));
  if (words == NULL) {
    return FW_RET_BAD_ALLOC;
  }
  *cells = (fw_free_cells_t){.frame = *frame, .words = words, .words_per_row = words_per_row, .allocator = used};
  return FW_RET_OK;
}

fw_ret_t fw__free_cells_init(fw_free_cells_t * cells, const fw_free_cells_map_t * map, const fw_allocator_t * allocator)
{
  *cells = (fw_free_cells_t){0};
  if (map->values == NULL || map->is_obstacle == NULL) {
    return FW_RET_INVALID_ARGUMENT;
  }
  const fw_ret_t ret = fw__free_cells_init_empty(cells, &map->frame, allocator);
  if (ret == FW_RET_OK) {
    fw__free_cells_read(cells, map, (fw_grid_window_t){0, 0, map->frame.width, map->frame.height});
  }
  return ret;
}

static bool window_is_inside(const fw_free_cells_t * cells, fw_grid_window_t window)
{
  return window.x >= 0 && window.y >= 0 && window.width >= 0 && window.height >= 0 &&
         window.x <= cells->frame.width - window.width && window.y <= cells->frame.height - window.height;
}

void fw__free_cells_read(fw_free_cells_t * cells, const fw_free_cells_map_t * map, fw_grid_window_t window)
{
  FW_ASSERT(window_is_inside(cells, window));
  FW_ASSERT(cells->frame.width == map->frame.width && cells->frame.height == map->frame.height);
  for (int32_t y = window.y; y < window.y + window.height; ++y) {
    const int8_t * values = &map->values[(size_t)y * (size_t)map->frame.width];
    uint64_t * row = &cells->words[(size_t)y * (size_t)cells->words_per_row];
    for (int32_t x = window.x; x < window.x + window.width; ++x) {
      const uint64_t bit = UINT64_C(1) << (x % 64);
      row[x / 64] = map->is_obstacle[values[x] & 255] ? row[x / 64] | bit : row[x / 64] & ~bit;
    }
  }
}

void fw__free_cells_add_run(void * context, fw_cell_t first, int32_t count)
{
  const fw_free_cells_t * cells = context;
  const int32_t y = first / cells->frame.width, from = first % cells->frame.width, to = from + count - 1;
  FW_ASSERT(count > 0 && y < cells->frame.height && to < cells->frame.width);
  uint64_t * row = &cells->words[(size_t)y * (size_t)cells->words_per_row];
  for (int32_t word = from / 64; word <= to / 64; ++word) {
    const uint64_t head = word == from / 64 ? ~UINT64_C(0) << (from % 64) : ~UINT64_C(0);
    const uint64_t tail = word == to / 64 ? ~UINT64_C(0) >> (63 - to % 64) : ~UINT64_C(0);
    row[word] |= head & tail;
  }
}

void fw__free_cells_join(
  fw_free_cells_t * cells, const fw_free_cells_t * a, const fw_free_cells_t * b, fw_grid_window_t window)
{
  FW_ASSERT(window_is_inside(cells, window));
  FW_ASSERT(cells->words_per_row == a->words_per_row && cells->words_per_row == b->words_per_row);
  if (window.width == 0) {
    return;
  }
  const int32_t first = window.x / 64, last = (window.x + window.width - 1) / 64;  // whole words: both are complete
  for (int32_t y = window.y; y < window.y + window.height; ++y) {
    const size_t row = (size_t)y * (size_t)cells->words_per_row;
    for (int32_t word = first; word <= last; ++word) {
      cells->words[row + (size_t)word] = a->words[row + (size_t)word] | b->words[row + (size_t)word];
    }
  }
}

void fw__free_cells_fini(fw_free_cells_t * cells)
{
  if (cells->words != NULL) {
    fw__deallocate(&cells->allocator, cells->words);
  }
  *cells = (fw_free_cells_t){0};
}

static const uint64_t * row_words(const fw_free_cells_t * cells, int32_t y)
{
  FW_ASSERT(y >= 0 && y < cells->frame.height);
  return &cells->words[(size_t)y * (size_t)cells->words_per_row];
}

// Whether the bits of the columns `first` to `last` are all 0.
static bool are_clear(const uint64_t * row, int32_t first, int32_t last)
{
  FW_ASSERT(first >= 0 && first <= last);
  const int32_t word = first / 64, last_word = last / 64;
  const uint64_t head = ~UINT64_C(0) << (first % 64), tail = ~UINT64_C(0) >> (63 - last % 64);
  if (word == last_word) {
    return (row[word] & head & tail) == 0;
  }
  uint64_t any = (row[word] & head) | (row[last_word] & tail);
  for (int32_t k = word + 1; k < last_word; ++k) {
    any |= row[k];
  }
  return any == 0;
}

// ---- swept discs

typedef struct cells_point_t {
  double x, y;  // along the axes of the map, in map cells
} cells_point_t;

typedef struct cells_capsule_t {
  cells_point_t a, b;
  double radius;  // less the tolerance
} cells_capsule_t;

typedef struct cells_span_t {
  double left, right;
} cells_span_t;

// An open interval of coordinates as indices of cells: those that it overlaps.
typedef struct cells_range_t {
  int32_t first, last;
} cells_range_t;

static double effective_radius(const fw_free_cells_t * cells, double radius)
{
  return fmax(radius / cells->frame.resolution - FW_FREE_CELLS_TOLERANCE, FW_FREE_CELLS_TOLERANCE);
}

// False if the interval leaves 0 to `count`.
static bool find_range(double from, double to, int32_t count, cells_range_t * range)
{
  if (!(from >= 0.0 && to <= (double)count && from < to)) {
    return false;
  }
  *range = (cells_range_t){(int32_t)from, (int32_t)to};  // both are not negative: rounded down
  if ((double)range->last == to) {
    range->last -= 1;
  }
  FW_ASSERT(range->first <= range->last && range->last < count);
  return true;
}

static void include(cells_span_t * span, double x)
{
  span->left = fmin(span->left, x);
  span->right = fmax(span->right, x);
}

static void include_disc(cells_span_t * span, cells_point_t centre, double radius, double row)
{
  const double distance = fmax(fmax(row - centre.y, centre.y - row - 1.0), 0.0);
  if (distance < radius) {
    const double half = sqrt(radius * radius - distance * distance);
    include(span, centre.x - half);
    include(span, centre.x + half);
  }
}

static void include_edge(cells_span_t * span, cells_point_t a, cells_point_t b, double row)
{
  const double dy = b.y - a.y;
  double from = 0.0, to = 1.0;  // the part of the edge that is in the row
  if (dy != 0.0) {
    const double one = (row - a.y) / dy, two = (row + 1.0 - a.y) / dy;
    from = fmax(from, fmin(one, two));
    to = fmin(to, fmax(one, two));
  } else if (a.y < row || a.y > row + 1.0) {
    return;
  }
  if (from <= to) {
    include(span, a.x + from * (b.x - a.x));
    include(span, a.x + to * (b.x - a.x));
  }
}

// The columns that a swept disc covers of a row. The border of its shape is half a circle at each end and an edge on
// each side; the leftmost and the rightmost point in the row are on one of them.
static cells_span_t find_span(const cells_capsule_t * capsule, int32_t y)
{
  const double row = (double)y;
  const cells_point_t a = capsule->a, b = capsule->b;
  cells_span_t span = {(double)INFINITY, -(double)INFINITY};
  include_disc(&span, a, capsule->radius, row);
  include_disc(&span, b, capsule->radius, row);
  const double length = hypot(b.x - a.x, b.y - a.y);
  if (length > 0.0) {
    const double dx = -(b.y - a.y) / length * capsule->radius, dy = (b.x - a.x) / length * capsule->radius;
    include_edge(&span, (cells_point_t){a.x + dx, a.y + dy}, (cells_point_t){b.x + dx, b.y + dy}, row);
    include_edge(&span, (cells_point_t){a.x - dx, a.y - dy}, (cells_point_t){b.x - dx, b.y - dy}, row);
  }
  return span;
}

// The rows that a swept disc covers; false if it leaves the map.
static bool find_rows(const cells_capsule_t * capsule, int32_t height, cells_range_t * rows)
{
  return find_range(
    fmin(capsule->a.y, capsule->b.y) - capsule->radius, fmax(capsule->a.y, capsule->b.y) + capsule->radius, height,
    rows);
}

static bool span_is_free(const fw_free_cells_t * cells, int32_t y, double left, double right)
{
  cells_range_t columns;
  if (!(left < right)) {
    return true;  // the shape only touches the row
  }
  return find_range(left, right, cells->frame.width, &columns) &&
         are_clear(row_words(cells, y), columns.first, columns.last);
}

static bool capsule_is_free(const fw_free_cells_t * cells, const cells_capsule_t * capsule)
{
  cells_range_t rows;
  if (!find_rows(capsule, cells->frame.height, &rows)) {
    return false;
  }
  bool is_free = true;
  for (int32_t y = rows.first; is_free && y <= rows.last; ++y) {
    const cells_span_t span = find_span(capsule, y);
    is_free = span_is_free(cells, y, span.left, span.right);
  }
  return is_free;
}

bool fw__free_cells_sweep_is_free(const fw_free_cells_t * cells, const fw_raster_sweep_t * sweep)
{
  const fw_point_t from = fw__raster_coordinates(&cells->frame, sweep->from);
  const fw_point_t to = fw__raster_coordinates(&cells->frame, sweep->to);
  const bool is_finite = isfinite(from.x) && isfinite(from.y) && isfinite(to.x) && isfinite(to.y);
  if (!is_finite || !(sweep->radius >= 0.0 && sweep->radius <= RADIUS_MAX)) {
    return false;
  }
  const cells_capsule_t capsule = {{from.x, from.y}, {to.x, to.y}, effective_radius(cells, sweep->radius)};
  return capsule_is_free(cells, &capsule);
}

// ---- the planning grid

bool fw__free_cells_place_grid(const fw_map_frame_t * map, double resolution, fw_map_frame_t * planning)
{
  if (!fw__raster_frame_is_valid(map) || !(resolution >= map->resolution && isfinite(resolution))) {
    return false;
  }
  const double ratio = resolution / map->resolution;
  const double width = floor((double)map->width / ratio + EDGE_TOLERANCE);
  const double height = floor((double)map->height / ratio + EDGE_TOLERANCE);
  const double most = (double)FW_GRID_SIDE_MAX;
  if (width < 1.0 || height < 1.0 || width > most || height > most) {
    return false;
  }
  *planning = *map;
  planning->resolution = resolution;
  planning->width = (int32_t)width;
  planning->height = (int32_t)height;
  return true;
}

// What a shape covers, relative to the centre of a planning cell: the same for all cells in a row of the planning grid.
typedef struct cells_stencil_t {
  cells_range_t rows;    // of the map
  double left, right;    // the widest of its spans
  cells_span_t * spans;  // by row of the map, from rows.first on
  uint64_t * any;        // the columns that have an obstacle in one of the rows
  bool is_inside;        // it does not leave the map at its lower or upper edge
} cells_stencil_t;

typedef enum move_t { MOVE_EAST = 1, MOVE_SOUTH = 2, MOVE_SOUTH_EAST = 4, MOVE_SOUTH_WEST = 8 } move_t;

// Scratch memory of one fill. By planning cell: a bit of move_t for each move between free cells that overlaps an
// obstacle. East, south and south-east start at the cell; south-west starts at the cell to the east of it, so that both
// diagonals of a square of four cells are kept with the cell of lowest number.
typedef struct free_cells_fill_t {
  const fw_free_cells_t * cells;
  const fw_free_cells_rule_t * rule;
  double ratio;   // map cells in a planning cell
  double radius;  // in map cells, less the tolerance
  int32_t width;  // of the planning grid
  int32_t height;
  fw_grid_window_t window;  // of the planning grid: what is compared with obstacles
  uint8_t * is_free;        // by planning cell
  uint8_t * bad_moves;      // by planning cell
  uint8_t * bad_counts;     // by planning cell: how many bad moves it takes part in, or more
  fw_cell_t * order;        // the cells with bad moves, in the order in which equal ones are blocked
  int32_t order_count;
  cells_stencil_t stencil;
} free_cells_fill_t;

static double centre_of(const free_cells_fill_t * fill, int32_t index) { return ((double)index + 0.5) * fill->ratio; }

// The stencil of a disc that moves by (dx, dy) planning cells from the row `y` of the planning grid.
static void make_stencil(free_cells_fill_t * fill, int32_t y, int32_t dx, int32_t dy)
{
  cells_stencil_t * stencil = &fill->stencil;
  const fw_free_cells_t * cells = fill->cells;
  const cells_capsule_t capsule = {
    {0.0, centre_of(fill, y)}, {(double)dx * fill->ratio, centre_of(fill, y + dy)}, fill->radius};
  stencil->left = fmin(0.0, capsule.b.x) - fill->radius;
  stencil->right = fmax(0.0, capsule.b.x) + fill->radius;
  stencil->is_inside = find_rows(&capsule, cells->frame.height, &stencil->rows);
  if (!stencil->is_inside) {
    return;
  }
  memset(stencil->any, 0, (size_t)cells->words_per_row * sizeof(*stencil->any));
  for (int32_t row = stencil->rows.first; row <= stencil->rows.last; ++row) {
    const uint64_t * words = row_words(cells, row);
    stencil->spans[row - stencil->rows.first] = find_span(&capsule, row);
    for (int32_t k = 0; k < cells->words_per_row; ++k) {
      stencil->any[k] |= words[k];
    }
  }
}

static bool stencil_is_free(const free_cells_fill_t * fill, int32_t x)
{
  const cells_stencil_t * stencil = &fill->stencil;
  const double centre = centre_of(fill, x);
  cells_range_t columns;
  if (
    !stencil->is_inside ||
    !find_range(centre + stencil->left, centre + stencil->right, fill->cells->frame.width, &columns)) {
    return false;
  }
  bool is_free = true;
  if (!are_clear(stencil->any, columns.first, columns.last)) {
    for (int32_t row = stencil->rows.first; is_free && row <= stencil->rows.last; ++row) {
      const cells_span_t span = stencil->spans[row - stencil->rows.first];
      is_free = span_is_free(fill->cells, row, centre + span.left, centre + span.right);
    }
  }
  return is_free;
}

static bool square_is_free(const free_cells_fill_t * fill, int32_t x, int32_t y)
{
  const double inset = FW_FREE_CELLS_TOLERANCE, left = (double)x * fill->ratio, low = (double)y * fill->ratio;
  cells_range_t rows;
  if (!find_range(low + inset, low + fill->ratio - inset, fill->cells->frame.height, &rows)) {
    return false;
  }
  bool is_free = true;
  for (int32_t row = rows.first; is_free && row <= rows.last; ++row) {
    is_free = span_is_free(fill->cells, row, left + inset, left + fill->ratio - inset);
  }
  return is_free;
}

static void find_free_discs(free_cells_fill_t * fill)
{
  const fw_grid_window_t window = fill->window;
  for (int32_t y = window.y; y < window.y + window.height; ++y) {
    make_stencil(fill, y, 0, 0);
    for (int32_t x = window.x; x < window.x + window.width; ++x) {
      const bool is_free = stencil_is_free(fill, x) && (!fill->rule->whole_squares || square_is_free(fill, x, y));
      fill->is_free[y * fill->width + x] = is_free ? 1 : 0;
    }
  }
}

// ---- moves that overlap an obstacle

// The planner allows a move if its ends are free and, for a diagonal one that may not cut corners, the other two cells
// of the square, too. `cell` is where the move is kept (see free_cells_fill_t) and `move` must not leave the grid.
static bool is_allowed(const free_cells_fill_t * fill, fw_cell_t cell, move_t move)
{
  const uint8_t * here = &fill->is_free[cell];
  const int32_t below = fill->width;
  switch (move) {
    case MOVE_EAST:
      return here[0] && here[1];
    case MOVE_SOUTH:
      return here[0] && here[below];
    case MOVE_SOUTH_EAST:
      return here[0] && here[below + 1] && (fill->rule->cuts_corners || (here[1] && here[below]));
    default:
      return here[1] && here[below] && (fill->rule->cuts_corners || (here[0] && here[below + 1]));
  }
}

static void find_bad_moves_of(free_cells_fill_t * fill, int32_t y, move_t move)
{
  const int32_t dx = move == MOVE_EAST || move == MOVE_SOUTH_EAST ? 1 : move == MOVE_SOUTH_WEST ? -1 : 0;
  const int32_t start = move == MOVE_SOUTH_WEST ? 1 : 0;  // the move is kept one cell to the west of where it starts
  const int32_t end = fill->window.x + fill->window.width, most = fill->width - (move == MOVE_SOUTH ? 0 : 1);
  make_stencil(fill, y, dx, move == MOVE_EAST ? 0 : 1);
  for (int32_t x = fill->window.x; x < (end < most ? end : most); ++x) {
    const fw_cell_t cell = y * fill->width + x;
    if (is_allowed(fill, cell, move) && !stencil_is_free(fill, x + start)) {
      fill->bad_moves[cell] |= (uint8_t)move;
    }
  }
}

static void find_bad_moves(free_cells_fill_t * fill)
{
  const fw_grid_window_t window = fill->window;
  for (int32_t y = window.y; y < window.y + window.height; ++y) {
    memset(&fill->bad_moves[y * fill->width + window.x], 0, (size_t)window.width);
    find_bad_moves_of(fill, y, MOVE_EAST);
    if (y + 1 < fill->height) {
      find_bad_moves_of(fill, y, MOVE_SOUTH);
    }
    if (y + 1 < fill->height && fill->rule->connectivity == 8) {
      find_bad_moves_of(fill, y, MOVE_SOUTH_EAST);
      find_bad_moves_of(fill, y, MOVE_SOUTH_WEST);
    }
  }
}

// A move that a cell takes part in: as an end, or as a cell beside a diagonal.
typedef struct part_t {
  int32_t dx, dy;  // from the cell to where the move is kept
  move_t move;
  bool is_end;
} part_t;

static const part_t PARTS[] = {
  {0, 0, MOVE_EAST, true},         {-1, 0, MOVE_EAST, true},        {0, 0, MOVE_SOUTH, true},
  {0, -1, MOVE_SOUTH, true},       {0, 0, MOVE_SOUTH_EAST, true},   {-1, -1, MOVE_SOUTH_EAST, true},
  {-1, 0, MOVE_SOUTH_EAST, false}, {0, -1, MOVE_SOUTH_EAST, false}, {-1, 0, MOVE_SOUTH_WEST, true},
  {0, -1, MOVE_SOUTH_WEST, true},  {0, 0, MOVE_SOUTH_WEST, false},  {-1, -1, MOVE_SOUTH_WEST, false},
};
enum { PART_COUNT = sizeof(PARTS) / sizeof(PARTS[0]), ENDS_MAX = 8 };

// Counts the allowed moves that `cell` takes part in and that are bad, or that it is an end of and that are good.
static int32_t count_moves(const free_cells_fill_t * fill, fw_cell_t cell, bool counts_bad)
{
  const int32_t x = cell % fill->width, y = cell / fill->width;
  int32_t count = 0;
  for (int32_t k = 0; k < PART_COUNT; ++k) {
    const part_t part = PARTS[k];
    const int32_t at_x = x + part.dx, at_y = y + part.dy;
    const bool leaves_grid = at_x < 0 || at_y < 0 || (part.move != MOVE_SOUTH && at_x + 1 >= fill->width) ||
                             (part.move != MOVE_EAST && at_y + 1 >= fill->height);
    if (leaves_grid || !(counts_bad || part.is_end)) {
      continue;
    }
    const fw_cell_t at = at_y * fill->width + at_x;
    const bool is_bad = (fill->bad_moves[at] & (uint8_t)part.move) != 0;
    const bool exists = is_bad || part.move == MOVE_EAST || part.move == MOVE_SOUTH || fill->rule->connectivity == 8;
    const bool concerns = part.is_end || !fill->rule->cuts_corners;
    count += is_bad == counts_bad && exists && concerns && is_allowed(fill, at, part.move) ? 1 : 0;
  }
  return count;
}

// Whether a bad move that the cell may take part in is kept with it or with a neighbour: quickly false for most cells.
static bool is_near_bad_move(const free_cells_fill_t * fill, fw_cell_t cell)
{
  const uint8_t * here = &fill->bad_moves[cell];
  const int32_t west = cell % fill->width > 0 ? 1 : 0, north = cell >= fill->width ? fill->width : 0;
  return (here[0] | here[-west] | here[-north] | here[-west - north]) != 0;
}

// Sorts the cells with bad moves by their number of good moves, most first, then by number.
static bool sort_cells(free_cells_fill_t * fill)
{
  int32_t counts[ENDS_MAX + 1] = {0}, next[ENDS_MAX + 1];
  const int32_t cell_count = fill->width * fill->height;
  for (fw_cell_t cell = 0; cell < cell_count; ++cell) {
    const bool may_have = fill->is_free[cell] && is_near_bad_move(fill, cell);
    fill->bad_counts[cell] = may_have ? (uint8_t)count_moves(fill, cell, true) : 0;
    if (fill->bad_counts[cell] > 0) {
      counts[count_moves(fill, cell, false)] += 1;
    }
  }
  for (int32_t good = ENDS_MAX; good >= 0; --good) {
    next[good] = fill->order_count;
    fill->order_count += counts[good];
  }
  fill->order = fw__allocate_array(&fill->cells->allocator, (size_t)fill->order_count, sizeof(*fill->order));
  for (fw_cell_t cell = 0; fill->order != NULL && cell < cell_count; ++cell) {
    if (fill->bad_counts[cell] > 0) {
      fill->order[next[count_moves(fill, cell, false)]++] = cell;
    }
  }
  return fill->order != NULL;
}

// A greedy vertex cover. Counts only fall while cells are blocked, so one look at each cell per count is enough.
static void block_bad_moves(free_cells_fill_t * fill)
{
  for (int32_t most = PART_COUNT; most >= 1; --most) {
    for (int32_t k = 0; k < fill->order_count; ++k) {
      const fw_cell_t cell = fill->order[k];
      if (fill->is_free[cell] && fill->bad_counts[cell] >= most) {
        fill->bad_counts[cell] = (uint8_t)count_moves(fill, cell, true);
        FW_ASSERT(fill->bad_counts[cell] <= most);
        fill->is_free[cell] = fill->bad_counts[cell] < most ? 1 : 0;
      }
    }
  }
  // A cell may have become unnecessary through cells that were blocked after it.
  for (int32_t k = fill->order_count - 1; k >= 0; --k) {
    const fw_cell_t cell = fill->order[k];
    if (!fill->is_free[cell]) {
      fill->is_free[cell] = 1;
      fill->is_free[cell] = count_moves(fill, cell, true) == 0 ? 1 : 0;
    }
  }
}

// No allowed move is bad.
static bool validate_moves(const free_cells_fill_t * fill)
{
  bool is_valid = true;
  for (fw_cell_t cell = 0; is_valid && cell < fill->width * fill->height; ++cell) {
    is_valid = !fill->is_free[cell] || count_moves(fill, cell, true) == 0;
  }
  return is_valid;
}

// ---- filling

static bool allocate_fill(free_cells_fill_t * fill)
{
  const fw_allocator_t * allocator = &fill->cells->allocator;
  const size_t cell_count = (size_t)fill->width * (size_t)fill->height;
  const size_t rows = (size_t)fill->cells->frame.height, words = (size_t)fill->cells->words_per_row;
  fill->is_free = fw__allocate_array(allocator, cell_count, sizeof(*fill->is_free));
  fill->bad_moves = fw__allocate_array(allocator, cell_count, sizeof(*fill->bad_moves));
  fill->bad_counts = fw__allocate_array(allocator, cell_count, sizeof(*fill->bad_counts));
  fill->stencil.spans = fw__allocate_array(allocator, rows, sizeof(*fill->stencil.spans));
  fill->stencil.any = fw__allocate_array(allocator, words, sizeof(*fill->stencil.any));
  return fill->is_free != NULL && fill->bad_moves != NULL && fill->bad_counts != NULL && fill->stencil.spans != NULL &&
         fill->stencil.any != NULL;
}

static bool rule_is_valid(const fw_free_cells_t * cells, const fw_free_cells_rule_t * rule, const fw_grid_t * grid)
{
  return rule->resolution >= cells->frame.resolution && isfinite(rule->resolution) && rule->radius >= 0.0 &&
         rule->radius <= RADIUS_MAX && (rule->connectivity == 4 || rule->connectivity == 8) && grid->cost != NULL &&
         grid->width >= 1 && grid->height >= 1 && grid->width <= FW_GRID_SIDE_MAX && grid->height <= FW_GRID_SIDE_MAX;
}

static int32_t count_free(const free_cells_fill_t * fill)
{
  int32_t count = 0;
  for (fw_cell_t cell = 0; cell < fill->width * fill->height; ++cell) {
    count += fill->is_free[cell];
  }
  return count;
}

void fw__free_cells_cache_fini(fw_free_cells_cache_t * cache)
{
  if (cache->discs != NULL || cache->bad_moves != NULL) {
    fw__deallocate(&cache->allocator, cache->discs);
    fw__deallocate(&cache->allocator, cache->bad_moves);
  }
  *cache = (fw_free_cells_cache_t){0};
}

// Starts with what the cache knows, if it knows this grid.
static void take_cache(free_cells_fill_t * fill, const fw_free_cells_cache_t * cache, const fw_grid_window_t * window)
{
  const size_t cell_count = (size_t)fill->width * (size_t)fill->height;
  if (window == NULL) {
    return;
  }
  FW_ASSERT(cache->discs != NULL && cache->width == fill->width && cache->height == fill->height);
  memcpy(fill->is_free, cache->discs, cell_count);
  memcpy(fill->bad_moves, cache->bad_moves, cell_count);
  fill->window = *window;
}

// Hands over the moves, and a copy of the discs: cells that moves block are not among them. `discs` has room for it.
static void keep_cache(
  free_cells_fill_t * fill, uint8_t * discs, fw_free_cells_count_t count, fw_free_cells_cache_t * cache)
{
  fw__free_cells_cache_fini(cache);
  *cache = (fw_free_cells_cache_t){
    .discs = discs,
    .bad_moves = fill->bad_moves,
    .width = fill->width,
    .height = fill->height,
    .count = count,
    .allocator = fill->cells->allocator,
  };
  fill->bad_moves = NULL;
}

typedef struct fill_place_t {
  const fw_grid_window_t * window;  // NULL: everything
  fw_free_cells_cache_t * cache;    // NULL: none
} fill_place_t;

static fw_ret_t fill_grid(free_cells_fill_t * fill, fill_place_t place, fw_grid_t * grid, fw_free_cells_count_t * count)
{
  const fw_allocator_t * allocator = &fill->cells->allocator;
  const size_t cell_count = (size_t)fill->width * (size_t)fill->height;
  uint8_t * discs_kept = NULL;
  fw_ret_t ret = FW_RET_BAD_ALLOC;
  if (!allocate_fill(fill)) {
    goto cleanup;
  }
  if (place.cache != NULL) {
    discs_kept = fw__allocate_array(allocator, cell_count, sizeof(*discs_kept));
    if (discs_kept == NULL) {
      goto cleanup;
    }
    take_cache(fill, place.cache, place.window);
  }
  find_free_discs(fill);
  if (discs_kept != NULL) {
    memcpy(discs_kept, fill->is_free, cell_count);
  }
  const int32_t discs = count_free(fill);
  find_bad_moves(fill);
  if (!sort_cells(fill)) {
    goto cleanup;
  }
  block_bad_moves(fill);
  FW_ASSERT(validate_moves(fill));
  memcpy(grid->cost, fill->is_free, cell_count);
  const int32_t free_count = count_free(fill);
  const fw_free_cells_count_t counted = {free_count, fill->width * fill->height - discs, discs - free_count};
  if (count != NULL) {
    *count = counted;
  }
  if (place.cache != NULL) {
    keep_cache(fill, discs_kept, counted, place.cache);
    discs_kept = NULL;
  }
  ret = FW_RET_OK;
cleanup:
  fw__deallocate(allocator, fill->is_free);
  fw__deallocate(allocator, fill->bad_moves);
  fw__deallocate(allocator, fill->bad_counts);
  fw__deallocate(allocator, fill->order);
  fw__deallocate(allocator, fill->stencil.spans);
  fw__deallocate(allocator, fill->stencil.any);
  fw__deallocate(allocator, discs_kept);
  return ret;
}

static free_cells_fill_t make_fill(
  const fw_free_cells_t * cells, const fw_free_cells_rule_t * rule, const fw_grid_t * grid)
{
  return (free_cells_fill_t){
    .cells = cells,
    .rule = rule,
    .ratio = rule->resolution / cells->frame.resolution,
    .radius = effective_radius(cells, rule->radius),
    .width = grid->width,
    .height = grid->height,
    .window = {0, 0, grid->width, grid->height},
  };
}

fw_ret_t fw__free_cells_fill(
  const fw_free_cells_t * cells, const fw_free_cells_rule_t * rule, fw_grid_t * grid, fw_free_cells_count_t * count)
{
  FW_ASSERT(cells->words != NULL);
  if (!rule_is_valid(cells, rule, grid)) {
    return FW_RET_INVALID_ARGUMENT;
  }
  free_cells_fill_t fill = make_fill(cells, rule, grid);
  return fill_grid(&fill, (fill_place_t){0}, grid, count);
}

fw_ret_t fw__free_cells_refill(
  const fw_free_cells_t * cells, const fw_free_cells_rule_t * rule, const fw_grid_window_t * window,
  fw_free_cells_cache_t * cache, fw_grid_t * grid)
{
  FW_ASSERT(cells->words != NULL);
  if (!rule_is_valid(cells, rule, grid)) {
    return FW_RET_INVALID_ARGUMENT;
  }
  free_cells_fill_t fill = make_fill(cells, rule, grid);
  return fill_grid(&fill, (fill_place_t){window, cache}, grid, NULL);
}

// The planning cells along one side of the grid whose shapes may reach map cells from `first` on.
static void find_side(int32_t * first, int32_t * count, double reach, double ratio, int32_t side)
{
  const double low = floor(((double)*first - reach) / ratio) - 1.0;
  const double high = ceil(((double)*first + (double)*count + reach) / ratio) + 1.0;
  const double from = fmin(fmax(low, 0.0), (double)side), to = fmin(fmax(high, from), (double)side);
  *first = (int32_t)from;
  *count = (int32_t)(to - from);
}

fw_grid_window_t fw__free_cells_find_window(
  const fw_free_cells_t * cells, const fw_free_cells_rule_t * rule, const fw_grid_t * grid, fw_grid_window_t changed)
{
  const double ratio = rule->resolution / cells->frame.resolution;
  // A disc, and a move of one cell; the moves of a cell are kept with it or with the cell before it.
  const double reach = effective_radius(cells, rule->radius) + 2.0 * ratio;
  fw_grid_window_t window = changed;
  find_side(&window.x, &window.width, reach, ratio, grid->width);
  find_side(&window.y, &window.height, reach, ratio, grid->height);
  return window;
}

// ---- a robot on the grid

static bool is_on_free_map(const fw_free_cells_t * cells, fw_point_t point)
{
  const fw_point_t at = fw__raster_coordinates(&cells->frame, point);
  // Compared as doubles: a cast of a value out of range, or of NAN, would be undefined.
  if (!(at.x >= 0.0 && at.y >= 0.0 && at.x < (double)cells->frame.width && at.y < (double)cells->frame.height)) {
    return false;
  }
  return are_clear(row_words(cells, (int32_t)at.y), (int32_t)at.x, (int32_t)at.x);
}

fw_free_cells_place_t fw__free_cells_locate(const fw_free_cells_t * cells, const fw_free_cells_query_t * query)
{
  const fw_map_frame_t * planning = query->planning;
  const fw_grid_t * grid = query->grid;
  FW_ASSERT(grid->width == planning->width && grid->height == planning->height);
  fw_free_cells_place_t place = {.cell = FW_CELL_NONE, .is_on_free_map = is_on_free_map(cells, query->point)};
  const fw_point_t at = fw__raster_coordinates(planning, query->point);
  // A point one cell outside may still belong to a cell: the map may end with a part of a cell.
  if (!(at.x >= -1.0 && at.y >= -1.0 && at.x <= (double)grid->width + 1.0 && at.y <= (double)grid->height + 1.0)) {
    return place;
  }
  const int32_t column = (int32_t)floor(at.x), row = (int32_t)floor(at.y);
  if (fw_grid_is_free(grid, column, row)) {
    place.cell = fw_grid_cell(grid, column, row);
    place.is_inside = true;
    return place;
  }
  if (!(query->radius >= 0.0 && query->radius <= RADIUS_MAX)) {
    return place;
  }
  const double ratio = planning->resolution / cells->frame.resolution;
  double nearest = (double)INFINITY;
  for (int32_t k = 0; k < 9; ++k) {
    const int32_t x = column - 1 + k % 3, y = row - 1 + k / 3;
    const double distance = hypot((double)x + 0.5 - at.x, (double)y + 0.5 - at.y);
    const cells_capsule_t capsule = {
      {at.x * ratio, at.y * ratio},
      {((double)x + 0.5) * ratio, ((double)y + 0.5) * ratio},
      effective_radius(cells, query->radius)};
    if (fw_grid_is_free(grid, x, y) && distance < nearest && capsule_is_free(cells, &capsule)) {
      place.cell = fw_grid_cell(grid, x, y);
      nearest = distance;
    }
  }
  return place;
}
