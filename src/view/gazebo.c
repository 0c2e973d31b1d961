// Writes the SDF world, the SDF robots and the YAML file of the bridge. See gazebo.h.

#include "view/gazebo.h"

#include "base/assert.h"
#include "view/palette.h"
#include "world/boxes.h"

// Names that differ between the releases of Gazebo.
typedef struct release_names_t {
  const char * file;      // prefix of plugin files: "gz-sim" in gz-sim-physics-system
  const char * system;    // namespace of the plugins' classes
  const char * messages;  // package of the message types
} release_names_t;

static release_names_t names_of(fw_gazebo_release_t release)
{
  return release == FW_GAZEBO_FORTRESS
           ? (release_names_t){"ignition-gazebo", "ignition::gazebo::systems", "ignition.msgs"}
           : (release_names_t){"gz-sim", "gz::sim::systems", "gz.msgs"};
}

static void write_begin(FILE * stream)
{
  fputs("<?xml version=\"1.0\"?>\n<!-- Made by `fleetweave world`. -->\n<sdf version=\"1.9\">\n", stream);
}

// ---- robots ---------------------------------------------------------------------------------------------------------
//
//        .-----.        two wheels beside the middle, two balls without friction before and behind it;
//      [|   o   |]      the body's disc is a little smaller than the radius, so that nothing sticks out of it
//        '-----'

enum { COMMAND_RATE = 20 };  // hertz, of odometry

static const double MASS = 8.0;  // kilograms, of the body
static const double SPEED = 1.5;
static const double ACCELERATION = 2.0;
static const double TURN_RATE = 4.0;
static const double TURN_ACCELERATION = 10.0;

// Lengths in metres.
typedef struct robot_shape_t {
  double wheel;       // radius
  double wheel_wide;  // thickness
  double track;       // between the wheels
  double body;        // radius
  double body_height;
  double ball;        // radius
  double ball_ahead;  // from the middle
} robot_shape_t;

static robot_shape_t shape_of(double radius)
{
  return (robot_shape_t){
    .wheel = 0.35 * radius,
    .wheel_wide = 0.15 * radius,
    .track = 1.4 * radius,
    .body = 0.95 * radius,
    .body_height = 0.5 * radius,
    .ball = 0.15 * radius,
    .ball_ahead = 0.7 * radius,
  };
}

// The inertia of a body that is symmetric around z, in kilogram square metres: across the axis and along it.
static void write_inertia(double mass, double across, double along, FILE * stream)
{
  fprintf(
    stream,
    "        <inertial><mass>%g</mass><inertia><ixx>%.6g</ixx><iyy>%.6g</iyy><izz>%.6g</izz>"
    "<ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial>\n",
    mass, across, across, along);
}

static void write_body(const robot_shape_t * robot, int32_t index, FILE * stream)
{
  const double r = robot->body, h = robot->body_height, across = MASS * (3.0 * r * r + h * h) / 12.0;
  const double z = robot->wheel + 0.5 * h;
  unsigned int red = 128, green = 128, blue = 128;
  (void)sscanf(fw__palette_colour(index).text, "#%2x%2x%2x", &red, &green, &blue);
  fprintf(stream, "      <link name=\"base_link\">\n");
  write_inertia(MASS, across, 0.5 * MASS * r * r, stream);
  fprintf(
    stream,
    "        <collision name=\"body\"><pose>0 0 %g 0 0 "
    "0</pose><geometry><cylinder><radius>%g</radius><length>%g</length>"
    "</cylinder></geometry></collision>\n"
    "        <visual name=\"body_visual\"><pose>0 0 %g 0 0 "
    "0</pose><geometry><cylinder><radius>%g</radius><length>%g</length>"
    "</cylinder></geometry>\n"
    "          <material><ambient>%.3g %.3g %.3g 1</ambient><diffuse>%.3g %.3g %.3g 1</diffuse></material></visual>\n"
    "        <visual name=\"nose\"><pose>%g 0 %g 0 0 0</pose><geometry><box><size>%g %g 0.01</size></box></geometry>\n"
    "          <material><ambient>1 1 1 1</ambient><diffuse>1 1 1 1</diffuse></material></visual>\n",
    z, r, h, z, r, h, red / 255.0, green / 255.0, blue / 255.0, red / 255.0, green / 255.0, blue / 255.0, 0.5 * r,
    z + 0.5 * h, r, 0.2 * r);
  static const char * const names[] = {"front", "back"};
  for (int32_t k = 0; k < 2; ++k) {
    fprintf(
      stream,
      "        <collision name=\"%s\"><pose>%g 0 %g 0 0 "
      "0</pose><geometry><sphere><radius>%g</radius></sphere></geometry>\n"
      "          <surface><friction><ode><mu>0</mu><mu2>0</mu2></ode></friction></surface></collision>\n",
      names[k], k == 0 ? robot->ball_ahead : -robot->ball_ahead, robot->ball, robot->ball);
  }
  fputs("      </link>\n", stream);
}

