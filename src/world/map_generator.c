// The map generator: open, random, warehouse, rooms and maze maps from a line such as "rooms:32x32,room=8,seed=1".
//
// A kind is a row of the table `kinds`: its name, its keys with their ranges, and a function that fills the grid.

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/text.h"
#include "fleetweave/files.h"

enum { KEYS_MAX = 3 };

typedef struct key_t {
  const char * name;
  int32_t initial;
  int32_t min;
  int32_t max;
} key_t;

typedef struct recipe_t {
  fw_grid_t * grid;
  fw_rng_t rng;
  int32_t values[KEYS_MAX];  // in the order of the kind's keys
} recipe_t;

typedef struct rectangle_t {
  int32_t left, top, width, height;
} rectangle_t;

typedef struct kind_t {
  const char * name;
  key_t keys[KEYS_MAX];
  void (*fill)(recipe_t * recipe);
} kind_t;

// Sets the cells of a rectangle that are inside the grid.
static void fill_rectangle(fw_grid_t * grid, rectangle_t area, uint8_t cost)
{
  for (int32_t y = area.top; y < area.top + area.height; ++y) {
    for (int32_t x = area.left; x < area.left + area.width; ++x) {
      if (fw_grid_contains(grid, x, y)) {
        grid->cost[fw_grid_cell(grid, x, y)] = cost;
      }
    }
  }
}

static void fill_open(recipe_t * recipe) { memset(recipe->grid->cost, 1, (size_t)fw_grid_cell_count(recipe->grid)); }

// Blocks exactly the given share of cells, drawn without replacement.
static void fill_random(recipe_t * recipe)
{
  fill_open(recipe);
  fw_grid_t * grid = recipe->grid;
  const int32_t cells = fw_grid_cell_count(grid);
  int64_t left = (int64_t)cells * recipe->values[0] / 100;
  for (fw_cell_t cell = 0; cell < cells; ++cell) {  // selection sampling, Knuth's algorithm S
    if (fw__rng_below(&recipe->rng, cells - cell) < left) {
      grid->cost[cell] = 0;
      --left;
    }
  }
}

// Rows of shelves two cells deep, with aisles between them and a lane of `lane` cells along every side.
static void fill_warehouse(recipe_t * recipe)
{
  fill_open(recipe);
  fw_grid_t * grid = recipe->grid;
  const int32_t shelf = recipe->values[0];
  const int32_t aisle = recipe->values[1];
  const int32_t lane = recipe->values[2];
  for (int32_t top = lane; top + 2 + lane <= grid->height; top += 2 + aisle) {
    for (int32_t left = lane; left + shelf + lane <= grid->width; left += shelf + aisle) {
      fill_rectangle(grid, (rectangle_t){left, top, shelf, 2}, 0);
    }
  }
}

// Square rooms with walls of one cell.
static void fill_rooms(recipe_t * recipe)
{
  fill_open(recipe);
  fw_grid_t * grid = recipe->grid;
  const int32_t pitch = recipe->values[0] + 1;
  for (int32_t x = pitch - 1; x < grid->width; x += pitch) {
    fill_rectangle(grid, (rectangle_t){x, 0, 1, grid->height}, 0);
  }
  for (int32_t y = pitch - 1; y < grid->height; y += pitch) {
    fill_rectangle(grid, (rectangle_t){0, y, grid->width, 1}, 0);
  }
  // One door in each piece of wall between two rooms.
  for (int32_t top = 0; top < grid->height; top += pitch) {
    for (int32_t left = 0; left < grid->width; left += pitch) {
      const int32_t width = left + pitch <= grid->width ? pitch - 1 : grid->width - left;
      const int32_t height = top + pitch <= grid->height ? pitch - 1 : grid->height - top;
      const rectangle_t east = {left + pitch - 1, top + fw__rng_below(&recipe->rng, height), 1, 1};
      const rectangle_t south = {left + fw__rng_below(&recipe->rng, width), top + pitch - 1, 1, 1};
      fill_rectangle(grid, east, 1);
      fill_rectangle(grid, south, 1);
    }
  }
}

