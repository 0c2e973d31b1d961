// The map by regions: cutting the map, distances to anchors (near), distances between anchors (far), goals.

#include "kernel/regions.h"

#include <string.h>

#include "base/assert.h"
#include "base/memory.h"
#include "kernel/regions_step.h"

enum {
  BLOCK_BITS_MIN = 4,  // blocks of 16 x 16 cells, up to 64 x 64
  BLOCK_BITS_MAX = 6,
  BLOCKS_MAX = 4096,  // larger blocks from there on: the rows of `far` have about as many values
  RADIUS = 84,        // of a region, in moves from its anchor
  UNKNOWN = UINT8_MAX,
  CELLS_STEP = 16,
};

// ---- memory ---------------------------------------------------------------------------------------------------------

// Not cleared. Failure is remembered in `has_failed`, so that a phase checks once.
static void * take(fw_regions_t * regions, size_t count, size_t size_bytes)
{
  const size_t bytes = count * size_bytes + 1;  // NULL always means failure
  void * array = count > SIZE_MAX / 16 ? NULL : regions->allocator.allocate(bytes, regions->allocator.state);
  regions->shared_bytes += array != NULL ? count * size_bytes : 0;
  regions->has_failed = regions->has_failed || array == NULL;
  return array;
}

static void give_back(fw_regions_t * regions, void * array, size_t bytes)
{
  fw__deallocate(&regions->allocator, array);
  regions->shared_bytes -= array != NULL ? bytes : 0;
}

// While the map is cut.
typedef struct cut_t {
  fw_regions_t * regions;
  int32_t * mark;  // by cell: the last search that came to it
  int32_t mark_count;
  int32_t x0, y0, x1, y1;  // the block
} cut_t;

// ---- regions --------------------------------------------------------------------------------------------------------

static int32_t step_of(const fw_regions_map_t * map, int32_t heading)
{
  return fw__compass_dy(heading) * map->width + fw__compass_dx(heading);
}

static bool is_in_block(const cut_t * cut, fw_cell_t cell)
{
  const int32_t x = cell % cut->regions->map.width, y = cell / cut->regions->map.width;
  return x >= cut->x0 && x < cut->x1 && y >= cut->y0 && y < cut->y1;
}

// Breadth-first search from a cell over cells of the block that are in no region, up to `radius` moves away. Returns
// their number; they are in the queue.
static int32_t flood(cut_t * cut, fw_cell_t start, int32_t radius)
{
  const fw_regions_map_t * map = &cut->regions->map;
  fw_cell_t * queue = cut->regions->queue;
  const int32_t mark = ++cut->mark_count;
  int32_t count = 1, ring_end = 1, distance = 0;
  queue[0] = start;
  cut->mark[start] = mark;
  for (int32_t at = 0; at < count && distance < radius; ++at) {
    for (int32_t heading = 0; heading < 8; ++heading) {
      const fw_cell_t to = queue[at] + step_of(map, heading);
      if (((map->moves[queue[at]] >> heading) & 1) == 0 || cut->mark[to] == mark || !is_in_block(cut, to)) {
        continue;
      }
      if (cut->regions->cell_region[to] == FW_REGIONS_BLOCKED) {
        cut->mark[to] = mark;
        queue[count++] = to;
      }
    }
    if (at + 1 == ring_end) {
      ring_end = count;
      ++distance;
    }
  }
  return count;
}

// The cell of the queue that is nearest to the centre of all of them; of equal ones the first of the map.
static fw_cell_t find_centre(const fw_regions_t * regions, int32_t count)
{
  const int32_t width = regions->map.width;
  int64_t sum_x = 0, sum_y = 0, least = INT64_MAX;
  fw_cell_t centre = regions->queue[0];
  for (int32_t i = 0; i < count; ++i) {
    sum_x += regions->queue[i] % width;
    sum_y += regions->queue[i] / width;
  }
  for (int32_t i = 0; i < count; ++i) {
    const fw_cell_t cell = regions->queue[i];
    const int64_t dx = (int64_t)(cell % width) * count - sum_x, dy = (int64_t)(cell / width) * count - sum_y;
    const int64_t distance = dx * dx + dy * dy;
    if (distance < least || (distance == least && cell < centre)) {
      least = distance;
      centre = cell;
    }
  }
  return centre;
}

static int32_t block_of(const fw_regions_t * regions, fw_cell_t cell)
{
  const int32_t bits = regions->view.block_bits, width = regions->map.width;
  return (cell / width >> bits) * regions->view.blocks_across + (cell % width >> bits);
}

// The first region behind those of a block.
static int32_t block_end(const fw_regions_t * regions, int32_t block)
{
  return block + 1 < regions->block_count ? regions->block_region[block + 1] : regions->count;
}

static int32_t cells_in(const fw_regions_t * regions, int32_t region)
{
  return regions->first_cell[region + 1] - regions->first_cell[region];
}

// The regions of a block in which nothing has changed.
static void copy_block(const cut_t * cut, int32_t block, int32_t * cell_count)
{
  fw_regions_t * regions = cut->regions;
  const fw_regions_t * before = regions->before;
  const int32_t first = regions->count;
  regions->block_region[block] = first;
  for (int32_t old = before->block_region[block]; old < block_end(before, block); ++old) {
    regions->old_number[regions->count] = old;
    regions->first_cell[regions->count++] = *cell_count;
    *cell_count += cells_in(before, old);
  }
  for (int32_t y = cut->y0; y < cut->y1; ++y) {
    const int32_t row = y * regions->map.width;
    const size_t count = (size_t)(cut->x1 - cut->x0);
    memcpy(regions->cell_region + row + cut->x0, before->cell_region + row + cut->x0, count * sizeof(uint16_t));
    memcpy(regions->cell_number + row + cut->x0, before->cell_number + row + cut->x0, count * sizeof(uint16_t));
    for (fw_cell_t cell = row + cut->x0; cell < row + cut->x1; ++cell) {
      if (regions->cell_region[cell] != FW_REGIONS_BLOCKED) {
        regions->cells[regions->first_cell[first + regions->cell_region[cell]] + regions->cell_number[cell]] = cell;
      }
    }
  }
}

