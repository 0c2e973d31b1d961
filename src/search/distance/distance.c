// A distance field by reverse resumable A* (RRA*), and the distances of a whole fleet in threads.

#include "search/distance/distance.h"

#include <stdatomic.h>
#include <string.h>

#include "base/parallel.h"
#include "search/distance/coarse.h"

// A cleared page, if possible one that a field has given back.
static uint32_t * make_page(fw_distance_t * distance, int32_t index)
{
  int32_t half = FW_DISTANCE_PAGE / 2;
  uint32_t * page = fw__arena_grow(distance->arena, NULL, sizeof(*page), &half);
  if (page != NULL) {
    memset(page, 0, FW_DISTANCE_PAGE * sizeof(*page));
  }
  distance->pages[index] = page;
  distance->has_failed = distance->has_failed || page == NULL;
  return page;
}

static inline uint32_t * entry_at(fw_distance_t * distance, int32_t node)
{
  uint32_t * page = distance->pages[node >> FW_DISTANCE_PAGE_BITS];
  if (page == NULL) {
    page = make_page(distance, node >> FW_DISTANCE_PAGE_BITS);
  }
  return page == NULL ? NULL : &page[node & (FW_DISTANCE_PAGE - 1)];
}

// Keeps distance g of `node` if it is the first or the smallest.
static void offer(fw_distance_t * distance, int32_t node, int32_t g)
{
  uint32_t * entry = entry_at(distance, node);
  if (entry == NULL || (*entry & 1) != 0 || (*entry != 0 && (int32_t)(*entry >> 1) - 1 <= g)) {
    return;
  }
  FW_ASSERT(g >= 0 && g < INT32_MAX);
  *entry = (uint32_t)(g + 1) << 1;
  const fw_moves_t * moves = distance->moves;
  const int32_t h = fw__grid_distance(moves->grid, moves->connectivity, moves->cell_of[node], distance->aim);
  if (!fw__bucket_queue_push(&distance->open, g + h * moves->move_span, node, g)) {
    distance->has_failed = true;
  }
}

// The goal at distance 0, with every heading.
static void offer_goal(fw_distance_t * distance, int32_t goal_node)
{
  const fw_moves_t * moves = distance->moves;
  distance->goal = moves->cell_of[goal_node];
  if (moves->heading_of == NULL) {
    offer(distance, goal_node, 0);
    return;
  }
  for (int32_t heading = 0; heading < FW_HEADING_COUNT; heading += moves->body->turn_step) {
    const int32_t node = fw__moves_node(moves, (fw_grid_pose_t){moves->cell_of[goal_node], heading});
    if (node >= 0) {
      offer(distance, node, 0);
    }
  }
}

static int32_t page_count_of(const fw_moves_t * moves) { return (moves->node_count >> FW_DISTANCE_PAGE_BITS) + 1; }

// Empties the field: its pages are for all fields of the arena.
static void clear(fw_distance_t * distance)
{
  const int32_t page_count = page_count_of(distance->moves);
  for (int32_t i = 0; i < page_count; ++i) {
    fw__arena_recycle(distance->arena, distance->pages[i], FW_DISTANCE_PAGE, sizeof(**distance->pages));
    distance->pages[i] = NULL;
  }
  fw__bucket_queue_clear(&distance->open);
  distance->places = 0;
}

// A table of no pages. False when there is no memory.
static bool reserve_pages(fw_distance_t * distance, int32_t page_count)
{
  if (distance->page_capacity < page_count) {
    fw__arena_recycle(distance->arena, distance->pages, (size_t)distance->page_capacity, sizeof(*distance->pages));
    distance->pages = fw__arena_allocate_zeroed(distance->arena, (size_t)page_count, sizeof(*distance->pages));
    distance->page_capacity = distance->pages != NULL ? page_count : 0;
  }
  return distance->pages != NULL;
}

bool fw__distance_init(fw_distance_t * distance, fw_arena_t * arena, const fw_distance_def_t * def)
{
  *distance = (fw_distance_t){0};
  return fw__distance_remake(distance, arena, def);
}

