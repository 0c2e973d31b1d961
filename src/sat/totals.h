// How many of some literals are true, as clauses: sums that can be bounded by one literal.
//
// O. Bailleux, Y. Boufkhad, Efficient CNF Encoding of Boolean Cardinality Constraints, CP 2003. Sums of two halves make
// the sum of the whole; here only from below: if so many inputs are true, the output is.

#ifndef SAT__TOTALS_H_
#define SAT__TOTALS_H_

#include "sat/sat.h"

typedef struct fw_total_t {
  int32_t * outputs;  // literals: [i] is true if more than i of the inputs are
  int32_t count;
} fw_total_t;

// False when there is no memory.
bool fw__total_init(fw_total_t * total, fw_sat_t * sat, const int32_t * inputs, int32_t count);

#endif  // SAT__TOTALS_H_
