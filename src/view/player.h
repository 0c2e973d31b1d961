// The HTML player: one self-contained page that plays the tracks of one fleet, or of two beside each other, in any
// browser without a network. Its style and scripts are in player/; the build embeds them (cmake/embed_player.cmake).
//
// fw_view_html (fleetweave/view.h) makes the page of a plan; `fleetweave replay` makes that of a recorded run.

#ifndef VIEW__PLAYER_H_
#define VIEW__PLAYER_H_

#include <stdio.h>

#include "fleetweave/view.h"
#include "view/view.h"
#include "view/tracks.h"

enum { FW_PLAYER_FACTS_MAX = 8 };

// A line of the caption: "Makespan 68".
typedef struct fw_player_fact_t {
  const char * name;
  char value[64];
} fw_player_fact_t;

// One fleet on the map: a plan or a run. Borrows everything.
typedef struct fw_player_scene_t {
  const char * name;                // heading of a plan beside another one; may be NULL
  const fw_view_tracks_t * tracks;  // after fw__tracks_finish
  fw_player_fact_t facts[FW_PLAYER_FACTS_MAX];
  int32_t fact_count;
  const fw_plan_verdict_t * verdict;  // of a plan; NULL for a run, which has none
} fw_player_scene_t;

enum { FW_PLAYER_SCENES_MAX = FW_VIEW_PLANS_MAX };

typedef struct fw_player_t {
  const char * title;
  // "plan": time is given in ticks too, and there are layers; "run": overlaps are counted; "live": a run that goes on,
  // fed by a server (player/live.js).
  const char * kind;
  // Beside each other on one time line; all with the same grid and units.
  fw_player_scene_t scenes[FW_PLAYER_SCENES_MAX];
  int32_t scene_count;
  // Of a plan: how the page opens.
  fw_tick_t at;      // first tick, paused; -1: at the beginning, playing
  fw_tick_t window;  // ticks; 0: the default of the page
  bool shows_reservations;
} fw_player_t;

// Adds a line to the caption; dropped if there are FW_PLAYER_FACTS_MAX already. `name` is borrowed.
void fw__player_add_fact(fw_player_scene_t * scene, const char * name, const char * format, ...) FW_PRINTF(3, 4);

FW_MUST_USE fw_ret_t fw__player_write(const fw_player_t * player, FILE * stream, fw_error_t * error);

#endif  // VIEW__PLAYER_H_
