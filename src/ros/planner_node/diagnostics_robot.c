// What the diagnostics say of one robot: state, delay, whom it waits for, and what is wrong.

#include "ros/planner_node/diagnostics_writer.h"

enum { ROBOT_VALUES = 10 };

static const char * name_of(const planning_t * planning, int32_t index)
{
  return index >= 0 && index < planning->fleet.count ? planning->fleet.robots[index].name : "";
}

static void write_driving(writer_t * writer, const planning_t * planning, int32_t index)
{
  static const char * const waits[] = {"", "", "", "obstacle", "plan", "pause", "closure", ""};
  const robot_t * robot = &planning->fleet.robots[index];
  const track_t * track = &planning->schedule.tracks[index];
  const fw_execution_status_t status = driving_status(&planning->driving, index);
  const bool is_in = status.state != FW_EXECUTION_ABSENT;
  const double by_track = (double)track_delay(track, robot->heard_ns, planning->schedule.tick_ns, robot->point) * 1e-9;
  const bool waits_now = status.state == FW_EXECUTION_WAITING;
  diagnostics_value(writer, "delay_s", "%.3f", is_in ? status.delay : by_track);
  diagnostics_value(writer, "execution", "%s", planning->driving.is_on ? fw_execution_state_name(status.state) : "");
  diagnostics_value(
    writer, "waits_for", "%s",
    !waits_now          ? ""
    : status.other >= 0 ? name_of(planning, status.other)
                        : waits[status.wait]);
  diagnostics_value(writer, "because_of", "%s", waits_now ? name_of(planning, status.root) : "");
  diagnostics_value(
    writer, "released_m", "%.2f",
    is_in ? (double)(status.stop_at - status.reached) * planning->map.frame.resolution : 0.0);
}

bool diagnostics_fill_robot(
  status_t * status, const planning_t * planning, int32_t index, const char * node_name, int64_t now_ns)
{
  writer_t writer = {.status = status, .is_fine = true};
  const robot_t * robot = &planning->fleet.robots[index];
  const fw_execution_state_t driving = driving_status(&planning->driving, index).state;
  const bool is_done = planning_is_at_goal(planning, index, now_ns);
  const robot_state_t state = robot_state(robot, is_done);
  const fault_t * fault = robot_fault(robot);
  const frame_t * frame = &planning->map.frame;
  if (!diagnostics_begin(status, ROBOT_VALUES, node_name, robot->name)) {
    return false;
  }
  if (state == ROBOT_STALE) {
    diagnostics_level(&writer, diagnostic_msgs__msg__DiagnosticStatus__STALE, "its poses have stopped");
  } else if (fault->number != 0) {
    diagnostics_level(&writer, diagnostic_msgs__msg__DiagnosticStatus__ERROR, fault->text);
  } else if (driving == FW_EXECUTION_STOPPED || driving == FW_EXECUTION_OBSTRUCTED) {
    char text[NODE_REASON_SIZE];
    fw_execution_describe(&planning->driving.execution, index, text, sizeof text);
    diagnostics_level(&writer, diagnostic_msgs__msg__DiagnosticStatus__WARN, text);
  } else if (robot->is_off_plan || state == ROBOT_WAITING) {
    diagnostics_level(
      &writer, diagnostic_msgs__msg__DiagnosticStatus__WARN, robot->is_off_plan ? "off its plan" : "no pose yet");
  } else {
    diagnostics_level(&writer, diagnostic_msgs__msg__DiagnosticStatus__OK, robot_state_name(state));
  }
  const fw_cell_t goal = robot->has_goal && planning->map.revision > 0 ? frame_cell(frame, robot->goal) : FW_CELL_NONE;
  diagnostics_value(&writer, "state", "%s", robot_state_name(state));
  diagnostics_value(&writer, "error", "%d", fault->number);
  diagnostics_value(&writer, "reason", "%s", fault->text);
  if (goal == FW_CELL_NONE) {
    diagnostics_value(&writer, "goal_cell", "%s", "");
  } else {
    diagnostics_value(&writer, "goal_cell", "%d,%d", goal % frame->width, goal / frame->width);
  }
  diagnostics_value(&writer, "goals_left", "%d", robot->queue_count - robot->queue_next);
  write_driving(&writer, planning, index);
  return writer.is_fine;
}
