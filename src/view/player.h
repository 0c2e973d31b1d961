// The page that plays tracks, one fleet or two beside each other: one file for any browser, without the network. Its style and scripts are in player/.

#ifndef VIEW__PLAYER_H_
#define VIEW__PLAYER_H_

#include <stdio.h>

#include "fleetweave/view.h"
#include "view/view.h"
#include "view/tracks.h"

enum { FW_PLAYER_FACTS_MAX = 8 };

// A line of the caption.
typedef struct fw_player_fact_t {
  const char * name;
  char value[64];
} fw_player_fact_t;

// One fleet on the map: a plan, or a run.
typedef struct fw_player_scene_t {
  const char * name;                // of a plan beside another one; may be NULL
  const fw_view_tracks_t * tracks;  // must be finished
  fw_player_fact_t facts[FW_PLAYER_FACTS_MAX];
  int32_t fact_count;
  const fw_plan_verdict_t * verdict;  // of a plan; NULL for a run
} fw_player_scene_t;

enum { FW_PLAYER_SCENES_MAX = FW_VIEW_PLANS_MAX };

typedef struct fw_player_t {
  const char * title;
  const char *
    kind;  // "plan": time is shown in ticks too; "run": overlaps are counted; "live": goes on, see player/live.js
  // Beside each other, on one time line: same grid, same units.
  fw_player_scene_t scenes[FW_PLAYER_SCENES_MAX];
  int32_t scene_count;
  // Of a plan: how the page opens, and what it draws.
  fw_tick_t at;      // -1: at the beginning, playing
  fw_tick_t window;  // 0: the page's own choice
  bool shows_reservations;
} fw_player_t;

void fw__player_add_fact(fw_player_scene_t * scene, const char * name, const char * format, ...) FW_PRINTF(3, 4);

FW_MUST_USE fw_ret_t fw__player_write(const fw_player_t * player, FILE * stream, fw_error_t * error);

#endif  // VIEW__PLAYER_H_
