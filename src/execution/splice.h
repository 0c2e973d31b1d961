// What the files of a splice share.

#ifndef EXECUTION__SPLICE_H_
#define EXECUTION__SPLICE_H_

#include "execution/execution.h"

typedef struct fw__splicing_t {
  fw__execution_t * execution;
  const fw_execution_splice_t * splice;
  fw__graph_t * graph;  // the next one
  fw_path_t * paths;    // by slot; length 0 for those who are not in the problem
  int32_t slot_count;
  fw_error_t * error;
} fw__splicing_t;

static inline int32_t fw__splice_slot(const fw__splicing_t * splicing, int32_t index)
{
  return splicing->splice->robots == NULL ? index : splicing->splice->robots[index];
}

// Is what the caller gives a problem with a plan for this execution?
fw_ret_t fw__splice_check(const fw__splicing_t * splicing);
// Robots by slot with their paths and shapes, each from where the cut has it.
fw_ret_t fw__splice_gather(fw__splicing_t * splicing);

#endif  // EXECUTION__SPLICE_H_