// The regions of one block, from the first free cell on that is in none.
static void cut_block(cut_t * cut, int32_t block, int32_t * cell_count)
{
  fw_regions_t * regions = cut->regions;
  const fw_regions_map_t * map = &regions->map;
  regions->block_region[block] = regions->count;
  for (int32_t y = cut->y0; y < cut->y1; ++y) {
    for (int32_t x = cut->x0; x < cut->x1; ++x) {
      const fw_cell_t cell = y * map->width + x;
      while (map->cost[cell] != 0 && regions->cell_region[cell] == FW_REGIONS_BLOCKED) {
        const fw_cell_t anchor = find_centre(regions, flood(cut, cell, INT32_MAX));
        const int32_t size = flood(cut, anchor, RADIUS);
        regions->old_number[regions->count] = -1;
        regions->first_cell[regions->count] = *cell_count;
        for (int32_t i = 0; i < size; ++i) {
          regions->cell_region[regions->queue[i]] = (uint16_t)(regions->count - regions->block_region[block]);
          regions->cell_number[regions->queue[i]] = (uint16_t)i;
          regions->cells[(*cell_count)++] = regions->queue[i];
        }
        ++regions->count;
      }
    }
  }
}

// What has to be done for a region.
static int32_t work_of(const fw_regions_t * regions, int32_t region)
{
  return regions->before == NULL ? FW_REGIONS_CUT
                                 : regions->block_work[block_of(regions, regions->cells[regions->first_cell[region]])];
}

static int32_t region_of(const fw_regions_t * regions, fw_cell_t cell)
{
  return fw__regions_at(&regions->view, cell % regions->map.width, cell / regions->map.width);
}

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

// False when there is no memory.
static bool cut_map(fw_regions_t * regions)
{
  const fw_regions_map_t * map = &regions->map;
  const size_t cells = (size_t)map->width * (size_t)map->height;
  const int32_t side = 1 << regions->view.block_bits;
  const int32_t across = (map->width + side - 1) / side, down = (map->height + side - 1) / side;
  size_t free_cells = 0;
  for (size_t cell = 0; cell < cells; ++cell) {
    free_cells += map->cost[cell] != 0 ? 1 : 0;
  }
  cut_t cut = {.regions = regions};
  regions->view.width = map->width;
  regions->view.blocks_across = across;
  regions->view.cell_count = (int32_t)cells;
  regions->view.block_count = across * down;
  regions->block_count = across * down;
  regions->cell_region = take(regions, cells, sizeof(*regions->cell_region));
  regions->cell_number = take(regions, cells, sizeof(*regions->cell_number));
  regions->block_region = take(regions, (size_t)across * (size_t)down, sizeof(*regions->block_region));
  regions->cells = take(regions, free_cells, sizeof(*regions->cells));
  regions->queue = take(regions, (size_t)(9 * side * side), sizeof(*regions->queue));
  int32_t * first_cell = take(regions, free_cells + 1, sizeof(*first_cell));  // there are mostly far fewer regions
  int32_t * old_number = take(regions, free_cells + 1, sizeof(*old_number));
  cut.mark = take(regions, cells, sizeof(*cut.mark));
  if (!regions->has_failed) {
    memset(cut.mark, 0, cells * sizeof(*cut.mark));
    memset(regions->cell_region, 0xff, cells * sizeof(*regions->cell_region));
    memset(regions->cell_number, 0, cells * sizeof(*regions->cell_number));
    regions->first_cell = first_cell;
    regions->old_number = old_number;
    regions->count = 0;
    int32_t cell_count = 0;
    for (int32_t block = 0; block < across * down; ++block) {
      cut.x0 = block % across * side;
      cut.y0 = block / across * side;
      cut.x1 = least(cut.x0 + side, map->width);
      cut.y1 = least(cut.y0 + side, map->height);
      if (regions->before != NULL && regions->block_work[block] != FW_REGIONS_CUT) {
        copy_block(&cut, block, &cell_count);
      } else {
        cut_block(&cut, block, &cell_count);
      }
    }
    FW_ASSERT((size_t)cell_count == free_cells);
    first_cell[regions->count] = cell_count;
    const size_t bounds = (size_t)regions->count + 1;
    regions->first_cell = take(regions, bounds, sizeof(*first_cell));
    regions->old_number = take(regions, bounds, sizeof(*old_number));
    if (!regions->has_failed) {
      memcpy(regions->first_cell, first_cell, bounds * sizeof(*first_cell));
      memcpy(regions->old_number, old_number, bounds * sizeof(*old_number));
    }
  }
  give_back(regions, first_cell, (free_cells + 1) * sizeof(*first_cell));
  give_back(regions, old_number, (free_cells + 1) * sizeof(*old_number));
  give_back(regions, cut.mark, cells * sizeof(*cut.mark));
  regions->view.block_region = regions->block_region;
  regions->view.cell_region = regions->cell_region;
  regions->view.cell_number = regions->cell_number;
  return !regions->has_failed;
}

// ---- which regions are around which ---------------------------------------------------------------------------------

// Writes the regions that a move leads to from this one into `ids`, ascending, the region itself first. Returns their
// number. `mark` has a value per region.
static int32_t find_around(const fw_regions_t * regions, int32_t region, int32_t * ids, int32_t * mark)
{
  const fw_regions_map_t * map = &regions->map;
  int32_t count = 1;
  ids[0] = region;
  mark[region] = region;
  for (int32_t i = regions->first_cell[region]; i < regions->first_cell[region + 1]; ++i) {
    const fw_cell_t cell = regions->cells[i];
    for (int32_t heading = 0; heading < 8; ++heading) {
      if (((map->moves[cell] >> heading) & 1) == 0) {
        continue;
      }
      const int32_t other = region_of(regions, cell + step_of(map, heading));
      if (mark[other] == region) {
        continue;
      }
      mark[other] = region;
      int32_t at = count++;
      for (; at > 1 && ids[at - 1] > other; --at) {
        ids[at] = ids[at - 1];
      }
      ids[at] = other;
    }
  }
  return count;
}

