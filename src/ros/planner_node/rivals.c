// Other controllers of the same robots. See rivals.h.

#include "ros/planner_node/rivals.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <rcl/error_handling.h>
#include <rcl/graph.h>

static const int64_t LOOK_NS = 1000000000;  // discovery between processes of one network takes less
static const int64_t AGAIN_NS = 1000000000;
static const int64_t DELAY_NS = 100000000;  // times 1 to 16, by process
enum { PATIENCE = 6 };                      // looks, a second each, until a newcomer should have yielded
enum { ROBOTS_PER_CALL = 32 };              // while robots drive: to count publishers takes time in proportion to all

void node_rivals_init(node_rivals_t * self)
{
  self->state = NODE_RIVALS_LOOKING;
  self->next_ns = self->alone_ns = fw_clock_now_ns() + LOOK_NS;
}

const char * node_rivals_not_ready(const node_rivals_t * self)
{
  return self->state == NODE_RIVALS_LOOKING ? "looking for other controllers of these robots" : NULL;
}

// Writes the name of a node that publishes on a topic and is not this one. False if there is none.
static bool find_other(const node_rivals_t * self, const char * topic, char name[FW_NAME_SIZE])
{
  rcl_node_t * node = &self->site->session->node;
  rcl_allocator_t allocator = rcl_get_default_allocator();
  rcl_topic_endpoint_info_array_t found = rcl_get_zero_initialized_topic_endpoint_info_array();
  const size_t own = self->state == NODE_RIVALS_YIELDING ? 0 : 1;
  size_t count = 0;
  if (rcl_count_publishers(node, topic, &count) != RCL_RET_OK || count <= own) {
    rcl_reset_error();
    return false;
  }
  (void)snprintf(name, FW_NAME_SIZE, "another node");
  if (rcl_get_publishers_info_by_topic(node, &allocator, topic, false, &found) == RCL_RET_OK) {
    bool is_other = false;
    for (size_t k = 0; k < found.size && !is_other; ++k) {
      const rmw_topic_endpoint_info_t * info = &found.info_array[k];
      const char * space = strcmp(info->node_namespace, "/") == 0 ? "" : info->node_namespace;
      (void)snprintf(name, FW_NAME_SIZE, "%.60s/%.60s", space, info->node_name);
      is_other = strcmp(name, rcl_node_get_fully_qualified_name(node)) != 0;
      if (strcmp(info->node_name, "_NODE_NAME_UNKNOWN_") == 0) {  // rmw has not heard the node's name yet
        (void)snprintf(name, FW_NAME_SIZE, "another node");
      }
    }
  }
  (void)!rcl_topic_endpoint_info_array_fini(&found, &allocator);
  rcl_reset_error();
  return true;
}

// Looks at the released paths of the next robots. True at the end of a look: `has_rival` says whether there is another.
static bool look(node_rivals_t * self, bool * has_rival, char name[FW_NAME_SIZE])
{
  const fw_controller_fleet_t * fleet = &node_site_impl(self->site)->fleet;
  const int32_t begin = self->robot < fleet->count ? self->robot : 0;
  const int32_t rest = fleet->count - begin;
  const bool is_whole = self->state == NODE_RIVALS_LOOKING || rest <= ROBOTS_PER_CALL;
  *has_rival = false;
  self->robot = is_whole ? 0 : begin + ROBOTS_PER_CALL;
  for (int32_t k = begin; k < (is_whole ? fleet->count : self->robot); ++k) {
    char topic[ROS_TOPIC_SIZE];
    char full[2 * ROS_TOPIC_SIZE];
    if (!fw__controlled_robot_is_listed(&fleet->robots[k])) {
      continue;
    }
    ros_topic_name(topic, fleet->robots[k].name, "released_path");
    if (node_publishers_resolve(self->publishers, topic, full, sizeof full) && find_other(self, full, name)) {
      *has_rival = true;
      self->robot = 0;
      return true;
    }
  }
  return is_whole;
}

static void yield(node_rivals_t * self, const char * name)
{
  self->state = NODE_RIVALS_YIELDING;
  self->is_clear = false;
  self->seen = 0;
  node_publishers_set_silent(self->publishers, true);
  fw_controller_set_rival(self->site->controller, name);
}

static void come_back(node_rivals_t * self, int64_t now_ns)
{
  self->state = NODE_RIVALS_LOOKING;
  self->next_ns = self->alone_ns = now_ns + LOOK_NS;
  node_publishers_set_silent(self->publishers, false);
  fw_controller_set_rival(self->site->controller, NULL);
}

void node_rivals_update(node_rivals_t * self)
{
  const int64_t now_ns = fw_clock_now_ns();
  char name[FW_NAME_SIZE] = "";
  const bool is_deaf = self->state == NODE_RIVALS_LOOKING && node_site_impl(self->site)->reports == 0;
  if (is_deaf) {
    self->alone_ns = now_ns + LOOK_NS;
  }
  if (now_ns < self->next_ns) {
    return;
  }
  bool has_rival = false;
  if (!look(self, &has_rival, name)) {
    return;
  }
  self->seen = has_rival ? self->seen + 1 : 0;
  if (self->state == NODE_RIVALS_ALONE) {
    self->next_ns = now_ns + AGAIN_NS;
    if (self->seen >= PATIENCE) {
      yield(self, name);
    }
  } else if (self->state == NODE_RIVALS_LOOKING) {
    self->next_ns = now_ns + AGAIN_NS;
    if (has_rival) {
      yield(self, name);
    } else if (now_ns >= self->alone_ns) {
      self->state = NODE_RIVALS_ALONE;
    } else if (!is_deaf) {
      self->next_ns = self->alone_ns;
    }
  } else if (has_rival) {
    self->is_clear = false;
    self->next_ns = now_ns + AGAIN_NS;
  } else if (!self->is_clear) {
    self->is_clear = true;
    self->next_ns = now_ns + DELAY_NS * (1 + (int64_t)getpid() % 16);
  } else {
    come_back(self, now_ns);
  }
}
