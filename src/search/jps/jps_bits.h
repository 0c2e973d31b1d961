// Blocked places as bits, scanned some fifty at a time: where does a straight jump end?
//
// A jump along a line ends before an obstacle, or on the first place beside which an obstacle has just ended, since from
// there one can turn into what it hid:
//
//   line - 1   . . # # . .         x: the jump eastward from s ends here
//   line       s . . . x .
//   line + 1   . . . . . .
//
// Both rows and columns are kept, so that jumps up and down are scans along a line too.

#ifndef SEARCH__JPS__JPS_BITS_H_
#define SEARCH__JPS__JPS_BITS_H_

#include <string.h>

#include "search/floor.h"

enum {
  FW_BITS_MARGIN = 64,  // bits before the first place of a line and behind the last, all blocked
  FW_BITS_SPAN = 57,    // bits that an unaligned word is certain to have
};

typedef struct fw_bits_t {
  uint8_t * bytes;
  int32_t line_bytes;
} fw_bits_t;

static inline void fw__bits_set(fw_bits_t * bits, int32_t line, int32_t at, bool is_blocked)
{
  const int32_t bit = at + FW_BITS_MARGIN;
  uint8_t * byte = &bits->bytes[(size_t)line * (size_t)bits->line_bytes + (size_t)(bit >> 3)];
  *byte = (uint8_t)(is_blocked ? *byte | 1 << (bit & 7) : *byte & ~(1 << (bit & 7)));
}

// 57 bits or more from `at` upwards, that of `at` in the lowest place. Bytes are put together for any byte order; the
// compiler makes one load of it.
static inline uint64_t fw__bits_up(const fw_bits_t * bits, int32_t line, int32_t at)
{
  const int32_t bit = at + FW_BITS_MARGIN;
  const uint8_t * b = &bits->bytes[(size_t)line * (size_t)bits->line_bytes + (size_t)(bit >> 3)];
  const uint64_t word = (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
                        (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
  return word >> (bit & 7);
}

// 57 bits or more from `at` downwards, that of `at` in the highest place.
static inline uint64_t fw__bits_down(const fw_bits_t * bits, int32_t line, int32_t at)
{
  const int32_t bit = at + FW_BITS_MARGIN;
  const uint8_t * b = &bits->bytes[(size_t)line * (size_t)bits->line_bytes + (size_t)(bit >> 3) - 7];
  const uint64_t word = (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
                        (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 | (uint64_t)b[7] << 56;
  return word << (7 - (bit & 7));
}

// Where a jump from `at` along `line` ends, upwards or downwards; -1 if it hits an obstacle first. `goal` is a place on
// this line that ends a jump too, or -1.
static inline int32_t fw__bits_jump_up(const fw_bits_t * bits, int32_t line, int32_t at, int32_t goal)
{
  for (int32_t from = at;; from += FW_BITS_SPAN - 1) {
    const uint64_t own = fw__bits_up(bits, line, from);
    const uint64_t before = fw__bits_up(bits, line - 1, from);
    const uint64_t behind = fw__bits_up(bits, line + 1, from);
    const uint64_t ends = (before << 1 & ~before) | (behind << 1 & ~behind);
    const uint64_t stops = (own | ends) & ~UINT64_C(1) & ((UINT64_C(1) << FW_BITS_SPAN) - 1);
    if (stops != 0) {
      const int32_t bit = __builtin_ctzll(stops);
      if (goal > at && goal <= from + bit) {
        return (own >> bit & 1) != 0 && goal == from + bit ? -1 : goal;
      }
      return (own >> bit & 1) != 0 ? -1 : from + bit;
    }
  }
}

static inline int32_t fw__bits_jump_down(const fw_bits_t * bits, int32_t line, int32_t at, int32_t goal)
{
  for (int32_t from = at;; from -= FW_BITS_SPAN - 1) {
    const uint64_t own = fw__bits_down(bits, line, from);
    const uint64_t before = fw__bits_down(bits, line - 1, from);
    const uint64_t behind = fw__bits_down(bits, line + 1, from);
    const uint64_t ends = (before >> 1 & ~before) | (behind >> 1 & ~behind);
    const uint64_t stops = (own | ends) & ~(UINT64_C(1) << 63) & ~((UINT64_C(1) << (64 - FW_BITS_SPAN)) - 1);
    if (stops != 0) {
      const int32_t bit = __builtin_clzll(stops);
      const bool is_blocked = (own << bit >> 63) != 0;
      if (goal >= 0 && goal < at && goal >= from - bit) {
        return is_blocked && goal == from - bit ? -1 : goal;
      }
      return is_blocked ? -1 : from - bit;
    }
  }
}

#endif  // SEARCH__JPS__JPS_BITS_H_
