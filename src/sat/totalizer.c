// The totalizer encoding.

#include "sat/totalizer.h"

#include "base/assert.h"

// A number in unary: literals[i] is true if the number is more than i.
typedef struct unary_t {
  int32_t * literals;
  int32_t count;
} unary_t;

// More than `one` in the first child and more than `two` in the second make more than one + two + 1; -1 is any number.
static void add_implication(fw_sat_t * sat, const unary_t * children, const int32_t * outputs, const int32_t more[2])
{
  int32_t clause[3];
  int32_t count = 0;
  for (int32_t i = 0; i < 2; ++i) {
    if (more[i] >= 0) {
      clause[count++] = fw__sat_not(children[i].literals[more[i]]);
    }
  }
  clause[count++] = outputs[more[0] + more[1] + 1];
  FW_ASSERT(count >= 2);
  (void)fw__sat_add_clause(sat, clause, count);
}

// The sum of two children, as new variables. Failure is sticky in `sat`.
static unary_t add_children(fw_sat_t * sat, const unary_t * children)
{
  const int32_t count = children[0].count + children[1].count;
  unary_t sum = {.literals = fw__arena_allocate(sat->arena, (size_t)count, sizeof(*sum.literals)), .count = count};
  sat->has_failed = sat->has_failed || sum.literals == NULL;
  for (int32_t i = 0; i < count && !sat->has_failed; ++i) {
    sum.literals[i] = 2 * fw__sat_add_variable(sat, false);
    if (i > 0 && !sat->has_failed) {
      (void)fw__sat_add_clause(sat, (int32_t[]){fw__sat_not(sum.literals[i]), sum.literals[i - 1]}, 2);
    }
  }
  for (int32_t one = -1; one < children[0].count && !sat->has_failed; ++one) {
    for (int32_t two = one < 0 ? 0 : -1; two < children[1].count && !sat->has_failed; ++two) {
      add_implication(sat, children, sum.literals, (int32_t[]){one, two});
    }
  }
  return sum;
}

bool fw__totalizer_init(fw_totalizer_t * totalizer, fw_sat_t * sat, const int32_t * inputs, int32_t count)
{
  FW_ASSERT(count >= 1);
  unary_t * nodes = fw__arena_allocate(sat->arena, (size_t)(2 * count), sizeof(*nodes));
  int32_t * copies = fw__arena_allocate(sat->arena, (size_t)count, sizeof(*copies));
  if (nodes == NULL || copies == NULL) {
    return false;
  }
  for (int32_t i = 0; i < count; ++i) {
    copies[i] = inputs[i];
    nodes[i] = (unary_t){.literals = &copies[i], .count = 1};
  }
  int32_t node_count = count;
  for (int32_t first = 0; first + 1 < node_count && !sat->has_failed; first += 2) {  // pairs of nodes without a parent
    nodes[node_count++] = add_children(sat, &nodes[first]);
  }
  FW_ASSERT(sat->has_failed || nodes[node_count - 1].count == count);
  *totalizer = (fw_totalizer_t){.outputs = nodes[node_count - 1].literals, .count = count};
  return !sat->has_failed;
}
