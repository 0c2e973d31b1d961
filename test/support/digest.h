// A hash of a plan, to compare plans byte by byte.

#ifndef SUPPORT__DIGEST_H_
#define SUPPORT__DIGEST_H_

#include "fleetweave/fleetweave.h"

// FNV-1a over lengths, cells and headings (of robots that have some) of all paths, byte by byte from the lowest, so
// that it is the same on every machine.
uint64_t digest_paths(const fw_path_t * paths, int32_t count);
// The paths, outcome, stop, safe_until and all numbers that do not depend on the clock or on addresses.
uint64_t digest_plan(const fw_plan_t * plan);

#endif  // SUPPORT__DIGEST_H_