// A perfect maze by randomised depth-first search (recursive backtracker). Chambers of `corridor` cells, walls of one.
// The stack is kept in the chambers: while the maze is made, a carved cell has 1 + the direction in which it was
// entered.
static void fill_maze(recipe_t * recipe)
{
  enum { ROOT = 4 };  // the first chamber: entered from nowhere
  static const int32_t step_x[4] = {1, 0, -1, 0};
  static const int32_t step_y[4] = {0, 1, 0, -1};
  fw_grid_t * grid = recipe->grid;
  const int32_t corridor = recipe->values[0];
  const int32_t pitch = corridor + 1;
  const int32_t columns = (grid->width + 1) / pitch;
  const int32_t rows = (grid->height + 1) / pitch;
  if (columns < 1 || rows < 1) {
    fill_open(recipe);
    return;
  }
  int32_t column = fw__rng_below(&recipe->rng, columns);
  int32_t row = fw__rng_below(&recipe->rng, rows);
  fill_rectangle(grid, (rectangle_t){column * pitch, row * pitch, corridor, corridor}, 1 + ROOT);
  // Each chamber is entered once and left backwards once.
  for (int64_t bound = 2 * (int64_t)columns * rows; bound > 0; --bound) {
    int32_t choices[4];
    int32_t choice_count = 0;
    for (int32_t d = 0; d < 4; ++d) {
      const int32_t c = column + step_x[d];
      const int32_t r = row + step_y[d];
      if (c >= 0 && r >= 0 && c < columns && r < rows && !fw_grid_is_free(grid, c * pitch, r * pitch)) {
        choices[choice_count++] = d;
      }
    }
    if (choice_count == 0) {
      const int32_t back = grid->cost[fw_grid_cell(grid, column * pitch, row * pitch)] - 1;
      FW_ASSERT(back >= 0 && back <= ROOT);
      if (back == ROOT) {
        break;
      }
      column -= step_x[back];
      row -= step_y[back];
      continue;
    }
    const int32_t d = choices[fw__rng_below(&recipe->rng, choice_count)];
    const int32_t wall_x = column * pitch + (step_x[d] > 0 ? corridor : step_x[d] < 0 ? -1 : 0);
    const int32_t wall_y = row * pitch + (step_y[d] > 0 ? corridor : step_y[d] < 0 ? -1 : 0);
    fill_rectangle(
      grid, (rectangle_t){wall_x, wall_y, step_x[d] != 0 ? 1 : corridor, step_y[d] != 0 ? 1 : corridor}, 1);
    column += step_x[d];
    row += step_y[d];
    fill_rectangle(grid, (rectangle_t){column * pitch, row * pitch, corridor, corridor}, (uint8_t)(1 + d));
  }
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    grid->cost[cell] = grid->cost[cell] != 0 ? 1 : 0;
  }
}

static const kind_t kinds[] = {
  {.name = "open", .fill = fill_open},
  {.name = "random", .keys = {{"obstacles", 20, 0, 99}}, .fill = fill_random},
  {.name = "warehouse",
   .keys = {{"shelf", 10, 1, 1000}, {"aisle", 1, 1, 1000}, {"lane", 3, 1, 1000}},
   .fill = fill_warehouse},
  {.name = "rooms", .keys = {{"room", 8, 1, 1000}}, .fill = fill_rooms},
  {.name = "maze", .keys = {{"corridor", 1, 1, 1000}}, .fill = fill_maze},
};

enum { KIND_COUNT = sizeof(kinds) / sizeof(kinds[0]) };

const char * fw_grid_make_help(void)
{
  return "open:WxH\n"
         "random:WxH,obstacles=20            obstacles: blocked cells in per cent\n"
         "warehouse:WxH,shelf=10,aisle=1,lane=3\n"
         "                                   shelves 10 long and 2 deep, aisles between, lanes along the sides\n"
         "rooms:WxH,room=8                   square rooms, a door in each wall\n"
         "maze:WxH,corridor=1                a perfect maze\n"
         "each also takes seed=N; the same line gives the same map everywhere\n";
}

