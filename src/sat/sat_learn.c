// A solver of clauses: what is learned when one fails. The first unique implication point, made smaller by what follows
// from the rest (N. Sörensson, A. Biere, Minimizing Learned Clauses, SAT 2009).

#include "sat/sat.h"

// What was marked, to be cleared.
static bool see(fw_sat_t * sat, int32_t variable)
{
  sat->is_seen[variable] = true;
  return fw__sat_list_push(sat->arena, &sat->seen, variable);
}

static void forget_seen(fw_sat_t * sat, int32_t from)
{
  for (int32_t i = from; i < sat->seen.count; ++i) {
    sat->is_seen[sat->seen.items[i]] = false;
  }
  sat->seen.count = from;
}

// Goes back along the reasons of the present level until one literal is left that stands for all of it.
static bool find_point(fw_sat_t * sat, int32_t conflict)
{
  const int32_t level = fw__sat_level(sat);
  int32_t reference = conflict;
  int32_t literal = -1;
  int32_t open = 0;
  int32_t at = sat->trail.count - 1;
  sat->learned.count = 0;
  if (!fw__sat_list_push(sat->arena, &sat->learned, -1)) {
    return false;
  }
  do {
    fw_sat_span_t why;
    fw__sat_why(sat, reference, &why);
    for (int32_t i = 0; i < why.count; ++i) {
      const int32_t variable = why.items[i] >> 1;
      if (why.items[i] == literal || sat->is_seen[variable] || sat->causes[variable].level == 0) {
        continue;
      }
      fw__sat_order_bump(sat, variable);
      if (!see(sat, variable)) {
        return false;
      }
      if (sat->causes[variable].level == level) {
        ++open;
      } else if (!fw__sat_list_push(sat->arena, &sat->learned, why.items[i])) {
        return false;
      }
    }
    while (!sat->is_seen[sat->trail.items[at] >> 1]) {
      --at;
    }
    literal = sat->trail.items[at--];
    reference = sat->causes[literal >> 1].reason;
    --open;
  } while (open > 0);
  sat->learned.items[0] = fw__sat_not(literal);
  return true;
}

// Does the literal follow from others that are seen? What was found on the way stays seen.
static bool is_implied(fw_sat_t * sat, int32_t literal, bool * has_memory)
{
  const int32_t mark = sat->seen.count;
  sat->stack.count = 0;
  *has_memory = fw__sat_list_push(sat->arena, &sat->stack, literal >> 1);
  while (*has_memory && sat->stack.count > 0) {
    const int32_t variable = sat->stack.items[--sat->stack.count];
    fw_sat_span_t why;
    fw__sat_why(sat, sat->causes[variable].reason, &why);
    for (int32_t i = 0; i < why.count && *has_memory; ++i) {
      const int32_t next = why.items[i] >> 1;
      const fw_sat_cause_t cause = sat->causes[next];
      if (next == variable || sat->is_seen[next] || cause.level == 0) {
        continue;
      }
      if (cause.reason == FW_SAT_NO_REASON || sat->level_stamps[cause.level] != sat->stamp) {
        forget_seen(sat, mark);
        return false;
      }
      *has_memory = see(sat, next) && fw__sat_list_push(sat->arena, &sat->stack, next);
    }
  }
  return *has_memory;
}

static bool stamp_levels(fw_sat_t * sat)
{
  while (sat->stamp_capacity <= fw__sat_level(sat)) {
    const int32_t old = sat->stamp_capacity;
    uint32_t * stamps =
      fw__arena_grow(sat->arena, sat->level_stamps, (size_t)old, sizeof(*stamps), &sat->stamp_capacity);
    if (stamps == NULL) {
      return false;
    }
    for (int32_t i = old; i < sat->stamp_capacity; ++i) {
      stamps[i] = 0;
    }
    sat->level_stamps = stamps;
  }
  ++sat->stamp;
  return true;
}

// The levels of the learned literals; how many they are is the quality of the clause, fewer are better.
static int32_t mark_levels(fw_sat_t * sat)
{
  int32_t count = 0;
  for (int32_t i = 0; i < sat->learned.count; ++i) {
    uint32_t * stamp = &sat->level_stamps[sat->causes[sat->learned.items[i] >> 1].level];
    count += *stamp != sat->stamp ? 1 : 0;
    *stamp = sat->stamp;
  }
  return count;
}

