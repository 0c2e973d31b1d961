// The CDCL solver: decision order, propagation, conflict analysis, deletion of learnt clauses, search.
//
// Memory: adding a variable reserves room for it on the trail, in the heap and in all scratch lists, so that only watch
// lists and learnt clauses can run out of memory during a search. That sets `has_failed`, which the search checks once
// per round.

#include "sat/sat.h"

#include "base/assert.h"
#include "base/prefetch.h"

enum {
  CLAUSE_HEADER = 2,       // size and LBD, before the literals of a clause
  RESTART_UNIT = 64,       // conflicts
  LEARNT_MAX_FIRST = 4000  // learnt clauses of three or more literals before the first deletion
};

static int32_t clause_size(const fw_sat_t * sat, int32_t clause) { return sat->clauses.items[clause]; }

static int32_t clause_lbd(const fw_sat_t * sat, int32_t clause) { return sat->clauses.items[clause + 1]; }

static int32_t * clause_literals(const fw_sat_t * sat, int32_t clause)
{
  return &sat->clauses.items[clause + CLAUSE_HEADER];
}

static int32_t clause_after(const fw_sat_t * sat, int32_t clause)
{
  return clause + clause_size(sat, clause) + CLAUSE_HEADER;
}

// The reason of a literal that a binary clause with `other` has propagated, and back.
static int32_t binary_reason(int32_t other) { return FW_SAT_BINARY - 1 - other; }
static int32_t binary_other(int32_t reason) { return FW_SAT_BINARY - 1 - reason; }

static void tell(const fw_sat_t * sat, fw_sat_clause_kind_t kind, const int32_t * literals, int32_t count)
{
  if (sat->observer != NULL) {
    sat->observer->on_clause(sat->observer->state, kind, literals, count);
  }
}

static int32_t decision_level(const fw_sat_t * sat) { return sat->levels.count; }

// A push for which add_variable has made room.
static void push_reserved(fw_list_t * list, int32_t item)
{
  FW_ASSERT(list->count < list->capacity);
  list->items[list->count++] = item;
}

// ---- decision order (VSIDS) -----------------------------------------------------------------------------------------
//
// The variable of the latest conflicts goes first: a heap by activity. In place of decaying all activities, the amount
// that a conflict adds grows. Variables that have never been in a conflict (most of them) are not in the heap: of
// these, the required ones come last, by number.

enum { RESCALE_SHIFT = 40 };
#define ACTIVITY_STEP_MAX (UINT64_C(1) << 58)

static bool is_before(const fw_sat_t * sat, int32_t a, int32_t b)
{
  const uint64_t one = sat->variables[a].activity;
  const uint64_t two = sat->variables[b].activity;
  return one != two ? one > two : a < b;
}

static void heap_set(fw_sat_t * sat, int32_t index, int32_t variable)
{
  sat->heap.items[index] = variable;
  sat->variables[variable].heap_index = index;
}

static void heap_sift_up(fw_sat_t * sat, int32_t index)
{
  const int32_t variable = sat->heap.items[index];
  while (index > 0 && is_before(sat, variable, sat->heap.items[(index - 1) / 2])) {
    heap_set(sat, index, sat->heap.items[(index - 1) / 2]);
    index = (index - 1) / 2;
  }
  heap_set(sat, index, variable);
}

static void heap_sift_down(fw_sat_t * sat, int32_t index)
{
  const int32_t variable = sat->heap.items[index];
  for (;;) {
    int32_t child = 2 * index + 1;
    if (child >= sat->heap.count) {
      break;
    }
    if (child + 1 < sat->heap.count && is_before(sat, sat->heap.items[child + 1], sat->heap.items[child])) {
      ++child;
    }
    if (!is_before(sat, sat->heap.items[child], variable)) {
      break;
    }
    heap_set(sat, index, sat->heap.items[child]);
    index = child;
  }
  heap_set(sat, index, variable);
}

// A variable has become unassigned: it can be decided on again.
static void order_put_back(fw_sat_t * sat, int32_t variable)
{
  const fw_sat_variable_t * v = &sat->variables[variable];
  if (v->activity == 0) {
    sat->required_from =
      v->required_index >= 0 && v->required_index < sat->required_from ? v->required_index : sat->required_from;
  } else if (v->heap_index < 0) {
    FW_ASSERT(sat->heap.count < sat->heap.capacity);
    heap_set(sat, sat->heap.count++, variable);
    heap_sift_up(sat, sat->heap.count - 1);
  }
}

// The unassigned variable to decide on next, -1 if all that must be assigned are.
static int32_t order_take(fw_sat_t * sat)
{
  while (sat->heap.count > 0) {
    const int32_t variable = sat->heap.items[0];
    const int32_t last = sat->heap.items[--sat->heap.count];
    sat->variables[variable].heap_index = -1;
    if (sat->heap.count > 0) {
      heap_set(sat, 0, last);
      heap_sift_down(sat, 0);
    }
    if (sat->values[2 * variable] == 0) {
      return variable;
    }
  }
  while (sat->required_from < sat->required.count && sat->values[2 * sat->required.items[sat->required_from]] != 0) {
    ++sat->required_from;
  }
  return sat->required_from < sat->required.count ? sat->required.items[sat->required_from] : -1;
}

