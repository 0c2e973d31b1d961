// Texts that people type: parameters of planners, specifications of maps, footprints in cells. They are taken or
// refused with a text; a parameter that was taken is in its range and reads back as the same value.

#include <string.h>

#include "fleetweave/files.h"
#include "fleetweave/planner_def.h"
#include "fuzz/fuzz.h"
#include "world/rotated_footprint.h"

static void set_parameter(const fw_planner_def_t * def, int32_t index, const char * value)
{
  const fw_parameter_def_t * parameter = &def->parameters[index];
  fw_planner_t planner = {0};
  fw_error_t error = {0};
  fuzz_require(fw_planner_init(&planner, def->name, NULL, &error) == FW_RET_OK, "a planner can be made");
  if (fw_planner_set(&planner, parameter->name, value, &error) == FW_RET_OK) {
    char text[64];
    char again[64];
    const bool is_read = fw_planner_get(&planner, parameter->name, text, sizeof(text), &error) == FW_RET_OK &&
                         fw_planner_set(&planner, parameter->name, text, &error) == FW_RET_OK &&
                         fw_planner_get(&planner, parameter->name, again, sizeof(again), &error) == FW_RET_OK;
    fuzz_require(is_read && strcmp(text, again) == 0, "a value reads back as the same");
  } else {
    fuzz_require(error.text[0] != '\0', "a refusal has a text");
  }
  fw_planner_fini(&planner);
}

int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
  char text[512];
  fuzz_bytes_t bytes = {.data = data, .size = size};
  const int32_t kind = fuzz_below(&bytes, 3);
  const fw_planner_def_t * def = fw_planner_def_at(fuzz_below(&bytes, fw_planner_def_count()));
  const int32_t index = fuzz_below(&bytes, def->parameter_count);
  const size_t length = size - bytes.at < sizeof(text) - 1 ? size - bytes.at : sizeof(text) - 1;
  memcpy(text, data + bytes.at, length);
  text[length] = '\0';
  fw_error_t error = {0};
  if (kind == 0 && def->parameter_count > 0) {
    set_parameter(def, index, text);
  } else if (kind == 1) {
    const char * digits = strpbrk(text, "0123456789");
    if (digits != NULL && strspn(digits, "0123456789x") > 7) {
      return 0;  // maps of millions of cells take their time, and are no fault
    }
    fw_grid_t grid = {0};
    if (fw_grid_make(&grid, text, NULL, &error) == FW_RET_OK) {
      fuzz_require(grid.width > 0 && grid.height > 0, "a grid has cells");
      fw_grid_fini(&grid);
    } else {
      fuzz_require(error.text[0] != '\0', "a refusal has a text");
    }
  } else if (kind == 2) {
    fw_rotated_footprints_t footprints = {0};
    const fw_rotated_footprint_t * footprint = NULL;
    if (fw__rotated_footprints_get(&footprints, text, &footprint, &error) == FW_RET_OK) {
      fuzz_require(footprint != NULL && footprint->counts[0] >= 1, "a footprint has cells");
    } else {
      fuzz_require(error.text[0] != '\0', "a refusal has a text");
    }
    fw__rotated_footprints_fini(&footprints);
  }
  return 0;
}

void fuzz_seeds(fuzz_seed_t add, void * context)
{
  static const char * const texts[] = {
    "\0\0\0"
    "16",
    "\0\1\1"
    "true",
    "\0\2\2"
    "octile",
    "\1\0\0"
    "warehouse:61x33,shelf=10,aisle=1,seed=1",
    "\1\0\0"
    "maze:21x21,corridor=2,seed=3",
    "\1\0\0"
    "rooms:24x24,room=5",
    "\2\0\0"
    "2x3",
    "\2\0\0"
    "0,0;1,0;-1,0;0,1"};
  for (size_t k = 0; k < sizeof(texts) / sizeof(texts[0]); ++k) {
    add(context, texts[k], 3 + strlen(texts[k] + 3));
  }
}
