// Base64 VLQ (variable-length quantity), the encoding of source maps: integers as short text. Small numbers take one
// character, and no character needs escaping in HTML or JSON.
//
//   number -> zigzag (sign in bit 0) -> groups of 5 bits, lowest first; bit 5 of a character says "more follow"

#ifndef VIEW__VLQ_H_
#define VIEW__VLQ_H_

#include <stdbool.h>
#include <stdio.h>

#include "fleetweave/fleetweave.h"

#define FW_VLQ_MAX ((int64_t)1 << 30)  // the page decodes with 32-bit integers: |number| must be smaller

typedef struct fw_vlq_t {
  char * text;  // not terminated
  size_t length;
  size_t capacity;
  bool has_failed;  // no memory, or a number out of range. Sticky: callers check once at the end
  fw_allocator_t allocator;
} fw_vlq_t;

void fw__vlq_init(fw_vlq_t * vlq, const fw_allocator_t * allocator);
void fw__vlq_fini(fw_vlq_t * vlq);
// Appends a number; does nothing after a failure.
void fw__vlq_put(fw_vlq_t * vlq, int64_t number);
// The text as a JSON string with its quotes.
void fw__vlq_write_json(const fw_vlq_t * vlq, FILE * stream);

#endif  // VIEW__VLQ_H_
