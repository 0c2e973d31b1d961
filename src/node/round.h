// The problem of one round: who takes part, from where, to where.

#ifndef NODE__ROUND_H_
#define NODE__ROUND_H_

#include "node/planning.h"

// Fills the idle worker's job. Robots that cannot take part get their fault here. False if there is no memory.
bool round_write(planning_t * planning, int64_t now_ns);
// Makes the answer the schedule. False if there is no memory: the schedule is then empty.
bool round_adopt(planning_t * planning, int64_t now_ns);

#endif  // NODE__ROUND_H_
