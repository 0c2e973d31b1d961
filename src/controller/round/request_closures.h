// Closures of a request, in its ticks, and what becomes of robots that stand on closed cells.
//
// Times are rounded outwards: a robot that is on a cell at a tick is on its way to or from it in the ticks before and
// after, and with this rounding neither falls into the time in which the cell is closed.
//
// No plan can keep a robot off a cell that is closed while it stands there. So its escape route, to the nearest cell
// that is open when it gets there, closes a little later, only for it. An agent whose cell closes forever gets another
// cell to park on.
//
// In a request closures are sorted by cell and time, and those of one cell do not touch.

#ifndef CONTROLLER__ROUND__REQUEST_CLOSURES_H_
#define CONTROLLER__ROUND__REQUEST_CLOSURES_H_

#include "controller/map/closures.h"
#include "controller/round/request.h"

// Robots do not wait longer than this for a cell to open: a closure that ends later counts as permanent, and one that
// begins later is ignored.
#define FW_CLOSURES_AHEAD_NS INT64_C(600000000000)

// Closes a cell from the first tick on, beside what sources close; fw__round_request_write_closures follows.
void fw__round_request_close_cell(fw_round_request_t * request, fw_cell_t cell);
// Writes the closures of all sources once the agents have their starts, and opens escape routes. Cells that are closed
// forever from the first tick on become obstacles.
void fw__round_request_write_closures(fw_round_request_t * request, const fw_closure_sources_t * closures);
// Drops closures that no source makes: no door closes there, so a robot on its way may wait in these cells.
void fw__round_request_keep_closures_of_sources(fw_round_request_t * request, const fw_closure_sources_t * closures);
// Finds parking cells for agents whose start closes forever or is in a no-waiting area, or which must leave it, once
// the goals are written.
void fw__round_request_write_parking(fw_round_request_t * request);

// True if a cell of this body is closed on one of the ticks `from` to `to`.
bool fw__round_request_is_closed(
  const fw_round_request_t * request, fw_placed_body_t placed, fw_tick_t from, fw_tick_t to);
// True if a cell of this body is closed forever from some tick on.
bool fw__round_request_closes_forever(const fw_round_request_t * request, fw_placed_body_t placed);
// Opens the cells of this body until `tick`; FW_TICK_MAX: they are not closed at all.
void fw__round_request_open_until(fw_round_request_t * request, fw_placed_body_t placed, fw_tick_t tick);

// True if the closures are sorted by cell and tick and those of one cell do not touch.
bool fw__round_request_closures_validate(const fw_round_request_t * request);

#endif  // CONTROLLER__ROUND__REQUEST_CLOSURES_H_
