// HPA*: fewer transitions. Among scattered obstacles a border has an opening every few cells, and a search over all of them
// is hardly less than one over cells. One transition stands for those around it from which it can be reached by a short
// way on either side of the border: what is left out costs a detour, which smoothing mostly takes back.

#include "search/hpa/hpa.h"

typedef struct thin_t {
  hpa_t * hpa;
  const hpa_side_t * side;
  const int32_t * numbers;
  int32_t count;
  int32_t centre;  // a transition: what can be reached from it is known
} thin_t;

static int32_t place_of(const thin_t * thin, int32_t index)
{
  return thin->side->first + thin->numbers[index] * thin->side->step;
}

// Without memory nothing is known to be near, and all transitions stay.
static void look_from(thin_t * thin, int32_t index)
{
  hpa_t * hpa = thin->hpa;
  const int32_t here = place_of(thin, index);
  const int32_t limit = (2 * hpa->spread + 4) * hpa->floor->straight * hpa->floor->cost_min;
  thin->centre = index;
  (void)hpa_flood_within(hpa, hpa->from, here, false, limit);
  (void)hpa_flood_within(hpa, hpa->to, here + hpa->floor->steps[0][thin->side->direction], false, limit);
}

// At most twice as long as along the border, and a few steps.
static bool is_near(const thin_t * thin, int32_t index)
{
  const hpa_t * hpa = thin->hpa;
  const fw_floor_t * floor = hpa->floor;
  const int32_t apart = abs(thin->numbers[index] - thin->numbers[thin->centre]);
  const int32_t limit = (2 * apart + 4) * floor->straight * floor->cost_min;
  const int32_t here = place_of(thin, index);
  return apart <= hpa->spread && hpa_flood_at(hpa, hpa->from, here)->g <= limit &&
         hpa_flood_at(hpa, hpa->to, here + floor->steps[0][thin->side->direction])->g <= limit;
}

int32_t hpa_thin(hpa_t * hpa, const hpa_side_t * side, int32_t * numbers, int32_t count)
{
  if (hpa->spread == 0 || count < 2) {
    return count;
  }
  int32_t given[HPA_SIDE_MAX];
  memcpy(given, numbers, (size_t)count * sizeof(*numbers));
  thin_t thin = {.hpa = hpa, .side = side, .numbers = given, .count = count};
  int32_t left = 0;
  for (int32_t first = 0; first < count;) {
    // The farthest that the first one reaches stands for it, and for those on its other side.
    look_from(&thin, first);
    int32_t middle = first;
    for (int32_t i = first + 1; i < count && given[i] - given[first] <= hpa->spread; ++i) {
      middle = is_near(&thin, i) ? i : middle;
    }
    if (middle > first) {
      look_from(&thin, middle);
    }
    for (int32_t i = first; i <= middle; ++i) {
      if (i == middle || !is_near(&thin, i)) {
        numbers[left++] = given[i];
      }
    }
    for (first = middle + 1; first < count && is_near(&thin, first); ++first) {}
  }
  return left;
}
