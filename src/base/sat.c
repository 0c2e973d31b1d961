// A solver of clauses: variables, clauses, the search.

#include "base/sat.h"

#include <string.h>

enum { RESTART_UNIT = 64, LEARNED_FIRST = 4000 };

void fw_sat_init(fw_sat_t * sat, fw_arena_t * arena, fw_meter_t * meter)
{
  *sat = (fw_sat_t){.arena = arena, .meter = meter, .activity_step = 1 << 16, .learned_max = LEARNED_FIRST};
}

bool fw_sat_list_reserve(fw_arena_t * arena, fw_sat_list_t * list, int32_t more)
{
  while (list->capacity - list->count < more) {
    int32_t * old = list->items;
    const int32_t capacity = list->capacity;
    int32_t * items = fw_arena_grow(arena, old, (size_t)list->count, sizeof(*items), &list->capacity);
    if (items == NULL) {
      return false;
    }
    list->items = items;
    fw_arena_leave(arena, old, (size_t)capacity, sizeof(*old));
  }
  return true;
}

// ---- variables and clauses ------------------------------------------------------------------------------------------

// Room for the two literals of one more variable.
static bool reserve_literals(fw_sat_t * sat)
{
  const int32_t count = 2 * sat->variable_count;
  if (count + 2 > sat->literal_capacity[0]) {
    int8_t * values = fw_arena_grow(sat->arena, sat->values, (size_t)count, sizeof(*values), &sat->literal_capacity[0]);
    if (values == NULL) {
      return false;
    }
    sat->values = values;
  }
  if (count + 2 > sat->literal_capacity[1]) {
    fw_sat_watches_t * watches =
      fw_arena_grow(sat->arena, sat->watches, (size_t)count, sizeof(*watches), &sat->literal_capacity[1]);
    if (watches == NULL) {
      return false;
    }
    sat->watches = watches;
  }
  return true;
}

int32_t fw_sat_add_variable(fw_sat_t * sat, bool phase)
{
  const int32_t variable = sat->variable_count;
  if (!reserve_literals(sat)) {
    return -1;
  }
  if (variable == sat->variable_capacity) {
    fw_sat_variable_t * variables =
      fw_arena_grow(sat->arena, sat->variables, (size_t)variable, sizeof(*variables), &sat->variable_capacity);
    if (variables == NULL) {
      return -1;
    }
    sat->variables = variables;
  }
  sat->variables[variable] = (fw_sat_variable_t){.reason = -1, .place = -1, .phase = phase};
  for (int32_t literal = 2 * variable; literal < 2 * variable + 2; ++literal) {
    sat->values[literal] = 0;
    sat->watches[literal] = (fw_sat_watches_t){0};
  }
  ++sat->variable_count;
  return fw_sat_order_add(sat, variable) &&
             fw_sat_list_reserve(sat->arena, &sat->trail, sat->variable_count - sat->trail.count)
           ? variable
           : -1;
}

bool fw_sat_add_clause(fw_sat_t * sat, const int32_t * literals, int32_t count)
{
  fw_sat_list_t * clauses = &sat->clauses;
  if (!fw_sat_list_reserve(sat->arena, clauses, count + FW_SAT_HEADER)) {
    return false;
  }
  const int32_t reference = clauses->count;
  int32_t * kept = &clauses->items[reference + FW_SAT_HEADER];
  int32_t size = 0;
  for (int32_t i = 0; i < count; ++i) {
    if (sat->values[literals[i]] > 0) {
      return true;  // at level 0, for ever
    }
    if (sat->values[literals[i]] == 0) {
      kept[size++] = literals[i];
    }
  }
  if (size == 0) {
    sat->is_contradiction = true;
    return true;
  }
  if (size == 1) {
    fw_sat_set(sat, kept[0], -1);
    return true;
  }
  clauses->items[reference] = size;
  clauses->items[reference + 1] = 0;
  clauses->count += size + FW_SAT_HEADER;
  return fw_sat_watch(sat, reference);
}

// ---- the search -----------------------------------------------------------------------------------------------------

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
  int32_t conflict = -1;
  if (!fw_sat_begin_level(sat)) {
    return FW_SAT_STOPPED;
  }
  for (int32_t i = 0; i < query->count && conflict == -1; ++i) {
    const int32_t assumption = query->assumptions[i];
    if (sat->values[assumption] < 0) {
      return fw_sat_find_core(sat, -1, assumption) ? FW_SAT_NO : FW_SAT_STOPPED;
    }
    if (sat->values[assumption] == 0) {
      fw_sat_set(sat, assumption, -1);
      conflict = fw_sat_propagate(sat);
    }
  }
  if (conflict == -1) {
    return FW_SAT_UNDECIDED;
  }
  return conflict >= 0 && fw_sat_find_core(sat, conflict, -1) ? FW_SAT_NO : FW_SAT_STOPPED;
}

// Sets the next variable. YES: there is none left. UNDECIDED: go on.
static fw_sat_answer_t decide(fw_sat_t * sat, const fw_sat_query_t * query)
{
  if (fw_sat_level(sat) == 0) {
    return assume(sat, query);
  }
  const int32_t variable = fw_sat_order_take(sat);
  if (variable < 0) {
    keep_model(sat);
    return FW_SAT_YES;
  }
  if (!fw_sat_begin_level(sat)) {
    return FW_SAT_STOPPED;
  }
  fw_sat_set(sat, 2 * variable + (sat->variables[variable].phase ? 0 : 1), -1);
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
    fw_sat_go_back(sat, 1);
  }
  if (sat->learned_count > sat->learned_max) {
    fw_sat_go_back(sat, 0);
    if (!fw_sat_forget(sat)) {
      return FW_SAT_STOPPED;
    }
  }
  return decide(sat, query);
}

static fw_sat_answer_t run(fw_sat_t * sat, search_t * search)
{
  for (;;) {
    if (fw_meter_add(sat->meter, 1)) {
      return FW_SAT_STOPPED;
    }
    const int32_t conflict = fw_sat_propagate(sat);
    if (conflict == -2) {
      return FW_SAT_STOPPED;
    }
    if (conflict >= 0) {
      ++sat->conflicts;
      ++search->conflicts;
      if (fw_sat_level(sat) == 0) {
        sat->is_contradiction = true;
        return FW_SAT_NO;
      }
      if (fw_sat_level(sat) == 1) {
        return fw_sat_find_core(sat, conflict, -1) ? FW_SAT_NO : FW_SAT_STOPPED;
      }
      if (!fw_sat_learn(sat, conflict)) {
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

fw_sat_answer_t fw_sat_solve(fw_sat_t * sat, const fw_sat_query_t * query)
{
  search_t search = {.query = query, .restart_at = RESTART_UNIT, .restarts = 1};
  sat->core.count = 0;
  if (sat->is_contradiction) {
    return FW_SAT_NO;
  }
  const fw_sat_answer_t answer = run(sat, &search);
  fw_sat_go_back(sat, 0);
  if (answer == FW_SAT_STOPPED && !fw_meter_has_stopped(sat->meter)) {
    fw_meter_stop(sat->meter, FW_STOP_MEMORY);
  }
  return answer;
}
