// Maps of Nav2's map_server and areas, in YAML. The first byte decides which; for a map the bytes up to the first zero
// are the YAML file and those behind it the image. What is read is within its limits.

#include <string.h>

#include "fuzz/fuzz.h"
#include "map_files/area_file.h"
#include "map_files/occupancy_file.h"

static void read_map(const uint8_t * data, size_t size)
{
  const uint8_t * zero = memchr(data, 0, size);
  const size_t text = zero == NULL ? size : (size_t)(zero - data);
  const size_t rest = zero == NULL ? 0 : size - text - 1;
  (void)fuzz_named_file("a.pgm", zero == NULL ? data : zero + 1, rest);
  (void)fuzz_named_file("a.png", zero == NULL ? data : zero + 1, rest);
  const fuzz_path_t yaml = fuzz_named_file("a.yaml", data, text);
  fw_occupancy_map_t map = {0};
  fw_error_t error = {0};
  if (fw__occupancy_file_read(&map, yaml.text, &error) == FW_RET_OK) {
    fuzz_require(map.width > 0 && map.height > 0 && map.resolution > 0, "a map has a size");
    for (int64_t c = 0; c < (int64_t)map.width * map.height; ++c) {
      fuzz_require(map.values[c] >= -1 && map.values[c] <= 100, "values are those of an occupancy grid");
    }
    fw__occupancy_map_fini(&map);
  } else {
    fuzz_require(error.text[0] != '\0', "a refusal has a text");
  }
}

static void read_areas(const uint8_t * data, size_t size)
{
  fw_area_list_t list = {0};
  fw_error_t error = {0};
  if (fw__area_file_read(&list, fuzz_file(0, data, size), &error) == FW_RET_OK) {
    for (int32_t k = 0; k < list.count; ++k) {
      fuzz_require(list.areas[k].point_count >= 3 && list.areas[k].point_count <= FW_AREA_POINTS_MAX, "a polygon");
    }
    fw__area_list_fini(&list);
  } else {
    fuzz_require(error.text[0] != '\0', "a refusal has a text");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
  if (size > 0 && data[0] == 'a') {
    read_areas(data + 1, size - 1);
  } else if (size > 0) {
    read_map(data + 1, size - 1);
  }
  return 0;
}

void fuzz_seeds(fuzz_seed_t add, void * context)
{
  static const char map[] =
    "mimage: a.pgm\nresolution: 0.05\norigin: [-1.0, -5.0, 0.1]\nnegate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.25\n"
    "\0P2\n# text\n3 2\n255\n0 255 128\n254 1 205\n";
  static const char raw[] =
    "mimage: a.pgm\nresolution: 1\norigin: [0, 0, 0]\nmode: scale\nnegate: 1\n\0P5 2 2 255\n\x01\xff\x80\x40";
  add(context, map, sizeof(map) - 1);
  add(context, raw, sizeof(raw) - 1);
  fuzz_seed_text(
    add, context,
    "aareas:\n  - name: aisle_3\n    kind: one_way\n    direction: 90\n    polygon: [[1.0, 0.5], [2.0, 0.5], [2.0, "
    "8.0]]\n"
    "  - {name: crossing, kind: no_waiting, rectangle: [0.0, 8.0, 4.0, 10.0]}\n"
    "  - {name: dock, kind: cost, cost: 10, polygon: [[5, 5], [6, 5], [6, 6]]}\n");
}
