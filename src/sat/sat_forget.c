// A solver of clauses: drops half of what it has learned, the clauses that span the most levels and the longest first,
// and what is true for ever. At level 0, so that no clause is a reason of anything that can be asked about.

#include "sat/sat.h"

enum { GOOD = 2, QUALITIES = 64 };

static bool is_true(const fw_sat_t * sat, int32_t reference)
{
  const int32_t * literals = fw__sat_literals(sat, reference);
  bool is = false;
  for (int32_t i = 0; i < fw__sat_size(sat, reference) && !is; ++i) {
    is = sat->values[literals[i]] > 0;
  }
  return is;
}

static int32_t grade(const fw_sat_t * sat, int32_t reference)
{
  const int32_t quality = fw__sat_quality(sat, reference);
  return quality < QUALITIES ? quality : QUALITIES - 1;
}

// Half of the learned clauses are of this quality or better.
static int32_t find_limit(const fw_sat_t * sat)
{
  int32_t counts[QUALITIES] = {0};
  for (int32_t at = 0; at < sat->clauses.count; at += fw__sat_size(sat, at) + FW_SAT_HEADER) {
    ++counts[grade(sat, at)];
  }
  int32_t sum = 0;
  int32_t limit = 1;
  while (limit < QUALITIES - 1 && sum + counts[limit] <= sat->learned_count / 2) {
    sum += counts[limit++];
  }
  return limit - 1 > GOOD ? limit - 1 : GOOD;
}

static void copy(fw_sat_t * sat, int32_t to, int32_t from)
{
  const int32_t words = fw__sat_size(sat, from) + FW_SAT_HEADER;
  for (int32_t i = 0; i < words; ++i) {
    sat->clauses.items[to + i] = sat->clauses.items[from + i];
  }
}

// The first two literals of what is left are open: propagation at level 0 has ended.
static void open_first(fw_sat_t * sat, int32_t reference)
{
  int32_t * literals = fw__sat_literals(sat, reference);
  int32_t size = 0;
  for (int32_t i = 0; i < fw__sat_size(sat, reference); ++i) {
    if (sat->values[literals[i]] == 0) {
      literals[size++] = literals[i];
    }
  }
  sat->clauses.items[reference] = size;
}

// Of what a literal watches, the clauses of two that are not true for ever.
static void keep_pairs(fw_sat_t * sat, int32_t literal)
{
  fw_sat_watches_t * list = &sat->watches[literal];
  int32_t kept = 0;
  for (int32_t i = 0; i < list->count && sat->values[literal] == 0; ++i) {
    if (list->items[i].reference == FW_SAT_PAIR && sat->values[list->items[i].blocker] == 0) {
      list->items[kept++] = list->items[i];
    }
  }
  list->count = kept;
}

bool fw__sat_forget(fw_sat_t * sat)
{
  const int32_t limit = find_limit(sat);
  int32_t kept = 0;
  sat->learned_count = 0;
  for (int32_t at = 0; at < sat->clauses.count;) {
    const int32_t next = at + fw__sat_size(sat, at) + FW_SAT_HEADER;
    if (fw__sat_quality(sat, at) <= limit && !is_true(sat, at)) {
      open_first(sat, at);
      copy(sat, kept, at);
      sat->learned_count += fw__sat_quality(sat, kept) > 0 ? 1 : 0;
      kept += fw__sat_size(sat, kept) + FW_SAT_HEADER;
    }
    at = next;
  }
  sat->clauses.count = kept;
  for (int32_t i = 0; i < sat->trail.count; ++i) {
    sat->causes[sat->trail.items[i] >> 1].reason = FW_SAT_NO_REASON;
  }
  for (int32_t i = 0; i < 2 * sat->variable_count; ++i) {
    keep_pairs(sat, i);
  }
  for (int32_t at = 0; at < kept; at += fw__sat_size(sat, at) + FW_SAT_HEADER) {
    if (!fw__sat_watch(sat, at)) {
      return false;
    }
  }
  sat->learned_max += sat->learned_max / 16;
  return true;
}
