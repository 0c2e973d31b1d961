// Ways out of a keepout mask, for robots that are inside it.
//
// Cells of the mask are obstacles. For a robot inside, the cells of its shortest way out over floor that is free
// without the mask are opened on the planning grid, so that plans and releases can lead it out. In requests these cells
// are closed from the first tick on: only robots that stand on them may use them, and have to leave (see
// request_closures.h). When no robot is inside any more they are obstacles again; until then ways are only added, so
// that no way is taken from a robot that drives on it.

#ifndef CONTROLLER__MAP__ESCAPE_H_
#define CONTROLLER__MAP__ESCAPE_H_

#include <stdbool.h>

#include <fleetweave/fleetweave.h>

struct fw_controller_impl_t;
struct fw_round_request_t;

// The cells that are open. {0} is empty.
typedef struct fw_escapes_t {
  bool * is_open;  // by planning cell; NULL before the first one
  int32_t cell_count;
  fw_cell_t * cells;
  int32_t count;
  int32_t capacity;
} fw_escapes_t;

// Forgets the cells, for a new grid.
void fw__escapes_reset(fw_escapes_t * escapes);
void fw__escapes_fini(fw_escapes_t * escapes);
// Opens what robots inside the mask need, and closes what nobody needs any more. Without memory nothing is opened.
void fw__escapes_update(struct fw_controller_impl_t * controller);

#endif  // CONTROLLER__MAP__ESCAPE_H_
