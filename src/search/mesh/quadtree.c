// Quadtree (approximate cell decomposition): squares are quartered until each is all free or all blocked; A* searches
// the free ones, and the path goes straight from entry to exit in each.

#include "search/line_of_sight.h"
#include "search/mesh/mesh.h"
#include "search/grid/smooth.h"

enum { PARAMETER_SMOOTHING };

typedef struct quadtree_t {
  fw_mesh_t mesh;
  fw_smoother_t smoother;
  int32_t * sums;  // summed-area table: free cells above and to the left; one row and one column more than cells
} quadtree_t;

typedef struct square_t {
  int32_t left;
  int32_t top;
  int32_t side;
} square_t;

static void sum_up(quadtree_t * tree, const fw_floor_t * floor)
{
  const int32_t stride = floor->width + 1;
  for (int32_t y = 0; y < floor->height; ++y) {
    int32_t row = 0;
    for (int32_t x = 0; x < floor->width; ++x) {
      row += floor->cost[fw__floor_place_at(floor, x, y)] != 0;
      tree->sums[(y + 1) * stride + x + 1] = tree->sums[y * stride + x + 1] + row;
    }
  }
}

// The number of free cells in a rectangle.
static int32_t count_free(const quadtree_t * tree, const fw_mesh_region_t * r)
{
  const int32_t stride = tree->mesh.floor->width + 1;
  const int32_t * sums = tree->sums;
  return sums[(r->bottom + 1) * stride + r->right + 1] - sums[r->top * stride + r->right + 1] -
         sums[(r->bottom + 1) * stride + r->left] + sums[r->top * stride + r->left];
}

// Depth first with a stack: each square pushes at most three more than it takes.
static void divide(quadtree_t * tree)
{
  enum { DEPTH_MAX = 15, STACK_MAX = 3 * DEPTH_MAX + 4 };
  const fw_floor_t * floor = tree->mesh.floor;
  square_t stack[STACK_MAX];
  int32_t depth = 0;
  int32_t side = 1;
  while (side < floor->width || side < floor->height) {
    side *= 2;
  }
  stack[depth++] = (square_t){0, 0, side};
  while (depth > 0) {
    const square_t square = stack[--depth];
    if (square.left >= floor->width || square.top >= floor->height) {
      continue;
    }
    const int32_t right = square.left + square.side - 1;
    const int32_t bottom = square.top + square.side - 1;
    const fw_mesh_region_t region = {
      .left = square.left,
      .top = square.top,
      .right = right < floor->width ? right : floor->width - 1,
      .bottom = bottom < floor->height ? bottom : floor->height - 1,
    };
    const int32_t area = (region.right - region.left + 1) * (region.bottom - region.top + 1);
    const int32_t free_count = count_free(tree, &region);
    if (free_count == area) {
      fw__mesh_add(&tree->mesh, region);
    } else if (free_count > 0) {
      const int32_t half = square.side / 2;
      FW_ASSERT(half > 0 && depth + 4 <= STACK_MAX);
      for (int32_t i = 3; i >= 0; --i) {
        stack[depth++] = (square_t){square.left + i % 2 * half, square.top + i / 2 * half, half};
      }
    }
  }
}

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  const fw_floor_t * floor = context->floor;
  quadtree_t * tree = fw__arena_allocate_zeroed(context->built, 1, sizeof(*tree));
  if (tree == NULL) {
    return fw__error_memory(error);
  }
  const size_t corners = (size_t)(floor->width + 1) * (size_t)(floor->height + 1);
  tree->sums = fw__arena_allocate_zeroed(context->built, corners, sizeof(*tree->sums));
  fw__mesh_init(&tree->mesh, context->built, floor);
  fw__smoother_init(&tree->smoother, context->built, floor);
  if (fw__arena_has_failed(context->built)) {
    return fw__error_memory(error);
  }
  sum_up(tree, floor);
  divide(tree);
  fw__mesh_link(&tree->mesh);
  context->state = tree;
  context->node_count = tree->mesh.count;
  context->edge_count = tree->mesh.portal_count / 2;
  return fw__router_build_result(context, error);
}

// From entry to exit in each square.
static void find(fw_router_context_t * context)
{
  quadtree_t * tree = context->state;
  const fw_mesh_t * mesh = &tree->mesh;
  const fw_floor_t * floor = context->floor;
  if (!fw__mesh_search(&tree->mesh, context)) {
    return;
  }
  int32_t at = context->start;
  fw__trail_add(context->trail, at);
  for (int32_t i = 1; i < mesh->passage_count; ++i) {
    const fw_mesh_passage_t * passage = &mesh->passages[i];
    const int32_t exit = passage->entry - floor->steps[0][mesh->portals[passage->portal].direction];
    fw__line_walk(floor, at, exit, context->trail);
    fw__trail_add(context->trail, passage->entry);
    at = passage->entry;
  }
  fw__line_walk(floor, at, context->goal, context->trail);
  fw__smooth(&tree->smoother, context, (int32_t)context->parameters[PARAMETER_SMOOTHING]);
}

static void shapes(const fw_router_context_t * context, void (*show)(const fw_shape_t *, void *), void * state)
{
  fw__mesh_show(&((const quadtree_t *)context->state)->mesh, show, state);
}

static const fw_parameter_def_t parameters[] = {
  FW_SMOOTHING_PARAMETER,
};

const fw_router_def_t fw__router_quadtree = {
  .name = "quadtree",
  .summary = "quadtree: A* over squares of free floor, quartered until each is all free or all blocked",
  .paper = "Samet, The Quadtree and Related Hierarchical Data Structures, 1984",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .has_abstraction = true,
  .build = build,
  .find = find,
  .shapes = shapes,
};
