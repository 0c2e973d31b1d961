// Navigation mesh: the floor as few convex polygons, here rectangles, each as large as its corner allows. The way through
// them is pulled tight with a funnel (Mononen 2010, after Lee and Preparata 1984) and walked in straight lines.
//
// The funnel works on the centres of cells. An opening is two gates, the cells on either side of the border, so that what
// lies between two gates is free floor for the whole width of a line.

#include "base/error.h"
#include "search/line.h"
#include "search/regions.h"
#include "search/smooth.h"

enum { PARAMETER_SMOOTHING };

typedef struct navmesh_t {
  fw_regions_t regions;
  astar_t * smoother;
  fw_trail_t left;  // gates of the way, by their ends as seen by who walks it
  fw_trail_t right;
  fw_trail_t corners;
} navmesh_t;

// ---- rectangles -----------------------------------------------------------------------------------------------------

static bool is_open(const fw_regions_t * regions, int32_t x, int32_t y)
{
  const fw_floor_t * floor = regions->floor;
  return x < floor->width && y < floor->height && floor->cost[fw__floor_place_at(floor, x, y)] != 0 &&
         regions->region_of[fw__floor_place_at(floor, x, y)] < 0;
}

static bool is_row_open(const fw_regions_t * regions, int32_t left, int32_t right, int32_t y)
{
  bool is_free = true;
  for (int32_t x = left; x <= right && is_free; ++x) {
    is_free = is_open(regions, x, y);
  }
  return is_free;
}

static bool is_column_open(const fw_regions_t * regions, int32_t top, int32_t bottom, int32_t x)
{
  bool is_free = true;
  for (int32_t y = top; y <= bottom && is_free; ++y) {
    is_free = is_open(regions, x, y);
  }
  return is_free;
}

// As far as it goes in one direction and then in the other, both ways round; the larger one counts.
static fw_region_t grow(const fw_regions_t * regions, int32_t x, int32_t y)
{
  fw_region_t wide = {.left = x, .top = y, .right = x, .bottom = y};
  fw_region_t tall = wide;
  while (is_open(regions, wide.right + 1, y)) {
    ++wide.right;
  }
  while (is_row_open(regions, x, wide.right, wide.bottom + 1)) {
    ++wide.bottom;
  }
  while (is_open(regions, x, tall.bottom + 1)) {
    ++tall.bottom;
  }
  while (is_column_open(regions, y, tall.bottom, tall.right + 1)) {
    ++tall.right;
  }
  const int32_t wide_area = (wide.right - x + 1) * (wide.bottom - y + 1);
  const int32_t tall_area = (tall.right - x + 1) * (tall.bottom - y + 1);
  return tall_area > wide_area ? tall : wide;
}

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  const fw_floor_t * floor = context->floor;
  navmesh_t * mesh = fw__arena_allocate_zeroed(context->built, 1, sizeof(*mesh));
  if (mesh == NULL || !fw__regions_init(&mesh->regions, context->built, floor)) {
    return fw__error_memory(error);
  }
  mesh->left.arena = mesh->right.arena = mesh->corners.arena = context->built;
  mesh->smoother = fw__astar_make(context->built, floor);
  bool is_fine = mesh->smoother != NULL;
  for (int32_t y = 0; y < floor->height; ++y) {
    for (int32_t x = 0; x < floor->width && is_fine; ++x) {
      is_fine = !is_open(&mesh->regions, x, y) || fw__regions_add(&mesh->regions, grow(&mesh->regions, x, y));
    }
  }
  if (!is_fine || !fw__regions_link(&mesh->regions)) {
    return fw__error_memory(error);
  }
  context->state = mesh;
  context->node_count = mesh->regions.count;
  context->edge_count = mesh->regions.opening_count / 2;
  return FW_RET_OK;
}

// ---- funnel ---------------------------------------------------------------------------------------------------------

static void add_gate(navmesh_t * mesh, int32_t left, int32_t right)
{
  fw__trail_add(&mesh->left, left);
  fw__trail_add(&mesh->right, right);
}

// Who walks east has the smaller y on the left, south the larger x, west the larger y, north the smaller x.
static void list_gates(navmesh_t * mesh, const fw_router_context_t * context)
{
  const fw_regions_t * regions = &mesh->regions;
  mesh->left.count = mesh->right.count = 0;
  add_gate(mesh, context->start, context->start);
  for (int32_t i = 1; i < regions->passage_count; ++i) {
    const fw_opening_t * opening = &regions->openings[regions->passages[i].opening];
    const int32_t region = regions->passages[i - 1].region;
    const bool is_first_left = opening->direction == 0 || opening->direction == 3;
    const int32_t first = fw__regions_exit(regions, region, opening, opening->from);
    const int32_t last = fw__regions_exit(regions, region, opening, opening->until);
    const int32_t step = regions->floor->steps[0][opening->direction];
    add_gate(mesh, is_first_left ? first : last, is_first_left ? last : first);
    add_gate(mesh, (is_first_left ? first : last) + step, (is_first_left ? last : first) + step);
  }
  add_gate(mesh, context->goal, context->goal);
}

