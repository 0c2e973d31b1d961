// MovingAI maps: what is read is a grid within its limits, and writing and reading it again gives the same floor.

#include "fleetweave/files.h"
#include "fuzz/fuzz.h"

static void write_again(const fw_grid_t * grid)
{
  FILE * stream = fuzz_stream();
  fuzz_require(stream != NULL && fw_grid_write(grid, stream, NULL) == FW_RET_OK, "a grid can be written");
  (void)fflush(stream);
  char path[32];
  (void)snprintf(path, sizeof(path), "/dev/fd/%d", fileno(stream));
  fw_grid_t again = {0};
  fuzz_require(fw_grid_read(&again, path, NULL, NULL) == FW_RET_OK, "what was written can be read");
  fuzz_require(again.width == grid->width && again.height == grid->height, "the size is the same");
  for (int32_t c = 0; c < fw_grid_cell_count(grid); ++c) {
    fuzz_require((again.cost[c] != 0) == (grid->cost[c] != 0), "the floor is the same");
  }
  fw_grid_fini(&again);
  (void)fclose(stream);
}

int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
  fw_grid_t grid = {0};
  fw_error_t error = {0};
  uint8_t costs[256];
  for (int32_t k = 0; k < 256; ++k) {
    costs[k] = (uint8_t)(k ^ 46);
  }
  const char * path = fuzz_file(0, data, size);
  if (fw_grid_read_terrain(&grid, path, costs, NULL, &error) == FW_RET_OK) {
    fw_grid_fini(&grid);
  }
  if (fw_grid_read(&grid, path, NULL, &error) != FW_RET_OK) {
    fuzz_require(error.text[0] != '\0', "a refusal has a text");
    return 0;
  }
  const bool is_small = grid.width <= FW_GRID_SIDE_MAX && grid.height <= FW_GRID_SIDE_MAX;
  fuzz_require(is_small && grid.width > 0 && grid.height > 0, "the sides are within their limits");
  if ((int64_t)grid.width * grid.height <= 4096) {
    write_again(&grid);
  }
  fw_grid_fini(&grid);
  return 0;
}

void fuzz_seeds(fuzz_seed_t add, void * context)
{
  static const char * const lines[] = {"open:3x2", "random:7x5,obstacles=30,seed=1", "maze:9x9,seed=2"};
  for (int32_t k = 0; k < 3; ++k) {
    fw_grid_t grid = {0};
    FILE * stream = fuzz_stream();
    fuzz_require(stream != NULL && fw_grid_make(&grid, lines[k], NULL, NULL) == FW_RET_OK, "a grid can be made");
    fuzz_require(fw_grid_write(&grid, stream, NULL) == FW_RET_OK, "a grid can be written");
    fuzz_seed_stream(add, context, stream);
    fw_grid_fini(&grid);
  }
  fuzz_seed_text(add, context, "type octile\r\nheight 2\r\nwidth 4\r\nmap\r\n.GS@\r\nTTOW\r\n");
}
