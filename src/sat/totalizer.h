// The totalizer encoding: how many of some literals are true, as clauses over new variables.
//
// O. Bailleux, Y. Boufkhad, Efficient CNF Encoding of Boolean Cardinality Constraints, CP 2003. A balanced tree whose
// leaves are the inputs; each node counts in unary by adding its two children. Only one direction is encoded: if more
// than i inputs are true, output i is true. That is enough to bound the sum from above by assuming one negated output.

#ifndef SAT__TOTALIZER_H_
#define SAT__TOTALIZER_H_

#include "sat/sat.h"

typedef struct fw_totalizer_t {
  int32_t * outputs;  // literals, in the solver's arena: outputs[i] is true if more than i of the inputs are
  int32_t count;      // of inputs, and of outputs
} fw_totalizer_t;

// Adds the variables and clauses for `count` >= 1 input literals. False when there is no memory.
bool fw__totalizer_init(fw_totalizer_t * totalizer, fw_sat_t * sat, const int32_t * inputs, int32_t count);

#endif  // SAT__TOTALIZER_H_
