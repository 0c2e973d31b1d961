// MovingAI .scen files: a line per robot with bucket, map, width, height, start x, y, goal x, y, optimal length.

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "fleetweave/files.h"

// Behind the next run of spaces and tabs.
static char * next_field(char * cursor)
{
  cursor += strcspn(cursor, " \t");
  return cursor + strspn(cursor, " \t");
}

static fw_ret_t read_robot(
  fw_text_t * text, char * line, const fw_grid_t * grid, fw_robot_t * robot, fw_error_t * error)
{
  char * cursor = next_field(next_field(line + strspn(line, " \t")));
  int32_t numbers[6];
  for (int32_t i = 0; i < 6; ++i) {
    if (!fw__text_integer(&cursor, -1000000, 1000000, &numbers[i])) {
      return fw__text_error(
        text, error, "expected bucket, map, width, height, start x, y, goal x, y, length, not '%.40s'", line);
    }
  }
  if (numbers[0] != grid->width || numbers[1] != grid->height) {
    return fw__text_error(
      text, error, "written for a map of %d x %d, this one has %d x %d", numbers[0], numbers[1], grid->width,
      grid->height);
  }
  if (!fw_grid_contains(grid, numbers[2], numbers[3]) || !fw_grid_contains(grid, numbers[4], numbers[5])) {
    return fw__text_error(text, error, "a start or goal outside the map of %d x %d", grid->width, grid->height);
  }
  *robot = (fw_robot_t){
    .start = fw_grid_cell(grid, numbers[2], numbers[3]), .goal = fw_grid_cell(grid, numbers[4], numbers[5])};
  return FW_RET_OK;
}

static fw_ret_t read_robots(
  fw_scenario_t * scenario, fw_text_t * text, const fw_grid_t * grid, int32_t wanted, fw_error_t * error)
{
  char * line = fw__text_line_nonblank(text);
  if (line == NULL || strncmp(line, "version", 7) != 0) {
    return fw__text_error(text, error, "a scenario begins with 'version 1'");
  }
  while (wanted < 0 || scenario->robot_count < wanted) {
    line = fw__text_line_nonblank(text);
    if (line == NULL) {
      break;
    }
    const fw_ret_t ret = read_robot(text, line, grid, &scenario->robots[scenario->robot_count], error);
    if (ret != FW_RET_OK) {
      return ret;
    }
    ++scenario->robot_count;
  }
  if (scenario->robot_count < wanted) {
    return fw__text_error(text, error, "the scenario has %d robots, not %d", scenario->robot_count, wanted);
  }
  return FW_RET_OK;
}

fw_ret_t fw_scenario_read(
  fw_scenario_t * scenario, const char * path, const fw_grid_t * grid, int32_t robot_count,
  const fw_allocator_t * allocator, fw_error_t * error)
{
  *scenario = (fw_scenario_t){.allocator = fw__allocator_or_default(allocator)};
  fw_text_t text;
  fw_ret_t ret = fw__text_open(&text, path, allocator, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  // No more robots than lines; a line that holds one is longer than this.
  const size_t room = (size_t)(text.end - text.data) / 8 + 1;
  scenario->robots = fw__allocate_array(
    &scenario->allocator, robot_count >= 0 && (size_t)robot_count < room ? (size_t)robot_count + 1 : room,
    sizeof(*scenario->robots));
  ret = scenario->robots == NULL ? fw__error_memory(error) : read_robots(scenario, &text, grid, robot_count, error);
  fw__text_close(&text);
  if (ret != FW_RET_OK) {
    fw_scenario_fini(scenario);
  }
  return ret;
}

fw_ret_t fw_scenario_write(
  const fw_scenario_t * scenario, const fw_grid_t * grid, const char * map_name, FILE * stream, fw_error_t * error)
{
  (void)fprintf(stream, "version 1\n");
  for (int32_t i = 0; i < scenario->robot_count; ++i) {
    const fw_robot_t * robot = &scenario->robots[i];
    (void)fprintf(
      stream, "0\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t0\n", map_name, grid->width, grid->height, fw_grid_x(grid, robot->start),
      fw_grid_y(grid, robot->start), fw_grid_x(grid, robot->goal), fw_grid_y(grid, robot->goal));
  }
  return ferror(stream) != 0 ? fw__error(error, FW_RET_FILE, "the scenario cannot be written") : FW_RET_OK;
}

void fw_scenario_fini(fw_scenario_t * scenario)
{
  if (scenario != NULL) {
    fw__deallocate(&scenario->allocator, scenario->robots);
    *scenario = (fw_scenario_t){0};
  }
}
