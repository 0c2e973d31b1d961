// Rivals: other nodes that release paths to the same robots, for example a second planner_node started by mistake.
//
// Two controllers that do not know of each other lead robots into each other, so the younger one yields. Before it
// releases anything, a node looks at the ROS graph until one second after the first pose, which shows that discovery
// works. If somebody else publishes on a released_path of its robots in that time, it is the younger: it ends its own
// publishers and says so at once, lest the elder think that it stays, and looks again every second. Once nobody
// publishes there any more it takes over, after a delay that differs between processes: of two nodes that yielded to
// each other at the same moment the first one to come back wins.
//
// A node that releases already expects a newcomer to yield. If it is still there after some seconds, both have found
// each other late, and this one yields as well; the delays then decide.
//
// A node that was killed disappears from the graph of the others after the middleware's lease, some 20 seconds.

#ifndef ROS__PLANNER_NODE__RIVALS_H_
#define ROS__PLANNER_NODE__RIVALS_H_

#include "ros/planner_node/publishers.h"

typedef enum node_rivals_state_t {
  NODE_RIVALS_LOOKING,   // nothing is released yet
  NODE_RIVALS_ALONE,     // whoever appears now should yield
  NODE_RIVALS_YIELDING,  // another one releases
} node_rivals_state_t;

typedef struct node_rivals_t {
  const node_site_t * site;        // borrowed
  node_publishers_t * publishers;  // borrowed
  node_rivals_state_t state;
  int64_t next_ns;   // steady clock: the next look
  int64_t alone_ns;  // while looking: whoever has not been seen by then is not there
  bool is_clear;     // while yielding: nobody was seen the last time
  int32_t seen;      // while alone: how often in a row somebody was seen
  int32_t robot;     // the next one to look at: a look at a large fleet takes several calls
} node_rivals_t;

// `site` and `publishers` are set, the rest is zero.
void node_rivals_init(node_rivals_t * rivals);
// Looks at the graph if it is time to. Called with every spin.
void node_rivals_update(node_rivals_t * rivals);
// Why nothing may be released yet; NULL: it may, or fw_controller_set_rival was called.
const char * node_rivals_not_ready(const node_rivals_t * rivals);

#endif  // ROS__PLANNER_NODE__RIVALS_H_
