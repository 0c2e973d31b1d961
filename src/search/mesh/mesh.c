// A mesh of rectangles: portals between them, and A* over regions.

#include "search/mesh/mesh.h"

#include <string.h>

void fw__mesh_init(fw_mesh_t * mesh, fw_arena_t * arena, const fw_floor_t * floor)
{
  *mesh = (fw_mesh_t){.arena = arena, .floor = floor};
  mesh->region_of = fw__arena_allocate(arena, (size_t)floor->place_count, sizeof(*mesh->region_of));
  fw__heap_init(&mesh->open, arena);
  if (mesh->region_of != NULL) {
    memset(mesh->region_of, 0xff, (size_t)floor->place_count * sizeof(*mesh->region_of));
  }
}

void fw__mesh_add(fw_mesh_t * mesh, fw_mesh_region_t region)
{
  if (mesh->count == mesh->capacity) {
    const size_t outgrown = (size_t)mesh->capacity;
    fw_mesh_region_t * larger = fw__arena_grow(mesh->arena, mesh->regions, sizeof(*larger), &mesh->capacity);
    if (larger == NULL) {
      return;
    }
    fw__arena_recycle(mesh->arena, mesh->regions, outgrown, sizeof(*larger));
    mesh->regions = larger;
  }
  for (int32_t y = region.top; y <= region.bottom; ++y) {
    for (int32_t x = region.left; x <= region.right; ++x) {
      const int32_t place = fw__floor_place_at(mesh->floor, x, y);
      FW_ASSERT(mesh->floor->cost[place] != 0 && mesh->region_of[place] < 0);
      mesh->region_of[place] = mesh->count;
    }
  }
  mesh->regions[mesh->count++] = region;
}

// ---- portals -------------------------------------------------------------------------------------------------------

int32_t fw__mesh_exit(const fw_mesh_t * mesh, int32_t region, const fw_portal_t * portal, int32_t along)
{
  const fw_mesh_region_t * r = &mesh->regions[region];
  switch (portal->direction) {
    case 0:
      return fw__floor_place_at(mesh->floor, r->right, along);
    case 1:
      return fw__floor_place_at(mesh->floor, along, r->bottom);
    case 2:
      return fw__floor_place_at(mesh->floor, r->left, along);
    default:
      return fw__floor_place_at(mesh->floor, along, r->top);
  }
}

static void add_portal(fw_mesh_t * mesh, fw_portal_t portal)
{
  if (mesh->portal_count == mesh->portal_capacity) {
    const size_t outgrown = (size_t)mesh->portal_capacity;
    fw_portal_t * larger = fw__arena_grow(mesh->arena, mesh->portals, sizeof(*larger), &mesh->portal_capacity);
    if (larger == NULL) {
      return;
    }
    fw__arena_recycle(mesh->arena, mesh->portals, outgrown, sizeof(*larger));
    mesh->portals = larger;
  }
  FW_ASSERT(portal.from <= portal.until && portal.to >= 0 && portal.to < mesh->count);
  mesh->portals[mesh->portal_count++] = portal;
}

// Adds a portal for each run of cells along one side that has the same region beyond.
static void link_side(fw_mesh_t * mesh, int32_t region, int32_t direction)
{
  const fw_floor_t * floor = mesh->floor;
  const fw_mesh_region_t * r = &mesh->regions[region];
  const bool is_upright = direction == 0 || direction == 2;
  const int32_t first = is_upright ? r->top : r->left;
  const int32_t last = is_upright ? r->bottom : r->right;
  fw_portal_t portal = {.to = -1, .direction = direction};
  for (int32_t along = first; along <= last + 1; ++along) {
    int32_t beyond = -1;
    if (along <= last) {
      beyond = mesh->region_of[fw__mesh_exit(mesh, region, &portal, along) + floor->steps[0][direction]];
    }
    if (beyond != portal.to) {
      if (portal.to >= 0) {
        add_portal(mesh, portal);
      }
      portal.to = beyond;
      portal.from = along;
    }
    portal.until = along;
  }
}

void fw__mesh_link(fw_mesh_t * mesh)
{
  for (int32_t i = 0; i < mesh->count; ++i) {
    mesh->regions[i].first_portal = mesh->portal_count;
    for (int32_t d = 0; d < 4; ++d) {
      link_side(mesh, i, d);
    }
    mesh->regions[i].portal_count = mesh->portal_count - mesh->regions[i].first_portal;
  }
  mesh->marks = fw__arena_allocate_zeroed(mesh->arena, (size_t)mesh->count + 1, sizeof(*mesh->marks));
}

// ---- the search -----------------------------------------------------------------------------------------------------

