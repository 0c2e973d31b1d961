// Navigation mesh: the free floor as few convex polygons, here rectangles that grow greedily from their top left
// corner. The path through them is pulled tight with a funnel (Mononen's simple stupid funnel algorithm, 2010, after
// Lee and Preparata 1984) and walked in straight lines.
//
// The funnel works on centres of cells. A portal becomes two gates, the cells on either side of the border, so that the
// area between two gates is free for the whole width of a line.

#include "search/line_of_sight.h"
#include "search/mesh/mesh.h"
#include "search/grid/smooth.h"

enum { PARAMETER_SMOOTHING };

typedef struct navmesh_t {
  fw_mesh_t mesh;
  fw_smoother_t smoother;
  fw_trail_t left;  // gates of the path: their ends on the left and right of the walking direction
  fw_trail_t right;
  fw_trail_t corners;
} navmesh_t;

// ---- rectangles -----------------------------------------------------------------------------------------------------

static bool is_open(const fw_mesh_t * mesh, int32_t x, int32_t y)
{
  const fw_floor_t * floor = mesh->floor;
  return x < floor->width && y < floor->height && floor->cost[fw__floor_place_at(floor, x, y)] != 0 &&
         mesh->region_of[fw__floor_place_at(floor, x, y)] < 0;
}

static bool is_row_open(const fw_mesh_t * mesh, int32_t left, int32_t right, int32_t y)
{
  bool is_free = true;
  for (int32_t x = left; x <= right && is_free; ++x) {
    is_free = is_open(mesh, x, y);
  }
  return is_free;
}

static bool is_column_open(const fw_mesh_t * mesh, int32_t top, int32_t bottom, int32_t x)
{
  bool is_free = true;
  for (int32_t y = top; y <= bottom && is_free; ++y) {
    is_free = is_open(mesh, x, y);
  }
  return is_free;
}

// The larger of two rectangles with this top left corner: grown to the right first, or downwards first.
static fw_mesh_region_t grow(const fw_mesh_t * mesh, int32_t x, int32_t y)
{
  fw_mesh_region_t wide = {.left = x, .top = y, .right = x, .bottom = y};
  fw_mesh_region_t tall = wide;
  while (is_open(mesh, wide.right + 1, y)) {
    ++wide.right;
  }
  while (is_row_open(mesh, x, wide.right, wide.bottom + 1)) {
    ++wide.bottom;
  }
  while (is_open(mesh, x, tall.bottom + 1)) {
    ++tall.bottom;
  }
  while (is_column_open(mesh, y, tall.bottom, tall.right + 1)) {
    ++tall.right;
  }
  const int32_t wide_area = (wide.right - x + 1) * (wide.bottom - y + 1);
  const int32_t tall_area = (tall.right - x + 1) * (tall.bottom - y + 1);
  return tall_area > wide_area ? tall : wide;
}

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  const fw_floor_t * floor = context->floor;
  navmesh_t * nav = fw__arena_allocate_zeroed(context->built, 1, sizeof(*nav));
  if (nav == NULL) {
    return fw__error_memory(error);
  }
  nav->left.arena = nav->right.arena = nav->corners.arena = context->built;
  fw__mesh_init(&nav->mesh, context->built, floor);
  fw__smoother_init(&nav->smoother, context->built, floor);
  if (fw__arena_has_failed(context->built)) {
    return fw__error_memory(error);
  }
  for (int32_t y = 0; y < floor->height; ++y) {
    for (int32_t x = 0; x < floor->width && !fw__arena_has_failed(context->built); ++x) {
      if (is_open(&nav->mesh, x, y)) {
        fw__mesh_add(&nav->mesh, grow(&nav->mesh, x, y));
      }
    }
  }
  fw__mesh_link(&nav->mesh);
  context->state = nav;
  context->node_count = nav->mesh.count;
  context->edge_count = nav->mesh.portal_count / 2;
  return fw__router_build_result(context, error);
}

// ---- funnel ---------------------------------------------------------------------------------------------------------

