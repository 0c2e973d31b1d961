// Partial rounds: a change plans the agents that it concerns, and the others keep the rest of their plans.
//
// The request of a round by the dependency graph has all agents, and of each agent that is in the graph its tail: what
// it would drive behind the cut if there were no round (fw_execution_tails). An agent keeps its tail if the tail leads
// to where the agent is to be, over cells that are free and open. All others are concerned: they have a new goal, come
// from outside the graph, were stopped, or something lies on their path. If these are few, only they are planned, as in
// prioritized planning after all others:
//
//   request ──> tails that are kept ──> closures and obstacles ──> problem of the concerned agents ──> planner
//                         └───────────────> joined plan <──────────────────────────────────────────────── ┘
//
// The joined plan is checked as any other. The round is a whole one where a partial one may be worse: more than half of
// the agents are concerned, one of them has a higher priority than an agent that would keep its plan, the planner finds
// no plan or only a long detour (an idle robot may be in the way, which only a whole round moves aside), or the check
// fails. That is decided and planned in one solve of the worker, from one cut: no time is lost between the two.

#ifndef CONTROLLER__ROUND__PARTIAL_H_
#define CONTROLLER__ROUND__PARTIAL_H_

#include "base/arena.h"
#include "controller/round/request.h"

// What the worker needs to plan a part of a request. `{0}` is ready for use.
typedef struct fw_partial_round_t {
  fw_memory_t memory;
  fw_arena_t arena;  // everything below is allocated here, from begin to the next begin
  bool is_initialised;
  fw_problem_t problem;  // of the concerned agents
  fw_grid_t grid;        // of the problem: agents that stand for good are obstacles
  int32_t * agents;      // by robot of the problem: index in the request
} fw_partial_round_t;

void fw__partial_round_fini(fw_partial_round_t * partial);

// Chooses the agents that keep their tails, and makes the problem of the others (robot_count 0: there are none). False
// if the round is better a whole one; the request is as before then.
bool fw__partial_round_begin(fw_partial_round_t * partial, fw_round_request_t * request);
// The plan of the whole request: the tails that are kept, and `part`, a solution of the problem (NULL if that has no
// robots). It borrows from `part`, the request and `partial`. False if an agent makes a long detour, or there is no
// memory.
bool fw__partial_round_join(
  fw_partial_round_t * partial, const fw_round_request_t * request, const fw_plan_t * part, fw_plan_t * plan);
// The request is as before fw__partial_round_begin: the round is a whole one.
void fw__partial_round_undo(fw_round_request_t * request);

#endif  // CONTROLLER__ROUND__PARTIAL_H_
