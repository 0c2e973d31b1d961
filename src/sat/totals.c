// Sums of literals as clauses.

#include "sat/totals.h"

typedef struct part_t {
  int32_t * literals;
  int32_t count;
} part_t;

// More than `one` of the first half and more than `two` of the second make more than one + two + 1; -1 is any number.
static bool add(fw_sat_t * sat, const part_t * halves, const int32_t * outputs, int32_t one, int32_t two)
{
  int32_t clause[3];
  int32_t count = 0;
  if (one >= 0) {
    clause[count++] = fw__sat_not(halves[0].literals[one]);
  }
  if (two >= 0) {
    clause[count++] = fw__sat_not(halves[1].literals[two]);
  }
  clause[count++] = outputs[one + two + 1];
  return count == 1 || fw__sat_add_clause(sat, clause, count);
}

static bool join(fw_sat_t * sat, const part_t * halves, part_t * whole)
{
  const int32_t count = halves[0].count + halves[1].count;
  bool is_fine = true;
  whole->count = count;
  whole->literals = fw__arena_allocate(sat->arena, (size_t)count, sizeof(*whole->literals));
  if (whole->literals == NULL) {
    return false;
  }
  for (int32_t i = 0; i < count && is_fine; ++i) {
    const int32_t variable = fw__sat_add_variable(sat, false);
    whole->literals[i] = 2 * variable;
    is_fine = variable >= 0;
    if (is_fine && i > 0) {
      is_fine = fw__sat_add_clause(sat, (int32_t[]){fw__sat_not(2 * variable), whole->literals[i - 1]}, 2);
    }
  }
  for (int32_t one = -1; one < halves[0].count && is_fine; ++one) {
    for (int32_t two = one < 0 ? 0 : -1; two < halves[1].count && is_fine; ++two) {
      is_fine = add(sat, halves, whole->literals, one, two);
    }
  }
  return is_fine;
}

bool fw__total_init(fw_total_t * total, fw_sat_t * sat, const int32_t * inputs, int32_t count)
{
  part_t * parts = fw__arena_allocate(sat->arena, (size_t)(2 * count), sizeof(*parts));
  int32_t * copies = fw__arena_allocate(sat->arena, (size_t)count, sizeof(*copies));
  if (parts == NULL || copies == NULL) {
    return false;
  }
  for (int32_t i = 0; i < count; ++i) {
    copies[i] = inputs[i];
    parts[i] = (part_t){.literals = &copies[i], .count = 1};
  }
  int32_t last = count;
  for (int32_t first = 0; first + 1 < last; first += 2) {
    if (!join(sat, &parts[first], &parts[last])) {
      return false;
    }
    ++last;
  }
  *total = (fw_total_t){.outputs = parts[last - 1].literals, .count = count};
  return true;
}