static void write_wheel(const robot_shape_t * robot, const char * side, double y, FILE * stream)
{
  const double mass = 0.05 * MASS, r = robot->wheel,
               across = mass * (3.0 * r * r + robot->wheel_wide * robot->wheel_wide) / 12.0;
  fprintf(
    stream,
    "      <link name=\"%s_wheel\">\n"
    "        <pose>0 %g %g -1.5707963 0 0</pose>\n",
    side, y, r);
  write_inertia(mass, across, 0.5 * mass * r * r, stream);
  fprintf(
    stream,
    "        <collision name=\"wheel\"><geometry><cylinder><radius>%g</radius><length>%g</length></cylinder></geometry>"
    "</collision>\n"
    "        <visual "
    "name=\"wheel_visual\"><geometry><cylinder><radius>%g</radius><length>%g</length></cylinder></geometry>\n"
    "          <material><ambient>0.1 0.1 0.1 1</ambient><diffuse>0.1 0.1 0.1 1</diffuse></material></visual>\n"
    "      </link>\n"
    "      <joint name=\"%s_joint\" type=\"revolute\">\n"
    "        <parent>base_link</parent>\n"
    "        <child>%s_wheel</child>\n"
    "        <axis><xyz>0 0 1</xyz><limit><lower>-1e16</lower><upper>1e16</upper></limit></axis>\n"
    "      </joint>\n",
    r, robot->wheel_wide, r, robot->wheel_wide, side, side);
}

static void write_plugins(const fw_gazebo_t * gazebo, const robot_shape_t * robot, const char * name, FILE * stream)
{
  const release_names_t names = names_of(gazebo->release);
  fprintf(
    stream,
    "      <plugin filename=\"%s-diff-drive-system\" name=\"%s::DiffDrive\">\n"
    "        <left_joint>left_joint</left_joint>\n"
    "        <right_joint>right_joint</right_joint>\n"
    "        <wheel_separation>%g</wheel_separation>\n"
    "        <wheel_radius>%g</wheel_radius>\n"
    "        <topic>/%s/cmd_vel</topic>\n"
    "        <odom_topic>/%s/wheel_odom</odom_topic>\n"
    "        <tf_topic>/%s/wheel_tf</tf_topic>\n"
    "        <odom_publish_frequency>1</odom_publish_frequency>\n"
    "        <max_linear_velocity>%g</max_linear_velocity>\n"
    "        <min_linear_velocity>%g</min_linear_velocity>\n"
    "        <max_linear_acceleration>%g</max_linear_acceleration>\n"
    "        <min_linear_acceleration>%g</min_linear_acceleration>\n"
    "        <max_angular_velocity>%g</max_angular_velocity>\n"
    "        <min_angular_velocity>%g</min_angular_velocity>\n"
    "        <max_angular_acceleration>%g</max_angular_acceleration>\n"
    "        <min_angular_acceleration>%g</min_angular_acceleration>\n"
    "      </plugin>\n",
    names.file, names.system, robot->track, robot->wheel, name, name, name, SPEED, -SPEED, ACCELERATION, -ACCELERATION,
    TURN_RATE, -TURN_RATE, TURN_ACCELERATION, -TURN_ACCELERATION);
  fprintf(
    stream,
    "      <plugin filename=\"%s-odometry-publisher-system\" name=\"%s::OdometryPublisher\">\n"
    "        <odom_frame>map</odom_frame>\n"
    "        <robot_base_frame>%s/base_link</robot_base_frame>\n"
    "        <odom_topic>/%s/odom</odom_topic>\n"
    "        <odom_publish_frequency>%d</odom_publish_frequency>\n"
    "        <dimensions>2</dimensions>\n"
    "      </plugin>\n",
    names.file, names.system, name, name, COMMAND_RATE);
}