static void activity_bump(fw_sat_t * sat, int32_t variable)
{
  sat->variables[variable].activity += sat->activity_step;
  if (sat->variables[variable].heap_index >= 0) {
    heap_sift_up(sat, sat->variables[variable].heap_index);
  }
}

// Rescaling makes some activities equal, and among equals the smaller variable goes first: the heap is built again.
static void activity_decay(fw_sat_t * sat)
{
  sat->activity_step += sat->activity_step / 16;
  if (sat->activity_step > ACTIVITY_STEP_MAX) {
    sat->activity_step >>= RESCALE_SHIFT;
    for (int32_t i = 0; i < sat->variable_count; ++i) {
      const uint64_t activity = sat->variables[i].activity;
      sat->variables[i].activity = activity > 0 ? (activity >> RESCALE_SHIFT) + 1 : 0;  // never back to 0
    }
    for (int32_t i = sat->heap.count / 2 - 1; i >= 0; --i) {
      heap_sift_down(sat, i);
    }
  }
}

// ---- trail and propagation ------------------------------------------------------------------------------------------

static void assign(fw_sat_t * sat, int32_t literal, int32_t reason)
{
  FW_ASSERT(sat->values[literal] == 0);
  sat->values[literal] = 1;
  sat->values[fw__sat_not(literal)] = -1;
  sat->assignments[literal >> 1] = (fw_sat_assignment_t){.reason = reason, .level = decision_level(sat)};
  push_reserved(&sat->trail, literal);
  FW_PREFETCH(&sat->watches[fw__sat_not(literal)]);
}

static void begin_level(fw_sat_t * sat) { push_reserved(&sat->levels, sat->trail.count); }

// Unassigns everything above `level` and saves the phases.
static void backjump(fw_sat_t * sat, int32_t level)
{
  FW_ASSERT(level >= 0);
  if (decision_level(sat) <= level) {
    return;
  }
  const int32_t first = sat->levels.items[level];
  for (int32_t i = sat->trail.count - 1; i >= first; --i) {
    const int32_t literal = sat->trail.items[i];
    sat->values[literal] = 0;
    sat->values[fw__sat_not(literal)] = 0;
    sat->variables[literal >> 1].phase = (literal & 1) == 0;
    order_put_back(sat, literal >> 1);
  }
  ++sat->backjump_count;
  sat->trail.count = first;
  sat->levels.count = level;
  sat->propagated = first < sat->propagated ? first : sat->propagated;
}

static void watch_push(fw_sat_t * sat, int32_t literal, fw_sat_watch_t watch)
{
  fw_sat_watch_list_t * list = &sat->watches[literal];
  if (list->count == list->capacity) {
    fw_sat_watch_t * old = list->items;
    const int32_t capacity = list->capacity;
    fw_sat_watch_t * items = fw__arena_grow(sat->arena, old, sizeof(*items), &list->capacity);
    if (items == NULL) {
      sat->has_failed = true;
      return;
    }
    list->items = items;
    fw__arena_recycle(sat->arena, old, (size_t)capacity, sizeof(*old));
  }
  list->items[list->count++] = watch;
}

static void watch_clause(fw_sat_t * sat, int32_t clause)
{
  FW_ASSERT(clause_size(sat, clause) >= 2);
  const int32_t * literals = clause_literals(sat, clause);
  watch_push(sat, literals[0], (fw_sat_watch_t){clause, literals[1]});
  watch_push(sat, literals[1], (fw_sat_watch_t){clause, literals[0]});
}

static void watch_binary(fw_sat_t * sat, int32_t one, int32_t two)
{
  watch_push(sat, one, (fw_sat_watch_t){FW_SAT_BINARY, two});
  watch_push(sat, two, (fw_sat_watch_t){FW_SAT_BINARY, one});
}

// Swaps another literal of the clause that is not false into the second place; -1 if all others are false.
static inline int32_t find_watch(const fw_sat_t * sat, int32_t * literals, int32_t size)
{
  for (int32_t i = 2; i < size; ++i) {
    if (sat->values[literals[i]] >= 0) {
      const int32_t found = literals[i];
      literals[i] = literals[1];
      literals[1] = found;
      return found;
    }
  }
  return -1;
}

static int32_t set_binary_conflict(fw_sat_t * sat, int32_t one, int32_t two)
{
  sat->binary_conflict[0] = one;
  sat->binary_conflict[1] = two;
  return FW_SAT_BINARY;
}

// Visits the clauses watched by a literal that has become false. Returns the clause in conflict, if there is one.
static int32_t visit_watches(fw_sat_t * sat, int32_t literal)
{
  fw_sat_watch_list_t * list = &sat->watches[literal];
  int32_t conflict = FW_SAT_NO_CLAUSE;
  int32_t kept = 0;
  int32_t i = 0;
  while (i < list->count && conflict == FW_SAT_NO_CLAUSE) {
    const fw_sat_watch_t watch = list->items[i++];
    list->items[kept++] = watch;
    const int8_t blocked = sat->values[watch.blocker];
    if (blocked > 0) {
      continue;
    }
    if (watch.clause == FW_SAT_BINARY) {
      if (blocked < 0) {
        conflict = set_binary_conflict(sat, literal, watch.blocker);
      } else {
        assign(sat, watch.blocker, binary_reason(literal));
      }
      continue;
    }
    int32_t * literals = clause_literals(sat, watch.clause);
    const int32_t other = literals[0] ^ literals[1] ^ literal;
    literals[0] = other;
    literals[1] = literal;
    if (sat->values[other] > 0) {
      list->items[kept - 1].blocker = other;
      continue;
    }
    const int32_t next = find_watch(sat, literals, clause_size(sat, watch.clause));
    if (next >= 0) {
      --kept;
      watch_push(sat, next, (fw_sat_watch_t){watch.clause, other});
    } else if (sat->values[other] < 0) {
      conflict = watch.clause;
    } else {
      assign(sat, other, watch.clause);
    }
  }
  while (i < list->count) {
    list->items[kept++] = list->items[i++];
  }
  list->count = kept;
  return conflict;
}