// The same for a region that has nothing new around it. `new_number` is by number before.
static int32_t copy_around(const fw_regions_t * regions, int32_t region, int32_t * ids, const int32_t * new_number)
{
  const fw_regions_t * before = regions->before;
  const int32_t first = before->around_begin[regions->old_number[region]];
  const int32_t count = before->around_begin[regions->old_number[region] + 1] - first;
  for (int32_t i = 0; i < count; ++i) {
    ids[i] = new_number[before->around_ids[first + i]];
  }
  return count;
}

// For a device, distances have room for some cells more than there are: when a cell is blocked or freed, those of the
// regions behind it mostly stay where they are, and need not be sent again (kernel/region_tables.h).
static int32_t room_for(const fw_regions_t * regions, int32_t region)
{
  const int32_t cells = cells_in(regions, region);
  return regions->map.is_for_device ? (cells + CELLS_STEP - 1) / CELLS_STEP * CELLS_STEP : cells;
}

// Counts what is around every region, or writes it down. `ids` has room for all of one, `mark` a value per region.
static void link_pass(
  fw_regions_t * regions, int32_t * ids, int32_t * mark, const int32_t * new_number, bool is_writing)
{
  int64_t near_count = 0;
  memset(mark, 0xff, (size_t)regions->count * sizeof(*mark));
  regions->around_begin[0] = 0;
  for (int32_t region = 0; region < regions->count; ++region) {
    const int32_t around = work_of(regions, region) < FW_REGIONS_LINKED ? copy_around(regions, region, ids, new_number)
                                                                        : find_around(regions, region, ids, mark);
    regions->near_begin[region] = near_count;
    near_count += (int64_t)around * room_for(regions, region);
    if (is_writing) {
      memcpy(regions->around_ids + regions->around_begin[region], ids, (size_t)around * sizeof(*ids));
    }
    regions->around_begin[region + 1] = regions->around_begin[region] + around;
  }
  regions->near_begin[regions->count] = near_count;
}

// False when there is no memory.
static bool link_regions(fw_regions_t * regions)
{
  const size_t count = (size_t)regions->count;
  const size_t ids_max = (size_t)8 << (2 * regions->view.block_bits);  // moves from the cells of a block
  regions->around_begin = take(regions, count + 1, sizeof(*regions->around_begin));
  regions->near_begin = take(regions, count + 1, sizeof(*regions->near_begin));
  int32_t * ids = take(regions, ids_max + 1, sizeof(*ids));
  int32_t * mark = take(regions, count, sizeof(*mark));
  const size_t old_count = regions->before != NULL ? (size_t)regions->before->count : 0;
  int32_t * new_number = take(regions, old_count, sizeof(*new_number));
  if (!regions->has_failed) {
    for (int32_t region = 0; region < regions->count; ++region) {
      if (regions->old_number[region] >= 0) {
        new_number[regions->old_number[region]] = region;
      }
    }
    link_pass(regions, ids, mark, new_number, false);
    regions->around_ids = take(regions, (size_t)regions->around_begin[count], sizeof(*regions->around_ids));
    regions->around = take(regions, (size_t)regions->around_begin[count], sizeof(*regions->around));
    if (!regions->has_failed) {
      link_pass(regions, ids, mark, new_number, true);
    }
  }
  give_back(regions, ids, (ids_max + 1) * sizeof(*ids));
  give_back(regions, mark, count * sizeof(*mark));
  give_back(regions, new_number, old_count * sizeof(*new_number));
  regions->view.around_begin = regions->around_begin;
  regions->view.near_begin = regions->near_begin;
  regions->view.region_count = regions->count;
  return !regions->has_failed;
}

// Numbers the component that begins with region `first`, and the regions in it. `queue` has room for all regions.
static void number_component(fw_regions_t * regions, int32_t first, int32_t * queue)
{
  int32_t size = 1;
  queue[0] = first;
  regions->component[first] = first;
  for (int32_t at = 0; at < size; ++at) {
    regions->position[queue[at]] = at;
    for (int32_t i = regions->around_begin[queue[at]]; i < regions->around_begin[queue[at] + 1]; ++i) {
      const int32_t other = regions->around_ids[i];
      if (regions->component[other] < 0) {
        regions->component[other] = first;
        queue[size++] = other;
      }
    }
  }
  regions->component_size[first] = size;
}

// False when there is no memory.
static bool find_components(fw_regions_t * regions)
{
  const size_t count = (size_t)regions->count;
  regions->component = take(regions, count, sizeof(*regions->component));
  regions->component_size = take(regions, count, sizeof(*regions->component_size));
  regions->position = take(regions, count, sizeof(*regions->position));
  int32_t * queue = take(regions, count, sizeof(*queue));
  if (!regions->has_failed) {
    memset(regions->component, 0xff, count * sizeof(*regions->component));
    for (int32_t region = 0; region < regions->count; ++region) {
      if (regions->component[region] < 0) {
        number_component(regions, region, queue);
      }
    }
    for (int32_t i = 0; i < regions->around_begin[count]; ++i) {
      regions->around[i] = regions->position[regions->around_ids[i]];
    }
  }
  give_back(regions, queue, count * sizeof(*queue));
  regions->view.component = regions->component;
  regions->view.around = regions->around;
  return !regions->has_failed;
}

// ---- near -----------------------------------------------------------------------------------------------------------

// While distances are computed.
typedef struct near_t {
  fw_regions_t * regions;
  int32_t * slot;  // by region: the index of the anchor's region among those around it, -1 if it is not among them
} near_t;

static uint8_t * near_at(const near_t * fill, fw_cell_t cell, int32_t region)
{
  const fw_regions_t * regions = fill->regions;
  const int32_t count = regions->around_begin[region + 1] - regions->around_begin[region];
  return regions->near + regions->near_begin[region] + (int64_t)regions->cell_number[cell] * count + fill->slot[region];
}

static int32_t find_slot(const fw_regions_t * regions, int32_t region, int32_t other)
{
  const int32_t * begin = regions->around_begin;
  int32_t slot = 0;
  while (regions->around_ids[begin[region] + slot] != other) {
    ++slot;
    FW_ASSERT(begin[region] + slot < begin[region + 1]);
  }
  return slot;
}

