// See sat_checker.h.

#include "support/sat_checker.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void * resize(void * memory, size_t bytes)
{
  void * larger = realloc(memory, bytes);
  if (larger == NULL) {
    abort();
  }
  return larger;
}

static void push(sat_checker_t * checker, int32_t item)
{
  if (checker->count == checker->capacity) {
    checker->capacity = 2 * checker->capacity + 1024;
    checker->items = resize(checker->items, (size_t)checker->capacity * sizeof *checker->items);
  }
  checker->items[checker->count++] = item;
}

static void know_literal(sat_checker_t * checker, int32_t literal)
{
  const int32_t needed = (literal | 1) + 1;
  if (needed > checker->literal_count) {
    checker->values = resize(checker->values, (size_t)needed);
    memset(checker->values + checker->literal_count, 0, (size_t)(needed - checker->literal_count));
    checker->literal_count = needed;
  }
}

// ---- unit propagation

static bool make_true(sat_checker_t * checker, int32_t literal)
{
  know_literal(checker, literal);
  if (checker->values[literal] < 0) {
    return false;
  }
  checker->values[literal] = 1;
  checker->values[literal ^ 1] = -1;
  return true;
}

// Visits one clause. False: all its literals are false.
static bool visit(sat_checker_t * checker, const int32_t * literals, int32_t count, bool * has_changed)
{
  int32_t open = 0, last = -1;
  for (int32_t i = 0; i < count; ++i) {
    if (checker->values[literals[i]] > 0) {
      return true;
    }
    if (checker->values[literals[i]] == 0 && literals[i] != last) {
      ++open;
      last = literals[i];
    }
  }
  if (open == 1) {
    *has_changed = true;
    return make_true(checker, last);
  }
  return open > 0;
}

// Whether unit propagation over all clauses ends in a conflict. Forgets all values.
static bool has_conflict(sat_checker_t * checker)
{
  bool is_consistent = true, has_changed = true;
  while (has_changed && is_consistent) {
    has_changed = false;
    for (int32_t at = 0; at < checker->count && is_consistent; at += checker->items[at + 1] + 2) {
      if (checker->items[at] != FW_SAT_CLAUSE_DELETED) {
        is_consistent = visit(checker, &checker->items[at + 2], checker->items[at + 1], &has_changed);
      }
    }
  }
  memset(checker->values, 0, (size_t)checker->literal_count);
  return !is_consistent;
}

// Whether the conjunction of these literals, or of their negations, contradicts the clauses.
static bool contradicts(sat_checker_t * checker, const int32_t * literals, int32_t count, bool is_negated)
{
  for (int32_t i = 0; i < count; ++i) {
    if (!make_true(checker, is_negated ? literals[i] ^ 1 : literals[i])) {
      memset(checker->values, 0, (size_t)checker->literal_count);
      return true;
    }
  }
  return has_conflict(checker);
}

// ---- observer

static bool is_same(const int32_t * one, const int32_t * two, int32_t count)
{
  bool is = true;
  for (int32_t i = 0; i < count && is; ++i) {
    is = false;
    for (int32_t k = 0; k < count && !is; ++k) {
      is = one[i] == two[k];
    }
  }
  return is;
}

// Marks a learnt clause as deleted. It must be there.
static bool delete_clause(sat_checker_t * checker, const int32_t * literals, int32_t count)
{
  for (int32_t at = 0; at < checker->count; at += checker->items[at + 1] + 2) {
    if (
      checker->items[at] == FW_SAT_CLAUSE_LEARNT && checker->items[at + 1] == count &&
      is_same(&checker->items[at + 2], literals, count)) {
      checker->items[at] = FW_SAT_CLAUSE_DELETED;
      return true;
    }
  }
  return false;
}

static void on_init(void * state)
{
  sat_checker_t * checker = state;
  checker->count = checker->learnt_count = 0;
  ++checker->solver_count;
}

static void on_clause(void * state, fw_sat_clause_kind_t kind, const int32_t * literals, int32_t count)
{
  sat_checker_t * checker = state;
  for (int32_t i = 0; i < count; ++i) {
    know_literal(checker, literals[i]);
  }
  if (kind == FW_SAT_CLAUSE_DELETED) {
    ++checker->deleted_count;
    checker->underived_count += checker->derives && !delete_clause(checker, literals, count) ? 1 : 0;
    return;
  }
  if (kind == FW_SAT_CLAUSE_LEARNT) {
    ++checker->learnt_count;
    checker->underived_count += checker->derives && !contradicts(checker, literals, count, true) ? 1 : 0;
  }
  push(checker, (int32_t)kind);
  push(checker, count);
  for (int32_t i = 0; i < count; ++i) {
    push(checker, literals[i]);
  }
}

static void on_answer(void * state, const fw_sat_t * sat, const fw_sat_query_t * query, fw_sat_result_t result)
{
  sat_checker_t * checker = state;
  if (result == FW_SAT_UNSATISFIABLE) {
    ++checker->unsatisfiable_count;
    const bool follows = !checker->derives || contradicts(checker, sat->core.items, sat->core.count, false);
    checker->underived_count += follows ? 0 : 1;
  }
  if (checker->on_answer != NULL) {
    checker->on_answer(checker, sat, query, result);
  }
}

fw_sat_observer_t sat_checker_observer(sat_checker_t * checker)
{
  return (fw_sat_observer_t){.on_init = on_init, .on_clause = on_clause, .on_answer = on_answer, .state = checker};
}

void sat_checker_fini(sat_checker_t * checker)
{
  free(checker->items);
  free(checker->values);
  checker->items = NULL;
  checker->values = NULL;
  checker->count = checker->capacity = checker->literal_count = 0;
}

// ---- files

static void write_clause(FILE * file, const int32_t * literals, int32_t count)
{
  for (int32_t i = 0; i < count; ++i) {
    (void)fprintf(file, "%d ", sat_dimacs(literals[i]));
  }
  (void)fprintf(file, "0\n");
}

bool sat_checker_write(const sat_checker_t * checker, const fw_list_t * core, const char * formula, const char * proof)
{
  FILE * clauses = fopen(formula, "w");
  FILE * steps = fopen(proof, "w");
  int32_t given = core->count;
  for (int32_t at = 0; at < checker->count; at += checker->items[at + 1] + 2) {
    given += checker->items[at] == FW_SAT_CLAUSE_GIVEN ? 1 : 0;
  }
  if (clauses != NULL && steps != NULL) {
    (void)fprintf(clauses, "p cnf %d %d\n", checker->literal_count / 2, given);
    for (int32_t at = 0; at < checker->count; at += checker->items[at + 1] + 2) {
      FILE * file = checker->items[at] == FW_SAT_CLAUSE_GIVEN ? clauses : steps;
      write_clause(file, &checker->items[at + 2], checker->items[at + 1]);
    }
    for (int32_t i = 0; i < core->count; ++i) {
      write_clause(clauses, &core->items[i], 1);
    }
    (void)fprintf(steps, "0\n");
  }
  const bool is_written = clauses != NULL && steps != NULL && !ferror(clauses) && !ferror(steps);
  const bool has_formula = clauses == NULL || fclose(clauses) == 0;
  const bool has_proof = steps == NULL || fclose(steps) == 0;
  return is_written && has_formula && has_proof;
}
