// A solver of clauses: more variables, more clauses.

#include "sat/sat.h"

bool fw__sat_list_reserve(fw_arena_t * arena, fw_sat_list_t * list, int32_t more)
{
  while (list->capacity - list->count < more) {
    int32_t * old = list->items;
    const int32_t capacity = list->capacity;
    int32_t * items = fw__arena_grow(arena, old, (size_t)list->count, sizeof(*items), &list->capacity);
    if (items == NULL) {
      return false;
    }
    list->items = items;
    fw__arena_leave(arena, old, (size_t)capacity, sizeof(*old));
  }
  return true;
}

// Room for the two literals of one more variable.
static bool reserve_literals(fw_sat_t * sat)
{
  const int32_t count = 2 * sat->variable_count;
  if (count + 2 > sat->literal_capacity[0]) {
    int8_t * values =
      fw__arena_grow(sat->arena, sat->values, (size_t)count, sizeof(*values), &sat->literal_capacity[0]);
    if (values == NULL) {
      return false;
    }
    sat->values = values;
  }
  if (count + 2 > sat->literal_capacity[1]) {
    fw_sat_watches_t * watches =
      fw__arena_grow(sat->arena, sat->watches, (size_t)count, sizeof(*watches), &sat->literal_capacity[1]);
    if (watches == NULL) {
      return false;
    }
    sat->watches = watches;
  }
  return true;
}

static bool reserve_variables(fw_sat_t * sat)
{
  const size_t count = (size_t)sat->variable_count;
  int32_t * capacity = sat->variable_capacity;
  if (sat->variable_count == capacity[0]) {
    fw_sat_variable_t * variables = fw__arena_grow(sat->arena, sat->variables, count, sizeof(*variables), &capacity[0]);
    fw_sat_cause_t * causes = fw__arena_grow(sat->arena, sat->causes, count, sizeof(*causes), &capacity[1]);
    bool * is_seen = fw__arena_grow(sat->arena, sat->is_seen, count, sizeof(*is_seen), &capacity[2]);
    if (variables == NULL || causes == NULL || is_seen == NULL) {
      return false;
    }
    sat->variables = variables;
    sat->causes = causes;
    sat->is_seen = is_seen;
  }
  return true;
}

static int32_t add_variable(fw_sat_t * sat, bool phase, bool is_cold)
{
  const int32_t variable = sat->variable_count;
  if (!reserve_literals(sat) || !reserve_variables(sat)) {
    return -1;
  }
  sat->variables[variable] = (fw_sat_variable_t){.place = -1, .phase = phase};
  sat->causes[variable] = (fw_sat_cause_t){.reason = FW_SAT_NO_REASON};
  sat->is_seen[variable] = false;
  for (int32_t literal = 2 * variable; literal < 2 * variable + 2; ++literal) {
    sat->values[literal] = 0;
    sat->watches[literal] = (fw_sat_watches_t){0};
  }
  ++sat->variable_count;
  return fw__sat_order_add(sat, variable, is_cold) &&
             fw__sat_list_reserve(sat->arena, &sat->trail, sat->variable_count - sat->trail.count)
           ? variable
           : -1;
}

int32_t fw__sat_add_variable(fw_sat_t * sat, bool phase) { return add_variable(sat, phase, true); }

int32_t fw__sat_add_open_variable(fw_sat_t * sat) { return add_variable(sat, false, false); }

bool fw__sat_add_clause(fw_sat_t * sat, const int32_t * literals, int32_t count)
{
  fw_sat_list_t * clauses = &sat->clauses;
  if (!fw__sat_list_reserve(sat->arena, clauses, count + FW_SAT_HEADER)) {
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
    fw__sat_set(sat, kept[0], FW_SAT_NO_REASON);
    return true;
  }
  if (size == 2) {
    return fw__sat_watch_pair(sat, kept[0], kept[1]);
  }
  clauses->items[reference] = size;
  clauses->items[reference + 1] = 0;
  clauses->count += size + FW_SAT_HEADER;
  return fw__sat_watch(sat, reference);
}