// Unit propagation. Returns a clause in conflict (its index, or FW_SAT_BINARY), or FW_SAT_NO_CLAUSE.
static int32_t propagate(fw_sat_t * sat)
{
  int32_t conflict = FW_SAT_NO_CLAUSE;
  while (conflict == FW_SAT_NO_CLAUSE && sat->propagated < sat->trail.count) {
    if (sat->propagated + 1 < sat->trail.count) {  // most of the time goes by while lists and clauses come from memory
      FW_PREFETCH(sat->watches[fw__sat_not(sat->trail.items[sat->propagated + 1])].items);
    }
    conflict = visit_watches(sat, fw__sat_not(sat->trail.items[sat->propagated++]));
  }
  return conflict;
}

// ---- conflict analysis ----------------------------------------------------------------------------------------------

// The literals of a clause in conflict or of a reason; those of a binary reason without the propagated one.
typedef struct literals_t {
  const int32_t * items;
  int32_t count;
  int32_t other;  // what `items` points to for a binary reason
} literals_t;

static inline void reason_literals(const fw_sat_t * sat, int32_t reason, literals_t * literals)
{
  FW_ASSERT(reason != FW_SAT_NO_CLAUSE);
  literals->items = reason >= 0               ? clause_literals(sat, reason)
                    : reason == FW_SAT_BINARY ? sat->binary_conflict
                                              : &literals->other;
  literals->count = reason >= 0 ? clause_size(sat, reason) : reason == FW_SAT_BINARY ? 2 : 1;
  literals->other = binary_other(reason);
}

static void see(fw_sat_t * sat, int32_t variable)
{
  FW_ASSERT(!sat->is_seen[variable]);
  sat->is_seen[variable] = true;
  push_reserved(&sat->seen, variable);
}

static void forget_seen(fw_sat_t * sat, int32_t from)
{
  for (int32_t i = from; i < sat->seen.count; ++i) {
    sat->is_seen[sat->seen.items[i]] = false;
  }
  sat->seen.count = from;
}

// Resolves the conflict with the reasons of the current level, backwards along the trail, until one literal of this
// level is left: the first unique implication point (first UIP). It becomes learnt[0].
static void find_first_uip(fw_sat_t * sat, int32_t conflict)
{
  const int32_t level = decision_level(sat);
  int32_t reason = conflict;
  int32_t literal = -1;
  int32_t open = 0;  // seen literals of this level that have not been resolved
  int32_t at = sat->trail.count - 1;
  sat->learnt.count = 0;
  push_reserved(&sat->learnt, -1);
  do {
    literals_t why;
    reason_literals(sat, reason, &why);
    for (int32_t i = 0; i < why.count; ++i) {
      const int32_t variable = why.items[i] >> 1;
      if (why.items[i] == literal || sat->is_seen[variable] || sat->assignments[variable].level == 0) {
        continue;
      }
      activity_bump(sat, variable);
      see(sat, variable);
      if (sat->assignments[variable].level == level) {
        ++open;
      } else {
        push_reserved(&sat->learnt, why.items[i]);
      }
    }
    FW_ASSERT(open > 0);
    while (!sat->is_seen[sat->trail.items[at] >> 1]) {
      --at;
    }
    literal = sat->trail.items[at--];
    reason = sat->assignments[literal >> 1].reason;
    --open;
  } while (open > 0);
  sat->learnt.items[0] = fw__sat_not(literal);
}

// Whether a literal of the learnt clause is implied by the other ones (recursive minimisation with a stack of our own).
// Variables that were found to be implied on the way stay seen.
static bool is_redundant(fw_sat_t * sat, int32_t literal)
{
  const int32_t mark = sat->seen.count;
  sat->stack.count = 0;
  push_reserved(&sat->stack, literal >> 1);
  while (sat->stack.count > 0) {
    const int32_t variable = sat->stack.items[--sat->stack.count];
    literals_t why;
    reason_literals(sat, sat->assignments[variable].reason, &why);
    for (int32_t i = 0; i < why.count; ++i) {
      const int32_t next = why.items[i] >> 1;
      const fw_sat_assignment_t assignment = sat->assignments[next];
      if (next == variable || sat->is_seen[next] || assignment.level == 0) {
        continue;
      }
      if (assignment.reason == FW_SAT_NO_CLAUSE || sat->level_stamps.items[assignment.level] != sat->stamp) {
        forget_seen(sat, mark);
        return false;
      }
      see(sat, next);
      push_reserved(&sat->stack, next);
    }
  }
  return true;
}

