// Rectangles of free floor and the openings between them.

#include "search/regions.h"

#include <string.h>

bool fw__regions_init(fw_regions_t * regions, fw_arena_t * arena, const fw_floor_t * floor)
{
  *regions = (fw_regions_t){.arena = arena, .floor = floor};
  regions->region_of = fw__arena_allocate(arena, (size_t)floor->place_count, sizeof(*regions->region_of));
  fw__heap_init(&regions->open, arena);
  if (regions->region_of != NULL) {
    memset(regions->region_of, 0xff, (size_t)floor->place_count * sizeof(*regions->region_of));
  }
  return regions->region_of != NULL;
}

bool fw__regions_add(fw_regions_t * regions, fw_region_t region)
{
  if (regions->count == regions->capacity) {
    const size_t outgrown = (size_t)regions->capacity;
    fw_region_t * larger =
      fw__arena_grow(regions->arena, regions->regions, (size_t)regions->count, sizeof(*larger), &regions->capacity);
    if (larger == NULL) {
      return false;
    }
    fw__arena_recycle(regions->arena, regions->regions, outgrown, sizeof(*larger));
    regions->regions = larger;
  }
  for (int32_t y = region.top; y <= region.bottom; ++y) {
    for (int32_t x = region.left; x <= region.right; ++x) {
      regions->region_of[fw__floor_place_at(regions->floor, x, y)] = regions->count;
    }
  }
  regions->regions[regions->count++] = region;
  return true;
}

// ---- openings -------------------------------------------------------------------------------------------------------

int32_t fw__regions_exit(const fw_regions_t * regions, int32_t region, const fw_opening_t * opening, int32_t along)
{
  const fw_region_t * r = &regions->regions[region];
  switch (opening->direction) {
    case 0:
      return fw__floor_place_at(regions->floor, r->right, along);
    case 1:
      return fw__floor_place_at(regions->floor, along, r->bottom);
    case 2:
      return fw__floor_place_at(regions->floor, r->left, along);
    default:
      return fw__floor_place_at(regions->floor, along, r->top);
  }
}

static bool add_opening(fw_regions_t * regions, fw_opening_t opening)
{
  if (regions->opening_count == regions->opening_capacity) {
    const size_t outgrown = (size_t)regions->opening_capacity;
    fw_opening_t * larger = fw__arena_grow(
      regions->arena, regions->openings, (size_t)regions->opening_count, sizeof(*larger), &regions->opening_capacity);
    if (larger == NULL) {
      return false;
    }
    fw__arena_recycle(regions->arena, regions->openings, outgrown, sizeof(*larger));
    regions->openings = larger;
  }
  regions->openings[regions->opening_count++] = opening;
  return true;
}

// Runs of cells along one side with the same region beyond.
static bool link_side(fw_regions_t * regions, int32_t region, int32_t direction)
{
  const fw_floor_t * floor = regions->floor;
  const fw_region_t * r = &regions->regions[region];
  const bool is_upright = direction == 0 || direction == 2;
  const int32_t first = is_upright ? r->top : r->left;
  const int32_t last = is_upright ? r->bottom : r->right;
  fw_opening_t opening = {.to = -1, .direction = direction};
  bool is_fine = true;
  for (int32_t along = first; along <= last + 1 && is_fine; ++along) {
    int32_t beyond = -1;
    if (along <= last) {
      beyond = regions->region_of[fw__regions_exit(regions, region, &opening, along) + floor->steps[0][direction]];
    }
    if (beyond != opening.to) {
      is_fine = opening.to < 0 || add_opening(regions, opening);
      opening.to = beyond;
      opening.from = along;
    }
    opening.until = along;
  }
  return is_fine;
}

bool fw__regions_link(fw_regions_t * regions)
{
  bool is_fine = true;
  for (int32_t i = 0; i < regions->count && is_fine; ++i) {
    regions->regions[i].first_opening = regions->opening_count;
    for (int32_t d = 0; d < 4 && is_fine; ++d) {
      is_fine = link_side(regions, i, d);
    }
    regions->regions[i].opening_count = regions->opening_count - regions->regions[i].first_opening;
  }
  regions->marks = fw__arena_allocate_zeroed(regions->arena, (size_t)regions->count + 1, sizeof(*regions->marks));
  return is_fine && regions->marks != NULL;
}

// ---- the search -----------------------------------------------------------------------------------------------------

