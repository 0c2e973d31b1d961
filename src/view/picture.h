// What the parts of a still picture share. Lengths are in cells: the viewBox scales them.
//
// Layers, from the floor up: grid, closures and reservations (svg_cells.c), ways (svg_ways.c), goals and robots
// (svg_robots.c, svg_body.c), waits, ticks of the reservations, the conflict (svg_conflict.c); below the grid the legend
// (svg_legend.c).

#ifndef VIEW__PICTURE_H_
#define VIEW__PICTURE_H_

#include <stdio.h>

#include "fleetweave/view.h"
#include "view/shown.h"
#include "view/stays.h"

typedef struct fw__picture_t {
  const fw_problem_t * problem;
  const fw_plan_t * plan;
  fw_view_options_t options;
  FILE * stream;
  double cell_px;             // pixels per cell
  double line;                // height of a line of text, in cells
  double width;               // of the whole, in cells
  fw_tick_t end;              // the last tick of the plan
  fw_tick_t now;              // where robots are drawn: the moment, or 0
  fw_tick_t last;             // the last tick of the window; that of the plan if there is none
  const fw__stays_t * stays;  // closures and reservations to be drawn, sorted
  fw__flaw_t flaw;
} fw__picture_t;

// Robots that use the same lane would hide each other, so each way is drawn a little off the middle of its cells.
static inline double fw__picture_shift(int32_t robot) { return (double)(robot % 5 - 2) * 0.09; }

// Does something with a number in it stand on the middle of the cell: a robot, or in a moment's picture a goal?
bool fw__picture_is_taken(const fw__picture_t * picture, fw_cell_t cell);

// Opens a robot's group, in its colour and with its words: a viewer shows them when the pointer rests on it. Ends with
// "</g>".
void fw__picture_open_group(const fw__picture_t * picture, int32_t robot);

void fw__picture_put_cells(const fw__picture_t * picture);
void fw__picture_put_ticks(const fw__picture_t * picture);
// The way behind the robot, ahead of it in the window, and what is left of it behind the window or the plan.
FW_MUST_USE fw_ret_t fw__picture_put_way(const fw__picture_t * picture, int32_t robot, fw_error_t * error);
void fw__picture_put_waits(const fw__picture_t * picture, int32_t robot);
void fw__picture_put_robot(const fw__picture_t * picture, int32_t robot);

// More than a disc: the cells that the robot covers, its outline where it is and as it is turned, and its nose. The disc
// has this radius.
void fw__picture_put_body(const fw__picture_t * picture, int32_t robot, double radius);

// What `check` says: a line of words above the grid and a ring where it is. A picture that has none takes no room.
double fw__picture_conflict_lines(const fw__picture_t * picture);
double fw__picture_conflict_width(const fw__picture_t * picture);  // in lines of text
void fw__picture_put_conflict(const fw__picture_t * picture);

// What the signs of a moment's picture mean. Lines of text that it takes; 0 for a picture of the whole plan.
int32_t fw__picture_legend_lines(const fw__picture_t * picture);
void fw__picture_put_legend(const fw__picture_t * picture);

#endif  // VIEW__PICTURE_H_