bool fw__distance_remake(fw_distance_t * distance, fw_arena_t * arena, const fw_distance_def_t * def)
{
  FW_ASSERT(def->goal_node >= 0 && def->goal_node < def->moves->node_count);
  if (distance->pages != NULL) {
    clear(distance);
  } else {
    fw__bucket_queue_init(&distance->open, arena);
  }
  *distance = (fw_distance_t){
    .moves = def->moves,
    .aim = def->aim,
    .is_weighted = def->is_weighted,
    .is_for_sipp = def->is_for_sipp,
    .pages = distance->pages,
    .page_capacity = distance->page_capacity,
    .arena = arena,
    .open = distance->open,
    .coarse_goal = distance->coarse_goal,
  };
  if (!reserve_pages(distance, page_count_of(def->moves))) {
    return false;
  }
  offer_goal(distance, def->goal_node);
  return !distance->has_failed;
}

// Aims the field over clusters at the goal. False when there is no memory.
static bool aim_coarsely(fw_distance_t * distance, int32_t goal_node)
{
  const fw_coarse_aim_t aim = {.goal = distance->moves->cell_of[goal_node], .aim = distance->aim};
  return fw__coarse_aim(distance->coarse_goal, distance->arena, distance->coarse, aim);
}

bool fw__distance_use_coarse(fw_distance_t * distance, fw_coarse_t * coarse, int32_t goal_node)
{
  if (coarse->moves != distance->moves || distance->is_weighted) {
    return true;
  }
  if (distance->coarse_goal == NULL) {
    distance->coarse_goal = fw__arena_allocate_zeroed(distance->arena, 1, sizeof(*distance->coarse_goal));
  }
  distance->coarse = distance->coarse_goal != NULL ? coarse : NULL;
  return distance->coarse_goal != NULL && aim_coarsely(distance, goal_node);
}

// Closes one place with its distance over clusters, if it has one.
static void close_coarsely(fw_distance_t * distance, int32_t node)
{
  const int64_t before = distance->coarse_goal->expanded;
  const int32_t found = fw__coarse_get(distance->coarse_goal, distance->moves->cell_of[node]);
  uint32_t * entry = entry_at(distance, node);
  distance->expanded += distance->coarse_goal->expanded - before + 1;
  distance->has_failed = distance->has_failed || distance->coarse_goal->has_failed;
  if (entry != NULL && found != INT32_MAX) {
    *entry = (uint32_t)(found + 1) << 1 | 1;
    ++distance->places;
  }
}

void fw__distance_release(fw_distance_t * distance, bool is_kept)
{
  FW_ASSERT(distance->coarse == NULL);
  clear(distance);
  if (!is_kept) {
    fw_bucket_queue_t * open = &distance->open;
    fw__arena_recycle(distance->arena, open->items, (size_t)open->item_capacity, sizeof(*open->items));
    fw__arena_recycle(distance->arena, open->heads, (size_t)open->head_capacity, sizeof(*open->heads));
    *distance = (fw_distance_t){.moves = distance->moves};
  }
}

bool fw__distance_restart(fw_distance_t * distance, int32_t goal_node, fw_cell_t aim)
{
  clear(distance);
  distance->aim = aim;
  if (distance->coarse != NULL) {
    distance->has_failed = !aim_coarsely(distance, goal_node) || distance->has_failed;
    return !distance->has_failed;
  }
  offer_goal(distance, goal_node);
  return !distance->has_failed;
}

size_t fw__distance_bytes(const fw_distance_t * distance)
{
  const size_t page_count = (size_t)(distance->moves->node_count >> FW_DISTANCE_PAGE_BITS) + 1;
  size_t bytes = page_count * sizeof(*distance->pages);
  for (size_t i = 0; i < page_count; ++i) {
    bytes += distance->pages[i] != NULL ? FW_DISTANCE_PAGE * sizeof(**distance->pages) : 0;
  }
  return bytes + (size_t)distance->open.item_capacity * sizeof(*distance->open.items) +
         (size_t)distance->open.head_capacity * sizeof(*distance->open.heads);
}

