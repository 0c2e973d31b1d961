// Runs a fuzz target without libFuzzer: a given number of inputs, each made from the target's seeds by random mutations
// that depend on nothing but a seed and the input's number. So a failure names the command that repeats it.

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "fuzz/fuzz.h"

enum { SEEDS_MAX = 64, SIZE_MAX_BYTES = 1 << 16, MUTATIONS_MAX = 8 };

typedef struct input_t {
  uint8_t * data;
  size_t size;
} input_t;

static input_t seeds[SEEDS_MAX];
static int32_t seed_count;
static const char * program;
static uint64_t seed_of_runs;
static int64_t run_now;

static void add_seed(void * context, const void * data, size_t size)
{
  (void)context;
  fuzz_require(seed_count < SEEDS_MAX && size <= SIZE_MAX_BYTES, "seeds are few and small");
  input_t * seed = &seeds[seed_count++];
  seed->data = malloc(size + 1);
  fuzz_require(seed->data != NULL, "memory");
  seed->size = size;
  if (size > 0) {
    memcpy(seed->data, data, size);
  }
}

// ---- mutations ------------------------------------------------------------------------------------------------------

// Replaces `removed` bytes at `at` by `text`.
static void replace(input_t * input, size_t at, size_t removed, const void * text, size_t length)
{
  if (input->size - removed + length > SIZE_MAX_BYTES) {
    return;
  }
  memmove(input->data + at + length, input->data + at + removed, input->size - at - removed);
  if (length > 0) {
    memmove(input->data + at, text, length);
  }
  input->size = input->size - removed + length;
}

static void replace_number(input_t * input, fw_rng_t * rng)
{
  static const char * const numbers[] = {
    "0",     "-1",      "1",       "2147483647", "2147483648", "-2147483649", "4294967296", "99999999999999999999",
    "nan",   "inf",     "-0",      "1e308",      "1e-308",     "0x10",        "",           "16384",
    "16385", "1000001", "forever", "*"};
  if (input->size == 0) {
    return;
  }
  size_t at = (size_t)fw__rng_below(rng, (int32_t)input->size);
  while (at < input->size && (input->data[at] < '0' || input->data[at] > '9')) {
    at += 1;
  }
  size_t end = at;
  while (end < input->size && input->data[end] >= '0' && input->data[end] <= '9') {
    end += 1;
  }
  const char * number = numbers[fw__rng_below(rng, (int32_t)(sizeof(numbers) / sizeof(numbers[0])))];
  replace(input, at, end - at, number, strlen(number));
}

// A piece of a seed, or of the input itself, over or between other bytes.
static void copy_piece(input_t * input, fw_rng_t * rng)
{
  const input_t * from = &seeds[fw__rng_below(rng, seed_count)];
  uint8_t piece[64];
  if (from->size == 0) {
    return;
  }
  const size_t begin = (size_t)fw__rng_below(rng, (int32_t)from->size);
  size_t length = 1 + (size_t)fw__rng_below(rng, (int32_t)sizeof(piece));
  length = length < from->size - begin ? length : from->size - begin;
  memcpy(piece, from->data + begin, length);
  const size_t at = (size_t)fw__rng_below(rng, (int32_t)input->size + 1);
  const size_t over = fw__rng_below(rng, 2) == 0 ? 0 : length;
  replace(input, at, over < input->size - at ? over : input->size - at, piece, length);
}

static void mutate(input_t * input, fw_rng_t * rng)
{
  const size_t at = input->size == 0 ? 0 : (size_t)fw__rng_below(rng, (int32_t)input->size);
  const uint8_t byte = (uint8_t)fw__rng_below(rng, 256);
  switch (fw__rng_below(rng, 8)) {
    case 0:
      replace(input, at, 0, &byte, 1);
      return;
    case 1: {
      const size_t length = 1 + (size_t)fw__rng_below(rng, 16);
      replace(input, at, length < input->size - at ? length : input->size - at, NULL, 0);
      return;
    }
    case 2:
      replace_number(input, rng);
      return;
    case 3:
    case 4:
      copy_piece(input, rng);
      return;
    case 5:
      input->size = at;  // cut off
      return;
    default:
      if (input->size > 0) {
        const uint8_t flipped = (uint8_t)(input->data[at] ^ 1U << (byte & 7));
        input->data[at] = (uint8_t)(fw__rng_below(rng, 2) == 0 ? byte : flipped);
      }
  }
}

