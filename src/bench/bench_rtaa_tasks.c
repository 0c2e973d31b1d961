// The five tasks of `bench rtaa`: small maps of the kind of the paper's Figure 6, A* beside RTAA* of lookahead 3 to 7.
//
// The paper shows its maps as pictures only, so these are drawn anew: start on the left, goal on the right, nothing in
// between, a wall, a bay, two walls that overlap, and rooms.

#include <stdio.h>
#include <string.h>

#include "bench/bench_rtaa.h"
#include "cli/words.h"
#include "fleetweave/search.h"

enum { WIDTH = 23, HEIGHT = 13 };

static const char * const drawings[CLI_RTAA_TASKS][HEIGHT] = {
  {
    ".......................",
    ".......................",
    "...........##..........",
    "...........##..........",
    ".......................",
    ".......................",
    "..S.................G..",
    ".......................",
    ".......................",
    ".....##................",
    ".....##........###.....",
    ".......................",
    ".......................",
  },
  {
    ".......................",
    ".......................",
    ".......................",
    "..............#........",
    "..............#........",
    "..............#........",
    "..S...........#.....G..",
    "..............#........",
    "..............#........",
    ".......................",
    ".......................",
    ".......................",
    ".......................",
  },
  {
    ".......................",
    ".......................",
    ".......................",
    ".......................",
    "............###........",
    "..............#........",
    "..S...........#.....G..",
    "..............#........",
    "............###........",
    ".......................",
    ".......................",
    ".......................",
    ".......................",
  },
  {
    "........#..............",
    "........#..............",
    "........#..............",
    "........#..............",
    "........#.....#........",
    "........#.....#........",
    "..S.....#.....#.....G..",
    "........#.....#........",
    "..............#........",
    "..............#........",
    "..............#........",
    "..............#........",
    "..............#........",
  },
  {
    "......#.......#........",
    "......#.......#........",
    "......#.......#........",
    "..............#........",
    "......#................",
    "......#.......#........",
    "..S...#.......#.....G..",
    "......#########........",
    "......#.......#........",
    "......#................",
    "..............#........",
    "......#.......#........",
    "......#.......#........",
  },
};

typedef struct board_t {
  uint8_t cost[WIDTH * HEIGHT];
  fw_grid_t grid;
  fw_cell_t start;
  fw_cell_t goal;
} board_t;

static void read_board(board_t * board, const char * const * rows)
{
  for (int32_t cell = 0; cell < WIDTH * HEIGHT; ++cell) {
    const char sign = rows[cell / WIDTH][cell % WIDTH];
    board->cost[cell] = sign == '#' ? 0 : 1;
    board->start = sign == 'S' ? cell : board->start;
    board->goal = sign == 'G' ? cell : board->goal;
  }
  board->grid = (fw_grid_t){.width = WIDTH, .height = HEIGHT, .cost = board->cost};
}

static int run_task(const cli_rtaa_report_t * report, const board_t * board, cli_rtaa_task_t * task)
{
  fw_error_t error = {0};
  fw_route_t route = {0};
  const int32_t connectivity = report->batch.connectivity;
  if (fw_route_find(&route, &board->grid, board->start, board->goal, connectivity, NULL, &error) != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  task->length[0] = route.length - 1;
  fw_route_fini(&route);
  for (int32_t lookahead = CLI_RTAA_TASK_MIN; lookahead <= CLI_RTAA_TASK_MAX; ++lookahead) {
    fw_batch_options_t options = report->batch;
    fw_batch_t batch = {0};
    options.lookahead = lookahead;
    options.moves = lookahead;
    if (
      fw_batch_init(&batch, &board->grid, &board->start, &board->goal, 1, &options, &error) != FW_RET_OK ||
      fw_batch_run(&batch, 1000, &error) != FW_RET_OK) {
      fw_batch_fini(&batch);
      return cli_say(CLI_FAILURE, "%s", error.text);
    }
    const fw_batch_robot_t robot = fw_batch_robot(&batch, 0);
    task->length[lookahead] = robot.state == FW_BATCH_ARRIVED ? (int32_t)robot.length : -1;
    task->episodes[lookahead] = (int32_t)robot.episodes;
    fw_batch_fini(&batch);
  }
  return CLI_SOLVED;
}

int cli_rtaa_run_tasks(cli_rtaa_report_t * report)
{
  int exit_code = CLI_SOLVED;
  for (int32_t i = 0; i < CLI_RTAA_TASKS && exit_code == CLI_SOLVED; ++i) {
    board_t board = {0};
    read_board(&board, drawings[i]);
    exit_code = run_task(report, &board, &report->tasks[i]);
  }
  return exit_code;
}

// Table 4 of the paper; its maps are others, so only the order of magnitude is to be compared.
static const int32_t paper[CLI_RTAA_TASKS][CLI_RTAA_TASK_MAX + 1] = {
  {18, 0, 0, 18, 18, 18, 18, 18}, {19, 0, 0, 28, 23, 25, 21, 19}, {19, 0, 0, 33, 40, 23, 32, 34},
  {19, 0, 0, 26, 20, 20, 20, 22}, {23, 0, 0, 31, 29, 27, 26, 27},
};

void cli_rtaa_print_tasks(const cli_rtaa_report_t * report)
{
  printf("\nFive tasks (Table 4): length and episodes; in brackets the paper's length, on its own maps\n");
  printf("%-9s", "");
  for (int32_t i = 0; i < CLI_RTAA_TASKS; ++i) {
    printf("          task %d", i + 1);
  }
  for (int32_t lookahead = 0; lookahead <= CLI_RTAA_TASK_MAX; lookahead += lookahead == 0 ? CLI_RTAA_TASK_MIN : 1) {
    char name[16];
    snprintf(name, sizeof(name), lookahead == 0 ? "A*" : "RTAA*-%d", lookahead);
    printf("\n%-9s", name);
    for (int32_t i = 0; i < CLI_RTAA_TASKS; ++i) {
      const cli_rtaa_task_t * task = &report->tasks[i];
      if (lookahead == 0) {
        printf("   %3d      (%2d)", task->length[0], paper[i][0]);
      } else {
        printf("   %3d /%3d (%2d)", task->length[lookahead], task->episodes[lookahead], paper[i][lookahead]);
      }
    }
  }
  printf("\n");
}