// Stamps the decision levels of the learnt literals. Their number is the clause's LBD; fewer is better.
static int32_t stamp_levels(fw_sat_t * sat)
{
  int32_t count = 0;
  ++sat->stamp;
  for (int32_t i = 0; i < sat->learnt.count; ++i) {
    const int32_t level = sat->assignments[sat->learnt.items[i] >> 1].level;
    FW_ASSERT(level < sat->level_stamps.count);
    int32_t * stamp = &sat->level_stamps.items[level];
    count += *stamp != sat->stamp ? 1 : 0;
    *stamp = sat->stamp;
  }
  return count;
}

static void minimise(fw_sat_t * sat)
{
  int32_t kept = 1;
  for (int32_t i = 1; i < sat->learnt.count; ++i) {
    const int32_t literal = sat->learnt.items[i];
    if (sat->assignments[literal >> 1].reason == FW_SAT_NO_CLAUSE || !is_redundant(sat, literal)) {
      sat->learnt.items[kept++] = literal;
    }
  }
  sat->learnt.count = kept;
}

// The level to backjump to: the highest one below the current at which the learnt clause has a literal. This literal
// becomes the second, to be watched.
static int32_t find_backjump_level(fw_sat_t * sat)
{
  int32_t * literals = sat->learnt.items;
  int32_t best = 1;
  if (sat->learnt.count == 1) {
    return 0;
  }
  for (int32_t i = 2; i < sat->learnt.count; ++i) {
    best = sat->assignments[literals[i] >> 1].level > sat->assignments[literals[best] >> 1].level ? i : best;
  }
  const int32_t second = literals[best];
  literals[best] = literals[1];
  literals[1] = second;
  return sat->assignments[second >> 1].level;
}

// Adds the learnt clause, which is unit after the backjump, and assigns its first literal.
static void add_learnt(fw_sat_t * sat, int32_t lbd)
{
  fw_list_t * clauses = &sat->clauses;
  const int32_t size = sat->learnt.count;
  tell(sat, FW_SAT_CLAUSE_LEARNT, sat->learnt.items, size);
  if (size == 1) {
    assign(sat, sat->learnt.items[0], FW_SAT_NO_CLAUSE);
    return;
  }
  if (size == 2) {
    const int32_t other = sat->learnt.items[1];
    assign(sat, sat->learnt.items[0], binary_reason(other));
    watch_binary(sat, sat->learnt.items[0], other);
    return;
  }
  const int32_t clause = clauses->count;
  if (!fw__list_reserve(clauses, size + CLAUSE_HEADER)) {
    sat->has_failed = true;
    return;
  }
  push_reserved(clauses, size);
  push_reserved(clauses, lbd);
  for (int32_t i = 0; i < size; ++i) {
    push_reserved(clauses, sat->learnt.items[i]);
  }
  ++sat->learnt_count;
  watch_clause(sat, clause);
  assign(sat, sat->learnt.items[0], clause);
}

// Learns a clause from a conflict, backjumps and assigns what follows.
static void learn(fw_sat_t * sat, int32_t conflict)
{
  FW_ASSERT(sat->seen.count == 0 && decision_level(sat) > 1);
  find_first_uip(sat, conflict);
  (void)stamp_levels(sat);
  minimise(sat);
  const int32_t lbd = stamp_levels(sat);
  forget_seen(sat, 0);
  backjump(sat, find_backjump_level(sat));
  activity_decay(sat);
  add_learnt(sat, lbd);
}

static void see_literals(fw_sat_t * sat, int32_t reason)
{
  literals_t why;
  reason_literals(sat, reason, &why);
  for (int32_t i = 0; i < why.count; ++i) {
    const int32_t variable = why.items[i] >> 1;
    if (!sat->is_seen[variable] && sat->assignments[variable].level > 0) {
      see(sat, variable);
    }
  }
}

// The unsatisfiable core: the assumptions from which a conflict at the first level follows; or, if `conflict` is
// FW_SAT_NO_CLAUSE, those that make `assumption` false, and itself.
static void find_core(fw_sat_t * sat, int32_t conflict, int32_t assumption)
{
  FW_ASSERT(sat->seen.count == 0);
  sat->core.count = 0;
  if (conflict != FW_SAT_NO_CLAUSE) {
    see_literals(sat, conflict);
  } else {
    push_reserved(&sat->core, assumption);
    see(sat, assumption >> 1);
  }
  for (int32_t at = sat->trail.count - 1; at >= 0; --at) {
    const int32_t literal = sat->trail.items[at];
    const int32_t variable = literal >> 1;
    if (!sat->is_seen[variable] || sat->assignments[variable].level == 0) {
      continue;
    }
    const int32_t reason = sat->assignments[variable].reason;
    if (reason == FW_SAT_NO_CLAUSE) {
      push_reserved(&sat->core, literal);
    } else {
      see_literals(sat, reason);
    }
  }
  forget_seen(sat, 0);
}

// ---- deletion of learnt clauses -------------------------------------------------------------------------------------
//
// Deletes half of the learnt clauses, those with the largest LBD, and all clauses that are satisfied. At level 0, so
// that no clause is the reason of anything that analysis looks at.