// Takes over the distances from the cells of a region whose cells and regions around it are the same.
static void copy_near(const near_t * fill, int32_t region)
{
  fw_regions_t * regions = fill->regions;
  const fw_regions_t * before = regions->before;
  const int32_t old = regions->old_number[region];
  const int32_t count = regions->around_begin[region + 1] - regions->around_begin[region];
  memcpy(
    regions->near + regions->near_begin[region], before->near + before->near_begin[old],
    (size_t)count * (size_t)cells_in(regions, region));
  memcpy(regions->hops + regions->around_begin[region], before->hops + before->around_begin[old], (size_t)count);
}

// The room behind the cells of a region, which nobody reads but a copy to a device. It is not counted as memory, so
// that statistics are the same on every backend.
static void clear_room(fw_regions_t * regions, int32_t region)
{
  const int64_t around = regions->around_begin[region + 1] - regions->around_begin[region];
  const int64_t used = around * cells_in(regions, region);
  const int64_t room = regions->near_begin[region + 1] - regions->near_begin[region];
  memset(regions->near + regions->near_begin[region] + used, UNKNOWN, (size_t)(room - used));
  regions->shared_bytes -= (size_t)(room - used);
}

// Forgets the distances to the anchor of one region.
static void clear_to(const near_t * fill, int32_t region)
{
  const fw_regions_t * regions = fill->regions;
  for (int32_t i = regions->around_begin[region]; i < regions->around_begin[region + 1]; ++i) {
    const int32_t other = regions->around_ids[i];
    for (int32_t cell = regions->first_cell[other]; cell < regions->first_cell[other + 1]; ++cell) {
      *near_at(fill, regions->cells[cell], other) = UNKNOWN;
    }
  }
}

// The distances to the anchor of one region from all cells of the regions around it, by moves within these.
static void measure_to(near_t * fill, int32_t region)
{
  fw_regions_t * regions = fill->regions;
  const fw_regions_map_t * map = &regions->map;
  const int32_t * begin = regions->around_begin;
  for (int32_t i = begin[region]; i < begin[region + 1]; ++i) {
    fill->slot[regions->around_ids[i]] = find_slot(regions, regions->around_ids[i], region);
  }
  if (regions->before != NULL) {
    clear_to(fill, region);
  }
  fw_cell_t * queue = regions->queue;
  int32_t count = 1;
  queue[0] = regions->cells[regions->first_cell[region]];
  *near_at(fill, queue[0], region) = 0;
  for (int32_t at = 0; at < count; ++at) {
    const int32_t distance = *near_at(fill, queue[at], region_of(regions, queue[at]));
    FW_ASSERT(distance <= 3 * RADIUS + 1);
    for (int32_t heading = 0; heading < 8; ++heading) {
      if (((map->moves[queue[at]] >> heading) & 1) == 0) {
        continue;
      }
      const fw_cell_t to = queue[at] + step_of(map, heading);
      const int32_t other = region_of(regions, to);
      if (fill->slot[other] >= 0 && *near_at(fill, to, other) == UNKNOWN) {
        *near_at(fill, to, other) = (uint8_t)(distance + 1);
        queue[count++] = to;
      }
    }
  }
  for (int32_t i = begin[region]; i < begin[region + 1]; ++i) {
    const int32_t other = regions->around_ids[i];
    regions->hops[i] = *near_at(fill, regions->cells[regions->first_cell[other]], other);
    FW_ASSERT(regions->hops[i] != UNKNOWN);
  }
  for (int32_t i = begin[region]; i < begin[region + 1]; ++i) {
    fill->slot[regions->around_ids[i]] = -1;
  }
}

// False when there is no memory.
static bool measure_near(fw_regions_t * regions)
{
  const size_t count = (size_t)regions->count;
  const size_t values = (size_t)regions->near_begin[count];
  near_t fill = {.regions = regions, .slot = take(regions, count, sizeof(*fill.slot))};
  regions->near = take(regions, values, 1);
  regions->hops = take(regions, (size_t)regions->around_begin[count], 1);
  if (!regions->has_failed) {
    regions->view.around_count = regions->around_begin[count];
    regions->view.near_count = (int64_t)values;
    if (regions->before == NULL) {
      memset(regions->near, UNKNOWN, values);
    }
    memset(fill.slot, 0xff, count * sizeof(*fill.slot));
    for (int32_t region = 0; region < regions->count; ++region) {
      clear_room(regions, region);
      if (work_of(regions, region) < FW_REGIONS_LINKED) {
        copy_near(&fill, region);
      }
    }
    for (int32_t region = 0; region < regions->count; ++region) {
      if (work_of(regions, region) >= FW_REGIONS_MEASURED) {
        measure_to(&fill, region);
      }
    }
  }
  give_back(regions, fill.slot, count * sizeof(*fill.slot));
  regions->view.near = regions->near;
  return !regions->has_failed;
}

// ---- far ------------------------------------------------------------------------------------------------------------

// Dijkstra's algorithm with Dial's buckets: all keys that are open at a time differ by less than BUCKETS, since a hop
// has at most 3 * RADIUS + 1 moves. A bucket is a ring of regions; nodes behind the regions are the heads of the rings.
enum { BUCKETS = UINT8_MAX + 1 };

typedef struct rings_t {
  int32_t * next;  // by region, then by bucket
  int32_t * last;
} rings_t;

static void ring_remove(const rings_t * rings, int32_t node)
{
  rings->next[rings->last[node]] = rings->next[node];
  rings->last[rings->next[node]] = rings->last[node];
}

static void ring_add(const rings_t * rings, int32_t head, int32_t node)
{
  rings->next[node] = rings->next[head];
  rings->last[node] = head;
  rings->last[rings->next[head]] = node;
  rings->next[head] = node;
}