// Offers the places from which one motion leads to `current`, where motions differ in length or lead one way only.
static void expand_back(fw_distance_t * distance, int32_t current, int32_t g, int32_t step)
{
  const fw_moves_t * moves = distance->moves;
  const int32_t * from = fw__moves_predecessors(moves, current);
  for (int32_t d = 0; d < moves->degree; ++d) {
    if (from[d] >= 0) {
      offer(distance, from[d], g + step * moves->spans[d]);
    }
  }
}

// The order in which neighbours are offered; of equal places the last one offered is expanded first. The second order
// is for fields with `is_for_sipp`: it prefers the place whose direction back is the lowest, so that SIPP, which goes
// forwards and prefers the highest direction, goes where the reverse search has been. Among diagonals that does not
// help: there both orders are the same.
static const uint8_t neighbour_orders[2][8] = {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2}};

// Resumes the search until `node` is closed, no open place has a key of at most `key_max`, or `expansions_max` more
// places are closed. False in the last case.
static bool advance(fw_distance_t * distance, int32_t node, int64_t key_max, int64_t expansions_max)
{
  const fw_moves_t * moves = distance->moves;
  const uint8_t * order = neighbour_orders[distance->is_for_sipp && moves->connectivity == 4];
  for (int64_t done = 0; done < expansions_max;) {
    if ((fw__distance_entry(distance, node) & 1) != 0) {
      return true;
    }
    int32_t current, g;
    int64_t key;
    if (
      distance->has_failed || fw__bucket_queue_lowest(&distance->open) > key_max ||
      !fw__bucket_queue_pop(&distance->open, &current, &g, &key)) {
      return true;
    }
    uint32_t * entry = entry_at(distance, current);
    if (entry == NULL || *entry != (uint32_t)(g + 1) << 1) {
      continue;  // closed already, or pushed again at a shorter distance
    }
    *entry |= 1;
    ++distance->expanded;
    ++distance->places;
    ++done;
    const int32_t step = distance->is_weighted ? fw__moves_cost(moves, current) : 1;
    if (moves->previous != moves->next) {
      expand_back(distance, current, g, step);
      continue;
    }
    const int32_t * next = fw__moves_successors(moves, current);
    for (int32_t i = 0; i < moves->connectivity; ++i) {
      if (next[order[i]] >= 0) {
        offer(distance, next[order[i]], g + step);
      }
    }
  }
  return (fw__distance_entry(distance, node) & 1) != 0;
}

bool fw__distance_advance(fw_distance_t * distance, int32_t node, int64_t expansions_max)
{
  if (distance->coarse != NULL) {
    close_coarsely(distance, node);
    return true;
  }
  return advance(distance, node, INT64_MAX, expansions_max);
}

int32_t fw__distance_resume(fw_distance_t * distance, int32_t node, fw_meter_t * meter)
{
  bool is_known = false;
  while (!is_known) {
    const int64_t before = distance->expanded;
    is_known = fw__distance_advance(distance, node, FW_METER_STRIDE);
    if (fw__meter_add(meter, distance->expanded - before)) {
      return FW_DISTANCE_NONE;
    }
  }
  if (distance->has_failed) {
    fw__meter_stop(meter, FW_STOP_MEMORY);
    return FW_DISTANCE_NONE;
  }
  const uint32_t entry = fw__distance_entry(distance, node);
  return (entry & 1) != 0 ? (int32_t)(entry >> 1) - 1 : FW_DISTANCE_NONE;
}

