// The page that plays tracks: one file for any browser, without the network. Its style and scripts are in player/.

#ifndef VIEW__PLAYER_H_
#define VIEW__PLAYER_H_

#include <stdio.h>

#include "view/tracks.h"

enum { FW__PLAYER_FACTS_MAX = 8 };

// A line of the caption.
typedef struct fw__player_fact_t {
  const char * name;
  char value[64];
} fw__player_fact_t;

typedef struct fw__player_t {
  const char * title;
  const char * kind;  // "plan": time is shown in ticks too; "run": overlaps are counted
  fw__player_fact_t facts[FW__PLAYER_FACTS_MAX];
  int32_t fact_count;
  // Of a plan: how the page opens, and what it draws.
  fw_tick_t at;      // -1: at the beginning, playing
  fw_tick_t window;  // 0: the page's own choice
  bool shows_reservations;
} fw__player_t;

void fw__player_add_fact(fw__player_t * player, const char * name, const char * format, ...) FW_PRINTF(3, 4);

// `tracks` must be finished.
FW_MUST_USE fw_ret_t
fw__player_write(const fw__player_t * player, const fw__tracks_t * tracks, FILE * stream, fw_error_t * error);

#endif  // VIEW__PLAYER_H_
