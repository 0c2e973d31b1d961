// Ways out of a keepout mask, for robots that are inside it.
//
// Cells of the mask are obstacles. For a robot inside, the cells of its shortest way out over floor that is free
// without the mask are opened on the planning grid, so that plans and releases can lead it out. In requests these cells
// are closed from the first tick on: only robots that stand on them may use them, and have to leave (see
// request_closures.h). In the dependency graph they are obstacles for robots that come from outside, whose plans are
// older (fw_obstacle_change_t). When no robot is inside any more they are obstacles again; until then ways are only
// added, so that no way is taken from a robot that drives on it.
//
// The way keeps to one-way areas. If there is none that does, the shortest one is taken, and until it is closed its
// moves are allowed against the areas: inside only for those who leave, since nobody else may drive there, and in the
// first cell outside for all, in the direction of the last move.

#ifndef CONTROLLER__MAP__ESCAPE_H_
#define CONTROLLER__MAP__ESCAPE_H_

#include <stdbool.h>

#include <fleetweave/fleetweave.h>

struct fw_controller_impl_t;
struct fw_round_request_t;

// One-way rules of a cell before a way out was allowed to go against them.
typedef struct fw_lifted_rule_t {
  fw_cell_t cell;
  uint16_t rules;
} fw_lifted_rule_t;

// The cells that are open. {0} is empty.
typedef struct fw_escapes_t {
  bool * is_open;      // by planning cell; NULL before the first one
  int32_t * way_size;  // by planning cell: the cells of the largest body whose way out leads over it
  int32_t cell_count;
  fw_cell_t * cells;
  int32_t count;
  int32_t capacity;
  fw_lifted_rule_t * lifted;  // in the order in which they were lifted
  int32_t lifted_count;
  int32_t lifted_capacity;
  bool others_first;  // in the next round robots inside stay: the plans of others lead over their way out, and wait
  int64_t rounds;     // of the controller, when it was last looked whether somebody needs another way
} fw_escapes_t;

// Forgets the cells, for a new grid.
void fw__escapes_reset(fw_escapes_t * escapes);
void fw__escapes_fini(fw_escapes_t * escapes);
// Is this cell open for those who leave?
bool fw__escapes_have(const fw_escapes_t * escapes, fw_cell_t cell);
// Opens what robots inside the mask need, and closes what nobody needs any more. Without memory nothing is opened.
void fw__escapes_update(struct fw_controller_impl_t * controller);

#endif  // CONTROLLER__MAP__ESCAPE_H_
