// HPA*: making all of it, and mending it when cells change.

#include "search/hpa/hpa.h"

static bool make_level(hpa_t * hpa, int32_t level, int32_t side)
{
  const fw_floor_t * floor = hpa->floor;
  hpa_level_t * l = &hpa->levels[level];
  *l =
    (hpa_level_t){.side = side, .columns = (floor->width + side - 1) / side, .rows = (floor->height + side - 1) / side};
  const size_t count = (size_t)l->columns * (size_t)l->rows;
  l->clusters = fw__arena_allocate_zeroed(hpa->arena, count, sizeof(*l->clusters));
  return l->clusters != NULL;
}

static bool make_memory(hpa_t * hpa, const hpa_options_t * options)
{
  const size_t places = (size_t)hpa->floor->place_count;
  fw__bucket_queue_init(&hpa->queue, hpa->arena);
  fw__heap_init(&hpa->open, hpa->arena);
  hpa->chain.arena = hpa->joints.arena = hpa->arena;
  hpa->crossings = fw__arena_allocate_zeroed(hpa->arena, places, sizeof(*hpa->crossings));
  hpa->node_of = fw__arena_allocate_zeroed(hpa->arena, places, sizeof(*hpa->node_of));
  hpa->from = fw__arena_allocate(hpa->arena, 1, sizeof(*hpa->from));
  hpa->to = fw__arena_allocate(hpa->arena, 1, sizeof(*hpa->to));
  hpa->nodes = fw__arena_grow(hpa->arena, NULL, 0, sizeof(*hpa->nodes), &hpa->node_capacity);
  bool is_fine =
    hpa->crossings != NULL && hpa->node_of != NULL && hpa->from != NULL && hpa->to != NULL && hpa->nodes != NULL;
  int32_t side = options->cluster < HPA_SIDE_MIN ? HPA_SIDE_MIN : options->cluster;
  hpa->level_count = 0;
  while (is_fine && hpa->level_count < options->levels) {
    is_fine = make_level(hpa, hpa->level_count, side);
    const hpa_level_t * level = &hpa->levels[hpa->level_count++];
    if (level->columns == 1 && level->rows == 1) {
      break;  // one cluster is as high as it gets
    }
    side *= options->factor;
  }
  for (; is_fine && hpa->node_count < HPA_ENDS; ++hpa->node_count) {
    hpa->nodes[hpa->node_count] = (hpa_node_t){.twins = {-1, -1, -1, -1}};
  }
  return is_fine;
}

// Marks for as many nodes as there are.
static bool make_marks(hpa_t * hpa)
{
  if (hpa->mark_capacity < hpa->node_count) {
    fw__arena_recycle(hpa->arena, hpa->marks, (size_t)hpa->mark_capacity, sizeof(*hpa->marks));
    hpa->mark_capacity = hpa->node_capacity;
    hpa->marks = fw__arena_allocate_zeroed(hpa->arena, (size_t)hpa->mark_capacity, sizeof(*hpa->marks));
    hpa->epoch = 0;
  }
  return hpa->marks != NULL;
}

bool hpa_make(hpa_t * hpa, fw_arena_t * arena, const fw_floor_t * floor, const hpa_options_t * options)
{
  *hpa = (hpa_t){.arena = arena, .floor = floor, .unused = -1, .spread = options->spread};
  hpa->has_tables = options->has_tables && floor->is_uniform;
  bool is_fine = make_memory(hpa, options);
  const int32_t clusters = is_fine ? hpa->levels[0].columns * hpa->levels[0].rows : 0;
  for (int32_t i = 0; i < clusters; ++i) {
    (void)hpa_cross(hpa, i, HPA_EAST_AND_SOUTH);
  }
  for (int32_t i = 0; i < clusters && is_fine; ++i) {
    is_fine = hpa_list_nodes(hpa, 0, i);
  }
  is_fine = is_fine && make_marks(hpa);
  for (int32_t i = 0; i < clusters && is_fine; ++i) {
    is_fine = hpa_make_cells(hpa, i);
  }
  for (int32_t level = 1; level < hpa->level_count && is_fine; ++level) {
    const int32_t count = hpa->levels[level].columns * hpa->levels[level].rows;
    for (int32_t i = 0; i < count && is_fine; ++i) {
      is_fine = hpa_list_nodes(hpa, level, i) && hpa_make_upper(hpa, level, i);
    }
  }
  return is_fine && hpa_landmarks_make(hpa, floor->is_uniform ? options->landmarks : 0);
}

