// The grid's memory.

#include "base/error.h"
#include "base/memory.h"

fw_ret_t fw_grid_init(
  fw_grid_t * grid, int32_t width, int32_t height, const fw_allocator_t * allocator, fw_error_t * error)
{
  *grid = (fw_grid_t){0};
  if (width < 1 || height < 1 || width > FW_GRID_SIDE_MAX || height > FW_GRID_SIDE_MAX) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "a grid of %d x %d cells: each side must be 1 to %d", width, height,
      FW_GRID_SIDE_MAX);
  }
  const fw_allocator_t owner = fw__allocator_or_default(allocator);
  uint8_t * cost = fw__allocate_array(&owner, (size_t)width * (size_t)height, sizeof(*cost));
  if (cost == NULL) {
    return fw__error_memory(error);
  }
  *grid = (fw_grid_t){.width = width, .height = height, .cost = cost, .allocator = owner};
  return FW_RET_OK;
}

void fw_grid_fini(fw_grid_t * grid)
{
  if (grid != NULL) {
    fw__deallocate(&grid->allocator, grid->cost);
    *grid = (fw_grid_t){0};
  }
}