// Twice the area of a triangle; positive if c lies to the right of the line from a to b (y grows downwards).
static int64_t turn(const fw_floor_t * floor, int32_t a, int32_t b, int32_t c)
{
  const int64_t bx = fw__floor_x(floor, b) - fw__floor_x(floor, a);
  const int64_t by = fw__floor_y(floor, b) - fw__floor_y(floor, a);
  const int64_t cx = fw__floor_x(floor, c) - fw__floor_x(floor, a);
  const int64_t cy = fw__floor_y(floor, c) - fw__floor_y(floor, a);
  return bx * cy - by * cx;
}

typedef struct funnel_t {
  int32_t apex;
  int32_t left;
  int32_t right;
  int32_t left_gate;
  int32_t right_gate;
} funnel_t;

// Narrows the funnel by the gate, or turns round one of its sides. Returns the gate to go on with.
static int32_t narrow(navmesh_t * mesh, const fw_floor_t * floor, funnel_t * funnel, int32_t gate)
{
  const int32_t left = mesh->left.places[gate];
  const int32_t right = mesh->right.places[gate];
  if (turn(floor, funnel->apex, funnel->right, right) <= 0) {
    if (funnel->apex == funnel->right || turn(floor, funnel->apex, funnel->left, right) > 0) {
      funnel->right = right;
      funnel->right_gate = gate;
    } else {
      fw__trail_add(&mesh->corners, funnel->left);
      const int32_t at = funnel->left_gate;
      *funnel = (funnel_t){funnel->left, funnel->left, funnel->left, at, at};
      return at + 1;
    }
  }
  if (turn(floor, funnel->apex, funnel->left, left) >= 0) {
    if (funnel->apex == funnel->left || turn(floor, funnel->apex, funnel->right, left) < 0) {
      funnel->left = left;
      funnel->left_gate = gate;
    } else {
      fw__trail_add(&mesh->corners, funnel->right);
      const int32_t at = funnel->right_gate;
      *funnel = (funnel_t){funnel->right, funnel->right, funnel->right, at, at};
      return at + 1;
    }
  }
  return gate + 1;
}

static void find(fw_router_context_t * context)
{
  navmesh_t * mesh = context->state;
  const fw_floor_t * floor = context->floor;
  if (!fw__regions_search(&mesh->regions, context)) {
    return;
  }
  list_gates(mesh, context);
  mesh->corners.count = 0;
  funnel_t funnel = {context->start, context->start, context->start, 0, 0};
  bool has_failed = mesh->left.has_failed || mesh->right.has_failed;
  for (int32_t gate = 1; gate < mesh->left.count && !has_failed;) {
    gate = narrow(mesh, floor, &funnel, gate);
    has_failed = mesh->corners.has_failed;
  }
  fw__trail_add(&mesh->corners, context->goal);
  if (has_failed || mesh->corners.has_failed) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return;
  }
  int32_t at = context->start;
  fw__trail_add(context->trail, at);
  for (int32_t i = 0; i < mesh->corners.count; ++i) {
    fw__line_walk(floor, at, mesh->corners.places[i], context->trail);
    at = mesh->corners.places[i];
  }
  fw__smooth(mesh->smoother, context, (int32_t)context->parameters[PARAMETER_SMOOTHING]);
}

static void shapes(const fw_router_context_t * context, void (*show)(const fw_shape_t *, void *), void * state)
{
  fw__regions_show(&((const navmesh_t *)context->state)->regions, show, state);
}

static const fw_parameter_def_t parameters[] = {
  {.name = "smoothing",
   .type = FW_PARAMETER_INTEGER,
   .initial = 0,
   .min = 0,
   .max = 100000,
   .help = "pieces of so many cells are searched again for a better way; 0 leaves the way as it is"},
};

const fw_router_def_t fw_router_navmesh = {
  .name = "navmesh",
  .summary = "navigation mesh: large convex polygons (rectangles) and a funnel through them",
  .paper = "Tozour, Building a Near-Optimal Navigation Mesh, 2002; Lee and Preparata, 1984",
  .parameters = parameters,
  .parameter_count = 1,
  .has_abstraction = true,
  .build = build,
  .find = find,
  .shapes = shapes,
};
