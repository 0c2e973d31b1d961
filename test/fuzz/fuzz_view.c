// Pictures and pages with any title and names: no byte of a name gets out of the text or the string that it is in.

#include <stdlib.h>
#include <string.h>

#include "fleetweave/files.h"
#include "fleetweave/view.h"
#include "fuzz/fuzz.h"

static int32_t count(const char * text, size_t size, const char * word)
{
  int32_t found = 0;
  const size_t length = strlen(word);
  for (size_t k = 0; k + length <= size; ++k) {
    found += memcmp(text + k, word, length) == 0 ? 1 : 0;
  }
  return found;
}

typedef struct page_t {
  int32_t tags;     // "<"
  int32_t scripts;  // "<script", "</script"
} page_t;

static page_t draw(const fw_problem_t * problem, const fw_plan_t * plan, const char * title, bool is_html)
{
  char * text = NULL;
  size_t size = 0;
  FILE * stream = open_memstream(&text, &size);
  fuzz_require(stream != NULL, "memory");
  const fw_view_options_t options = {.title = title};
  const fw_view_plan_t plans[] = {{problem, plan, title}, {problem, plan, "other"}};
  const fw_ret_t ret =
    is_html ? fw_view_html_plans(plans, 2, &options, stream, NULL) : fw_view_svg(problem, plan, &options, stream, NULL);
  fuzz_require(ret == FW_RET_OK && fclose(stream) == 0, "a page is written");
  fuzz_require(memchr(text, 0, size) == NULL, "a page has no zero bytes");
  const page_t page = {count(text, size, "<"), count(text, size, "<script") + count(text, size, "</script")};
  free(text);
  return page;
}

int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
  static char title[1024];
  const size_t length = size < sizeof(title) - 1 ? size : sizeof(title) - 1;
  memcpy(title, data, length);
  title[length] = '\0';
  uint8_t cost[6] = {1, 1, 1, 1, 1, 1};
  const fw_grid_t grid = {.width = 3, .height = 2, .cost = cost};
  const fw_robot_t robot = {.start = 0, .goal = 2};
  const fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1};
  const fw_cell_t cells[] = {0, 1, 2};
  const fw_path_t path = {.cells = cells, .length = 3};
  const fw_plan_t plan = {.outcome = FW_OUTCOME_SOLVED, .safe_until = FW_TICK_MAX, .paths = &path, .robot_count = 1};
  for (int32_t is_html = 0; is_html < 2; ++is_html) {
    const page_t plain = draw(&problem, &plan, "plain", is_html != 0);
    const page_t page = draw(&problem, &plan, title, is_html != 0);
    fuzz_require(page.tags == plain.tags && page.scripts == plain.scripts, "a title adds no tag");
  }
  return 0;
}

void fuzz_seeds(fuzz_seed_t add, void * context)
{
  static const char * const titles[] = {
    "hall",          "</script><script>alert(1)</script>", "\"'&<>\\", "<!--<script>", "]]>", "\xe2\x80\xa8\xff\xfe",
    "a\nb\tc\x1b[2J"};
  for (size_t k = 0; k < sizeof(titles) / sizeof(titles[0]); ++k) {
    fuzz_seed_text(add, context, titles[k]);
  }
}