enum { LBD_KEPT = 2, LBD_CLASSES = 64 };  // clauses with an LBD of 2 ("glue clauses") are always kept

static bool is_satisfied(const fw_sat_t * sat, int32_t clause)
{
  const int32_t * literals = clause_literals(sat, clause);
  bool is = false;
  for (int32_t i = 0; i < clause_size(sat, clause) && !is; ++i) {
    is = sat->values[literals[i]] > 0;
  }
  return is;
}

// About half of the learnt clauses have this LBD or less.
static int32_t find_lbd_limit(const fw_sat_t * sat)
{
  int32_t counts[LBD_CLASSES] = {0};
  for (int32_t clause = 0; clause < sat->clauses.count; clause = clause_after(sat, clause)) {
    const int32_t lbd = clause_lbd(sat, clause);
    ++counts[lbd < LBD_CLASSES ? lbd : LBD_CLASSES - 1];
  }
  int32_t sum = 0;
  int32_t limit = 1;
  while (limit < LBD_CLASSES - 1 && sum + counts[limit] <= sat->learnt_count / 2) {
    sum += counts[limit++];
  }
  return limit - 1 > LBD_KEPT ? limit - 1 : LBD_KEPT;
}

// Removes the false literals of a clause that is not satisfied. Since propagation is complete, the two watched literals
// are unassigned and stay.
static void remove_false_literals(fw_sat_t * sat, int32_t clause)
{
  int32_t * literals = clause_literals(sat, clause);
  int32_t size = 0;
  for (int32_t i = 0; i < clause_size(sat, clause); ++i) {
    if (sat->values[literals[i]] == 0) {
      literals[size++] = literals[i];
    }
  }
  if (size < clause_size(sat, clause) && clause_lbd(sat, clause) > 0) {
    tell(sat, FW_SAT_CLAUSE_LEARNT, literals, size);  // the longer one stays in the proof
  }
  sat->clauses.items[clause] = size;
}

static void move_clause(fw_sat_t * sat, int32_t to, int32_t from)
{
  FW_ASSERT(to <= from);
  const int32_t length = clause_size(sat, from) + CLAUSE_HEADER;
  for (int32_t i = 0; i < length; ++i) {
    sat->clauses.items[to + i] = sat->clauses.items[from + i];
  }
}

// Reduces the watch list of a literal to the binary clauses that are not satisfied.
static void keep_binary_watches(fw_sat_t * sat, int32_t literal)
{
  fw_sat_watch_list_t * list = &sat->watches[literal];
  int32_t kept = 0;
  for (int32_t i = 0; i < list->count && sat->values[literal] == 0; ++i) {
    if (list->items[i].clause == FW_SAT_BINARY && sat->values[list->items[i].blocker] == 0) {
      list->items[kept++] = list->items[i];
    }
  }
  list->count = kept;
}

// Clauses that propagated something for good may be deleted: what they have propagated is a part of the proof.
static void tell_units(fw_sat_t * sat)
{
  for (; sat->told_count < sat->trail.count; ++sat->told_count) {
    tell(sat, FW_SAT_CLAUSE_LEARNT, &sat->trail.items[sat->told_count], 1);
  }
}

static void reduce_learnt(fw_sat_t * sat)
{
  FW_ASSERT(decision_level(sat) == 0);
  tell_units(sat);
  const int32_t limit = find_lbd_limit(sat);
  int32_t kept = 0;
  sat->learnt_count = 0;
  for (int32_t clause = 0; clause < sat->clauses.count;) {
    const int32_t next = clause_after(sat, clause);
    if (clause_lbd(sat, clause) <= limit && !is_satisfied(sat, clause)) {
      remove_false_literals(sat, clause);
      move_clause(sat, kept, clause);
      sat->learnt_count += clause_lbd(sat, kept) > 0 ? 1 : 0;
      kept = clause_after(sat, kept);
    } else if (clause_lbd(sat, clause) > 0) {
      tell(sat, FW_SAT_CLAUSE_DELETED, clause_literals(sat, clause), clause_size(sat, clause));
    }
    clause = next;
  }
  sat->clauses.count = kept;
  for (int32_t i = 0; i < sat->trail.count; ++i) {
    sat->assignments[sat->trail.items[i] >> 1].reason = FW_SAT_NO_CLAUSE;
  }
  for (int32_t literal = 0; literal < 2 * sat->variable_count; ++literal) {
    keep_binary_watches(sat, literal);
  }
  for (int32_t clause = 0; clause < kept; clause = clause_after(sat, clause)) {
    watch_clause(sat, clause);
  }
  sat->learnt_max += sat->learnt_max / 16;
  FW_ASSERT(sat->has_failed || fw__sat_validate(sat));
}

// ---- variables and clauses ------------------------------------------------------------------------------------------

static const fw_sat_observer_t * new_observer;

void fw__sat_observe(const fw_sat_observer_t * observer) { new_observer = observer; }

