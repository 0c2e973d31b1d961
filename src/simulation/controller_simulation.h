// Deterministic simulation of the fleet controller: one seed is one world, one fleet, one sequence of faults.
//
// The world has a virtual clock. A run has two phases: faults of all kinds, then quiet, in which everything is repaired
// and the goals that are left must be reached. Everything comes from the seed: the map, the robots, the settings, what
// the network does, when the planner answers, what breaks. Two runs of one seed give the same bytes (`hash`).
//
//   fw_controller_simulation_result_t result;
//   fw__controller_simulation_run(&(fw_controller_simulation_options_t){.seed = 4711}, &result);
//   if (result.failure[0] != '\0') { ... }
//
// Assumptions under which nothing may fail, those of docs/execution.md:
// - Robots keep to their paths and stop at their ends. One that is pushed does not obey until it is back on a path.
// - A release reaches its robot within 0.3 s, while the robot is present. In particular the one that says "stay".
// - With poses_are_on_change no pose is lost: a robot that is silent stands.
// - Poses are right to within the noise that the discs leave room for.
// - With connectivity 8 bodies of several cells do not turn: on diagonal headings their discs are not in the middle of
//   cells, where robots without sweeps_sides pass between two of them.
// - A robot that joins is put where no other robot is or may drive, and one that leaves is gone when it is taken off
//   the
//   list.
// - With robust_ticks 0 and a ring in the plan robots may touch: then overlaps are not judged.
//
// - Controllers are killed between and inside disk calls, after an update, before and between what it tells, with the
//   last write torn anywhere, and begin again with their journals (four seeds of five have one). With journal_sync each
//   the power may fail too. With the others it fails for robots as well, which forget their paths; then goals that were
//   accepted or ended since the last sync may be lost or live again. A controller that has said that its journal cannot
//   be written is not killed before it can.
// - A second controller has a journal of its own and looks for others before it plans, as the node does; if it outlives
//   the first one, clients send their goals to it.
//
// - One seed of three has areas (world_areas.h), drawn from random numbers of their own: the other worlds are the same
//   as without areas anywhere. Keepouts come and go, also as masks; one of three stays in the quiet phase.
//
// Progress in the quiet phase: while a fresh controller with the same facts finds a plan for all robots, and none lacks
// a plan because the planner's budget was used up, the next goal is reached within 60 s + 3 times the duration of that
// plan. Where no plan is found for a while, the phase goes on in stages: another planner with a larger budget; then all
// goals but one are given up; then a complete planner; then the other robots are taken away. Progress is judged if all
// goals have ended, or the bound was checked, or the goals that are left were proved to be impossible: not reachable by
// the robot alone (a search of the simulation's own; a robot of one cell that is alone must reach the others), or on
// the place of a robot that parks there.

#ifndef SIMULATION__CONTROLLER_SIMULATION_H_
#define SIMULATION__CONTROLLER_SIMULATION_H_

#include <fleetweave/controller.h>

enum { FW_CONTROLLER_SIMULATION_ROBOTS_MAX = 64, FW_CONTROLLER_SIMULATION_SIDE_MAX = 128 };

// Who watches a run, for a picture of it. Positions in cells, (0.5, 0.5) is the centre of the first; times in seconds.
typedef struct fw_simulation_observer_t {
  // Once, before all else. The grid is valid during the run.
  void (*on_world)(void * context, const fw_grid_t * grid, double radius_cells);
  void (*on_pose)(void * context, int32_t robot, double seconds, fw_pose_t cells);
  void (*on_goal)(void * context, int32_t robot, double seconds, fw_point_t cells);
  void (*on_arrival)(void * context, int32_t robot, double seconds);
  void * context;
} fw_simulation_observer_t;

typedef struct fw_controller_simulation_options_t {
  uint64_t seed;
  double fault_seconds;  // 0: 60
  // A world of the caller's, instead of one from the seed: each robot has one goal, and the faults come from the seed.
  // Up to FW_CONTROLLER_SIMULATION_ROBOTS_MAX robots and FW_CONTROLLER_SIMULATION_SIDE_MAX cells per side. The
  // controller is told costs and rules of cells as areas; closures are not used. NULL: from the seed.
  const fw_problem_t * problem;
  const char * planner;  // of the caller's world
  bool has_no_faults;
  bool has_no_areas;                          // in a world of the seed: the same world as before there were areas
  const fw_simulation_observer_t * observer;  // may be NULL
  // Text for a person to read, a line for each event. May be NULL.
  void (*trace)(void * context, const char * text);
  void * context;
} fw_controller_simulation_options_t;

typedef struct fw_controller_simulation_result_t {
  char failure[512];  // what did not hold, and when; "": everything held
  uint64_t hash;      // of all events, releases and positions
  char planner[FW_NAME_SIZE];
  int32_t robots;
  int32_t areas;   // of the world, one-way, no-waiting, cost and keepout
  double seconds;  // simulated
  int64_t solves;
  int64_t releases;
  int64_t faults;
  int64_t kills;          // of controllers
  int64_t heap_failures;  // allocations that failed
  int64_t goals_accepted;
  int64_t goals_reached;
  int32_t goals_left;        // at the end, where no plan for all robots was found
  double nearest;            // metres between two discs, edge to edge, of robots that obey
  bool has_judged_progress;  // see above
} fw_controller_simulation_result_t;

// FW_RET_BAD_ALLOC: there is no memory; nothing is said about the controller. FW_RET_UNSUPPORTED: the caller's world is
// too large.
FW_MUST_USE fw_ret_t fw__controller_simulation_run(
  const fw_controller_simulation_options_t * options, fw_controller_simulation_result_t * result, fw_error_t * error);

#endif  // SIMULATION__CONTROLLER_SIMULATION_H_
