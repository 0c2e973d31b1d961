#include "fuzz/fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void fuzz_require(bool holds, const char * text)
{
  if (!holds) {
    (void)fprintf(stderr, "fuzz: does not hold: %s\n", text);
    abort();
  }
}

enum { FILES = 4 };

// A file in memory, without a name: on a disk a truncation may take a hundred times as long as a target.
FILE * fuzz_stream(void)
{
  char name[64];
  (void)snprintf(name, sizeof(name), "/fleetweave_fuzz_%ld", (long)getpid());
  const int file = shm_open(name, O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
  (void)shm_unlink(name);
  FILE * stream = file >= 0 ? fdopen(file, "w+b") : tmpfile();
  fuzz_require(stream != NULL, "a temporary file can be made");
  return stream;
}

const char * fuzz_file(int number, const void * data, size_t size)
{
  static FILE * files[FILES];
  static char paths[FILES][32];
  fuzz_require(number >= 0 && number < FILES, "a number of a file");
  if (files[number] == NULL) {
    files[number] = fuzz_stream();
    (void)snprintf(paths[number], sizeof(paths[number]), "/dev/fd/%d", fileno(files[number]));
  }
  const int file = fileno(files[number]);
  fuzz_require(ftruncate(file, 0) == 0, "a temporary file can be emptied");
  for (size_t done = 0; done < size;) {
    const ssize_t written = pwrite(file, (const uint8_t *)data + done, size - done, (off_t)done);
    fuzz_require(written > 0, "a temporary file can be written");
    done += (size_t)written;
  }
  return paths[number];
}

static char folder[256];

static void remove_folder(void)
{
  DIR * entries = opendir(folder);
  for (struct dirent * entry; entries != NULL && (entry = readdir(entries)) != NULL;) {
    char path[512];
    (void)snprintf(path, sizeof(path), "%s/%.200s", folder, entry->d_name);
    (void)unlink(path);
  }
  if (entries != NULL) {
    (void)closedir(entries);
  }
  (void)rmdir(folder);
}

const char * fuzz_folder(void)
{
  if (folder[0] == '\0') {
    const char * above = getenv("TMPDIR");
    const char * usual = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    (void)snprintf(folder, sizeof(folder), "%s/fleetweave_fuzz_XXXXXX", above != NULL ? above : usual);
    fuzz_require(mkdtemp(folder) != NULL && atexit(remove_folder) == 0, "a temporary folder can be made");
  }
  return folder;
}

fuzz_path_t fuzz_named_file(const char * name, const void * data, size_t size)
{
  fuzz_path_t path;
  (void)snprintf(path.text, sizeof(path.text), "%.200s/%.40s", fuzz_folder(), name);
  FILE * file = fopen(path.text, "wb");
  fuzz_require(file != NULL && fwrite(data, 1, size, file) == size && fclose(file) == 0, "a file can be written");
  return path;
}

void fuzz_seed_text(fuzz_seed_t add, void * context, const char * text) { add(context, text, strlen(text)); }

void fuzz_seed_stream(fuzz_seed_t add, void * context, FILE * stream)
{
  static uint8_t buffer[1 << 16];
  fuzz_require(fflush(stream) == 0 && fseek(stream, 0, SEEK_SET) == 0, "a seed can be read again");
  add(context, buffer, fread(buffer, 1, sizeof(buffer), stream));
  (void)fclose(stream);
}

// ---- decisions ------------------------------------------------------------------------------------------------------

uint8_t fuzz_byte(fuzz_bytes_t * bytes) { return bytes->at < bytes->size ? bytes->data[bytes->at++] : 0; }

int32_t fuzz_below(fuzz_bytes_t * bytes, int32_t bound)
{
  if (bound <= 1) {
    return 0;
  }
  const uint32_t value = bound <= 256 ? fuzz_byte(bytes) : fuzz_byte(bytes) | (uint32_t)fuzz_byte(bytes) << 8;
  return (int32_t)(value % (uint32_t)bound);
}

double fuzz_double(fuzz_bytes_t * bytes)
{
  static const double special[] = {0.0,    -0.0, NAN,   INFINITY,     -INFINITY, 1e308, -1e308, 1e-308,
                                   4.7e18, 1e12, -1e12, 2147483648.0, 1e6,       -1e6,  0.5,    -0.5};
  const uint8_t kind = fuzz_byte(bytes);
  if (kind < 16) {
    return special[kind];
  }
  const int32_t value = fuzz_byte(bytes) | fuzz_byte(bytes) << 8;
  return kind < 32 ? (value - 32768) * 1e3 : (value - 8192) / 1024.0;  // most are metres of a small site
}

static void make_robot(fw_robot_t * robot, const fw_grid_t * grid, fuzz_bytes_t * bytes)
{
  static const fw_offset_t shapes[][4] = {
    {{0, 0}, {1, 0}}, {{0, 0}, {0, 1}}, {{0, 0}, {1, 0}, {0, 1}, {1, 1}}, {{0, 0}, {-1, 0}, {1, 0}}, {{1, 0}, {0, 1}}};
  static const int32_t counts[] = {2, 2, 4, 3, 2};
  const int32_t cells = fw_grid_cell_count(grid);
  *robot = (fw_robot_t){.start = fuzz_below(bytes, cells), .goal = fuzz_below(bytes, cells)};
  const uint8_t kind = fuzz_byte(bytes);
  if (kind < 128) {
    return;  // of one cell
  }
  robot->priority = fuzz_below(bytes, 4) - 1;
  robot->ticks_per_move = fuzz_below(bytes, 4);
  robot->sweeps_sides = (kind & 1) != 0;
  if ((kind & 2) != 0) {
    const int32_t shape = fuzz_below(bytes, 5);
    robot->footprint = shapes[shape];
    robot->footprint_count = counts[shape];
  }
  if ((kind & 4) != 0) {
    robot->turn_ticks = fuzz_below(bytes, 3);
    robot->heading = fuzz_below(bytes, 9);
  }
  if ((kind & 8) != 0) {
    robot->arrives = fuzz_below(bytes, 4);
    robot->from = fuzz_below(bytes, cells + 1) - 1;
    robot->from_heading = fuzz_below(bytes, 8);
  }
}

void fuzz_world(fuzz_world_t * world, fuzz_bytes_t * bytes)
{
  *world = (fuzz_world_t){0};
  world->grid = (fw_grid_t){
    .width = 1 + fuzz_below(bytes, FUZZ_SIDE_MAX), .height = 1 + fuzz_below(bytes, FUZZ_SIDE_MAX), .cost = world->cost};
  const uint8_t kind = fuzz_byte(bytes);
  const int32_t cells = fw_grid_cell_count(&world->grid);
  uint32_t bits = 0;
  for (int32_t c = 0; c < cells; ++c) {
    bits = c % 8 == 0 ? fuzz_byte(bytes) : bits >> 1;
    world->cost[c] = (bits & 1) != 0 ? 0 : 1;
  }
  for (int32_t k = 0; k < (kind & 3); ++k) {
    world->cost[fuzz_below(bytes, cells)] = fuzz_byte(bytes);
  }
  if ((kind & 12) == 12) {
    world->grid.rules = world->rules;
    world->rules[fuzz_below(bytes, cells)] = (uint16_t)(fuzz_byte(bytes) | fuzz_byte(bytes) << 8);
  }
  const int32_t robots = fuzz_below(bytes, FUZZ_ROBOTS_MAX + 1);
  for (int32_t r = 0; r < robots; ++r) {
    make_robot(&world->robots[r], &world->grid, bytes);
  }
  const int32_t closures = (kind & 16) != 0 ? fuzz_below(bytes, FUZZ_CLOSURES_MAX + 1) : 0;
  for (int32_t k = 0; k < closures; ++k) {
    const fw_tick_t from = fuzz_below(bytes, 40);
    const int32_t length = fuzz_below(bytes, 42) - 1;
    world->closures[k] =
      (fw_closure_t){fuzz_below(bytes, cells), from, length == 40 ? FW_TICK_MAX : (fw_tick_t)(from + length)};
  }
  world->problem = (fw_problem_t){
    .grid = &world->grid,
    .robots = world->robots,
    .robot_count = robots,
    .connectivity = (kind & 32) != 0 ? 8 : 4,
    .cuts_corners = (kind & 96) == 96 && (kind & 1) != 0,
    .robust_ticks = (kind & 128) != 0 ? fuzz_below(bytes, 3) : 0,
    .closures = world->closures,
    .closure_count = closures,
    .horizon = (kind & 64) != 0 ? fuzz_below(bytes, 20) : 0,
  };
}