// Keeps a mark if it is the first or the cheapest of its region.
static void offer(fw_mesh_t * mesh, const fw_router_context_t * context, int32_t region, fw_mesh_mark_t mark)
{
  fw_mesh_mark_t * known = &mesh->marks[region];
  if (known->epoch == mesh->epoch && known->g <= mark.g) {
    return;
  }
  mark.epoch = mesh->epoch;
  *known = mark;
  const int32_t f = mark.g + fw__floor_estimate_between(mesh->floor, mark.entry, context->goal);
  (void)fw__heap_push(&mesh->open, f, mark.g, region);
}

// Through each portal by its cell nearest to where the path has entered the region.
static void expand(fw_mesh_t * mesh, const fw_router_context_t * context, int32_t region)
{
  const fw_floor_t * floor = mesh->floor;
  const fw_mesh_region_t * r = &mesh->regions[region];
  const fw_mesh_mark_t at = mesh->marks[region];
  const int32_t x = fw__floor_x(floor, at.entry);
  const int32_t y = fw__floor_y(floor, at.entry);
  if (region == mesh->region_of[context->goal]) {
    const int32_t g = at.g + fw__floor_estimate_between(floor, at.entry, context->goal);
    const fw_mesh_mark_t mark = {.g = g, .parent = region, .portal = -1, .entry = context->goal};
    offer(mesh, context, mesh->count, mark);
  }
  for (int32_t i = r->first_portal; i < r->first_portal + r->portal_count; ++i) {
    const fw_portal_t * portal = &mesh->portals[i];
    const int32_t here = portal->direction % 2 == 0 ? y : x;
    const int32_t along = here < portal->from ? portal->from : (here > portal->until ? portal->until : here);
    const int32_t exit = fw__mesh_exit(mesh, region, portal, along);
    const int32_t g = at.g + fw__floor_estimate_between(floor, at.entry, exit) + floor->straight;
    const fw_mesh_mark_t mark = {
      .g = g, .parent = region, .portal = i, .entry = exit + floor->steps[0][portal->direction]};
    offer(mesh, context, portal->to, mark);
  }
}

// Writes the passages from the marks of the goal back to the start.
static void trace(fw_mesh_t * mesh)
{
  int32_t count = 0;
  for (int32_t at = mesh->count; at >= 0; at = mesh->marks[at].parent) {
    ++count;
  }
  while (mesh->passage_capacity < count) {
    mesh->passages = fw__arena_grow(mesh->arena, NULL, sizeof(*mesh->passages), &mesh->passage_capacity);
    if (mesh->passages == NULL) {
      mesh->passage_capacity = mesh->passage_count = 0;
      return;
    }
  }
  mesh->passage_count = count - 1;  // without the goal itself
  for (int32_t at = mesh->marks[mesh->count].parent, i = count - 2; i >= 0; at = mesh->marks[at].parent, --i) {
    mesh->passages[i] =
      (fw_mesh_passage_t){.region = at, .portal = mesh->marks[at].portal, .entry = mesh->marks[at].entry};
  }
}

bool fw__mesh_search(fw_mesh_t * mesh, fw_router_context_t * context)
{
  if (++mesh->epoch == UINT32_MAX) {
    memset(mesh->marks, 0, ((size_t)mesh->count + 1) * sizeof(*mesh->marks));
    mesh->epoch = 1;
  }
  fw__heap_clear(&mesh->open);
  const fw_mesh_mark_t first = {.parent = -1, .portal = -1, .entry = context->start};
  FW_ASSERT(mesh->region_of[context->start] >= 0 && mesh->region_of[context->goal] >= 0);
  offer(mesh, context, mesh->region_of[context->start], first);
  bool is_found = false;
  while (!is_found && mesh->open.count > 0 && !fw__arena_has_failed(mesh->arena)) {
    const fw_heap_item_t item = fw__heap_pop(&mesh->open);
    if (mesh->marks[item.node].g != item.g) {
      continue;  // pushed again at a lower cost
    }
    is_found = item.node == mesh->count;
    if (!is_found) {
      if (fw__router_count(context, mesh->marks[item.node].entry)) {
        return false;
      }
      expand(mesh, context, item.node);
    }
  }
  FW_ASSERT(fw__heap_validate(&mesh->open));
  if (is_found) {
    trace(mesh);
  }
  context->memory_bytes +=
    (size_t)mesh->open.peak * sizeof(fw_heap_item_t) + (size_t)context->expanded * sizeof(*mesh->marks);
  return fw__router_has_memory(context) && is_found;
}

void fw__mesh_show(const fw_mesh_t * mesh, void (*show)(const fw_shape_t *, void *), void * state)
{
  for (int32_t i = 0; i < mesh->count; ++i) {
    const fw_mesh_region_t * r = &mesh->regions[i];
    const fw_shape_t shape = {
      .kind = FW_SHAPE_RECTANGLE,
      .from = fw__floor_place_at(mesh->floor, r->left, r->top),
      .to = fw__floor_place_at(mesh->floor, r->right, r->bottom),
    };
    show(&shape, state);
  }
}
