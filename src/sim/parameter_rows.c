// Parameter rows: every parameter in one table. See parameter_rows.h; config/fleet_sim.yaml shows it to a user.

#include "sim/parameter_rows.h"

#include <stdio.h>

#include "sim/parameters.h"

#define AT(field) offsetof(fw_sim_parameters_t, field)

const fw_sim_row_t fw__sim_rows[] = {
  {"robots", FW_SIM_ROBOTS, 0, 8, 1, FW_SIM_ROBOTS_MAX, NULL,
   "names of the robots, or how many: robot_0, robot_1, ..."},
  {"map", FW_SIM_TEXT, AT(map), 0, 0, 0, "warehouse:41x21,seed=1",
   "a line as for `fleetweave plan --make`, or a .map file"},
  {"cell_size", FW_SIM_NUMBER, AT(cell_size), 0.5, 0.01, 100, NULL, "metres per cell of `map`"},
  {"map_resolution", FW_SIM_NUMBER, AT(map_resolution), 0, 0, 100, NULL,
   "metres per cell of the published map, a whole part of cell_size; 0: cell_size"},
  {"map_frame", FW_SIM_TEXT, AT(map_frame), 0, 0, 0, "map", "frame of map, odometry and goals"},
  {"robot_radius", FW_SIM_NUMBER, AT(robot_radius), 0.2, 0, 100, NULL,
   "metres; overlaps are those of discs this large"},
  {"max_speed", FW_SIM_NUMBER, AT(max_speed), 1.0, 0.001, 1000, NULL,
   "metres per second; more than the plans ask for lets a late robot catch up"},
  {"max_turn_rate", FW_SIM_NUMBER, AT(max_turn_rate), 0, 0, 1000, NULL,
   "radians per second, turning on the spot before driving on; 0: turns take no time"},
  {"footprints", FW_SIM_TEXTS, AT(footprints), 0, 0, 0, NULL,
   "a text per robot: the cells that it covers, as for the planner; overlaps are those of a disc on each"},
  {"ticks_per_move", FW_SIM_INTEGERS, AT(ticks_per_move), 0, 1, FW_TICKS_PER_MOVE_MAX, NULL,
   "a number per robot: its speed is that much less"},
  {"turn_ticks", FW_SIM_INTEGERS, AT(turn_ticks), 0, 0, FW_TICKS_PER_MOVE_MAX, NULL,
   "a number per robot: above 0, its footprint turns with it"},
  {"follow", FW_SIM_TEXT, AT(follow), 0, 0, 0, "released_path",
   "released_path: drive as far as it goes, and stop; timed_path: by its stamps"},
  {"noise", FW_SIM_NUMBER, AT(noise), 0, 0, 10, NULL, "metres; odometry is off by up to this along x and y"},
  {"slow_chance", FW_SIM_NUMBER, AT(slow_chance), 0, 0, 1, NULL, "of a robot, in each second, to be slow in it"},
  {"slow_factor", FW_SIM_NUMBER, AT(slow_factor), 0.3, 0.01, 1, NULL, "times its speed it has then, at worst"},
  {"stops_per_hour", FW_SIM_NUMBER, AT(stops_per_hour), 0, 0, 3600, NULL, "of each robot, at random moments,"},
  {"stop_seconds_max", FW_SIM_NUMBER, AT(stop_seconds_max), 10, 0, 3600, NULL, "for up to so long"},
  {"freeze", FW_SIM_TEXTS, AT(freeze), 0, 0, 0, NULL,
   "robots that stop on purpose: robot_3@10+20 after 10 s for 20 s, robot_3@10 for ever"},
  {"silence", FW_SIM_TEXTS, AT(silence), 0, 0, 0, NULL,
   "robots whose odometry is not published for a while, in the same words; they drive on"},
  {"starts", FW_SIM_TEXTS, AT(starts), 0, 0, 0, NULL, "a text per robot: the cell where it begins, x,y; empty: random"},
  {"goals", FW_SIM_TEXT, AT(goals), 0, 0, 0, "random", "random: a new goal on arrival; none: somebody else sends them"},
  {"goal_tolerance", FW_SIM_NUMBER, AT(goal_tolerance), 0.05, 0.001, 100, NULL, "metres; nearer than this has arrived"},
  {"seed", FW_SIM_INTEGER, AT(seed), 1, 0, 9e15, NULL, "of starts and goals"},
  {"odom_rate", FW_SIM_NUMBER, AT(odom_rate), 10, 0.1, 50, NULL, "hertz, in simulated time"},
  {"publish_clock", FW_SIM_BOOLEAN, AT(publish_clock), 0, 0, 1, NULL, "publish /clock; the others set use_sim_time"},
  {"rate_factor", FW_SIM_NUMBER, AT(rate_factor), 1, 0, 1000, NULL,
   "simulated seconds per second, with publish_clock; 0: as fast as it goes"},
  {"duration", FW_SIM_NUMBER, AT(duration), 0, 0, 1e9, NULL, "simulated seconds, then it ends; 0: until it is stopped"},
  {"record", FW_SIM_TEXT, AT(record), 0, 0, 0, "", "file to record the run in, for `fleetweave replay`; empty: none"},
  {"report_period", FW_SIM_NUMBER, AT(report_period), 5, 0, 1e9, NULL,
   "simulated seconds between lines of progress; 0: none"},
  {"use_sim_time", FW_SIM_BOOLEAN, AT(use_sim_time), 0, 0, 1, NULL, "accepted and not needed: time is made here"},
};
const int32_t fw__sim_row_count = sizeof(fw__sim_rows) / sizeof(fw__sim_rows[0]);

void fw_sim_parameters_print(FILE * stream)
{
  for (int32_t i = 0; i < fw__sim_row_count; ++i) {
    const fw_sim_row_t * row = &fw__sim_rows[i];
    char initial[FW_SIM_TEXT_MAX];
    if (row->kind == FW_SIM_TEXT) {
      snprintf(initial, sizeof(initial), "\"%s\"", row->text);
    } else if (row->kind == FW_SIM_TEXTS || row->kind == FW_SIM_INTEGERS) {
      snprintf(initial, sizeof(initial), "[]");
    } else if (row->kind == FW_SIM_BOOLEAN) {
      snprintf(initial, sizeof(initial), "%s", row->initial != 0.0 ? "true" : "false");
    } else {
      snprintf(initial, sizeof(initial), "%g", row->initial);
    }
    fprintf(stream, "  %-16s %s [%s]\n", row->name, row->help, initial);
  }
}