// ---- changes --------------------------------------------------------------------------------------------------------

// Marks the clusters whose cells have changed, at the floor's places around each changed cell.
static void mark_changed(const hpa_t * hpa, const fw_cell_t * cells, int32_t count, uint8_t * is_dirty)
{
  const fw_floor_t * floor = hpa->floor;
  const hpa_level_t * level = &hpa->levels[0];
  const int32_t reach = floor->reach + 1;  // moves change one place farther than fits
  for (int32_t i = 0; i < count; ++i) {
    const int32_t x = fw_grid_x(floor->grid, cells[i]);
    const int32_t y = fw_grid_y(floor->grid, cells[i]);
    const int32_t left = x > reach ? x - reach : 0;
    const int32_t top = y > reach ? y - reach : 0;
    const int32_t right = x + reach < floor->width ? x + reach : floor->width - 1;
    const int32_t bottom = y + reach < floor->height ? y + reach : floor->height - 1;
    for (int32_t row = top / level->side; row <= bottom / level->side; ++row) {
      for (int32_t column = left / level->side; column <= right / level->side; ++column) {
        is_dirty[row * level->columns + column] = 1;
      }
    }
  }
}

// Clusters beside one whose border is not what it was have other nodes.
static void mark_beside(const hpa_t * hpa, int32_t cluster, int32_t changed, uint8_t * is_dirty)
{
  static const int32_t columns[4] = {1, 0, -1, 0};
  static const int32_t rows[4] = {0, 1, 0, -1};
  for (int32_t d = 0; d < 4; ++d) {
    if ((changed >> d & 1) != 0) {
      is_dirty[cluster + rows[d] * hpa->levels[0].columns + columns[d]] |= 2;
    }
  }
}

// Clusters above those that are made anew.
static bool make_above(hpa_t * hpa, const uint8_t * is_dirty)
{
  for (int32_t level = 1; level < hpa->level_count; ++level) {
    const hpa_level_t * l = &hpa->levels[level];
    const int32_t share = l->side / hpa->levels[0].side;
    for (int32_t i = 0; i < l->columns * l->rows; ++i) {
      bool is_concerned = false;
      for (int32_t k = 0; k < share * share && !is_concerned; ++k) {
        const int32_t column = i % l->columns * share + k % share;
        const int32_t row = i / l->columns * share + k / share;
        is_concerned = column < hpa->levels[0].columns && row < hpa->levels[0].rows &&
                       is_dirty[row * hpa->levels[0].columns + column] != 0;
      }
      if (is_concerned && !(hpa_list_nodes(hpa, level, i) && hpa_make_upper(hpa, level, i))) {
        return false;
      }
    }
  }
  return true;
}

bool hpa_mend(hpa_t * hpa, const fw_cell_t * cells, int32_t count)
{
  const int32_t clusters = hpa->levels[0].columns * hpa->levels[0].rows;
  if (hpa->is_dirty == NULL) {
    hpa->is_dirty = fw__arena_allocate(hpa->arena, (size_t)clusters, 1);
    if (hpa->is_dirty == NULL) {
      return false;
    }
  }
  hpa->rebuilt = 0;
  memset(hpa->is_dirty, 0, (size_t)clusters);
  mark_changed(hpa, cells, count, hpa->is_dirty);
  for (int32_t i = 0; i < clusters; ++i) {
    if ((hpa->is_dirty[i] & 1) != 0) {
      mark_beside(hpa, i, hpa_cross(hpa, i, HPA_ALL_SIDES), hpa->is_dirty);
    }
  }
  bool is_fine = true;
  for (int32_t i = 0; i < clusters && is_fine; ++i) {
    is_fine = hpa->is_dirty[i] == 0 || hpa_list_nodes(hpa, 0, i);
  }
  is_fine = is_fine && make_marks(hpa);
  for (int32_t i = 0; i < clusters && is_fine; ++i) {
    is_fine = hpa->is_dirty[i] == 0 || hpa_make_cells(hpa, i);
  }
  return is_fine && hpa_landmarks_mend(hpa) && make_above(hpa, hpa->is_dirty);
}