void fw__sat_init(fw_sat_t * sat, fw_arena_t * arena, fw_meter_t * meter)
{
  FW_ASSERT(arena != NULL && meter != NULL);
  const fw_list_t empty = fw__list(arena);
  *sat = (fw_sat_t){
    .arena = arena,
    .meter = meter,
    .observer = new_observer,
    .core = empty,
    .clauses = empty,
    .learnt_max = LEARNT_MAX_FIRST,
    .trail = empty,
    .levels = empty,
    .heap = empty,
    .activity_step = 1 << 16,
    .required = empty,
    .learnt = empty,
    .stack = empty,
    .seen = empty,
    .level_stamps = empty,
  };
  if (sat->observer != NULL) {
    sat->observer->on_init(sat->observer->state);
  }
}

// Makes the arrays by literal and by variable one variable larger.
static bool reserve_arrays(fw_sat_t * sat)
{
  int32_t * of_literals = sat->literal_capacity;
  int32_t * of_variables = sat->variable_capacity;
  if (2 * sat->variable_count + 2 > of_literals[0]) {
    int8_t * values = fw__arena_grow(sat->arena, sat->values, sizeof(*values), &of_literals[0]);
    sat->has_failed = sat->has_failed || values == NULL;
    sat->values = values;
  }
  if (2 * sat->variable_count + 2 > of_literals[1]) {
    fw_sat_watch_list_t * watches = fw__arena_grow(sat->arena, sat->watches, sizeof(*watches), &of_literals[1]);
    sat->has_failed = sat->has_failed || watches == NULL;
    sat->watches = watches;
  }
  if (sat->variable_count == of_variables[0]) {
    fw_sat_variable_t * variables = fw__arena_grow(sat->arena, sat->variables, sizeof(*variables), &of_variables[0]);
    fw_sat_assignment_t * assignments =
      fw__arena_grow(sat->arena, sat->assignments, sizeof(*assignments), &of_variables[1]);
    bool * is_seen = fw__arena_grow(sat->arena, sat->is_seen, sizeof(*is_seen), &of_variables[2]);
    sat->has_failed = sat->has_failed || variables == NULL || assignments == NULL || is_seen == NULL;
    sat->variables = variables;
    sat->assignments = assignments;
    sat->is_seen = is_seen;
  }
  return !sat->has_failed;
}

// Makes the lists that hold each variable or each level at most once large enough for `count` variables.
static bool reserve_lists(fw_sat_t * sat, int32_t count)
{
  fw_list_t * lists[] = {&sat->trail, &sat->heap, &sat->learnt, &sat->stack, &sat->seen};
  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); ++i) {
    sat->has_failed = sat->has_failed || !fw__list_reserve(lists[i], count - lists[i]->count);
  }
  // One level more, that of the assumptions; and an assumption may be in the core beside its negation.
  sat->has_failed = sat->has_failed || !fw__list_reserve(&sat->levels, count + 1 - sat->levels.count) ||
                    !fw__list_reserve(&sat->core, count + 1 - sat->core.count);
  while (!sat->has_failed && sat->level_stamps.count < count + 2) {
    sat->has_failed = !fw__list_push(&sat->level_stamps, 0);
  }
  return !sat->has_failed;
}

static int32_t add_variable(fw_sat_t * sat, bool phase, bool is_required)
{
  FW_ASSERT(decision_level(sat) == 0 && sat->seen.count == 0);
  const int32_t variable = sat->variable_count;
  if (sat->has_failed || !reserve_arrays(sat) || !reserve_lists(sat, variable + 1)) {
    return -1;
  }
  sat->variables[variable] =
    (fw_sat_variable_t){.heap_index = -1, .required_index = is_required ? sat->required.count : -1, .phase = phase};
  sat->assignments[variable] = (fw_sat_assignment_t){.reason = FW_SAT_NO_CLAUSE};
  sat->is_seen[variable] = false;
  for (int32_t literal = 2 * variable; literal < 2 * variable + 2; ++literal) {
    sat->values[literal] = 0;
    sat->watches[literal] = (fw_sat_watch_list_t){0};
  }
  sat->has_failed = is_required && !fw__list_push(&sat->required, variable);
  ++sat->variable_count;
  return sat->has_failed ? -1 : variable;
}

int32_t fw__sat_add_variable(fw_sat_t * sat, bool phase) { return add_variable(sat, phase, true); }

int32_t fw__sat_add_optional_variable(fw_sat_t * sat) { return add_variable(sat, false, false); }

bool fw__sat_add_clause(fw_sat_t * sat, const int32_t * literals, int32_t count)
{
  FW_ASSERT(decision_level(sat) == 0 && count >= 0);
  fw_list_t * clauses = &sat->clauses;
  if (sat->has_failed || !fw__list_reserve(clauses, count + CLAUSE_HEADER)) {
    sat->has_failed = true;
    return false;
  }
  tell(sat, FW_SAT_CLAUSE_GIVEN, literals, count);
  const int32_t clause = clauses->count;
  int32_t * kept = &clauses->items[clause + CLAUSE_HEADER];
  int32_t size = 0;
  for (int32_t i = 0; i < count; ++i) {
    FW_ASSERT(literals[i] >= 0 && literals[i] < 2 * sat->variable_count);
    if (sat->values[literals[i]] > 0) {
      return true;  // satisfied at level 0, for good
    }
    if (sat->values[literals[i]] == 0) {
      kept[size++] = literals[i];
    }
  }
  if (size == 0) {
    sat->is_contradiction = true;
  } else if (size == 1) {
    assign(sat, kept[0], FW_SAT_NO_CLAUSE);
  } else if (size == 2) {
    watch_binary(sat, kept[0], kept[1]);
  } else {
    clauses->items[clause] = size;
    clauses->items[clause + 1] = 0;
    clauses->count += size + CLAUSE_HEADER;
    watch_clause(sat, clause);
  }
  return !sat->has_failed;
}