// Neighbours differ by one at most, in four directions by exactly one, since the grid is bipartite. So the node is
// nearer by `step`, or in eight directions as near, or farther by one. Every place that is not closed has a key of at
// least the smallest one in the open list: the search need only go on until that leaves one value.
int32_t fw__distance_resume_beside(fw_distance_t * distance, int32_t node, int32_t near, fw_meter_t * meter)
{
  const fw_moves_t * moves = distance->moves;
  if (
    distance->coarse != NULL || distance->is_weighted || moves->previous != moves->next || moves->heading_of != NULL) {
    return fw__distance_resume(distance, node, meter);
  }
  const uint32_t entry = fw__distance_entry(distance, node);
  const int32_t step = moves->connectivity == 4 ? 2 : 1;
  const int32_t offered = entry == 0 ? INT32_MAX : (int32_t)(entry >> 1) - 1;
  FW_ASSERT(near >= 0 && offered >= near - 1);
  if (offered == near - 1) {
    return offered;
  }
  const int32_t most = offered < near + 1 ? offered : near + 1;
  const fw_cell_t cell = moves->cell_of[node];
  if (fw__grid_distance(moves->grid, moves->connectivity, cell, distance->goal) > most - step) {
    return most;  // even without obstacles it is not nearer
  }
  const int64_t key_max = most - step + fw__grid_distance(moves->grid, moves->connectivity, cell, distance->aim);
  for (bool is_known = false; !is_known;) {
    const int64_t before = distance->expanded;
    is_known = advance(distance, node, key_max, FW_METER_STRIDE);
    if (distance->expanded != before && fw__meter_add(meter, distance->expanded - before)) {
      return FW_DISTANCE_NONE;
    }
  }
  if (distance->has_failed) {
    fw__meter_stop(meter, FW_STOP_MEMORY);
    return FW_DISTANCE_NONE;
  }
  const uint32_t now = fw__distance_entry(distance, node);
  return (now & 1) != 0 ? (int32_t)(now >> 1) - 1 : most;
}

// ---- many fields in threads -----------------------------------------------------------------------------------------

enum { SLICE = 4096, CHUNK = 64 };

typedef struct precompute_t {
  const fw_distance_targets_t * targets;
  int32_t first;
  int64_t expansions_max;  // of one field: what the budget has left at the beginning of the chunk
  fw_meter_t * meter;
  atomic_bool must_stop;
} precompute_t;

// Worker 0 is the calling thread: it alone uses the caller's clock and callback.
static void precompute_one(int32_t item, int32_t worker, void * state)
{
  precompute_t * work = state;
  fw_distance_t * distance = work->targets->distances[work->first + item];
  const int64_t begin = distance->expanded;
  while (!atomic_load_explicit(&work->must_stop, memory_order_relaxed)) {
    const int64_t left = work->expansions_max - (distance->expanded - begin);
    if (
      left <= 0 ||
      fw__distance_advance(distance, work->targets->nodes[work->first + item], left < SLICE ? left : SLICE)) {
      return;
    }
    if (worker == 0 && fw__meter_check(work->meter)) {
      atomic_store(&work->must_stop, true);
    }
  }
}

bool fw__distance_precompute(const fw_distance_targets_t * targets, int32_t threads, fw_meter_t * meter)
{
  fw_distance_t * const * distances = targets->distances;
  const int32_t count = targets->count;
  precompute_t work = {.targets = targets, .meter = meter};
  atomic_init(&work.must_stop, false);
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  fw_arena_t * arena = count > 0 ? distances[0]->arena : NULL;
  bool has_stopped = false;
  // Chunks of a fixed size: expansions are counted at the same points for any number of threads.
  for (int32_t first = 0; first < count && !has_stopped; first += CHUNK) {
    const int32_t size = count - first < CHUNK ? count - first : CHUNK;
    work.first = first;
    work.expansions_max = fw__meter_left(meter);
    FW_ASSERT(distances[first]->arena == arena);
    arena->mutex = threads > 1 ? &mutex : NULL;
    fw__parallel_for(size, threads, precompute_one, &work);
    arena->mutex = NULL;
    for (int32_t i = first; i < first + size; ++i) {
      if (distances[i]->has_failed) {
        fw__meter_stop(meter, FW_STOP_MEMORY);
      }
      has_stopped = fw__meter_add(meter, distances[i]->expanded) || has_stopped;
    }
  }
  (void)pthread_mutex_destroy(&mutex);
  return !has_stopped;
}