static bool minimise(fw_sat_t * sat)
{
  int32_t kept = 1;
  bool has_memory = true;
  for (int32_t i = 1; i < sat->learned.count && has_memory; ++i) {
    const int32_t literal = sat->learned.items[i];
    if (sat->causes[literal >> 1].reason == FW_SAT_NO_REASON || !is_implied(sat, literal, &has_memory)) {
      sat->learned.items[kept++] = literal;
    }
  }
  sat->learned.count = kept;
  return has_memory;
}

// The level at which the clause says something new; the literal of that level becomes the second.
static int32_t find_level(fw_sat_t * sat)
{
  int32_t * literals = sat->learned.items;
  int32_t best = 1;
  if (sat->learned.count == 1) {
    return 0;
  }
  for (int32_t i = 2; i < sat->learned.count; ++i) {
    best = sat->causes[literals[i] >> 1].level > sat->causes[literals[best] >> 1].level ? i : best;
  }
  const int32_t second = literals[best];
  literals[best] = literals[1];
  literals[1] = second;
  return sat->causes[second >> 1].level;
}

static bool add_learned(fw_sat_t * sat, int32_t quality)
{
  fw_sat_list_t * clauses = &sat->clauses;
  const int32_t size = sat->learned.count;
  if (size == 1) {
    fw__sat_set(sat, sat->learned.items[0], FW_SAT_NO_REASON);
    return true;
  }
  if (size == 2) {
    const int32_t other = sat->learned.items[1];
    fw__sat_set(sat, sat->learned.items[0], fw__sat_pair(other));
    return fw__sat_watch_pair(sat, sat->learned.items[0], other);
  }
  const int32_t reference = clauses->count;
  if (!fw__sat_list_reserve(sat->arena, clauses, size + FW_SAT_HEADER)) {
    return false;
  }
  clauses->items[reference] = size;
  clauses->items[reference + 1] = quality;
  for (int32_t i = 0; i < size; ++i) {
    clauses->items[reference + FW_SAT_HEADER + i] = sat->learned.items[i];
  }
  clauses->count += size + FW_SAT_HEADER;
  ++sat->learned_count;
  if (!fw__sat_watch(sat, reference)) {
    return false;
  }
  fw__sat_set(sat, sat->learned.items[0], reference);
  return true;
}

bool fw__sat_learn(fw_sat_t * sat, int32_t conflict)
{
  if (!stamp_levels(sat) || !find_point(sat, conflict)) {
    return false;
  }
  (void)mark_levels(sat);
  if (!minimise(sat)) {
    return false;
  }
  ++sat->stamp;
  const int32_t quality = mark_levels(sat);
  forget_seen(sat, 0);
  fw__sat_go_back(sat, find_level(sat));
  fw__sat_order_decay(sat);
  return add_learned(sat, quality);
}

static bool see_all(fw_sat_t * sat, int32_t reason)
{
  fw_sat_span_t why;
  bool is_fine = true;
  fw__sat_why(sat, reason, &why);
  for (int32_t i = 0; i < why.count && is_fine; ++i) {
    const int32_t variable = why.items[i] >> 1;
    is_fine = sat->is_seen[variable] || sat->causes[variable].level == 0 || see(sat, variable);
  }
  return is_fine;
}

bool fw__sat_find_core(fw_sat_t * sat, int32_t conflict, int32_t assumption)
{
  sat->core.count = 0;
  if (
    conflict != FW_SAT_NO_REASON
      ? !see_all(sat, conflict)
      : !fw__sat_list_push(sat->arena, &sat->core, assumption) || !see(sat, assumption >> 1)) {
    return false;
  }
  for (int32_t at = sat->trail.count - 1; at >= 0; --at) {
    const int32_t literal = sat->trail.items[at];
    const int32_t variable = literal >> 1;
    if (!sat->is_seen[variable] || sat->causes[variable].level == 0) {
      continue;
    }
    const int32_t reason = sat->causes[variable].reason;
    if (reason == FW_SAT_NO_REASON) {
      if (!fw__sat_list_push(sat->arena, &sat->core, literal)) {
        return false;
      }
      continue;
    }
    if (!see_all(sat, reason)) {
      return false;
    }
  }
  forget_seen(sat, 0);
  return true;
}
