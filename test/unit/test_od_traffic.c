// Who is where when, against the obvious way to ask; and the open list by long keys.

#include "planner/optimal/traffic.h"

#include "planner/optimal/ranked.h"
#include "support/test.h"
#include "support/world.h"

enum { TICKS = 14, ROBOTS = 6 };

typedef struct room_t {
  world_t world;
  fw_memory_t memory;
  fw_arena_t arena;
  fw_moves_t moves;
  fw_scene_t scene;
  fw_cell_t paths[ROBOTS][TICKS];
  int32_t lengths[ROBOTS];
} room_t;

// Paths are random walks that may meet; no two end on one node.
static void begin(room_t * room, uint64_t number, int32_t robust_ticks)
{
  fw_rng_t rng = fw__rng(number);
  world_make(&room->world, number, WORLD_DIAGONALS, ROBOTS);
  room->memory = (fw_memory_t){.allocator = fw_allocator_default(), .max_bytes = (size_t)1 << 26};
  fw__arena_init(&room->arena, &room->memory);
  const fw_problem_t * problem = &room->world.problem;
  assert_true(fw__moves_init(
    &room->moves, &room->arena, problem->grid, problem->connectivity == 8 ? 8 : 4, fw__footprint_single.cells, 1));
  room->scene = (fw_scene_t){.problem = problem, .moves = &room->moves, .robust_ticks = robust_ticks};
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const int32_t length = 1 + fw__rng_below(&rng, TICKS);
    int32_t node = room->moves.node_of[problem->robots[r].start];
    for (int32_t t = 0; t < length; ++t) {
      room->paths[r][t] = node;
      const int32_t next = fw__moves_successors(&room->moves, node)[fw__rng_below(&rng, room->moves.degree)];
      node = next >= 0 && fw__rng_below(&rng, 4) > 0 ? next : node;
    }
    room->lengths[r] = length;
    for (int32_t k = 0; k < r; ++k) {
      if (room->lengths[k] > 0 && room->paths[k][room->lengths[k] - 1] == room->paths[r][length - 1]) {
        room->paths[r][0] = room->moves.node_of[problem->robots[r].start];
        room->lengths[r] = 0;  // it stays out
      }
    }
  }
}

static void end(room_t * room)
{
  fw__arena_fini(&room->arena);
  world_fini(&room->world);
}

static fw_path_t path_of(const room_t * room, int32_t robot)
{
  return (fw_path_t){.cells = room->paths[robot], .length = room->lengths[robot]};
}

static int32_t middle(const room_t * room, int32_t a, int32_t b, bool is_y)
{
  const fw_grid_t * grid = room->scene.problem->grid;
  const fw_cell_t one = room->moves.cell_of[a];
  const fw_cell_t two = room->moves.cell_of[b];
  return is_y ? fw_grid_y(grid, one) + fw_grid_y(grid, two) : fw_grid_x(grid, one) + fw_grid_x(grid, two);
}

// Does a hop meet a robot: the same place within the robust ticks, or the same middle of two moves at the same time?
static bool meets(const room_t * room, const fw_hop_t * hop, int32_t robot)
{
  const fw_path_t path = path_of(room, robot);
  const fw_tick_t arrival = hop->depart + 1;
  const int32_t k = room->scene.robust_ticks;
  bool is_met = false;
  for (fw_tick_t t = arrival > k ? arrival - k : 0; t <= arrival + k; ++t) {
    is_met = is_met || fw_path_at(&path, t) == hop->to;
  }
  if (hop->direction >= 0) {
    const int32_t from = fw_path_at(&path, hop->depart);
    const int32_t to = fw_path_at(&path, arrival);
    is_met = is_met || (from != to && middle(room, from, to, false) == middle(room, hop->from, hop->to, false) &&
                        middle(room, from, to, true) == middle(room, hop->from, hop->to, true) &&
                        !(from == hop->from && to == hop->to));
  }
  return is_met;
}

static void assert_same(const room_t * room, const fw_traffic_t * traffic, const fw_hop_t * hop, const bool * is_in)
{
  fw_meeting_t meetings[64];
  const int32_t count = fw__traffic_meet(traffic, hop, meetings, 64);
  bool is_met[ROBOTS] = {false};
  for (int32_t i = 0; i < count && i < 64; ++i) {
    is_met[meetings[i].other] = true;
    assert_int_equal(meetings[i].tick, hop->depart + 1);
  }
  for (int32_t r = 0; r < room->scene.problem->robot_count; ++r) {
    assert_int_equal(is_met[r], is_in[r] && meets(room, hop, r));
  }
}

static void everybody_who_is_met_is_told(void ** state)
{
  (void)state;
  for (int32_t number = 0; number < test_rounds(60); ++number) {
    static room_t room;
    fw_traffic_t traffic;
    bool is_in[ROBOTS] = {false};
    begin(&room, (uint64_t)(30000 + number), number % 3);
    assert_true(fw__traffic_init(&traffic, &room.arena, &room.scene));
    fw_rng_t rng = fw__rng((uint64_t)number);
    for (int32_t change = 0; change < 20; ++change) {
      const int32_t robot = fw__rng_below(&rng, room.world.problem.robot_count);
      if (is_in[robot]) {
        fw__traffic_remove(&traffic, robot);
        is_in[robot] = false;
      } else if (room.lengths[robot] > 0) {
        assert_true(fw__traffic_add(&traffic, robot, path_of(&room, robot)));
        is_in[robot] = true;
      }
      for (int32_t ask = 0; ask < 40; ++ask) {
        const int32_t node = fw__rng_below(&rng, room.moves.node_count);
        const int32_t direction = fw__rng_below(&rng, room.moves.degree + 1) - 1;
        const int32_t to = direction < 0 ? node : fw__moves_successors(&room.moves, node)[direction];
        if (to >= 0) {
          const fw_hop_t hop = {node, to, direction, fw__rng_below(&rng, TICKS + 4)};
          assert_same(&room, &traffic, &hop, is_in);
        }
      }
    }
    end(&room);
  }
}

static void the_smallest_key_comes_first_and_of_equals_the_newest(void ** state)
{
  (void)state;
  fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = (size_t)1 << 24};
  fw_arena_t arena;
  fw_ranked_t ranked;
  fw_ranked_item_t item;
  fw_rng_t rng = fw__rng(3);
  fw__arena_init(&arena, &memory);
  fw__ranked_init(&ranked, &arena);
  assert_false(fw__ranked_pop(&ranked, &item));
  for (int32_t i = 0; i < 3000; ++i) {
    assert_true(fw__ranked_push(&ranked, (uint64_t)fw__rng_below(&rng, 200) << 40, i));
  }
  fw_ranked_item_t last = {0};
  for (int32_t i = 0; i < 3000; ++i) {
    assert_true(fw__ranked_pop(&ranked, &item));
    assert_true(i == 0 || item.key > last.key || (item.key == last.key && item.value < last.value));
    last = item;
  }
  assert_false(fw__ranked_pop(&ranked, &item));
  fw__arena_fini(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(everybody_who_is_met_is_told),
    cmocka_unit_test(the_smallest_key_comes_first_and_of_equals_the_newest),
  };
  return TEST_RUN(tests);
}
