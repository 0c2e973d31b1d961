// MovingAI .scen files: after "version 1" a line for each robot with bucket, map, width, height, start x, y, goal x, y,
// optimal length. Bucket, map and length are not used.

#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/text.h"
#include "fleetweave/files.h"

// The beginning of the next field.
static char * next_field(char * cursor)
{
  cursor += strcspn(cursor, " \t");
  return cursor + strspn(cursor, " \t");
}

typedef struct reader_t {
  fw_text_t text;
  const fw_grid_t * grid;
  fw_scenario_t * scenario;
  size_t capacity;  // of robots
} reader_t;

static fw_ret_t read_robot(reader_t * reader, char * line, fw_error_t * error)
{
  const fw_text_t * text = &reader->text;
  const fw_grid_t * grid = reader->grid;
  fw_scenario_t * scenario = reader->scenario;
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
      text, error, "the scenario is for a map of %d x %d cells, but the map has %d x %d", numbers[0], numbers[1],
      grid->width, grid->height);
  }
  if (!fw_grid_contains(grid, numbers[2], numbers[3]) || !fw_grid_contains(grid, numbers[4], numbers[5])) {
    return fw__text_error(text, error, "a start or goal is outside the map of %d x %d", grid->width, grid->height);
  }
  FW_ASSERT((size_t)scenario->robot_count < reader->capacity);
  scenario->robots[scenario->robot_count++] = (fw_robot_t){
    .start = fw_grid_cell(grid, numbers[2], numbers[3]), .goal = fw_grid_cell(grid, numbers[4], numbers[5])};
  return FW_RET_OK;
}

// Reads the first `wanted` robots, -1 for all.
static fw_ret_t read_robots(reader_t * reader, int32_t wanted, fw_error_t * error)
{
  fw_text_t * text = &reader->text;
  const fw_scenario_t * scenario = reader->scenario;
  char * line = fw__text_line_nonblank(text);
  if (line == NULL || strncmp(line, "version", 7) != 0) {
    return fw__text_error(text, error, "a scenario must begin with 'version 1'");
  }
  while (wanted < 0 || scenario->robot_count < wanted) {
    line = fw__text_line_nonblank(text);
    if (line == NULL) {
      break;
    }
    const fw_ret_t ret = read_robot(reader, line, error);
    if (ret != FW_RET_OK) {
      return ret;
    }
  }
  if (scenario->robot_count < wanted) {
    return fw__text_error(
      text, error, "the scenario has %d of the %d robots that are requested", scenario->robot_count, wanted);
  }
  return FW_RET_OK;
}

fw_ret_t fw_scenario_read(
  fw_scenario_t * scenario, const char * path, const fw_grid_t * grid, int32_t robot_count,
  const fw_allocator_t * allocator, fw_error_t * error)
{
  *scenario = (fw_scenario_t){.allocator = fw__allocator_or_default(allocator)};
  reader_t reader = {.grid = grid, .scenario = scenario};
  fw_ret_t ret = fw__text_open(&reader.text, path, allocator, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  // A line with a robot is longer than 8 characters.
  const size_t room = (size_t)(reader.text.end - reader.text.data) / 8 + 1;
  reader.capacity = robot_count >= 0 && (size_t)robot_count < room ? (size_t)robot_count + 1 : room;
  scenario->robots = fw__allocate_array(&scenario->allocator, reader.capacity, sizeof(*scenario->robots));
  ret = scenario->robots == NULL ? fw__error_memory(error) : read_robots(&reader, robot_count, error);
  fw__text_close(&reader.text);
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
  return ferror(stream) != 0 ? fw__error(error, FW_RET_FILE, "the scenario cannot be written to the stream")
                             : FW_RET_OK;
}

void fw_scenario_fini(fw_scenario_t * scenario)
{
  if (scenario != NULL) {
    fw__deallocate(&scenario->allocator, scenario->robots);
    *scenario = (fw_scenario_t){0};
  }
}
