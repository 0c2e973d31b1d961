// Gazebo: the world. See gazebo.h; robots are in gazebo_robot.c.

#include "view/gazebo.h"

#include "view/gazebo_parts.h"
#include "world/boxes.h"

fw__gazebo_words_t fw__gazebo_words(fw__gazebo_release_t release)
{
  return release == FW__GAZEBO_FORTRESS
           ? (fw__gazebo_words_t){"ignition-gazebo", "ignition::gazebo::systems", "ignition.msgs"}
           : (fw__gazebo_words_t){"gz-sim", "gz::sim::systems", "gz.msgs"};
}

void fw__gazebo_begin(FILE * stream)
{
  fputs("<?xml version=\"1.0\"?>\n<!-- Made by `fleetweave world`. -->\n<sdf version=\"1.9\">\n", stream);
}

static void write_systems(const fw__gazebo_t * gazebo, FILE * stream)
{
  static const struct {
    const char * file;
    const char * name;
  } systems[] = {{"physics", "Physics"}, {"user-commands", "UserCommands"}, {"scene-broadcaster", "SceneBroadcaster"}};
  const fw__gazebo_words_t words = fw__gazebo_words(gazebo->release);
  for (int32_t i = 0; i < (int32_t)(sizeof(systems) / sizeof(systems[0])); ++i) {
    fprintf(
      stream, "    <plugin filename=\"%s-%s-system\" name=\"%s::%s\"/>\n", words.file, systems[i].file, words.system,
      systems[i].name);
  }
}

static void write_floor(const fw__gazebo_t * gazebo, FILE * stream)
{
  const double width = gazebo->cell * (double)gazebo->grid->width;
  const double height = gazebo->cell * (double)gazebo->grid->height;
  fprintf(
    stream,
    "    <model name=\"floor\">\n"
    "      <static>true</static>\n"
    "      <pose>%g %g 0 0 0 0</pose>\n"
    "      <link name=\"link\">\n"
    "        <collision name=\"collision\">\n"
    "          <geometry><plane><normal>0 0 1</normal><size>%g %g</size></plane></geometry>\n"
    "        </collision>\n"
    "        <visual name=\"visual\">\n"
    "          <geometry><plane><normal>0 0 1</normal><size>%g %g</size></plane></geometry>\n"
    "          <material><ambient>0.8 0.8 0.8 1</ambient><diffuse>0.8 0.8 0.8 1</diffuse></material>\n"
    "        </visual>\n"
    "      </link>\n"
    "    </model>\n",
    0.5 * width, 0.5 * height, width, height, width, height);
}

static void write_box(const fw__gazebo_t * gazebo, const fw_box_t * box, int32_t index, FILE * stream)
{
  const double width = gazebo->cell * (double)box->width, depth = gazebo->cell * (double)box->height;
  const double x = gazebo->cell * (double)box->x + 0.5 * width, y = gazebo->cell * (double)box->y + 0.5 * depth;
  static const char * const kinds[] = {"collision", "visual"};
  for (int32_t k = 0; k < 2; ++k) {
    fprintf(
      stream,
      "        <%s name=\"%s_%d\">\n"
      "          <pose>%.9g %.9g %.9g 0 0 0</pose>\n"
      "          <geometry><box><size>%.9g %.9g %.9g</size></box></geometry>\n"
      "%s"
      "        </%s>\n",
      kinds[k], kinds[k], (int)index, x, y, 0.5 * gazebo->height, width, depth, gazebo->height,
      k == 0
        ? ""
        : "          <material><ambient>0.35 0.38 0.45 1</ambient><diffuse>0.35 0.38 0.45 1</diffuse></material>\n",
      kinds[k]);
  }
}

