// Fuzz targets: a function of any bytes that must neither crash, nor leak, nor break what its file says must hold.
//
// A target is one file fuzz_<name>.c, here or in ros/, with the two functions below. It is built twice:
//
//   fuzz_<name>       with the driver of driver.c, by every compiler: a given number of inputs that a seed decides.
//                     `./run test` runs these, with and without sanitizers.
//   libfuzz_<name>    with libFuzzer, if FLEETWEAVE_FUZZ is set (clang): inputs are guided by coverage. `./run fuzz`
//                     runs these.

#ifndef FUZZ__FUZZ_H_
#define FUZZ__FUZZ_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "fleetweave/fleetweave.h"

// The entry of libFuzzer. Returns 0.
int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size);

// Hands out inputs that are well formed, made by our own writers where there are some: mutations begin with these.
typedef void (*fuzz_seed_t)(void * context, const void * data, size_t size);
void fuzz_seeds(fuzz_seed_t add, void * context);

// ---- for targets ----------------------------------------------------------------------------------------------------

// Ends the process with this text unless `holds`.
void fuzz_require(bool holds, const char * text);

// A file with these bytes, by its path. The next call overwrites it. Different numbers (0 to 3) are different files.
const char * fuzz_file(int number, const void * data, size_t size);

// A stream to write to and read from, in memory where the system can; the caller closes it.
FILE * fuzz_stream(void);

// A folder for files that need names; it and its files are removed at the end.
const char * fuzz_folder(void);
// Writes a file of that folder, and its path to `path`.
typedef struct fuzz_path_t {
  char text[256];
} fuzz_path_t;
fuzz_path_t fuzz_named_file(const char * name, const void * data, size_t size);

// A text, and what was written to a stream, as a seed.
void fuzz_seed_text(fuzz_seed_t add, void * context, const char * text);
void fuzz_seed_stream(fuzz_seed_t add, void * context, FILE * stream);  // from its beginning; closes it

// Bytes that are decoded into decisions. After the last one all decisions are 0.
typedef struct fuzz_bytes_t {
  const uint8_t * data;
  size_t size;
  size_t at;
} fuzz_bytes_t;

uint8_t fuzz_byte(fuzz_bytes_t * bytes);
int32_t fuzz_below(fuzz_bytes_t * bytes, int32_t bound);  // 0 to bound - 1
double fuzz_double(fuzz_bytes_t * bytes);                 // small ones, huge ones, and those that are no numbers
static inline bool fuzz_has_more(const fuzz_bytes_t * bytes) { return bytes->at < bytes->size; }

// A small world: a grid of up to 8 x 8 cells and up to 5 robots, of which fw_problem_check may refuse something.
enum { FUZZ_ROBOTS_MAX = 5, FUZZ_SIDE_MAX = 8, FUZZ_CLOSURES_MAX = 4 };
typedef struct fuzz_world_t {
  uint8_t cost[FUZZ_SIDE_MAX * FUZZ_SIDE_MAX];
  uint16_t rules[FUZZ_SIDE_MAX * FUZZ_SIDE_MAX];
  fw_grid_t grid;
  fw_robot_t robots[FUZZ_ROBOTS_MAX];
  fw_closure_t closures[FUZZ_CLOSURES_MAX];
  fw_problem_t problem;
} fuzz_world_t;
void fuzz_world(fuzz_world_t * world, fuzz_bytes_t * bytes);

#endif  // FUZZ__FUZZ_H_