// The moves from the anchors of all regions of the component to that of `goal`, by position.
static void measure_far(fw_regions_t * regions, int32_t goal, uint32_t * far)
{
  const int32_t nodes = regions->count + BUCKETS;
  const rings_t rings = {regions->buckets, regions->buckets + nodes};
  const int32_t size = regions->component_size[regions->component[goal]];
  for (int32_t i = 0; i < size; ++i) {
    far[i] = UINT32_MAX;
  }
  for (int32_t head = regions->count; head < nodes; ++head) {
    rings.next[head] = head;
    rings.last[head] = head;
  }
  far[regions->position[goal]] = 0;
  ring_add(&rings, regions->count, goal);
  int32_t open = 1;
  for (uint32_t key = 0; open > 0; ++key) {
    const int32_t head = regions->count + (int32_t)(key % BUCKETS);
    while (rings.next[head] != head) {
      const int32_t region = rings.next[head];
      FW_ASSERT(far[regions->position[region]] == key);
      ring_remove(&rings, region);
      --open;
      for (int32_t i = regions->around_begin[region]; i < regions->around_begin[region + 1]; ++i) {
        const int32_t other = regions->around_ids[i];
        uint32_t * old = &far[regions->position[other]];
        const uint32_t way = key + regions->hops[i];
        if (way < *old) {
          if (*old == UINT32_MAX) {
            ++open;
          } else {
            ring_remove(&rings, other);
          }
          *old = way;
          ring_add(&rings, regions->count + (int32_t)(way % BUCKETS), other);
        }
      }
    }
  }
}

// ---- rows that are kept ---------------------------------------------------------------------------------------------

// The least way from the anchor of a region by way of those around it, UINT32_MAX if none of them has one.
static uint32_t best_way(const fw_regions_t * regions, int32_t region, const uint32_t * far)
{
  const int32_t first = regions->around_begin[region], end = regions->around_begin[region + 1];
  const uint8_t * near = regions->near + regions->near_begin[region];  // of cell 0, the anchor
  uint32_t best = UINT32_MAX;
  for (int32_t i = first + 1; i < end; ++i) {  // the first is the region itself
    const uint32_t rest = far[regions->around[i]];
    const uint32_t way = rest == UINT32_MAX ? UINT32_MAX : near[i - first] + rest;
    best = way < best ? way : best;
  }
  return best;
}

// The distances before, UINT32_MAX for regions that are new or had no way.
static void copy_row(const fw_regions_t * regions, int32_t goal, uint32_t * far)
{
  const fw_regions_t * before = regions->before;
  const int32_t old_goal = regions->old_number[goal];
  const uint32_t * row = before->far + before->far_row[old_goal];
  for (int32_t region = 0; region < regions->count; ++region) {
    const int32_t old = regions->old_number[region];
    if (regions->component[region] == regions->component[goal]) {
      const bool had_way = old >= 0 && before->component[old] == before->component[old_goal];
      far[regions->position[region]] = had_way ? row[before->position[old]] : UINT32_MAX;
    }
  }
}

// Computes the distances of new regions from those around them: at most as often as there are regions on a path.
static void settle_new(const fw_regions_t * regions, int32_t goal, uint32_t * far)
{
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (int32_t i = 0; i < regions->work_count; ++i) {
      const int32_t region = regions->work[i];
      if (regions->old_number[region] < 0 && regions->component[region] == regions->component[goal]) {
        const uint32_t way = best_way(regions, region, far);
        has_changed = has_changed || way < far[regions->position[region]];
        far[regions->position[region]] = way < far[regions->position[region]] ? way : far[regions->position[region]];
      }
    }
  }
}

// Takes over the row of a goal region if it holds (regions.h has the proof). False if it has to be computed.
static bool keep_row(const fw_regions_t * regions, int32_t goal, uint32_t * far)
{
  const int32_t old = regions->before != NULL ? regions->old_number[goal] : -1;
  if (old < 0 || regions->before->far_row[old] < 0) {
    return false;
  }
  copy_row(regions, goal, far);
  settle_new(regions, goal, far);
  bool holds = true;
  for (int32_t i = 0; i < regions->work_count && holds; ++i) {
    const int32_t region = regions->work[i];
    if (regions->component[region] == regions->component[goal] && region != goal) {  // others have no value in this row
      const uint32_t value = far[regions->position[region]];
      holds = value != UINT32_MAX && value == best_way(regions, region, far);
    }
  }
  return holds;
}

enum { NO_ROW = -1, WANTED_ROW = -2 };

// Makes room for this many values in rows. False when there is no memory.
static bool grow_far(fw_regions_t * regions, int64_t capacity)
{
  if (capacity <= regions->far_capacity) {
    return true;
  }
  uint32_t * far = take(regions, (size_t)capacity, sizeof(*far));
  if (far == NULL) {
    regions->has_failed = false;  // what there was is as good as before
    return false;
  }
  memcpy(far, regions->far, (size_t)regions->far_count * sizeof(*far));
  give_back(regions, regions->far, (size_t)regions->far_capacity * sizeof(*far));
  regions->far = far;
  regions->view.far = far;
  regions->far_capacity = capacity;
  return true;
}

// Makes sure that there is a row for goals in this region. False when there is no memory.
static bool add_far_row(fw_regions_t * regions, int32_t goal)
{
  if (regions->far_row[goal] >= 0) {
    return true;
  }
  const int64_t count = regions->far_count + regions->component_size[regions->component[goal]];
  const int64_t doubled = 2 * regions->far_capacity;
  if (count > regions->far_capacity && !grow_far(regions, count < doubled ? doubled : count)) {
    return false;
  }
  if (!keep_row(regions, goal, regions->far + regions->far_count)) {
    measure_far(regions, goal, regions->far + regions->far_count);
  }
  regions->far_row[goal] = regions->far_count;
  regions->far_count = count;
  regions->view.far_count = count;
  return true;
}

bool fw__regions_reserve(fw_regions_t * regions, const fw_cell_t * goals)
{
  int64_t values = 0;
  for (int32_t robot = 0; robot < regions->robot_count; ++robot) {
    const int32_t region = regions->map.cost[goals[robot]] != 0 ? region_of(regions, goals[robot]) : -1;
    if (region >= 0 && regions->far_row[region] == NO_ROW) {
      regions->far_row[region] = WANTED_ROW;
      values += regions->component_size[regions->component[region]];
    }
  }
  return grow_far(regions, regions->far_count + values);
}

