// Robots and goals of a still picture: a disc with its number where the robot is, a ring where it wants to go.

#include "view/palette.h"
#include "view/picture.h"
#include "view/walk.h"

bool fw__picture_is_taken(const fw__picture_t * picture, fw_cell_t cell)
{
  for (int32_t robot = 0; robot < picture->plan->robot_count; robot++) {
    if (
      fw_path_at(&picture->plan->paths[robot], picture->now) == cell ||
      (picture->options.has_moment && picture->problem->robots[robot].goal == cell)) {
      return true;
    }
  }
  return false;
}

void fw__picture_open_group(const fw__picture_t * picture, int32_t robot)
{
  FILE * stream = picture->stream;
  const fw_grid_t * grid = picture->problem->grid;
  const fw_cell_t start = fw_path_at(&picture->plan->paths[robot], 0);
  const fw_cell_t goal = picture->problem->robots[robot].goal;
  const fw_tick_t arrival = fw__shown_arrival(&picture->plan->paths[robot], goal, picture->end);
  const fw__colour_t colour = fw__palette_colour(robot);
  fprintf(
    stream, "<g class=\"robot\" stroke=\"%s\" fill=\"%s\">\n  <title>robot %d: (%d,%d) to (%d,%d), ", colour.text,
    colour.text, robot, fw_grid_x(grid, start), fw_grid_y(grid, start), fw_grid_x(grid, goal), fw_grid_y(grid, goal));
  if (arrival >= 0) {
    fprintf(stream, "arrives at tick %d", arrival);
  } else {
    fputs("does not arrive", stream);
  }
  const fw__walk_t walk = fw__walk(picture->problem, picture->plan, robot);
  if (fw__walk_has_heading(&walk)) {
    fprintf(stream, ", faces %s", fw_heading_name(fw__walk_pose(&walk, picture->now).heading));
  }
  fputs("</title>\n", stream);
}

typedef struct number_t {
  fw__place_t place;
  double size;  // of two digits
  const char * ink;
} number_t;

static void put_number(const fw__picture_t * picture, int32_t robot, const number_t * number)
{
  if (picture->cell_px < 14.0) {
    return;
  }
  fprintf(
    picture->stream, "  <text x=\"%.2f\" y=\"%.2f\" font-size=\"%.2f\" stroke=\"none\" style=\"fill: %s\">%d</text>\n",
    number->place.x, number->place.y + number->size / 3.0, robot < 100 ? number->size : 0.76 * number->size,
    number->ink, robot);
}

static void put_goal(const fw__picture_t * picture, int32_t robot)
{
  const fw_cell_t goal = picture->problem->robots[robot].goal;
  const fw__place_t place = {
    .x = fw_grid_x(picture->problem->grid, goal) + 0.5, .y = fw_grid_y(picture->problem->grid, goal) + 0.5};
  const bool is_small = picture->options.has_moment;
  fprintf(
    picture->stream,
    "  <circle class=\"goal\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.2f\" fill=\"none\" stroke-width=\"%.2f\"/>\n", place.x,
    place.y, is_small ? 0.34 : 0.36, is_small ? 0.08 : 0.12);
  bool is_hidden = !picture->options.has_moment;
  for (int32_t other = 0; other < picture->plan->robot_count && !is_hidden; other++) {
    is_hidden = fw_path_at(&picture->plan->paths[other], picture->now) == goal;
  }
  if (!is_hidden) {
    const number_t number = {.place = place, .size = 0.38, .ink = fw__palette_colour(robot).text};
    put_number(picture, robot, &number);
  }
}

void fw__picture_put_robot(const fw__picture_t * picture, int32_t robot)
{
  const fw__walk_t walk = fw__walk(picture->problem, picture->plan, robot);
  const fw__place_t place = fw__walk_place(&walk, picture->now);
  const bool is_small = picture->options.has_moment;  // room for the ticks in the corner of the cell
  const double radius = is_small ? 0.29 : 0.36;
  put_goal(picture, robot);
  fw__picture_put_body(picture, robot, radius);
  fprintf(
    picture->stream, "  <circle class=\"disc\" cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" stroke=\"none\"/>\n", place.x,
    place.y, radius);
  const number_t number = {.place = place, .size = is_small ? 0.38 : 0.42, .ink = fw__palette_ink(robot)};
  put_number(picture, robot, &number);
}
