// Ways and waits of a still picture.

#include "fleetweave/search.h"
#include "view/palette.h"
#include "view/picture.h"
#include "view/walk.h"

#define GOAL_RADIUS 0.36

typedef struct line_t {
  const char * kind;  // the class, for the style
  const fw_cell_t * cells;
  int32_t count;
} line_t;

// Without the stand at its end.
static int32_t count_until_stand(const line_t * line)
{
  int32_t count = line->count;
  while (count > 1 && line->cells[count - 1] == line->cells[count - 2]) {
    count--;
  }
  return count;
}

// A coordinate of the end of a step: before the goal's ring if it changes, a little off the middle if it does not.
static double end_at(int32_t from, int32_t to, double shift)
{
  return to + 0.5 + (from < to ? -GOAL_RADIUS : from > to ? GOAL_RADIUS : shift);
}

// Corners alone: what lies straight between two points is left out.
static void put_line(const fw__picture_t * picture, int32_t robot, const line_t * line)
{
  const fw_grid_t * grid = picture->problem->grid;
  const double shift = fw__picture_shift(robot);
  const int32_t count = count_until_stand(line);
  fprintf(picture->stream, "  <polyline class=\"%s\" points=\"", line->kind);
  fw_cell_t last = FW_CELL_NONE;  // of the points written
  for (int32_t i = 0; i < count; i++) {
    const fw_cell_t cell = line->cells[i];
    const fw_cell_t next = i + 1 < count ? line->cells[i + 1] : cell;
    const bool is_straight = i > 0 && next != cell && next - cell == cell - line->cells[i - 1];
    if (cell == last || is_straight) {
      continue;
    }
    // Lines end at the ring of the goal, which may have a number in it.
    const bool is_cut = i > 0 && i + 1 == count && cell == picture->problem->robots[robot].goal;
    const fw_cell_t before = is_cut ? line->cells[i - 1] : cell;
    const double x = end_at(fw_grid_x(grid, before), fw_grid_x(grid, cell), shift);
    const double y = end_at(fw_grid_y(grid, before), fw_grid_y(grid, cell), shift);
    fprintf(picture->stream, "%.2f,%.2f ", x, y);
    last = cell;
  }
  fputs("\"/>\n", picture->stream);
}

// The part of the path between two ticks; what lies behind its end adds nothing.
static line_t part_of(const fw_path_t * path, const char * kind, fw_tick_t from, fw_tick_t to)
{
  const fw_tick_t last = path->length - 1;
  const fw_tick_t first = from < last ? from : last;
  return (line_t){.kind = kind, .cells = path->cells + first, .count = (to < last ? to : last) - first + 1};
}

// From the end of the plan to the goal, as if nobody else were there: the shortest way for a robot of one cell, a straight
// line where there is no way and for larger ones.
static fw_ret_t put_rest(const fw__picture_t * picture, int32_t robot, fw_cell_t from, fw_error_t * error)
{
  const fw_problem_t * problem = picture->problem;
  const fw_cell_t goal = problem->robots[robot].goal;
  const bool is_routed =
    problem->robots[robot].footprint_count <= 1 && problem->grid->cost[from] != 0 && problem->grid->cost[goal] != 0;
  fw_route_t route = {0};
  if (is_routed) {
    const fw_ret_t ret = fw_route_find_for(&route, problem, from, goal, NULL, error);
    if (ret != FW_RET_OK) {
      return ret;
    }
  }
  const fw_cell_t straight[] = {from, goal};
  const line_t line = {
    .kind = "rest",
    .cells = route.length > 0 ? route.cells : straight,
    .count = route.length > 0 ? route.length : 2,
  };
  put_line(picture, robot, &line);
  fw_route_fini(&route);
  return FW_RET_OK;
}

fw_ret_t fw__picture_put_way(const fw__picture_t * picture, int32_t robot, fw_error_t * error)
{
  const fw_path_t * path = &picture->plan->paths[robot];
  if (picture->now > 0) {
    const line_t behind = part_of(path, "moment behind", 0, picture->now);
    put_line(picture, robot, &behind);
  }
  const line_t ahead =
    part_of(path, picture->options.has_moment ? "moment ahead" : "ahead", picture->now, picture->last);
  put_line(picture, robot, &ahead);
  if (picture->last < picture->end && picture->last < path->length - 1) {
    const line_t later = part_of(path, "rest", picture->last, picture->end);
    put_line(picture, robot, &later);
  }
  const fw_cell_t end = fw_path_at(path, picture->end);
  return end == picture->problem->robots[robot].goal ? FW_RET_OK : put_rest(picture, robot, end, error);
}

// On the way, or at the edge of what stands there; in a moment's picture below the ticks of its cell.
static void put_wait(const fw__picture_t * picture, int32_t robot, const fw__wait_t * wait)
{
  FILE * stream = picture->stream;
  const fw_grid_t * grid = picture->problem->grid;
  const int32_t ticks = wait->to - wait->from;
  const double aside =
    picture->options.has_moment ? 0.2 + 0.5 * fw__picture_shift(robot) : 1.6 * fw__picture_shift(robot);
  const double shift = fw__picture_is_taken(picture, wait->cell) ? 0.3 : aside;
  const double x = fw_grid_x(grid, wait->cell) + 0.5 + shift;
  const double y = fw_grid_y(grid, wait->cell) + 0.5 + shift;
  const double text = ticks < 10 ? 0.27 : ticks < 100 ? 0.22 : 0.16;
  const bool is_elsewhen = wait->to <= picture->now || wait->from > picture->last;
  fprintf(
    stream, "  <g class=\"wait%s\"><title>robot %d waits on (%d,%d), ticks %d to %d</title>",
    is_elsewhen && picture->options.has_moment ? " faint" : "", robot, fw_grid_x(grid, wait->cell),
    fw_grid_y(grid, wait->cell), wait->from, wait->to);
  fprintf(
    stream,
    "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"0.19\"/><text x=\"%.2f\" y=\"%.3f\" font-size=\"%.2f\" stroke=\"none\" "
    "style=\"fill: %s\">%d</text></g>\n",
    x, y, x, y + 0.36 * text, text, fw__palette_ink(robot), ticks);
}

void fw__picture_put_waits(const fw__picture_t * picture, int32_t robot)
{
  const fw__walk_t walk = fw__walk(picture->problem, picture->plan, robot);
  fw__wait_t wait = {0};
  while (fw__walk_next_wait(&walk, wait.to, picture->end, &wait)) {
    put_wait(picture, robot, &wait);
  }
}
