// A solver of clauses: the search.

#include "sat/sat.h"

enum { RESTART_UNIT = 64, LEARNED_FIRST = 4000 };

void fw__sat_init(fw_sat_t * sat, fw_arena_t * arena, fw_meter_t * meter)
{
  *sat = (fw_sat_t){.arena = arena, .meter = meter, .activity_step = 1 << 16, .learned_max = LEARNED_FIRST};
}

// M. Luby, A. Sinclair, D. Zuckerman, Optimal Speedup of Las Vegas Algorithms, 1993: 1 1 2 1 1 2 4 …
static int64_t luby(int64_t index)
{
  int64_t size = 1;
  while (size < index + 1) {
    size = 2 * size + 1;
  }
  while (size - 1 != index) {
    size = (size - 1) / 2;
    index = index % size;
  }
  return (size + 1) / 2;
}

static void keep_model(fw_sat_t * sat)
{
  for (int32_t i = 0; i < sat->variable_count; ++i) {
    sat->variables[i].is_in_model = sat->values[2 * i] > 0;
  }
}

typedef struct search_t {
  const fw_sat_query_t * query;
  int64_t conflicts;
  int64_t restarts;
  int64_t restart_at;
  bool has_ended;  // by the number of conflicts
} search_t;

// Assumptions share the first level: what follows from them stays while the search below goes back and forth.
static fw_sat_answer_t assume(fw_sat_t * sat, const fw_sat_query_t * query)
{
  int32_t conflict = FW_SAT_NO_REASON;
  if (!fw__sat_begin_level(sat)) {
    return FW_SAT_STOPPED;
  }
  for (int32_t i = 0; i < query->count && conflict == FW_SAT_NO_REASON; ++i) {
    const int32_t assumption = query->assumptions[i];
    if (sat->values[assumption] < 0) {
      return fw__sat_find_core(sat, FW_SAT_NO_REASON, assumption) ? FW_SAT_NO : FW_SAT_STOPPED;
    }
    if (sat->values[assumption] == 0) {
      fw__sat_set(sat, assumption, FW_SAT_NO_REASON);
      conflict = fw__sat_propagate(sat);
    }
  }
  if (conflict == FW_SAT_NO_REASON) {
    return FW_SAT_UNDECIDED;
  }
  return conflict != FW_SAT_NO_MEMORY && fw__sat_find_core(sat, conflict, -1) ? FW_SAT_NO : FW_SAT_STOPPED;
}

// Sets the next variable. YES: there is none left. UNDECIDED: go on.
static fw_sat_answer_t decide(fw_sat_t * sat, const fw_sat_query_t * query)
{
  if (fw__sat_level(sat) == 0) {
    return assume(sat, query);
  }
  const int32_t variable = fw__sat_order_take(sat);
  int32_t literal = -1;
  if (variable >= 0) {
    literal = 2 * variable + (sat->variables[variable].phase ? 0 : 1);
  } else if (sat->chooser.choose != NULL) {
    literal = sat->chooser.choose(sat->chooser.state);
  }
  if (literal < 0) {
    keep_model(sat);
    return FW_SAT_YES;
  }
  if (!fw__sat_begin_level(sat)) {
    return FW_SAT_STOPPED;
  }
  fw__sat_set(sat, literal, FW_SAT_NO_REASON);
  return FW_SAT_UNDECIDED;
}

// Nothing fails at present. UNDECIDED: go on, unless `has_ended`.
static fw_sat_answer_t go_on(fw_sat_t * sat, search_t * search)
{
  const fw_sat_query_t * query = search->query;
  if (query->conflicts_max > 0 && search->conflicts >= query->conflicts_max) {
    search->has_ended = true;
    return FW_SAT_UNDECIDED;
  }
  if (search->conflicts >= search->restart_at) {
    search->restart_at = search->conflicts + RESTART_UNIT * luby(search->restarts++);
    fw__sat_go_back(sat, 1);
  }
  if (sat->learned_count > sat->learned_max) {
    fw__sat_go_back(sat, 0);
    if (!fw__sat_forget(sat)) {
      return FW_SAT_STOPPED;
    }
  }
  return decide(sat, query);
}

static fw_sat_answer_t run(fw_sat_t * sat, search_t * search)
{
  for (;;) {
    if (fw__meter_add(sat->meter, 1)) {
      return FW_SAT_STOPPED;
    }
    const int32_t conflict = fw__sat_propagate(sat);
    if (conflict == FW_SAT_NO_MEMORY) {
      return FW_SAT_STOPPED;
    }
    if (conflict != FW_SAT_NO_REASON) {
      ++sat->conflicts;
      ++search->conflicts;
      if (fw__sat_level(sat) == 0) {
        sat->is_contradiction = true;
        return FW_SAT_NO;
      }
      if (fw__sat_level(sat) == 1) {
        return fw__sat_find_core(sat, conflict, -1) ? FW_SAT_NO : FW_SAT_STOPPED;
      }
      if (!fw__sat_learn(sat, conflict)) {
        return FW_SAT_STOPPED;
      }
      continue;
    }
    const fw_sat_answer_t answer = go_on(sat, search);
    if (answer != FW_SAT_UNDECIDED || search->has_ended) {
      return answer;
    }
  }
}

fw_sat_answer_t fw__sat_solve(fw_sat_t * sat, const fw_sat_query_t * query)
{
  search_t search = {.query = query, .restart_at = RESTART_UNIT, .restarts = 1};
  sat->core.count = 0;
  if (sat->is_contradiction) {
    return FW_SAT_NO;
  }
  const fw_sat_answer_t answer = run(sat, &search);
  fw__sat_go_back(sat, 0);
  if (answer == FW_SAT_STOPPED && !fw__meter_has_stopped(sat->meter)) {
    fw__meter_stop(sat->meter, FW_STOP_MEMORY);
  }
  return answer;
}
