// HPA*: the ends of a question, and what it costs between them and the nodes of their clusters: looked up in the clusters'
// tables, or flooded where there are none.

#include "search/hpa/hpa.h"

bool hpa_set_ends(hpa_t * hpa, int32_t start, int32_t goal)
{
  hpa_set_place(hpa, &hpa->nodes[HPA_START], start);
  hpa_set_place(hpa, &hpa->nodes[HPA_GOAL], goal);
  const bool is_one = hpa->nodes[HPA_START].clusters[0] == hpa->nodes[HPA_GOAL].clusters[0];
  return (hpa->has_tables || hpa_flood(hpa, hpa->from, start, false)) &&
         ((hpa->has_tables && !is_one) || hpa_flood(hpa, hpa->to, goal, true));
}

// What the table of an end's cluster says of node number `slot` and the end.
static int32_t look_up(const hpa_t * hpa, const hpa_node_t * end, int32_t slot)
{
  const int32_t known = hpa_table_at(hpa, end->clusters[0], end->x, end->y)[slot];
  return known == HPA_NONE ? HPA_NONE : known / 16;
}

int32_t hpa_cost_from_start(const hpa_t * hpa, const hpa_node_t * to)
{
  return hpa->has_tables ? look_up(hpa, &hpa->nodes[HPA_START], to->slots[0])
                         : hpa_flood_at(hpa, hpa->from, to->place)->g;
}

int32_t hpa_cost_to_goal(const hpa_t * hpa, const hpa_node_t * from)
{
  return hpa->has_tables ? look_up(hpa, &hpa->nodes[HPA_GOAL], from->slots[0])
                         : hpa_flood_at(hpa, hpa->to, from->place)->g;
}
