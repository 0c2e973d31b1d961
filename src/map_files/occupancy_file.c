// Maps and masks of map_server. See occupancy_file.h.

#include "map_files/occupancy_file.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef FLEETWEAVE_HAS_PNG
#include <png.h>
#endif

#include "base/assert.h"
#include "base/error.h"
#include "base/heap.h"
#include "controller/map/map.h"
#include "map_files/area_file.h"
#include "map_files/yaml_file.h"

enum { PATH_SIZE = 1024, SIDE_MAX = 65536 };
static const int64_t PIXELS_MAX = INT64_C(1) << 28;

static bool ends_with(const char * text, const char * end)
{
  const size_t length = strlen(text), end_length = strlen(end);
  return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

bool fw__occupancy_file_is(const char * path) { return ends_with(path, ".yaml") || ends_with(path, ".yml"); }

void fw__occupancy_map_fini(fw_occupancy_map_t * map)
{
  free((void *)(uintptr_t)map->values);
  *map = (fw_occupancy_map_t){0};
}

// ---- images: grey values from 0, black, to 1, white, from the upper row on

typedef struct image_t {
  int32_t width, height;
  float * shades;
  bool * is_transparent;  // NULL: no pixel is
} image_t;

static void image_fini(image_t * image)
{
  free(image->shades);
  free(image->is_transparent);
  *image = (image_t){0};
}

static fw_ret_t image_init(image_t * image, int64_t width, int64_t height, const char * path, fw_error_t * error)
{
  if (width < 1 || height < 1 || width > SIDE_MAX || height > SIDE_MAX || width * height > PIXELS_MAX) {
    return fw__error(
      error, FW_RET_FILE, "%.100s: an image of %lld x %lld pixels; each side must be 1 to %d, and all at most %lld",
      path, (long long)width, (long long)height, (int)SIDE_MAX, (long long)PIXELS_MAX);
  }
  *image = (image_t){.width = (int32_t)width, .height = (int32_t)height};
  image->shades = fw__malloc((size_t)width * (size_t)height * sizeof *image->shades);
  return image->shades == NULL ? fw__error_memory(error) : FW_RET_OK;
}

// The next number of a PGM header or of ASCII pixels; comments reach from '#' to the end of the line. -1: none is left.
static int64_t next_number(FILE * file)
{
  int c = fgetc(file);
  while (c == '#' || isspace(c)) {
    for (; c == '#';) {
      for (c = fgetc(file); c != '\n' && c != EOF; c = fgetc(file)) {}
    }
    c = fgetc(file);
  }
  int64_t value = isdigit(c) ? 0 : -1;
  for (; isdigit(c) && value < INT32_MAX; c = fgetc(file)) {
    value = 10 * value + (c - '0');
  }
  return value;  // the one character behind it is read, as the format wants for binary pixels
}

static int64_t next_pixel(FILE * file, bool is_binary, bool is_wide)
{
  if (!is_binary) {
    return next_number(file);
  }
  const int high = is_wide ? fgetc(file) : 0, low = fgetc(file);
  return high == EOF || low == EOF ? -1 : (int64_t)high * 256 + low;
}

static fw_ret_t read_pgm(FILE * file, const char * path, image_t * image, fw_error_t * error)
{
  char kind[3] = {0};
  if (fread(kind, 1, 2, file) != 2 || kind[0] != 'P' || (kind[1] != '2' && kind[1] != '5')) {
    return fw__error(error, FW_RET_FILE, "%.400s: not a PGM image (P2 or P5)", path);
  }
  const int64_t width = next_number(file), height = next_number(file), white = next_number(file);
  if (white < 1 || white > 65535) {
    return fw__error(error, FW_RET_FILE, "%.400s: the header of the PGM image is damaged", path);
  }
  fw_ret_t ret = image_init(image, width, height, path, error);
  for (int64_t k = 0; ret == FW_RET_OK && k < width * height; ++k) {
    const int64_t value = next_pixel(file, kind[1] == '5', white > 255);
    if (value < 0 || value > white) {
      ret = fw__error(
        error, FW_RET_FILE, "%.400s: pixel %lld of %lld is missing or above %lld", path, (long long)k + 1,
        (long long)(width * height), (long long)white);
    } else {
      image->shades[k] = (float)value / (float)white;
    }
  }
  return ret;
}

#ifdef FLEETWEAVE_HAS_PNG
static fw_ret_t read_png(FILE * file, const char * path, image_t * image, fw_error_t * error)
{
  png_image png = {.version = PNG_IMAGE_VERSION};
  png_bytep pixels = NULL;
  fw_ret_t ret = FW_RET_OK;
  if (!png_image_begin_read_from_stdio(&png, file)) {
    return fw__error(error, FW_RET_FILE, "%.400s: %.60s", path, png.message);
  }
  png.format = PNG_FORMAT_RGBA;
  ret = image_init(image, png.width, png.height, path, error);
  if (ret != FW_RET_OK) {
    goto cleanup;
  }
  const size_t count = (size_t)png.width * (size_t)png.height;
  pixels = fw__malloc(PNG_IMAGE_SIZE(png));
  image->is_transparent = fw__calloc(count, sizeof *image->is_transparent);
  if (pixels == NULL || image->is_transparent == NULL) {
    ret = fw__error_memory(error);
    goto cleanup;
  }
  if (!png_image_finish_read(&png, NULL, pixels, 0, NULL)) {
    ret = fw__error(error, FW_RET_FILE, "%.400s: %.60s", path, png.message);
    goto cleanup;
  }
  for (size_t k = 0; k < count; ++k) {
    const png_bytep pixel = &pixels[4 * k];
    image->shades[k] = (float)(pixel[0] + pixel[1] + pixel[2]) / 765.0f;
    image->is_transparent[k] = pixel[3] < 255;
  }
cleanup:
  free(pixels);
  png_image_free(&png);
  return ret;
}
#else
static fw_ret_t read_png(FILE * file, const char * path, image_t * image, fw_error_t * error)
{
  (void)file;
  (void)image;
  return fw__error(
    error, FW_RET_FILE, "%.400s: this program was built without libpng; convert the image to PGM, or build with libpng",
    path);
}
#endif

static fw_ret_t read_image(image_t * image, const char * path, fw_error_t * error)
{
  FILE * file = fopen(path, "rb");
  if (file == NULL) {
    return fw__error(error, FW_RET_NOT_FOUND, "%.400s: the image cannot be opened", path);
  }
  const fw_ret_t ret =
    ends_with(path, ".png") ? read_png(file, path, image, error) : read_pgm(file, path, image, error);
  (void)fclose(file);
  if (ret != FW_RET_OK) {
    image_fini(image);
  }
  return ret;
}

// ---- the YAML file

typedef enum map_mode_t { MODE_TRINARY, MODE_SCALE, MODE_RAW } map_mode_t;

typedef struct map_yaml_t {
  char image[PATH_SIZE];
  double resolution;
  double origin[3];
  bool has_origin;
  bool negate;
  double occupied_thresh;
  double free_thresh;
  map_mode_t mode;
} map_yaml_t;

static bool read_origin(fw_yaml_file_t * file, const yaml_node_t * list, double origin[3])
{
  bool is_valid = list->type == YAML_SEQUENCE_NODE && fw__yaml_count(list) == 3;
  for (int32_t k = 0; k < 3 && is_valid; ++k) {
    is_valid = fw__yaml_number(fw__yaml_item(file, list, k), &origin[k]);
  }
  return is_valid;
}

static bool read_negate(const char * text, bool * negate)
{
  *negate = strcmp(text, "1") == 0 || strcmp(text, "true") == 0 || strcmp(text, "True") == 0;
  return *negate || strcmp(text, "0") == 0 || strcmp(text, "false") == 0 || strcmp(text, "False") == 0;
}

static bool read_mode(const char * text, map_mode_t * mode)
{
  static const char * const names[] = {"trinary", "scale", "raw"};
  for (int32_t k = 0; k < 3; ++k) {
    if (strcmp(text, names[k]) == 0) {
      *mode = (map_mode_t)k;
      return true;
    }
  }
  return false;
}

// The image is named relative to the YAML file.
static bool read_image_name(const char * text, const char * yaml_path, char image[PATH_SIZE])
{
  const char * slash = strrchr(yaml_path, '/');
  const int folder = slash == NULL || text[0] == '/' ? 0 : (int)(slash - yaml_path) + 1;
  const int length = snprintf(image, PATH_SIZE, "%.*s%s", folder, yaml_path, text);
  return text[0] != '\0' && length > 0 && length < PATH_SIZE;
}

// Takes one value. Keys that are not known are ignored, as map_server does.
static bool take_value(map_yaml_t * yaml, fw_yaml_file_t * file, const char * key, const yaml_node_t * value)
{
  const char * text = fw__yaml_text(value);
  if (strcmp(key, "image") == 0) {
    return value->type == YAML_SCALAR_NODE && read_image_name(text, file->path, yaml->image);
  }
  if (strcmp(key, "resolution") == 0) {
    return fw__yaml_number(value, &yaml->resolution) && yaml->resolution > 0.0;
  }
  if (strcmp(key, "origin") == 0) {
    yaml->has_origin = read_origin(file, value, yaml->origin);
    return yaml->has_origin;
  }
  if (strcmp(key, "negate") == 0) {
    return read_negate(text, &yaml->negate);
  }
  if (strcmp(key, "occupied_thresh") == 0) {
    return fw__yaml_number(value, &yaml->occupied_thresh);
  }
  if (strcmp(key, "free_thresh") == 0) {
    return fw__yaml_number(value, &yaml->free_thresh);
  }
  return strcmp(key, "mode") != 0 || read_mode(text, &yaml->mode);
}

static fw_ret_t read_yaml(map_yaml_t * yaml, const char * path, fw_error_t * error)
{
  fw_yaml_file_t file;
  fw_ret_t ret = fw__yaml_open(&file, path, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  *yaml = (map_yaml_t){.occupied_thresh = 0.65, .free_thresh = 0.25};
  const yaml_node_t * root = fw__yaml_root(&file);
  for (int32_t k = 0; k < fw__yaml_count(root) && ret == FW_RET_OK; ++k) {
    const yaml_node_t * value = NULL;
    const char * key = fw__yaml_pair(&file, root, k, &value);
    if (key != NULL && !take_value(yaml, &file, key, value)) {
      ret = strcmp(key, "origin") == 0
              ? fw__yaml_error(&file, value, error, "origin must be a list of three numbers, [x, y, yaw]")
              : fw__yaml_error(&file, value, error, "%.40s cannot be '%.60s'", key, fw__yaml_text(value));
    }
  }
  fw__yaml_close(&file);
  if (ret != FW_RET_OK) {
    return ret;
  }
  const char * missing = yaml->image[0] == '\0'    ? "image"
                         : yaml->resolution <= 0.0 ? "resolution"
                         : !yaml->has_origin       ? "origin"
                                                   : NULL;
  if (missing != NULL) {
    return fw__error(error, FW_RET_FILE, "%.400s: '%s' is missing", path, missing);
  }
  if (!(yaml->free_thresh >= 0.0 && yaml->free_thresh < yaml->occupied_thresh && yaml->occupied_thresh <= 1.0)) {
    return fw__error(
      error, FW_RET_FILE, "%.400s: free_thresh must be below occupied_thresh, and both between 0 and 1", path);
  }
  return FW_RET_OK;
}

// ---- from shades to occupancy, as map_server

static int8_t value_of(const map_yaml_t * yaml, double shade, bool is_transparent)
{
  const double occupancy = yaml->negate ? shade : 1.0 - shade;
  if (yaml->mode == MODE_RAW) {
    const double value = round(shade * 255.0);
    return (int8_t)(value <= 100.0 ? value : -1.0);
  }
  if (yaml->mode == MODE_SCALE && is_transparent) {
    return -1;
  }
  if (occupancy > yaml->occupied_thresh) {
    return 100;
  }
  if (occupancy < yaml->free_thresh) {
    return 0;
  }
  const double share = (occupancy - yaml->free_thresh) / (yaml->occupied_thresh - yaml->free_thresh);
  return yaml->mode == MODE_SCALE ? (int8_t)lround(100.0 * share) : -1;
}

fw_ret_t fw__occupancy_file_read(fw_occupancy_map_t * map, const char * path, fw_error_t * error)
{
  map_yaml_t yaml;
  image_t image = {0};
  *map = (fw_occupancy_map_t){0};
  fw_ret_t ret = read_yaml(&yaml, path, error);
  if (ret == FW_RET_OK) {
    ret = read_image(&image, yaml.image, error);
  }
  if (ret != FW_RET_OK) {
    return ret;
  }
  int8_t * values = fw__malloc((size_t)image.width * (size_t)image.height);
  for (int32_t y = 0; values != NULL && y < image.height; ++y) {
    for (int32_t x = 0; x < image.width; ++x) {
      const size_t pixel = (size_t)(image.height - 1 - y) * (size_t)image.width + (size_t)x;
      values[(size_t)y * (size_t)image.width + (size_t)x] =
        value_of(&yaml, (double)image.shades[pixel], image.is_transparent != NULL && image.is_transparent[pixel]);
    }
  }
  *map = (fw_occupancy_map_t){
    .width = image.width,
    .height = image.height,
    .resolution = yaml.resolution,
    .origin = {{yaml.origin[0], yaml.origin[1]}, yaml.origin[2]},
    .values = values,
  };
  image_fini(&image);
  if (values == NULL) {
    *map = (fw_occupancy_map_t){0};
    return fw__error_memory(error);
  }
  return FW_RET_OK;
}

// ---- planning grids

// A grid of cells as an occupancy grid.
static fw_ret_t occupancy_of_grid(fw_occupancy_map_t * map, const fw_grid_t * grid, double cell, fw_error_t * error)
{
  const size_t count = (size_t)fw_grid_cell_count(grid);
  int8_t * values = fw__malloc(count);
  for (size_t k = 0; values != NULL && k < count; ++k) {
    values[k] = grid->cost[k] == 0 ? 100 : 0;
  }
  *map = (fw_occupancy_map_t){.width = grid->width, .height = grid->height, .resolution = cell, .values = values};
  return values == NULL ? fw__error_memory(error) : FW_RET_OK;
}

static fw_ret_t read_layers(
  const fw_planning_files_t * files, const fw_grid_t * grid, fw_occupancy_map_t layers[3], fw_error_t * error)
{
  fw_ret_t ret = files->map == NULL ? occupancy_of_grid(&layers[0], grid, files->cell > 0.0 ? files->cell : 1.0, error)
                                    : fw__occupancy_file_read(&layers[0], files->map, error);
  if (ret == FW_RET_OK && files->keepout != NULL) {
    ret = fw__occupancy_file_read(&layers[1], files->keepout, error);
  }
  if (ret == FW_RET_OK && files->cost_mask != NULL) {
    ret = fw__occupancy_file_read(&layers[2], files->cost_mask, error);
  }
  return ret;
}

// Costs of the masks are added to those that the cells have. The rules of areas are taken from `layered`.
static void put_onto(fw_grid_t * grid, fw_grid_t * layered)
{
  FW_ASSERT(grid->rules == NULL && grid->allocator.deallocate == layered->allocator.deallocate);
  grid->rules = layered->rules;
  layered->rules = NULL;
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    const int32_t sum = grid->cost[cell] + layered->cost[cell] - 1;
    grid->cost[cell] = grid->cost[cell] == 0 || layered->cost[cell] == 0 ? 0 : (uint8_t)(sum < 255 ? sum : 255);
  }
}

fw_ret_t fw__planning_files_read(fw_grid_t * grid, const fw_planning_files_t * files, fw_error_t * error)
{
  fw_occupancy_map_t layers[3] = {0};
  fw_planning_map_t map = {0};
  fw_error_t reason = {0};
  fw_controller_settings_t settings = fw_controller_settings_default();
  fw_area_list_t areas = {0};
  fw_ret_t ret = read_layers(files, grid, layers, error);
  if (ret == FW_RET_OK && files->areas != NULL) {
    ret = fw__area_file_read(&areas, files->areas, error);
  }
  if (ret != FW_RET_OK) {
    goto cleanup;
  }
  if (files->origin != NULL) {
    *files->origin = layers[0].origin;
  }
  settings.planning_resolution = files->map == NULL ? layers[0].resolution : files->cell;
  settings.robot_radius = files->robot_radius;
  settings.connectivity = files->connectivity;
  settings.map_cost_max = files->map_cost_max;
  settings.mask_cost_max = files->mask_cost_max;
  if (settings.map_cost_max > 1) {
    settings.occupied_thresh = 0.99;
    settings.free_thresh = 0.01;
  }
  const fw_map_source_t source = {
    .occupancy = &layers[0],
    .settings = &settings,
    .needs_whole_squares = files->robot_radius <= 0.0,
    .keepout = files->keepout == NULL ? NULL : &layers[1],
    .cost_mask = files->cost_mask == NULL ? NULL : &layers[2],
    .areas = &areas,
  };
  if (
    (files->keepout != NULL && !fw__planning_map_check(&layers[1], &reason)) ||
    (files->cost_mask != NULL && !fw__planning_map_check(&layers[2], &reason)) ||
    !fw__planning_map_build(&map, &source, &reason)) {
    ret = fw__error(error, FW_RET_FILE, "%.400s: %s", files->map == NULL ? "mask" : files->map, reason.text);
    goto cleanup;
  }
  if (files->map == NULL && (map.grid.width != grid->width || map.grid.height != grid->height)) {
    ret = fw__error(
      error, FW_RET_INVALID_ARGUMENT, "a robot of radius %g m is larger than a cell of %g m", files->robot_radius,
      layers[0].resolution);
  } else if (files->map == NULL) {
    put_onto(grid, &map.grid);
  } else {
    *grid = map.grid;
    map.grid = (fw_grid_t){0};
  }
cleanup:
  for (int32_t k = 0; k < 3; ++k) {
    fw__occupancy_map_fini(&layers[k]);
  }
  fw__planning_map_fini(&map);
  fw__area_list_fini(&areas);
  return ret;
}
