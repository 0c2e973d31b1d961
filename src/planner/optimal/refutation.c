// Cheap proofs that there is no plan: one walk over each part of the map.

#include "planner/optimal/refutation.h"

#include "base/assert.h"
#include "world/moves.h"

typedef struct refutation_t {
  const fw_problem_t * problem;
  fw_moves_t moves;
  int32_t * robot_at;  // by node: the robot that starts there, -1 for none
  int32_t * position;  // by node: when the walk came there, -1: not yet
  int32_t * part_of;   // by node: the node from which its part was walked, where it was
  int32_t * queue;     // the nodes of a part, in that order
} refutation_t;

// A part of the map that is connected, moves taken in both directions.
typedef struct part_t {
  const int32_t * nodes;
  int32_t count;
  int32_t ends;        // moves that begin or end at one of its nodes: twice the number of edges
  int32_t degree_max;  // of a node
  int32_t last;        // the node that was reached last: an end, if the part is a path
  int32_t robots;
  bool has_movers;  // a robot is not on its goal
} part_t;

// The neighbours of a node by moves in either direction, each once. Returns their number.
static int32_t list_neighbours(const fw_moves_t * moves, int32_t node, int32_t * neighbours)
{
  int32_t count = 0;
  for (int32_t i = 0; i < 2 * moves->degree; ++i) {
    const int32_t * table = i < moves->degree ? moves->next : moves->previous;
    const int32_t other = table[(size_t)node * (size_t)moves->degree + (size_t)(i % moves->degree)];
    bool is_new = other >= 0 && other != node;
    for (int32_t k = 0; k < count && is_new; ++k) {
      is_new = neighbours[k] != other;
    }
    if (is_new) {
      neighbours[count++] = other;
    }
  }
  return count;
}

// Walks over the part that contains `from`, breadth first; `position` of its nodes must be -1.
static part_t walk(refutation_t * refutation, int32_t from, int32_t * queue)
{
  part_t part = {.nodes = queue, .last = from};
  int32_t neighbours[2 * FW_MOTIONS_MAX];
  queue[part.count++] = from;
  refutation->position[from] = 0;
  for (int32_t at = 0; at < part.count; ++at) {
    const int32_t count = list_neighbours(&refutation->moves, queue[at], neighbours);
    const int32_t robot = refutation->robot_at[queue[at]];
    part.last = queue[at];
    refutation->part_of[queue[at]] = from;
    part.ends += count;
    part.degree_max = count > part.degree_max ? count : part.degree_max;
    part.robots += robot >= 0 ? 1 : 0;
    part.has_movers = part.has_movers || (robot >= 0 && refutation->problem->robots[robot].goal !=
                                                          refutation->problem->robots[robot].start);
    for (int32_t i = 0; i < count; ++i) {
      if (refutation->position[neighbours[i]] < 0) {
        refutation->position[neighbours[i]] = part.count;
        queue[part.count++] = neighbours[i];
      }
    }
  }
  return part;
}

// A path: walked from one end, robots and their goals come in the same order. A goal elsewhere is not judged here.
static bool has_wrong_order(refutation_t * refutation, const part_t * part, int32_t * queue)
{
  for (int32_t i = 0; i < part->count; ++i) {
    refutation->position[part->nodes[i]] = -1;
  }
  const part_t path = walk(refutation, part->last, queue);
  FW_ASSERT(path.count == part->count);
  int32_t farthest = -1;
  for (int32_t i = 0; i < path.count; ++i) {
    const int32_t robot = refutation->robot_at[queue[i]];
    const int32_t goal = robot < 0 ? -1 : refutation->moves.node_of[refutation->problem->robots[robot].goal];
    if (goal < 0) {
      continue;
    }
    const int32_t position = refutation->position[goal];
    if (position < 0 || position >= path.count || queue[position] != goal) {
      return false;
    }
    if (position < farthest) {
      return true;
    }
    farthest = position;
  }
  return false;
}

static bool is_refuted(refutation_t * refutation, int32_t from)
{
  const part_t part = walk(refutation, from, refutation->queue);
  if (part.ends != 2 * (part.count - 1) || !part.has_movers) {
    return false;  // it has a cycle, or nobody has to move
  }
  return part.robots == part.count ||
         (part.degree_max <= 2 && part.robots > 1 && has_wrong_order(refutation, &part, refutation->queue));
}

bool fw__refutation_find(const fw_problem_t * problem, fw_arena_t * arena)
{
  refutation_t refutation = {.problem = problem};
  if (
    problem->closure_count > 0 || problem->grid->rules != NULL ||
    !fw__moves_init_cells(&refutation.moves, arena, problem)) {
    return false;
  }
  const int32_t nodes = refutation.moves.node_count;
  refutation.robot_at = fw__arena_allocate(arena, (size_t)nodes, sizeof(*refutation.robot_at));
  refutation.position = fw__arena_allocate(arena, (size_t)nodes, sizeof(*refutation.position));
  refutation.part_of = fw__arena_allocate(arena, (size_t)nodes, sizeof(*refutation.part_of));
  refutation.queue = fw__arena_allocate(arena, (size_t)nodes, sizeof(*refutation.queue));
  if (fw__arena_has_failed(arena)) {
    return false;
  }
  for (int32_t i = 0; i < nodes; ++i) {
    refutation.robot_at[i] = -1;
    refutation.position[i] = -1;
    refutation.part_of[i] = -1;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const int32_t start = refutation.moves.node_of[problem->robots[r].start];
    if (start >= 0) {
      refutation.robot_at[start] = r;
    }
  }
  bool has_proof = false;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const int32_t start = refutation.moves.node_of[problem->robots[r].start];
    if (start >= 0 && refutation.position[start] < 0) {
      has_proof = is_refuted(&refutation, start) || has_proof;
    }
  }
  for (int32_t r = 0; r < problem->robot_count && has_proof; ++r) {
    const int32_t start = refutation.moves.node_of[problem->robots[r].start];
    const int32_t goal = refutation.moves.node_of[problem->robots[r].goal];
    has_proof = start >= 0 && goal >= 0 && refutation.part_of[start] == refutation.part_of[goal];
  }
  return has_proof;
}