static bool offer(fw_regions_t * regions, const fw_router_context_t * context, int32_t region, fw_region_mark_t mark)
{
  fw_region_mark_t * known = &regions->marks[region];
  if (known->epoch == regions->epoch && known->g <= mark.g) {
    return true;
  }
  mark.epoch = regions->epoch;
  *known = mark;
  const int32_t f = mark.g + fw__floor_estimate_between(regions->floor, mark.entry, context->goal);
  return fw__heap_push(&regions->open, f, mark.g, region);
}

// Through each opening by its cell nearest to where the way stands.
static bool expand(fw_regions_t * regions, const fw_router_context_t * context, int32_t region)
{
  const fw_floor_t * floor = regions->floor;
  const fw_region_t * r = &regions->regions[region];
  const fw_region_mark_t at = regions->marks[region];
  const int32_t x = fw__floor_x(floor, at.entry);
  const int32_t y = fw__floor_y(floor, at.entry);
  bool is_fine = true;
  if (region == regions->region_of[context->goal]) {
    const int32_t g = at.g + fw__floor_estimate_between(floor, at.entry, context->goal);
    const fw_region_mark_t mark = {.g = g, .parent = region, .opening = -1, .entry = context->goal};
    is_fine = offer(regions, context, regions->count, mark);
  }
  for (int32_t i = r->first_opening; i < r->first_opening + r->opening_count && is_fine; ++i) {
    const fw_opening_t * opening = &regions->openings[i];
    const int32_t here = opening->direction % 2 == 0 ? y : x;
    const int32_t along = here < opening->from ? opening->from : (here > opening->until ? opening->until : here);
    const int32_t exit = fw__regions_exit(regions, region, opening, along);
    const int32_t g = at.g + fw__floor_estimate_between(floor, at.entry, exit) + floor->straight;
    const fw_region_mark_t mark = {
      .g = g, .parent = region, .opening = i, .entry = exit + floor->steps[0][opening->direction]};
    is_fine = offer(regions, context, opening->to, mark);
  }
  return is_fine;
}

static bool trace(fw_regions_t * regions)
{
  int32_t count = 0;
  for (int32_t at = regions->count; at >= 0; at = regions->marks[at].parent) {
    ++count;
  }
  while (regions->passage_capacity < count) {
    regions->passages = fw__arena_grow(regions->arena, NULL, 0, sizeof(*regions->passages), &regions->passage_capacity);
    if (regions->passages == NULL) {
      regions->passage_capacity = 0;
      return false;
    }
  }
  regions->passage_count = count - 1;  // without the goal itself
  for (int32_t at = regions->marks[regions->count].parent, i = count - 2; i >= 0; at = regions->marks[at].parent, --i) {
    regions->passages[i] =
      (fw_passage_t){.region = at, .opening = regions->marks[at].opening, .entry = regions->marks[at].entry};
  }
  return true;
}

bool fw__regions_search(fw_regions_t * regions, fw_router_context_t * context)
{
  if (++regions->epoch == UINT32_MAX) {
    memset(regions->marks, 0, ((size_t)regions->count + 1) * sizeof(*regions->marks));
    regions->epoch = 1;
  }
  fw__heap_clear(&regions->open);
  const fw_region_mark_t first = {.parent = -1, .opening = -1, .entry = context->start};
  bool is_fine = offer(regions, context, regions->region_of[context->start], first);
  bool is_found = false;
  while (is_fine && !is_found && regions->open.count > 0) {
    const fw_heap_item_t item = fw__heap_pop(&regions->open);
    if (regions->marks[item.node].g != item.g) {
      continue;  // pushed again at a lower cost
    }
    is_found = item.node == regions->count;
    if (!is_found) {
      if (fw__router_count(context, regions->marks[item.node].entry)) {
        return false;
      }
      is_fine = expand(regions, context, item.node);
    }
  }
  is_fine = is_fine && (!is_found || trace(regions));
  if (!is_fine) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
  }
  context->memory_bytes +=
    (size_t)regions->open.peak * sizeof(fw_heap_item_t) + (size_t)context->expanded * sizeof(*regions->marks);
  return is_fine && is_found;
}

void fw__regions_show(const fw_regions_t * regions, void (*show)(const fw_shape_t *, void *), void * state)
{
  for (int32_t i = 0; i < regions->count; ++i) {
    const fw_region_t * r = &regions->regions[i];
    const fw_shape_t shape = {
      .kind = FW_SHAPE_RECTANGLE,
      .from = fw__floor_place_at(regions->floor, r->left, r->top),
      .to = fw__floor_place_at(regions->floor, r->right, r->bottom),
    };
    show(&shape, state);
  }
}