// False when there is no memory.
static bool begin_far(fw_regions_t * regions)
{
  const size_t count = (size_t)regions->count;
  regions->far_row = take(regions, count, sizeof(*regions->far_row));
  regions->buckets = take(regions, 2 * (count + BUCKETS), sizeof(*regions->buckets));
  regions->far = take(regions, 0, sizeof(*regions->far));
  regions->far_capacity = 0;
  regions->far_count = 0;
  if (regions->has_failed) {
    return false;
  }
  for (size_t region = 0; region < count; ++region) {
    regions->far_row[region] = NO_ROW;
  }
  regions->view.far_row = regions->far_row;
  regions->view.far = regions->far;
  regions->view.far_count = 0;
  return true;
}

// ---- goals ----------------------------------------------------------------------------------------------------------

// The moves to the goal from all cells of its region, by moves within it.
static void measure_near_goal(fw_regions_t * regions, fw_cell_t goal, uint8_t * near_goal)
{
  const fw_regions_map_t * map = &regions->map;
  const int32_t region = region_of(regions, goal);
  const int32_t size = regions->first_cell[region + 1] - regions->first_cell[region];
  fw_cell_t * queue = regions->queue;
  int32_t count = 1;
  memset(near_goal, UNKNOWN, (size_t)size);
  queue[0] = goal;
  near_goal[regions->cell_number[goal]] = 0;
  for (int32_t at = 0; at < count; ++at) {
    const int32_t distance = near_goal[regions->cell_number[queue[at]]];
    for (int32_t heading = 0; heading < 8; ++heading) {
      if (((map->moves[queue[at]] >> heading) & 1) == 0) {
        continue;
      }
      const fw_cell_t to = queue[at] + step_of(map, heading);
      if (region_of(regions, to) == region && near_goal[regions->cell_number[to]] == UNKNOWN) {
        near_goal[regions->cell_number[to]] = (uint8_t)(distance + 1);
        queue[count++] = to;
      }
    }
  }
  FW_ASSERT(count == size);
}

bool fw__regions_set_goal(fw_regions_t * regions, int32_t robot, fw_cell_t goal)
{
  FW_ASSERT(robot >= 0 && robot < regions->robot_count);
  regions->goal_region[robot] = -1;
  if (regions->map.cost[goal] == 0) {
    return true;
  }
  const int32_t region = region_of(regions, goal);
  if (!add_far_row(regions, region)) {
    return false;
  }
  measure_near_goal(regions, goal, regions->near_goal + (size_t)robot * (size_t)regions->view.near_goal_pitch);
  regions->goal_region[robot] = region;
  return true;
}

// ---- init and fini --------------------------------------------------------------------------------------------------

// Gives back everything but the rows of robots and the work of blocks.
static void clear(fw_regions_t * regions)
{
  void * const arrays[] = {
    regions->cell_region, regions->cell_number,  regions->block_region, regions->first_cell,     regions->cells,
    regions->component,   regions->position,     regions->far_row,      regions->component_size, regions->near_begin,
    regions->around,      regions->around_begin, regions->around_ids,   regions->hops,           regions->near,
    regions->far,         regions->queue,        regions->buckets,      regions->old_number,     regions->work,
  };
  for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); ++i) {
    fw__deallocate(&regions->allocator, arrays[i]);
  }
}

// Lists the regions whose distances were measured anew. False when there is no memory.
static bool list_work(fw_regions_t * regions)
{
  regions->work = take(regions, (size_t)regions->count, sizeof(*regions->work));
  for (int32_t region = 0; region < regions->count && !regions->has_failed; ++region) {
    if (work_of(regions, region) >= FW_REGIONS_MEASURED) {
      regions->work[regions->work_count++] = region;
    }
  }
  return !regions->has_failed;
}

// All of the map, or what has changed since `before`. False when there is no memory.
static bool build(fw_regions_t * regions)
{
  const bool is_built = cut_map(regions) && link_regions(regions) && find_components(regions) &&
                        measure_near(regions) && list_work(regions) && begin_far(regions);
  if (is_built) {  // only needed so far
    give_back(regions, regions->cells, (size_t)regions->first_cell[regions->count] * sizeof(*regions->cells));
    regions->cells = NULL;
  }
  return is_built;
}

// Gives back what is only needed while the map is updated.
static void end_build(fw_regions_t * regions)
{
  const size_t count = (size_t)regions->count;
  give_back(regions, regions->old_number, (count + 1) * sizeof(*regions->old_number));
  give_back(regions, regions->work, count * sizeof(*regions->work));
  regions->old_number = NULL;
  regions->work = NULL;
  regions->work_count = 0;
  regions->before = NULL;
}

static const int16_t nothing_read[4] = {1, 1, 0, 0};

// Small blocks as long as there are not too many.
static int32_t choose_block_bits(const fw_regions_map_t * map)
{
  int32_t bits = BLOCK_BITS_MIN;
  while (bits < BLOCK_BITS_MAX && ((int64_t)map->width >> bits) * ((int64_t)map->height >> bits) > BLOCKS_MAX) {
    ++bits;
  }
  return bits;
}

bool fw__regions_init(
  fw_regions_t * regions, const fw_regions_map_t * map, int32_t robot_count, const fw_allocator_t * allocator)
{
  *regions = (fw_regions_t){.map = *map, .robot_count = robot_count, .allocator = *allocator};
  const int32_t bits = choose_block_bits(map);
  const size_t pitch = (size_t)1 << (2 * bits);
  const size_t blocks =
    (((size_t)map->width - 1) / ((size_t)1 << bits) + 1) * (((size_t)map->height - 1) / ((size_t)1 << bits) + 1);
  regions->view.block_bits = bits;
  regions->view.near_goal_pitch = (int32_t)pitch;
  regions->block_work = take(regions, blocks, sizeof(*regions->block_work));
  regions->goal_region = take(regions, (size_t)robot_count, sizeof(*regions->goal_region));
  regions->near_goal = take(regions, (size_t)robot_count * pitch, 1);
  regions->read_box = take(regions, (size_t)robot_count * 4, sizeof(*regions->read_box));
  regions->view.goal_region = regions->goal_region;
  regions->view.near_goal = regions->near_goal;
  regions->shared_bytes = blocks * sizeof(*regions->block_work);
  if (regions->has_failed) {
    return false;
  }
  memset(regions->block_work, FW_REGIONS_SAME, blocks * sizeof(*regions->block_work));
  for (int32_t robot = 0; robot < robot_count; ++robot) {
    regions->goal_region[robot] = -1;
    memcpy(regions->read_box + 4 * (size_t)robot, nothing_read, sizeof(nothing_read));
  }
  if (!build(regions)) {
    return false;
  }
  end_build(regions);
  return true;
}