static fw_ret_t write_walls(const fw__gazebo_t * gazebo, FILE * stream, fw_error_t * error)
{
  fw_boxes_t boxes;
  const fw_ret_t ret = fw__boxes_init(&boxes, gazebo->grid, error);
  if (ret == FW_RET_OK && boxes.count > 0) {
    fputs("    <model name=\"walls\">\n      <static>true</static>\n      <link name=\"link\">\n", stream);
    for (int32_t i = 0; i < boxes.count; ++i) {
      write_box(gazebo, &boxes.items[i], i, stream);
    }
    fputs("      </link>\n    </model>\n", stream);
  }
  fw__boxes_fini(&boxes);
  return ret;
}

fw_ret_t fw__gazebo_write_world(const fw__gazebo_t * gazebo, FILE * stream, fw_error_t * error)
{
  fw__gazebo_begin(stream);
  fprintf(
    stream,
    "  <world name=\"fleetweave\">\n"
    "    <physics name=\"steps\" type=\"ignored\">\n"
    "      <max_step_size>%g</max_step_size>\n"
    "      <real_time_factor>1</real_time_factor>\n"
    "    </physics>\n",
    gazebo->step);
  write_systems(gazebo, stream);
  fputs(
    "    <light name=\"sun\" type=\"directional\">\n"
    "      <pose>0 0 20 0 0 0</pose>\n"
    "      <diffuse>0.9 0.9 0.9 1</diffuse>\n"
    "      <direction>-0.4 0.3 -1</direction>\n"
    "    </light>\n",
    stream);
  write_floor(gazebo, stream);
  const fw_ret_t ret = write_walls(gazebo, stream, error);
  for (int32_t i = 0; i < gazebo->robot_count; ++i) {
    fw__gazebo_write_robot(gazebo, i, true, stream);
  }
  fputs("  </world>\n</sdf>\n", stream);
  return ret;
}

void fw__gazebo_write_model(const fw__gazebo_t * gazebo, int32_t robot, FILE * stream)
{
  fw__gazebo_begin(stream);
  fw__gazebo_write_robot(gazebo, robot, false, stream);
  fputs("</sdf>\n", stream);
}

// ---- the bridge

static void write_topic(
  FILE * stream, const char * ros_topic, const char * gazebo_topic, const char * ros_type, const char * gazebo_type,
  bool is_to_ros)
{
  fprintf(
    stream,
    "- ros_topic_name: \"%s\"\n  gz_topic_name: \"%s\"\n  ros_type_name: \"%s\"\n  gz_type_name: \"%s\"\n"
    "  direction: %s\n",
    ros_topic, gazebo_topic, ros_type, gazebo_type, is_to_ros ? "GZ_TO_ROS" : "ROS_TO_GZ");
}

void fw__gazebo_write_bridge(const fw__gazebo_t * gazebo, FILE * stream)
{
  const char * messages = fw__gazebo_words(gazebo->release).messages;
  char type[64], ros[160], topic[160];
  fputs(
    "# Made by `fleetweave world`, for ros_gz_bridge: ros2 run ros_gz_bridge parameter_bridge with config_file.\n",
    stream);
  snprintf(type, sizeof(type), "%s.Clock", messages);
  write_topic(stream, "/clock", "/clock", "rosgraph_msgs/msg/Clock", type, true);
  for (int32_t i = 0; i < gazebo->robot_count; ++i) {
    snprintf(ros, sizeof(ros), "%s/cmd_vel", gazebo->names[i]);
    snprintf(topic, sizeof(topic), "/%s/cmd_vel", gazebo->names[i]);
    snprintf(type, sizeof(type), "%s.Twist", messages);
    write_topic(stream, ros, topic, "geometry_msgs/msg/Twist", type, false);
    snprintf(ros, sizeof(ros), "%s/odom", gazebo->names[i]);
    snprintf(topic, sizeof(topic), "/%s/odom", gazebo->names[i]);
    snprintf(type, sizeof(type), "%s.Odometry", messages);
    write_topic(stream, ros, topic, "nav_msgs/msg/Odometry", type, true);
  }
}