// Reads ",key=value,key=value" into the recipe.
static fw_ret_t read_keys(const kind_t * kind, char * cursor, recipe_t * recipe, fw_error_t * error)
{
  int32_t seed = 0;
  while (fw__text_skip(&cursor, ",")) {
    const key_t seed_key = {"seed", 0, 0, INT32_MAX};
    const key_t * key = NULL;
    int32_t * value = NULL;
    char * start = cursor;
    const size_t length = strcspn(cursor, "=,");
    for (int32_t i = 0; i <= KEYS_MAX; ++i) {
      const key_t * candidate = i < KEYS_MAX ? &kind->keys[i] : &seed_key;
      if (
        candidate->name != NULL && strlen(candidate->name) == length && strncmp(candidate->name, start, length) == 0) {
        key = candidate;
        value = i < KEYS_MAX ? &recipe->values[i] : &seed;
      }
    }
    if (key == NULL) {
      return fw__error(
        error, FW_RET_INVALID_ARGUMENT, "a map of kind %s has no key '%.*s'; it has: seed%s%s%s%s%s%s", kind->name,
        length < 32 ? (int)length : 32, start, kind->keys[0].name != NULL ? ", " : "",
        kind->keys[0].name != NULL ? kind->keys[0].name : "", kind->keys[1].name != NULL ? ", " : "",
        kind->keys[1].name != NULL ? kind->keys[1].name : "", kind->keys[2].name != NULL ? ", " : "",
        kind->keys[2].name != NULL ? kind->keys[2].name : "");
    }
    cursor += length;
    if (!fw__text_skip(&cursor, "=") || !fw__text_integer(&cursor, key->min, key->max, value)) {
      return fw__error(
        error, FW_RET_INVALID_ARGUMENT, "%s must be a whole number from %d to %d, as in %s=%d", key->name, key->min,
        key->max, key->name, key->min);
    }
  }
  recipe->rng = fw__rng((uint64_t)seed);
  return *cursor == '\0' ? FW_RET_OK
                         : fw__error(error, FW_RET_INVALID_ARGUMENT, "expected ',key=value', not '%.32s'", cursor);
}

fw_ret_t fw_grid_make(fw_grid_t * grid, const char * line, const fw_allocator_t * allocator, fw_error_t * error)
{
  *grid = (fw_grid_t){0};
  char copy[256];
  if (line == NULL || strlen(line) >= sizeof(copy)) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "the line that describes a map must have 1 to %zu characters", sizeof(copy) - 1);
  }
  memcpy(copy, line, strlen(line) + 1);
  char * cursor = copy;
  const kind_t * kind = NULL;
  for (int32_t i = 0; i < KIND_COUNT && kind == NULL; ++i) {
    char * behind = copy;
    if (fw__text_skip(&behind, kinds[i].name) && fw__text_skip(&behind, ":")) {
      kind = &kinds[i];
      cursor = behind;
    }
  }
  if (kind == NULL) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT,
      "'%.60s' does not begin with a kind of map; the kinds are open, random, warehouse, rooms and maze, as in "
      "warehouse:161x63,seed=1",
      line);
  }
  int32_t width, height;
  if (
    !fw__text_integer(&cursor, 1, FW_GRID_SIDE_MAX, &width) || !fw__text_skip(&cursor, "x") ||
    !fw__text_integer(&cursor, 1, FW_GRID_SIDE_MAX, &height)) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "expected %s:WIDTHxHEIGHT with sides of 1 to %d, not '%.60s'", kind->name,
      FW_GRID_SIDE_MAX, line);
  }
  recipe_t recipe = {.grid = grid};
  for (int32_t i = 0; i < KEYS_MAX; ++i) {
    recipe.values[i] = kind->keys[i].initial;
  }
  fw_ret_t ret = read_keys(kind, cursor, &recipe, error);
  if (ret == FW_RET_OK && (ret = fw_grid_init(grid, width, height, allocator, error)) == FW_RET_OK) {
    kind->fill(&recipe);
  }
  return ret;
}