void fw__regions_fini(fw_regions_t * regions)
{
  clear(regions);
  fw__deallocate(&regions->allocator, regions->goal_region);
  fw__deallocate(&regions->allocator, regions->near_goal);
  fw__deallocate(&regions->allocator, regions->read_box);
  fw__deallocate(&regions->allocator, regions->block_work);
  *regions = (fw_regions_t){0};
}

// ---- update ---------------------------------------------------------------------------------------------------------

static int32_t most(int32_t a, int32_t b) { return a > b ? a : b; }

void fw__regions_touch(fw_regions_t * regions, int32_t x, int32_t y)
{
  const int32_t bits = regions->view.block_bits;
  const int32_t x1 = least(x + 1, regions->map.width - 1) >> bits, y1 = least(y + 1, regions->map.height - 1) >> bits;
  for (int32_t down = most(y - 1, 0) >> bits; down <= y1; ++down) {
    for (int32_t across = most(x - 1, 0) >> bits; across <= x1; ++across) {
      regions->block_work[down * regions->view.blocks_across + across] = FW_REGIONS_CUT;
    }
  }
}

void fw__regions_drop_goal(fw_regions_t * regions, int32_t robot) { regions->goal_region[robot] = -1; }

// Blocks beside those with more work have at least one grade less: LINKED beside CUT, MEASURED beside these.
static void spread_work(fw_regions_t * regions, int32_t work)
{
  const int32_t across = regions->view.blocks_across, down = regions->block_count / across;
  for (int32_t block = 0; block < regions->block_count; ++block) {
    if (regions->block_work[block] != work) {
      continue;
    }
    const int32_t x = block % across, y = block / across;
    for (int32_t other_y = most(y - 1, 0); other_y <= least(y + 1, down - 1); ++other_y) {
      for (int32_t other_x = most(x - 1, 0); other_x <= least(x + 1, across - 1); ++other_x) {
        uint8_t * other = &regions->block_work[other_y * across + other_x];
        *other = *other < work - 1 ? (uint8_t)(work - 1) : *other;
      }
    }
  }
}

bool fw__regions_is_goal_kept(const fw_regions_t * regions, int32_t robot, fw_cell_t goal)
{
  return regions->before->goal_region[robot] >= 0 && regions->block_work[block_of(regions, goal)] != FW_REGIONS_CUT;
}

// What a robot's heuristic needs; its distances to the goal are there if nothing has changed in the goal's block.
static void update_goal(fw_regions_t * regions, int32_t robot, fw_cell_t goal)
{
  const bool is_same = fw__regions_is_goal_kept(regions, robot, goal);
  regions->goal_region[robot] = -1;
  if (regions->map.cost[goal] == 0) {
    return;
  }
  const int32_t region = region_of(regions, goal);
  const bool has_row = add_far_row(regions, region);
  FW_ASSERT(has_row);  // there is room for all rows
  (void)has_row;
  if (!is_same) {
    measure_near_goal(regions, goal, regions->near_goal + (size_t)robot * (size_t)regions->view.near_goal_pitch);
  }
  regions->goal_region[robot] = region;
}

bool fw__regions_update(fw_regions_t * regions, const fw_cell_t * goals, fw_regions_t * before)
{
  spread_work(regions, FW_REGIONS_CUT);
  spread_work(regions, FW_REGIONS_LINKED);
  fw_regions_t next = {
    .map = regions->map,
    .robot_count = regions->robot_count,
    .allocator = regions->allocator,
    .block_work = regions->block_work,
    .near_goal = regions->near_goal,
    .read_box = regions->read_box,
    .before = before,
    .view =
      {.block_bits = regions->view.block_bits,
       .near_goal_pitch = regions->view.near_goal_pitch,
       .near_goal = regions->near_goal},
  };
  *before = *regions;
  next.goal_region = take(&next, (size_t)next.robot_count, sizeof(*next.goal_region));
  next.view.goal_region = next.goal_region;
  next.shared_bytes = (size_t)regions->block_count * sizeof(*next.block_work);
  if (next.has_failed || !build(&next) || !fw__regions_reserve(&next, goals)) {
    clear(&next);
    fw__deallocate(&next.allocator, next.goal_region);
    return false;
  }
  for (int32_t robot = 0; robot < next.robot_count; ++robot) {
    update_goal(&next, robot, goals[robot]);
  }
  *regions = next;
  return true;
}

void fw__regions_end_update(fw_regions_t * regions, fw_regions_t * before)
{
  end_build(regions);
  memset(regions->block_work, FW_REGIONS_SAME, (size_t)regions->block_count);
  clear(before);
  fw__deallocate(&before->allocator, before->goal_region);
  *before = (fw_regions_t){0};
}

// ---- what has changed evenly ----------------------------------------------------------------------------------------

// The difference of h that all cells have so far.
typedef struct even_t {
  const fw_regions_t * regions;
  fw_regions_goal_t now;
  fw_regions_goal_t before;
  int64_t shift;
  bool has_shift;
} even_t;

static bool has_same_shift(even_t * even, int64_t shift)
{
  even->shift = even->has_shift ? even->shift : shift;
  even->has_shift = true;
  return even->shift == shift;
}

// A part of the map, with its last column and row.
typedef struct box_t {
  int32_t x0, y0, x1, y1;
} box_t;