// ---- search ---------------------------------------------------------------------------------------------------------

typedef struct search_t {
  const fw_sat_query_t * query;
  int64_t conflicts;
  int64_t restarts;
  int64_t restart_at;  // conflicts
  bool has_reached_conflicts_max;
} search_t;

// The Luby sequence: 1 1 2 1 1 2 4 …
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

static void save_model(fw_sat_t * sat)
{
  for (int32_t i = 0; i < sat->variable_count; ++i) {
    sat->variables[i].is_in_model = sat->values[2 * i] > 0;
  }
}

// All assumptions share the first decision level: what follows from them is kept while the search above it restarts.
static fw_sat_result_t assume(fw_sat_t * sat, const fw_sat_query_t * query)
{
  int32_t conflict = FW_SAT_NO_CLAUSE;
  begin_level(sat);
  for (int32_t i = 0; i < query->count && conflict == FW_SAT_NO_CLAUSE; ++i) {
    const int32_t assumption = query->assumptions[i];
    FW_ASSERT(assumption >= 0 && assumption < 2 * sat->variable_count);
    if (sat->values[assumption] < 0) {
      find_core(sat, FW_SAT_NO_CLAUSE, assumption);
      return FW_SAT_UNSATISFIABLE;
    }
    if (sat->values[assumption] == 0) {
      assign(sat, assumption, FW_SAT_NO_CLAUSE);
      conflict = propagate(sat);
    }
  }
  if (sat->has_failed) {
    return FW_SAT_STOPPED;
  }
  if (conflict != FW_SAT_NO_CLAUSE) {
    find_core(sat, conflict, -1);
    return FW_SAT_UNSATISFIABLE;
  }
  return FW_SAT_UNKNOWN;
}

// Decides on the next variable. FW_SAT_UNKNOWN: go on.
static fw_sat_result_t decide(fw_sat_t * sat, const fw_sat_query_t * query)
{
  if (decision_level(sat) == 0) {
    return assume(sat, query);
  }
  const int32_t variable = order_take(sat);
  int32_t literal = -1;
  if (variable >= 0) {
    literal = 2 * variable + (sat->variables[variable].phase ? 0 : 1);
  } else if (sat->decider.choose != NULL) {
    literal = sat->decider.choose(sat->decider.state);
  }
  if (literal < 0) {
    save_model(sat);
    return FW_SAT_SATISFIABLE;
  }
  FW_ASSERT(literal < 2 * sat->variable_count);
  begin_level(sat);
  assign(sat, literal, FW_SAT_NO_CLAUSE);
  return FW_SAT_UNKNOWN;
}

// Propagation has ended without a conflict: restarts and deletes learnt clauses when due, then decides.
static fw_sat_result_t advance(fw_sat_t * sat, search_t * search)
{
  const fw_sat_query_t * query = search->query;
  if (query->conflicts_max > 0 && search->conflicts >= query->conflicts_max) {
    search->has_reached_conflicts_max = true;
    return FW_SAT_UNKNOWN;
  }
  if (search->conflicts >= search->restart_at) {
    search->restart_at = search->conflicts + RESTART_UNIT * luby(search->restarts++);
    backjump(sat, 1);
  }
  if (sat->learnt_count > sat->learnt_max) {
    backjump(sat, 0);
    reduce_learnt(sat);
  }
  return sat->has_failed ? FW_SAT_STOPPED : decide(sat, query);
}

static fw_sat_result_t run(fw_sat_t * sat, search_t * search)
{
  for (;;) {
    if (fw__meter_add(sat->meter, 1)) {
      return FW_SAT_STOPPED;
    }
    const int32_t conflict = propagate(sat);
    if (sat->has_failed) {
      return FW_SAT_STOPPED;
    }
    if (conflict == FW_SAT_NO_CLAUSE) {
      const fw_sat_result_t result = advance(sat, search);
      if (result != FW_SAT_UNKNOWN || search->has_reached_conflicts_max) {
        return result;
      }
      continue;
    }
    ++sat->conflicts;
    ++search->conflicts;
    if (decision_level(sat) == 0) {
      sat->is_contradiction = true;
      return FW_SAT_UNSATISFIABLE;
    }
    if (decision_level(sat) == 1) {
      find_core(sat, conflict, -1);
      return FW_SAT_UNSATISFIABLE;
    }
    learn(sat, conflict);
  }
}

static fw_sat_result_t solve(fw_sat_t * sat, const fw_sat_query_t * query)
{
  search_t search = {.query = query, .restart_at = RESTART_UNIT, .restarts = 1};
  sat->core.count = 0;
  if (sat->is_contradiction) {
    return FW_SAT_UNSATISFIABLE;
  }
  const fw_sat_result_t result = sat->has_failed ? FW_SAT_STOPPED : run(sat, &search);
  backjump(sat, 0);
  if (result == FW_SAT_STOPPED && !fw__meter_has_stopped(sat->meter)) {
    fw__meter_stop(sat->meter, FW_STOP_MEMORY);
  }
  return result;
}