static void add_gate(navmesh_t * nav, int32_t left, int32_t right)
{
  fw__trail_add(&nav->left, left);
  fw__trail_add(&nav->right, right);
}

// The gates of the path. Walking east, the smaller y is on the left; south the larger x, west the larger y, north the
// smaller x.
static void list_gates(navmesh_t * nav, const fw_router_context_t * context)
{
  const fw_mesh_t * mesh = &nav->mesh;
  nav->left.count = nav->right.count = 0;
  add_gate(nav, context->start, context->start);
  for (int32_t i = 1; i < mesh->passage_count; ++i) {
    const fw_portal_t * portal = &mesh->portals[mesh->passages[i].portal];
    const int32_t region = mesh->passages[i - 1].region;
    const bool is_first_left = portal->direction == 0 || portal->direction == 3;
    const int32_t first = fw__mesh_exit(mesh, region, portal, portal->from);
    const int32_t last = fw__mesh_exit(mesh, region, portal, portal->until);
    const int32_t step = mesh->floor->steps[0][portal->direction];
    add_gate(nav, is_first_left ? first : last, is_first_left ? last : first);
    add_gate(nav, (is_first_left ? first : last) + step, (is_first_left ? last : first) + step);
  }
  add_gate(nav, context->goal, context->goal);
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

// Narrows the funnel to the gate; if that would turn it inside out, its side becomes a corner and the next apex.
// Returns the gate to go on with.
static int32_t narrow(navmesh_t * nav, const fw_floor_t * floor, funnel_t * funnel, int32_t gate)
{
  FW_ASSERT(gate > 0 && gate < nav->left.count && nav->left.count == nav->right.count);
  const int32_t left = nav->left.places[gate];
  const int32_t right = nav->right.places[gate];
  if (turn(floor, funnel->apex, funnel->right, right) <= 0) {
    if (funnel->apex == funnel->right || turn(floor, funnel->apex, funnel->left, right) > 0) {
      funnel->right = right;
      funnel->right_gate = gate;
    } else {
      fw__trail_add(&nav->corners, funnel->left);
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
      fw__trail_add(&nav->corners, funnel->right);
      const int32_t at = funnel->right_gate;
      *funnel = (funnel_t){funnel->right, funnel->right, funnel->right, at, at};
      return at + 1;
    }
  }
  return gate + 1;
}

static void find(fw_router_context_t * context)
{
  navmesh_t * nav = context->state;
  const fw_floor_t * floor = context->floor;
  if (!fw__mesh_search(&nav->mesh, context)) {
    return;
  }
  list_gates(nav, context);
  nav->corners.count = 0;
  funnel_t funnel = {context->start, context->start, context->start, 0, 0};
  for (int32_t gate = 1; gate < nav->left.count && !fw__arena_has_failed(context->built);) {
    gate = narrow(nav, floor, &funnel, gate);
  }
  fw__trail_add(&nav->corners, context->goal);
  if (!fw__router_has_memory(context)) {
    return;
  }
  int32_t at = context->start;
  fw__trail_add(context->trail, at);
  for (int32_t i = 0; i < nav->corners.count; ++i) {
    fw__line_walk(floor, at, nav->corners.places[i], context->trail);
    at = nav->corners.places[i];
  }
  fw__smooth(&nav->smoother, context, (int32_t)context->parameters[PARAMETER_SMOOTHING]);
}

static void shapes(const fw_router_context_t * context, void (*show)(const fw_shape_t *, void *), void * state)
{
  fw__mesh_show(&((const navmesh_t *)context->state)->mesh, show, state);
}

static const fw_parameter_def_t parameters[] = {
  FW_SMOOTHING_PARAMETER,
};

const fw_router_def_t fw__router_navmesh = {
  .name = "navmesh",
  .summary = "navigation mesh: A* over convex polygons (rectangles), then a funnel through their portals",
  .paper = "Tozour, Building a Near-Optimal Navigation Mesh, 2002; Lee and Preparata, 1984",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .has_abstraction = true,
  .build = build,
  .find = find,
  .shapes = shapes,
};
