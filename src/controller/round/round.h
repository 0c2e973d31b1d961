// One planning round: the request that goes to the worker, and what becomes of the result.
//
//   fleet, map, closures --fw__round_write_request--> request --worker--> result --fw__round_take_result--> schedule
//
// Execution mode dependency: the request starts from a cut through the dependency graph (what is released stays as it
// is), and the result is spliced into the graph. Until then, and if the round fails, the old plan is in force. Other
// modes: the request starts where the schedule has robots at the epoch, a little ahead of now, and the result becomes
// the schedule if it comes before the epoch.

#ifndef CONTROLLER__ROUND__ROUND_H_
#define CONTROLLER__ROUND__ROUND_H_

#include "controller/controller.h"

// The length of a tick: the time for one step at `speed`; on a grid with diagonals, for a diagonal step.
int64_t fw__round_tick_ns(const fw_map_frame_t * frame, const fw_controller_settings_t * settings);
// Writes the idle worker's request. Robots that cannot take part get their planning_fault. False if there is no memory.
bool fw__round_write_request(fw_controller_impl_t * controller, int64_t now_ns);
// Checks the result of the worker, which must be done, and puts it into force if it can be used. True if it is in
// force.
bool fw__round_take_result(fw_controller_impl_t * controller, int64_t now_ns);
// Undoes the cut through the dependency graph, if there is one: the old plan stays in force.
void fw__round_undo_cut(fw_controller_impl_t * controller);
// Remembers why a round failed, and logs it if it is another reason than before.
void fw__round_note_failure(fw_controller_impl_t * controller, const char * what, const char * text);

#endif  // CONTROLLER__ROUND__ROUND_H_
