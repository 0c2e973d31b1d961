// A rolling fleet that outlives a solve: what `whca` keeps from one problem to the next (`since` in fw_problem_t).
//
// A story begins with a problem and has memory of its own: a copy of the map, places for robots, a few of them empty, and
// the window over all that. Each further problem of the story is compared with what is there: robots that are gone are
// taken out, new ones put into empty places, goals and priorities changed, and everything else stays planned. Where that
// cannot be (another map, other rules, no empty place, a robot where another is just coming), a new story begins.

#ifndef PLANNER__WINDOW__ROLLING_H_
#define PLANNER__WINDOW__ROLLING_H_

#include "planner/window/window.h"

typedef struct fw_rolling_t {
  fw_arena_t arena;  // of the story
  bool is_running;   // there is a story that can go on
  fw_window_t window;
  fw_window_options_t options;
  fw_fleet_t fleet;
  fw_grid_t grid;        // a copy
  fw_problem_t problem;  // places for robots; closures in ticks of the story
  fw_robot_t * robots;   // the places; start < 0 where empty
  int32_t * ids;         // by place
  int32_t * place_of;    // by robot of the present problem
} fw_rolling_t;

void fw__rolling_init(fw_rolling_t * rolling, fw_arena_t * keep);
void fw__rolling_fini(fw_rolling_t * rolling);

// Makes the window ready for `problem`: a story that goes on, or a new one. `place_of` lives in the context's scratch.
fw_fleet_state_t fw__rolling_begin(
  fw_rolling_t * rolling, fw_planner_context_t * context, const fw_problem_t * problem,
  const fw_window_options_t * options, fw_error_t * error);

#endif  // PLANNER__WINDOW__ROLLING_H_