// ---- runs -----------------------------------------------------------------------------------------------------------

static void print_run(int number)
{
  (void)fprintf(
    stderr, "signal %d; repeat: %s --seed %" PRIu64 " --first %" PRId64 " --runs 1\n", number, program, seed_of_runs,
    run_now);
  (void)signal(number, SIG_DFL);
  (void)raise(number);
}

static void run_one(input_t * input)
{
  fw_rng_t rng = fw__rng(seed_of_runs * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)run_now);
  const input_t * seed = &seeds[(uint64_t)run_now % (uint64_t)seed_count];
  input->size = seed->size;
  memcpy(input->data, seed->data, seed->size);
  if (run_now >= seed_count) {  // the first ones are the seeds themselves
    const int32_t mutations = 1 + fw__rng_below(&rng, MUTATIONS_MAX);
    for (int32_t k = 0; k < mutations; ++k) {
      mutate(input, &rng);
    }
  }
  // A copy of just this size, so that a sanitizer sees reads behind it.
  uint8_t * exact = malloc(input->size + 1);
  fuzz_require(exact != NULL, "memory");
  memcpy(exact, input->data, input->size);
  uint8_t * data = realloc(exact, input->size > 0 ? input->size : 1);
  (void)LLVMFuzzerTestOneInput(data == NULL ? exact : data, input->size);
  free(data == NULL ? exact : data);
}

static bool write_seeds(const char * folder)
{
  for (int32_t k = 0; k < seed_count; ++k) {
    char path[4096];
    (void)snprintf(path, sizeof(path), "%s/seed_%02d", folder, k);
    FILE * file = fopen(path, "wb");
    const bool is_written = file != NULL && fwrite(seeds[k].data, 1, seeds[k].size, file) == seeds[k].size;
    if (file == NULL || fclose(file) != 0 || !is_written) {
      perror(path);
      return false;
    }
  }
  return true;
}

int main(int argument_count, char ** arguments)
{
  int64_t first = 0;
  int64_t runs = 1000;
  const char * folder = NULL;
  program = arguments[0];
  for (int k = 1; k + 1 < argument_count; k += 2) {
    if (strcmp(arguments[k], "--runs") == 0) {
      runs = strtoll(arguments[k + 1], NULL, 10);
    } else if (strcmp(arguments[k], "--first") == 0) {
      first = strtoll(arguments[k + 1], NULL, 10);
    } else if (strcmp(arguments[k], "--seed") == 0) {
      seed_of_runs = strtoull(arguments[k + 1], NULL, 10);
    } else if (strcmp(arguments[k], "--write-seeds") == 0) {
      folder = arguments[k + 1];
    }
  }
  if (argument_count % 2 == 0) {
    (void)fprintf(stderr, "usage: %s [--runs N] [--seed N] [--first N] [--write-seeds FOLDER]\n", program);
    return 2;
  }
  fuzz_seeds(add_seed, NULL);
  fuzz_require(seed_count > 0, "a target has seeds");
  if (folder != NULL) {
    return write_seeds(folder) ? 0 : 1;
  }
  (void)signal(SIGABRT, print_run);
  (void)signal(SIGSEGV, print_run);
  input_t input = {.data = malloc(SIZE_MAX_BYTES + 64)};
  fuzz_require(input.data != NULL, "memory");
  for (run_now = first; run_now < first + runs; ++run_now) {
    run_one(&input);
  }
  free(input.data);
  for (int32_t k = 0; k < seed_count; ++k) {
    free(seeds[k].data);
  }
  (void)printf("%" PRId64 " inputs\n", runs);
  return 0;
}
