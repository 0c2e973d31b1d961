// Numbers as short text: base64 VLQ, the code of source maps. Small numbers take one character, and no character needs
// escaping in a page or in JSON.
//
//   number -> zigzag (sign in bit 0) -> groups of 5 bits, lowest first; bit 5 of a character says "more follow"

#ifndef VIEW__VLQ_H_
#define VIEW__VLQ_H_

#include <stdbool.h>

#include "fleetweave/fleetweave.h"

#define FW__VLQ_MAX ((int64_t)1 << 30)  // the page decodes with 32-bit integers: |number| must be smaller

typedef struct fw__vlq_t {
  char * text;  // not terminated
  size_t length;
  size_t capacity;
  bool has_failed;  // no memory, or a number out of range: asked once at the end, not after each number
  fw_allocator_t allocator;
} fw__vlq_t;

void fw__vlq_init(fw__vlq_t * vlq, const fw_allocator_t * allocator);
void fw__vlq_fini(fw__vlq_t * vlq);
void fw__vlq_put(fw__vlq_t * vlq, int64_t number);

#endif  // VIEW__VLQ_H_