// Cell by cell, for a block near to the change.
static bool are_cells_even(even_t * even, const box_t * box)
{
  for (int32_t y = box->y0; y <= box->y1; ++y) {
    for (int32_t x = box->x0; x <= box->x1; ++x) {
      const int32_t now = fw__regions_estimate(&even->now, x, y), before = fw__regions_estimate(&even->before, x, y);
      if ((now == FW_REGIONS_UNREACHABLE) != (before == FW_REGIONS_UNREACHABLE)) {
        return false;
      }
      if (now != FW_REGIONS_UNREACHABLE && !has_same_shift(even, (int64_t)now - before)) {
        return false;
      }
    }
  }
  return true;
}

// By the distances of the regions around, for a block where near(., .) has not changed. If these all change by one
// number, so does their minimum; with the goal's region among them the number is 0.
static bool are_regions_even(even_t * even, int32_t block)
{
  const fw_regions_t * regions = even->regions;
  const fw_regions_t * before = regions->before;
  for (int32_t region = regions->block_region[block]; region < block_end(regions, block); ++region) {
    const int32_t old = regions->old_number[region];
    const bool has_way = regions->component[region] == even->now.component;
    if (has_way != (before->component[old] == even->before.component)) {
      return false;
    }
    const int32_t first = regions->around_begin[region], old_first = before->around_begin[old];
    for (int32_t i = 0; has_way && i < regions->around_begin[region + 1] - first; ++i) {
      const int64_t now = even->now.far[regions->around[first + i]];
      if (!has_same_shift(even, now - even->before.far[before->around[old_first + i]])) {
        return false;
      }
    }
  }
  return true;
}

bool fw__regions_is_even(const fw_regions_t * regions, int32_t robot, fw_cell_t goal)
{
  const int16_t * read = regions->read_box + 4 * (size_t)robot;
  const box_t box = {read[0], read[1], read[2], read[3]};
  FW_ASSERT(box.x0 <= box.x1 && box.y0 <= box.y1);
  const int32_t bits = regions->view.block_bits, across = regions->view.blocks_across;
  const bool has_goal = regions->goal_region[robot] >= 0 && regions->before->goal_region[robot] >= 0;
  if (!has_goal || regions->block_work[block_of(regions, goal)] == FW_REGIONS_CUT) {
    return false;
  }
  even_t even = {
    .regions = regions,
    .now = fw__regions_goal(&regions->view, robot),
    .before = fw__regions_goal(&regions->before->view, robot),
  };
  bool is_even = true;
  for (int32_t y = box.y0 >> bits; y <= box.y1 >> bits && is_even; ++y) {
    for (int32_t x = box.x0 >> bits; x <= box.x1 >> bits && is_even; ++x) {
      const int32_t work = regions->block_work[y * across + x];
      const box_t part = {
        most(box.x0, x << bits), most(box.y0, y << bits), least(box.x1, ((x + 1) << bits) - 1),
        least(box.y1, ((y + 1) << bits) - 1)};
      is_even = work != FW_REGIONS_CUT &&
                (work == FW_REGIONS_SAME ? are_regions_even(&even, y * across + x) : are_cells_even(&even, &part));
    }
  }
  return is_even;
}

bool fw__regions_agree(const fw_regions_t * regions, int32_t robot, const fw_regions_t * from, int32_t from_robot)
{
  const int16_t * read = from->read_box + 4 * (size_t)from_robot;
  const box_t box = {read[0], read[1], read[2], read[3]};
  even_t even = {
    .regions = regions,
    .now = fw__regions_goal(&regions->view, robot),
    .before = fw__regions_goal(&from->view, from_robot),
  };
  for (int32_t y = box.y0; y <= box.y1; ++y) {
    for (int32_t x = box.x0; x <= box.x1; ++x) {
      const fw_cell_t cell = y * regions->map.width + x;
      const bool is_pending = from->block_work[block_of(from, cell)] == FW_REGIONS_CUT;  // it has changed since
      if (is_pending || regions->map.moves[cell] != from->map.moves[cell]) {
        return false;
      }
    }
  }
  return are_cells_even(&even, &box);
}

void fw__regions_recall(fw_regions_t * regions, int32_t robot, const fw_regions_t * from, int32_t from_robot)
{
  int16_t * box = regions->read_box + 4 * (size_t)robot;
  const int16_t * other = from->read_box + 4 * (size_t)from_robot;
  const bool is_empty = box[0] > box[2];
  for (int32_t i = 0; i < 4; ++i) {
    const bool is_wider = i < 2 ? other[i] < box[i] : other[i] > box[i];
    box[i] = is_empty || is_wider ? other[i] : box[i];
  }
}

size_t fw__regions_robot_bytes(const fw_regions_t * regions)
{
  return sizeof(*regions->goal_region) + 4 * sizeof(*regions->read_box) + (size_t)regions->view.near_goal_pitch;
}

// ---- validation -----------------------------------------------------------------------------------------------------

static bool has_descent(const fw_regions_t * regions, const fw_regions_goal_t * goal, fw_cell_t cell)
{
  const int32_t width = regions->map.width;
  const int32_t h = fw__regions_estimate(goal, cell % width, cell / width);
  for (int32_t heading = 0; heading < 8; ++heading) {
    const fw_cell_t to = cell + step_of(&regions->map, heading);
    if (((regions->map.moves[cell] >> heading) & 1) != 0 && fw__regions_estimate(goal, to % width, to / width) < h) {
      return true;
    }
  }
  return false;
}

bool fw__regions_validate(const fw_regions_t * regions, int32_t robot, fw_cell_t goal_cell)
{
  const fw_regions_map_t * map = &regions->map;
  const fw_regions_goal_t goal = fw__regions_goal(&regions->view, robot);
  for (fw_cell_t cell = 0; cell < map->width * map->height; ++cell) {
    const bool is_free = map->cost[cell] != 0;
    if (is_free != (regions->cell_region[cell] != FW_REGIONS_BLOCKED)) {
      return false;
    }
    const int32_t h = fw__regions_estimate(&goal, cell % map->width, cell / map->width);
    const bool is_reachable = is_free && h != FW_REGIONS_UNREACHABLE;
    if (is_reachable && cell != goal_cell && (h <= 0 || !has_descent(regions, &goal, cell))) {
      return false;
    }
  }
  return true;
}
