// Every parameter of the node but those of the planners, which come from the registry. config/planner.yaml shows the
// same list to a user.

#include "node/parameters.h"

const parameter_row_t parameter_rows[] = {
  // Fleet
  {.name = "robots", .type = TYPE_STRINGS,
   .help = "Namespaces of the robots. Who is added is taken in where it stands; who is taken out is gone: its space is free."},
  {.name = "discover_robots", .type = TYPE_BOOL, .number = 0,
   .help = "Add every robot whose odom (or amcl_pose) topic shows up. Nobody is taken out by itself."},
  {.name = "priorities", .type = TYPE_INTEGERS,
   .help = "One number per robot, larger goes first; empty: all alike."},
  {.name = "ticks_per_move", .type = TYPE_INTEGERS,
   .help = "One number per robot, 1 to 8: a robot of 2 takes twice as long for a move as `speed` says; empty: all 1."},
  {.name = "turn_ticks", .type = TYPE_INTEGERS,
   .help = "One number per robot. 1 to 8: it drives straight ahead only and takes so many ticks to turn on the spot by a "
           "quarter (connectivity 8: an eighth); 0: it moves any way and turns in no time; empty: all 0."},
  {.name = "footprints", .type = TYPE_STRINGS,
   .help = "One text per robot: the planning cells that it covers, WxH or dx,dy;dx,dy;..., looking along the map's x; "
           "with turn_ticks they turn with it. '' is one cell; empty: all one cell. Poses are those of cell 0,0."},
  {.name = "sweeps_sides", .type = TYPE_BOOL, .number = 0,
   .help = "On a diagonal a robot also covers the cells beside it: for robots about as wide as a cell."},
  {.name = "robot_radius", .type = TYPE_DOUBLE, .number = 0.2, .min = 0.0, .max = 100.0,
   .help = "Metres. A planning cell is never smaller than twice this, the diameter of a robot of one cell."},
  {.name = "speed", .type = TYPE_DOUBLE, .number = 0.5, .min = 0.001, .max = 100.0,
   .help = "Metres per second that robots of one tick per move can keep up: the longest move takes a tick at it."},
  {.name = "pose_source", .type = TYPE_STRING, .text = "odom", .is_read_only = true,
   .help = "Where poses come from: odom (nav_msgs/Odometry) or amcl_pose (geometry_msgs/PoseWithCovarianceStamped)."},
  {.name = "odom_timeout", .type = TYPE_DOUBLE, .number = 1.0, .min = 0.0, .max = 3600.0,
   .help = "Seconds without a pose after which a robot is stale and its cell an obstacle; 0: never."},
  {.name = "plan_tolerance", .type = TYPE_DOUBLE, .number = 0.75, .min = 0.0, .max = 100.0,
   .help = "Metres. A robot farther than this from where its plan has it is planned anew from where it is; 0: never."},
  {.name = "unassigned_goals", .type = TYPE_STRING, .text = "nearest_idle",
   .help = "Who gets goals on goal_pose, without a robot: nearest_idle, or only the one that was selected (selected)."},
  // Driving
  {.name = "execution_mode", .type = TYPE_STRING, .text = "dependency", .is_read_only = true,
   .help = "Who keeps robots apart. dependency: released_path grows as those who are in the way report that they have "
           "left; timed: stamps alone, all is released; none: nothing is released."},
  {.name = "release_ahead", .type = TYPE_DOUBLE, .number = 2.0, .min = 0.0, .max = 1000.0,
   .help = "Metres of way that are released ahead of a robot at most; 0: no bound. It holds what is released."},
  {.name = "waypoint_tolerance", .type = TYPE_DOUBLE, .number = 0.0, .min = 0.0, .max = 10.0,
   .help = "Metres. This near a robot has reached a waypoint, and left what is behind; 0: by the room between robots."},
  {.name = "stopped_timeout", .type = TYPE_DOUBLE, .number = 5.0, .min = 0.0, .max = 3600.0,
   .help = "Seconds without progress after which a robot that may drive has stopped, and others plan around it; 0: never."},
  // What is not ours
  {.name = "closures", .type = TYPE_STRINGS, .is_read_only = true,
   .help = "Names of doors, lifts and robots that are not ours: <name>/closed_path says when which cells are closed."},
  {.name = "closure_radius", .type = TYPE_DOUBLE, .number = 0.0, .min = 0.0, .max = 10.0,
   .help = "Metres. Cells that come this near to a closed path are closed too: the radius of robots that are not ours."},
  // Map
  {.name = "map_frame", .type = TYPE_STRING, .text = "map", .is_read_only = true,
   .help = "Frame of the map, the poses, the goals and the paths. Messages in another frame are refused."},
  {.name = "planning_resolution", .type = TYPE_DOUBLE, .number = 0.5, .min = 0.0, .max = 100.0,
   .help = "Metres per planning cell; 0: the map's own. A cell is free if all of the map in it is free."},
  {.name = "occupied_thresh", .type = TYPE_DOUBLE, .number = 0.65, .min = 0.0, .max = 1.0,
   .help = "A map cell with a larger occupancy is an obstacle."},
  {.name = "free_thresh", .type = TYPE_DOUBLE, .number = 0.25, .min = 0.0, .max = 1.0,
   .help = "A map cell with a smaller occupancy is free; between the two, and -1, it is unknown."},
  {.name = "unknown_is_free", .type = TYPE_BOOL, .number = 0, .help = "Plan through map cells that are unknown."},
  // Planning
  {.name = "planner", .type = TYPE_STRING, .text = "hca", .help = "Name of the planner."},
  {.name = "connectivity", .type = TYPE_INTEGER, .number = 4, .min = 4, .max = 8, .step = 4,
   .help = "Neighbours of a cell: 4, or 8 with diagonals."},
  {.name = "robust_ticks", .type = TYPE_INTEGER, .number = 1, .min = 0, .max = FW_ROBUST_TICKS_MAX,
   .help = "Ticks for which a cell stays reserved after a robot has left it. 0 lets robots follow with no gap."},
  {.name = "horizon", .type = TYPE_INTEGER, .number = 15, .min = 0, .max = 100000,
   .help = "Ticks that a plan of whca reaches at least; the next follows when half of it is over. 0: to the goals."},
  {.name = "time_limit", .type = TYPE_DOUBLE, .number = 2.0, .min = 0.001, .max = 3600.0,
   .help = "Seconds that one round of planning may take."},
  {.name = "threads", .type = TYPE_INTEGER, .number = 1, .min = 1, .max = 1024,
   .help = "Threads of the planner; changes the time, never the plan."},
  {.name = "seed", .type = TYPE_INTEGER, .number = 0, .min = 0, .max = 9007199254740992.0,
   .help = "Seed of everything random in a planner."},
  {.name = "memory_max_mb", .type = TYPE_INTEGER, .number = 2048, .min = 1, .max = 1048576,
   .help = "Megabytes that a planner may hold."},
  {.name = "replan_period", .type = TYPE_DOUBLE, .number = 1.0, .min = 0.0, .max = 3600.0,
   .help = "Seconds between looks at whether robots that wait or left their plan need a new one; 0: only on events."},
  {.name = "plan_lead_seconds", .type = TYPE_DOUBLE, .number = 0.5, .min = 0.0, .max = 60.0,
   .help = "A new plan begins this far in the future. Half of it is for planning, half for the way to the robots."},
  {.name = "record", .type = TYPE_STRING, .text = "", .is_read_only = true,
   .help = "File for every question to the planner and its answer, which `fleetweave replay` solves again; '': none."},
  {.name = "record_max_mb", .type = TYPE_INTEGER, .number = 100, .min = 1, .max = 1048576, .is_read_only = true,
   .help = "Megabytes of records: at half of it FILE becomes FILE.old, and a new one begins."},
  {.name = "use_sim_time", .type = TYPE_BOOL, .number = 0, .help = "Take time from /clock."},
};

const size_t parameter_row_count = sizeof parameter_rows / sizeof parameter_rows[0];