fw_sat_result_t fw__sat_solve(fw_sat_t * sat, const fw_sat_query_t * query)
{
  FW_ASSERT(decision_level(sat) == 0 && query->count >= 0 && (query->count == 0 || query->assumptions != NULL));
  const fw_sat_result_t result = solve(sat, query);
  if (sat->observer != NULL) {
    sat->observer->on_answer(sat->observer->state, sat, query, result);
  }
  return result;
}

// ---- validation -----------------------------------------------------------------------------------------------------

static bool trail_is_valid(const fw_sat_t * sat)
{
  int32_t assigned = 0;
  for (int32_t i = 0; i < sat->variable_count; ++i) {
    const int8_t value = sat->values[2 * i];
    if (value < -1 || value > 1 || sat->values[2 * i + 1] != -value || sat->is_seen[i]) {
      return false;
    }
    assigned += value != 0 ? 1 : 0;
  }
  if (assigned != sat->trail.count || sat->propagated < 0 || sat->propagated > sat->trail.count) {
    return false;
  }
  int32_t level = 0;
  for (int32_t i = 0; i < sat->trail.count; ++i) {
    while (level < sat->levels.count && sat->levels.items[level] <= i) {
      ++level;
    }
    const int32_t literal = sat->trail.items[i];
    if (
      literal < 0 || literal >= 2 * sat->variable_count || sat->values[literal] != 1 ||
      sat->assignments[literal >> 1].level != level) {
      return false;
    }
  }
  for (int32_t i = 1; i < sat->levels.count; ++i) {
    if (sat->levels.items[i] < sat->levels.items[i - 1]) {
      return false;
    }
  }
  return true;
}

// A hash of a pair. Sums of such hashes compare two multisets of pairs in one pass over each.
static uint64_t pair_hash(int32_t a, int32_t b)
{
  uint64_t z = ((uint64_t)(uint32_t)a << 32 | (uint32_t)b) + UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

// The clauses, and the sum of the hashes of (clause, watched literal).
static bool clauses_are_valid(const fw_sat_t * sat, uint64_t * sum)
{
  const bool is_propagated = sat->propagated == sat->trail.count && !sat->is_contradiction;
  int32_t learnt = 0;
  int32_t clause = 0;
  while (clause < sat->clauses.count) {
    const int32_t size = clause_size(sat, clause);
    if (size < 2 || size > sat->clauses.count - clause - CLAUSE_HEADER || clause_lbd(sat, clause) < 0) {
      return false;
    }
    const int32_t * literals = clause_literals(sat, clause);
    for (int32_t i = 0; i < size; ++i) {
      if (literals[i] < 0 || literals[i] >= 2 * sat->variable_count) {
        return false;
      }
    }
    const bool has_false_watch = sat->values[literals[0]] < 0 || sat->values[literals[1]] < 0;
    if (is_propagated && has_false_watch && !is_satisfied(sat, clause)) {
      return false;
    }
    *sum += pair_hash(clause, literals[0]) + pair_hash(clause, literals[1]);
    learnt += clause_lbd(sat, clause) > 0 ? 1 : 0;
    clause = clause_after(sat, clause);
  }
  return learnt == sat->learnt_count;
}

static bool watches_are_valid(const fw_sat_t * sat, uint64_t expected)
{
  uint64_t watched = 0;
  uint64_t binary = 0;
  uint64_t mirrored = 0;
  for (int32_t literal = 0; literal < 2 * sat->variable_count; ++literal) {
    const fw_sat_watch_list_t * list = &sat->watches[literal];
    for (int32_t i = 0; i < list->count; ++i) {
      const fw_sat_watch_t watch = list->items[i];
      if (watch.blocker < 0 || watch.blocker >= 2 * sat->variable_count) {
        return false;
      }
      if (watch.clause == FW_SAT_BINARY) {
        binary += pair_hash(literal, watch.blocker);
        mirrored += pair_hash(watch.blocker, literal);
      } else {
        watched += pair_hash(watch.clause, literal);
      }
    }
  }
  return watched == expected && binary == mirrored;
}

static bool order_is_valid(const fw_sat_t * sat)
{
  for (int32_t i = 0; i < sat->heap.count; ++i) {
    const int32_t variable = sat->heap.items[i];
    if (
      variable < 0 || variable >= sat->variable_count || sat->variables[variable].heap_index != i ||
      (i > 0 && is_before(sat, variable, sat->heap.items[(i - 1) / 2]))) {
      return false;
    }
  }
  for (int32_t i = 0; i < sat->variable_count; ++i) {
    const fw_sat_variable_t * v = &sat->variables[i];
    const bool is_waiting = sat->values[2 * i] == 0;
    if (
      v->heap_index >= sat->heap.count || (v->activity > 0 && is_waiting && v->heap_index < 0) ||
      (v->activity == 0 && is_waiting && v->required_index >= 0 && v->required_index < sat->required_from)) {
      return false;
    }
  }
  return true;
}

bool fw__sat_validate(const fw_sat_t * sat)
{
  uint64_t watched = 0;
  return trail_is_valid(sat) && clauses_are_valid(sat, &watched) && watches_are_valid(sat, watched) &&
         order_is_valid(sat);
}