static void write_robot(const fw_gazebo_t * gazebo, int32_t robot, bool is_placed, FILE * stream)
{
  FW_ASSERT(robot >= 0 && robot < gazebo->robot_count && gazebo->radius > 0.0);
  const robot_shape_t shape = shape_of(gazebo->radius);
  fprintf(stream, "    <model name=\"%s\">\n", gazebo->names[robot]);
  if (is_placed) {
    const double x = gazebo->cell * (0.5 + (double)fw_grid_x(gazebo->grid, gazebo->starts[robot]));
    const double y = gazebo->cell * (0.5 + (double)fw_grid_y(gazebo->grid, gazebo->starts[robot]));
    fprintf(stream, "      <pose>%.9g %.9g 0.005 0 0 0</pose>\n", x, y);
  }
  write_body(&shape, robot, stream);
  write_wheel(&shape, "left", 0.5 * shape.track, stream);
  write_wheel(&shape, "right", -0.5 * shape.track, stream);
  write_plugins(gazebo, &shape, gazebo->names[robot], stream);
  fputs("    </model>\n", stream);
}

// ---- world ----------------------------------------------------------------------------------------------------------

static void write_systems(const fw_gazebo_t * gazebo, FILE * stream)
{
  static const struct {
    const char * file;
    const char * name;
  } systems[] = {{"physics", "Physics"}, {"user-commands", "UserCommands"}, {"scene-broadcaster", "SceneBroadcaster"}};
  const release_names_t names = names_of(gazebo->release);
  for (int32_t i = 0; i < (int32_t)(sizeof(systems) / sizeof(systems[0])); ++i) {
    fprintf(
      stream, "    <plugin filename=\"%s-%s-system\" name=\"%s::%s\"/>\n", names.file, systems[i].file, names.system,
      systems[i].name);
  }
}

static void write_floor(const fw_gazebo_t * gazebo, FILE * stream)
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

static void write_box(const fw_gazebo_t * gazebo, const fw_box_t * box, int32_t index, FILE * stream)
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

static fw_ret_t write_walls(const fw_gazebo_t * gazebo, FILE * stream, fw_error_t * error)
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

fw_ret_t fw__gazebo_write_world(const fw_gazebo_t * gazebo, FILE * stream, fw_error_t * error)
{
  write_begin(stream);
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
    write_robot(gazebo, i, true, stream);
  }
  fputs("  </world>\n</sdf>\n", stream);
  return ret;
}

void fw__gazebo_write_model(const fw_gazebo_t * gazebo, int32_t robot, FILE * stream)
{
  write_begin(stream);
  write_robot(gazebo, robot, false, stream);
  fputs("</sdf>\n", stream);
}

// ---- bridge to ROS 2 ------------------------------------------------------------------------------------------------

typedef struct topic_t {
  const char * robot;   // NULL: a topic of the world
  const char * name;    // without the robot
  const char * type;    // ROS message
  const char * gazebo;  // Gazebo message, without its package
  bool is_to_ros;
} topic_t;

static void write_topic(FILE * stream, const fw_gazebo_t * gazebo, topic_t topic)
{
  const char * robot = topic.robot != NULL ? topic.robot : "";
  const char * slash = topic.robot != NULL ? "/" : "";
  fprintf(
    stream,
    "- ros_topic_name: \"%s/%s\"\n  gz_topic_name: \"%s%s/%s\"\n  ros_type_name: \"%s\"\n  gz_type_name: \"%s.%s\"\n"
    "  direction: %s\n",
    robot, topic.name, slash, robot, topic.name, topic.type, names_of(gazebo->release).messages, topic.gazebo,
    topic.is_to_ros ? "GZ_TO_ROS" : "ROS_TO_GZ");
}

void fw__gazebo_write_bridge(const fw_gazebo_t * gazebo, FILE * stream)
{
  fputs(
    "# Made by `fleetweave world`, for ros_gz_bridge: ros2 run ros_gz_bridge parameter_bridge with config_file.\n",
    stream);
  write_topic(stream, gazebo, (topic_t){NULL, "clock", "rosgraph_msgs/msg/Clock", "Clock", true});
  for (int32_t i = 0; i < gazebo->robot_count; ++i) {
    const char * robot = gazebo->names[i];
    write_topic(stream, gazebo, (topic_t){robot, "cmd_vel", "geometry_msgs/msg/Twist", "Twist", false});
    write_topic(stream, gazebo, (topic_t){robot, "odom", "nav_msgs/msg/Odometry", "Odometry", true});
  }
}
