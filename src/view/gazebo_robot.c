// Gazebo: a robot, round and with two wheels, in proportion to its radius. See gazebo.h.
//
//        .-----.        wheels beside the middle, balls before and behind it;
//      [|   o   |]      the body's disc is a little smaller than the radius, so that nothing sticks out of it
//        '-----'

#include "view/gazebo.h"
#include "view/gazebo_parts.h"
#include "view/palette.h"

enum { COMMAND_RATE = 20 };  // hertz, of odometry

static const double MASS = 8.0;  // kilograms, of the body
static const double SPEED = 1.5;
static const double ACCELERATION = 2.0;
static const double TURN_RATE = 4.0;
static const double TURN_ACCELERATION = 10.0;

// Lengths in metres.
typedef struct robot_t {
  double wheel;       // radius
  double wheel_wide;  // thickness
  double track;       // between the wheels
  double body;        // radius
  double body_height;
  double ball;        // radius
  double ball_ahead;  // from the middle
} robot_t;

static robot_t robot_of(double radius)
{
  return (robot_t){
    .wheel = 0.35 * radius,
    .wheel_wide = 0.15 * radius,
    .track = 1.4 * radius,
    .body = 0.95 * radius,
    .body_height = 0.5 * radius,
    .ball = 0.15 * radius,
    .ball_ahead = 0.7 * radius,
  };
}

static void write_inertia(double mass, double xx, double yy, double zz, FILE * stream)
{
  fprintf(
    stream,
    "        <inertial><mass>%g</mass><inertia><ixx>%.6g</ixx><iyy>%.6g</iyy><izz>%.6g</izz>"
    "<ixy>0</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial>\n",
    mass, xx, yy, zz);
}

static void write_body(const robot_t * robot, int32_t index, FILE * stream)
{
  const double r = robot->body, h = robot->body_height, across = MASS * (3.0 * r * r + h * h) / 12.0;
  const double z = robot->wheel + 0.5 * h;
  unsigned int red = 128, green = 128, blue = 128;
  (void)sscanf(fw__palette_colour(index).text, "#%2x%2x%2x", &red, &green, &blue);
  fprintf(stream, "      <link name=\"base_link\">\n");
  write_inertia(MASS, across, across, 0.5 * MASS * r * r, stream);
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

static void write_wheel(const robot_t * robot, const char * side, double y, FILE * stream)
{
  const double mass = 0.05 * MASS, r = robot->wheel,
               across = mass * (3.0 * r * r + robot->wheel_wide * robot->wheel_wide) / 12.0;
  fprintf(
    stream,
    "      <link name=\"%s_wheel\">\n"
    "        <pose>0 %g %g -1.5707963 0 0</pose>\n",
    side, y, r);
  write_inertia(mass, across, across, 0.5 * mass * r * r, stream);
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

static void write_plugins(const fw__gazebo_t * gazebo, const robot_t * robot, const char * name, FILE * stream)
{
  const fw__gazebo_words_t words = fw__gazebo_words(gazebo->release);
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
    words.file, words.system, robot->track, robot->wheel, name, name, name, SPEED, -SPEED, ACCELERATION, -ACCELERATION,
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
    words.file, words.system, name, name, COMMAND_RATE);
}

void fw__gazebo_write_robot(const fw__gazebo_t * gazebo, int32_t robot, bool is_placed, FILE * stream)
{
  const robot_t shape = robot_of(gazebo->radius);
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
