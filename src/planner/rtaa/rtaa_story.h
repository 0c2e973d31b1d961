// What `rtaa` keeps from one window of a rolling fleet to the next (`since` in fw_problem_t): what robots have learned, who
// has been under way for how long, and who lets others go first.
//
// A window is planned anew from where robots are, so nothing depends on how the last one ended. The last batch stays in
// an arena of its own until the next has taken from it what it can use.

#ifndef PLANNER__RTAA__RTAA_STORY_H_
#define PLANNER__RTAA__RTAA_STORY_H_

#include "planner/rtaa/rtaa.h"

typedef struct fw_rtaa_story_t {
  fw_arena_t arenas[2];
  int32_t turn;       // the arena of the window that is being planned
  int32_t kept;       // the arena of the window that was planned last
  bool is_running;    // there is a window to go on from
  fw_batch_t batch;   // of that window
  int32_t lookahead;  // of that batch
  int32_t robot_count;
  int32_t * ids;             // by robot; the rest as well
  int32_t * places;          // in the order at its end
  fw_tick_t * yields_until;  // in its ticks
} fw_rtaa_story_t;

void fw__rtaa_story_init(fw_rtaa_story_t * story, fw_arena_t * keep);
void fw__rtaa_story_fini(fw_rtaa_story_t * story);

// Where the next window's batch lives.
fw_arena_t * fw__rtaa_story_turn(fw_rtaa_story_t * story);
// Gives the run, whose batch and order are fresh, what the last window knew of its robots.
void fw__rtaa_story_recall(const fw_rtaa_story_t * story, fw_rtaa_run_t * run);
// The run becomes the last window; without memory there is none.
void fw__rtaa_story_keep(fw_rtaa_story_t * story, const fw_rtaa_run_t * run);

#endif  // PLANNER__RTAA__RTAA_STORY_H_
