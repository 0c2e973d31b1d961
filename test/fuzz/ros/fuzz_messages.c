// What planner_node subscribes to, as functions of bytes: maps, updates and masks, blocked cells, closed paths, poses
// of each source, transforms, goals and clicks, in any order, with any numbers, frames and stamps, while robots come
// and go and ROS time jumps. The node's own subscriptions, on a graph in which nobody else speaks (silent_graph.h).
// Places of releases are finite, every goal ends once, and a fault has a text.

#include <math.h>
#include <string.h>

#include <geometry_msgs/msg/point.h>
#include <geometry_msgs/msg/point_stamped.h>
#include <geometry_msgs/msg/transform_stamped.h>
#include <rcutils/logging.h>
#include <rosidl_runtime_c/primitives_sequence_functions.h>
#include <rosidl_runtime_c/string_functions.h>

#include "fuzz/fuzz.h"
#include "fuzz/ros/silent_graph.h"
#include "ros/planner_node/subscriptions.h"
#include "ros/planner_node/transforms.h"
#include "ros/planner_node/unassigned_goals.h"

enum { ROBOTS_MAX = 3, STEPS_MAX = 80, GOALS_MAX = 4096, ITEMS_MAX = 9 };

static const int64_t SECOND_NS = 1000000000;

typedef struct run_t {
  fw_controller_t controller;
  node_settings_t settings;
  node_site_t site;
  ros_session_t session;
  ros_executor_t executor;
  ros_clock_t clock;
  ros_log_t log;
  bool has_jumped_back;
  bool is_active;
  node_subscriptions_t subscriptions;
  node_transforms_t transforms;
  node_unassigned_goals_t unassigned_goals;
  bool has_ended[GOALS_MAX];
} run_t;

// ---- parts of messages

static void fill_text(rosidl_runtime_c__String * text, fuzz_bytes_t * bytes)
{
  static const char * const frames[] = {"map",    "/map",        "odom",        "a/base_link",
                                        "b/odom", "b/base_link", "c/base_link", ""};
  const uint8_t kind = fuzz_byte(bytes);
  bool is_set = true;
  if (kind < 224) {
    is_set = rosidl_runtime_c__String__assign(text, frames[kind < 128 ? 0 : kind % 8]);
  } else {  // any bytes, zeros among them: a message carries the length of a text
    char any[160];
    const size_t length = (size_t)fuzz_below(bytes, (int32_t)sizeof(any));
    for (size_t k = 0; k < length; ++k) {
      any[k] = (char)fuzz_byte(bytes);
    }
    is_set = rosidl_runtime_c__String__assignn(text, any, length);
  }
  fuzz_require(is_set, "memory for a text");
}

static void fill_header(std_msgs__msg__Header * header, fuzz_bytes_t * bytes)
{
  const uint8_t kind = fuzz_byte(bytes);
  if (kind < 16) {
    header->stamp.sec = kind < 8 ? INT32_MAX : INT32_MIN;
    header->stamp.nanosec = kind % 2 == 0 ? UINT32_MAX : 0;
  } else {
    const int64_t after_ns = kind < 64 ? (int64_t)fuzz_below(bytes, 65536) * 1000000 - 5 * SECOND_NS : 0;
    const int64_t time_ns = silent_graph.now_ns + after_ns;
    header->stamp.sec = (int32_t)(time_ns / SECOND_NS);
    header->stamp.nanosec = (uint32_t)(time_ns % SECOND_NS);
  }
  fill_text(&header->frame_id, bytes);
}

static void fill_quaternion(geometry_msgs__msg__Quaternion * q, fuzz_bytes_t * bytes)
{
  const uint8_t kind = fuzz_byte(bytes);
  if (kind >= 32) {
    *q = (geometry_msgs__msg__Quaternion){.z = sin(kind * 0.05), .w = cos(kind * 0.05)};
  } else if (kind >= 16) {
    *q = (geometry_msgs__msg__Quaternion){0};
  } else {
    *q =
      (geometry_msgs__msg__Quaternion){fuzz_double(bytes), fuzz_double(bytes), fuzz_double(bytes), fuzz_double(bytes)};
  }
}

static void fill_pose(geometry_msgs__msg__Pose * pose, fuzz_bytes_t * bytes)
{
  pose->position.x = fuzz_double(bytes);
  pose->position.y = fuzz_double(bytes);
  fill_quaternion(&pose->orientation, bytes);
}

static void fill_covariance(geometry_msgs__msg__PoseWithCovariance * pose, fuzz_bytes_t * bytes)
{
  fill_pose(&pose->pose, bytes);
  if ((fuzz_byte(bytes) & 1) != 0) {
    pose->covariance[0] = fuzz_double(bytes);
    pose->covariance[7] = fuzz_double(bytes);
  }
}

static void fill_values(rosidl_runtime_c__int8__Sequence * values, size_t count, fuzz_bytes_t * bytes)
{
  rosidl_runtime_c__int8__Sequence__fini(values);
  fuzz_require(rosidl_runtime_c__int8__Sequence__init(values, count), "memory for values");
  if (count > 0) {
    memset(values->data, 0, count);  // the init of numbers does not
  }
  const uint8_t changed = fuzz_byte(bytes) & 31;
  for (uint8_t k = 0; count > 0 && k < changed; ++k) {
    const size_t at = fuzz_byte(bytes) | (size_t)fuzz_byte(bytes) << 8;
    values->data[at % count] = (int8_t)fuzz_byte(bytes);
  }
}

// A side of a map: mostly a small one, seldom one that no message holds.
static uint32_t side(fuzz_bytes_t * bytes)
{
  static const uint32_t large[] = {0, 65536, INT32_MAX, (uint32_t)INT32_MAX + 1, UINT32_MAX, 40000};
  const uint8_t kind = fuzz_byte(bytes);
  return kind < 6 ? large[kind] : UINT32_C(1) + kind % 20;
}

// The number of values that belongs to the sides, or another one.
static size_t count_of(uint32_t width, uint32_t height, fuzz_bytes_t * bytes)
{
  const uint64_t product = (uint64_t)width * height;
  const bool is_right = fuzz_byte(bytes) >= 16 && product <= 4096;
  return is_right ? (size_t)product : fuzz_byte(bytes);
}

// ---- messages: each is made anew, as the executor does

static void fill_grid(void * message, fuzz_bytes_t * bytes)
{
  nav_msgs__msg__OccupancyGrid * grid = message;
  nav_msgs__msg__OccupancyGrid__fini(grid);
  fuzz_require(nav_msgs__msg__OccupancyGrid__init(grid), "memory for a map");
  fill_header(&grid->header, bytes);
  grid->info.width = side(bytes);
  grid->info.height = side(bytes);
  const uint8_t kind = fuzz_byte(bytes);
  grid->info.resolution = kind < 32 ? (float)fuzz_double(bytes) : 0.5f;
  if (kind % 4 == 0) {
    fill_pose(&grid->info.origin, bytes);
  }
  fill_values(&grid->data, count_of(grid->info.width, grid->info.height, bytes), bytes);
}

static void fill_grid_update(void * message, fuzz_bytes_t * bytes)
{
  map_msgs__msg__OccupancyGridUpdate * update = message;
  map_msgs__msg__OccupancyGridUpdate__fini(update);
  fuzz_require(map_msgs__msg__OccupancyGridUpdate__init(update), "memory for an update");
  fill_header(&update->header, bytes);
  const uint8_t kind = fuzz_byte(bytes);
  update->x = kind < 8 ? INT32_MAX : kind < 16 ? INT32_MIN : kind % 24 - 4;
  update->y = kind < 4 ? INT32_MAX : fuzz_below(bytes, 24) - 4;
  update->width = side(bytes);
  update->height = side(bytes);
  fill_values(&update->data, count_of(update->width, update->height, bytes), bytes);
}

static void fill_grid_cells(void * message, fuzz_bytes_t * bytes)
{
  nav_msgs__msg__GridCells * grid = message;
  nav_msgs__msg__GridCells__fini(grid);
  fuzz_require(nav_msgs__msg__GridCells__init(grid), "memory for cells");
  fill_header(&grid->header, bytes);
  grid->cell_width = (float)fuzz_double(bytes);
  grid->cell_height = (float)fuzz_double(bytes);
  const size_t count = (size_t)fuzz_below(bytes, ITEMS_MAX);
  fuzz_require(geometry_msgs__msg__Point__Sequence__init(&grid->cells, count), "memory for cells");
  for (size_t k = 0; k < count; ++k) {
    grid->cells.data[k] = (geometry_msgs__msg__Point){.x = fuzz_double(bytes), .y = fuzz_double(bytes)};
  }
}

static void fill_poses(geometry_msgs__msg__PoseStamped__Sequence * poses, fuzz_bytes_t * bytes)
{
  const size_t count = (size_t)fuzz_below(bytes, ITEMS_MAX);
  geometry_msgs__msg__PoseStamped__Sequence__fini(poses);
  fuzz_require(geometry_msgs__msg__PoseStamped__Sequence__init(poses, count), "memory for poses");
  for (size_t k = 0; k < count; ++k) {
    if (fuzz_byte(bytes) >= 64) {
      fill_header(&poses->data[k].header, bytes);
    }
    fill_pose(&poses->data[k].pose, bytes);
  }
}

static void fill_path(void * message, fuzz_bytes_t * bytes)
{
  nav_msgs__msg__Path * path = message;
  nav_msgs__msg__Path__fini(path);
  fuzz_require(nav_msgs__msg__Path__init(path), "memory for a path");
  fill_header(&path->header, bytes);
  fill_poses(&path->poses, bytes);
}

#if NODE_HAS_GOALS
static void fill_goals(void * message, fuzz_bytes_t * bytes)
{
  nav_msgs__msg__Goals * goals = message;
  nav_msgs__msg__Goals__fini(goals);
  fuzz_require(nav_msgs__msg__Goals__init(goals), "memory for goals");
  fill_header(&goals->header, bytes);
  fill_poses(&goals->goals, bytes);
}
#endif

static void fill_odometry(void * message, fuzz_bytes_t * bytes)
{
  nav_msgs__msg__Odometry * odometry = message;
  nav_msgs__msg__Odometry__fini(odometry);
  fuzz_require(nav_msgs__msg__Odometry__init(odometry), "memory for odometry");
  fill_header(&odometry->header, bytes);
  fill_covariance(&odometry->pose, bytes);
}

static void fill_amcl_pose(void * message, fuzz_bytes_t * bytes)
{
  geometry_msgs__msg__PoseWithCovarianceStamped * pose = message;
  geometry_msgs__msg__PoseWithCovarianceStamped__fini(pose);
  fuzz_require(geometry_msgs__msg__PoseWithCovarianceStamped__init(pose), "memory for a pose");
  fill_header(&pose->header, bytes);
  fill_covariance(&pose->pose, bytes);
}

static void fill_goal(void * message, fuzz_bytes_t * bytes)
{
  geometry_msgs__msg__PoseStamped * goal = message;
  geometry_msgs__msg__PoseStamped__fini(goal);
  fuzz_require(geometry_msgs__msg__PoseStamped__init(goal), "memory for a goal");
  fill_header(&goal->header, bytes);
  fill_pose(&goal->pose, bytes);
}

static void fill_point(void * message, fuzz_bytes_t * bytes)
{
  geometry_msgs__msg__PointStamped * point = message;
  geometry_msgs__msg__PointStamped__fini(point);
  fuzz_require(geometry_msgs__msg__PointStamped__init(point), "memory for a point");
  fill_header(&point->header, bytes);
  point->point = (geometry_msgs__msg__Point){.x = fuzz_double(bytes), .y = fuzz_double(bytes)};
}

static void fill_name(void * message, fuzz_bytes_t * bytes)
{
  static const char * const names[] = {"a", "b", "c", ""};
  std_msgs__msg__String * name = message;
  const uint8_t kind = fuzz_byte(bytes);
  if (kind < 4) {
    fuzz_require(rosidl_runtime_c__String__assign(&name->data, names[kind]), "memory for a name");
  } else {
    fill_text(&name->data, bytes);
  }
}

static void fill_transforms(void * message, fuzz_bytes_t * bytes)
{
  tf2_msgs__msg__TFMessage * transforms = message;
  tf2_msgs__msg__TFMessage__fini(transforms);
  const size_t count = (size_t)fuzz_below(bytes, ITEMS_MAX);
  fuzz_require(tf2_msgs__msg__TFMessage__init(transforms), "memory for transforms");
  fuzz_require(geometry_msgs__msg__TransformStamped__Sequence__init(&transforms->transforms, count), "memory");
  for (size_t k = 0; k < count; ++k) {
    geometry_msgs__msg__TransformStamped * link = &transforms->transforms.data[k];
    fill_header(&link->header, bytes);
    fill_text(&link->child_frame_id, bytes);
    link->transform.translation =
      (geometry_msgs__msg__Vector3){.x = fuzz_double(bytes), .y = fuzz_double(bytes), .z = 0.0};
    fill_quaternion(&link->transform.rotation, bytes);
  }
}

typedef void (*fill_t)(void * message, fuzz_bytes_t * bytes);

static fill_t fill_of(const rosidl_message_type_support_t * type)
{
  const struct {
    const rosidl_message_type_support_t * type;
    fill_t fill;
  } rows[] = {
    {ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, OccupancyGrid), fill_grid},
    {ROSIDL_GET_MSG_TYPE_SUPPORT(map_msgs, msg, OccupancyGridUpdate), fill_grid_update},
    {ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, GridCells), fill_grid_cells},
    {ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Path), fill_path},
#if NODE_HAS_GOALS
    {ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Goals), fill_goals},
#endif
    {ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Odometry), fill_odometry},
    {ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, PoseWithCovarianceStamped), fill_amcl_pose},
    {ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, PoseStamped), fill_goal},
    {ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, PointStamped), fill_point},
    {ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, String), fill_name},
    {ROSIDL_GET_MSG_TYPE_SUPPORT(tf2_msgs, msg, TFMessage), fill_transforms},
  };
  for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); ++k) {
    if (rows[k].type == type) {
      return rows[k].fill;
    }
  }
  fuzz_require(false, "every type that the node subscribes to can be filled here");
  return NULL;
}

// ---- the node

static void note_log(void * context, fw_log_level_t level, const char * text)
{
  (void)context;
  fuzz_require(level >= FW_LOG_DEBUG && level <= FW_LOG_ERROR && text[0] != '\0', "a line of the log has a text");
}

static const char * const closures[] = {"door"};

static void set_robots(run_t * run, uint8_t which)
{
  fw_error_t error = {0};
  fw_controller_robot_t robots[ROBOTS_MAX];
  int32_t count = 0;
  for (int32_t k = 0; k < ROBOTS_MAX; ++k) {
    static const char * const names[] = {"a", "b", "c"};
    if ((which >> k & 1) != 0) {
      robots[count++] = (fw_controller_robot_t){.name = names[k]};
    }
  }
  fuzz_require(
    fw_controller_set_robots(&run->controller, robots, count, silent_graph.now_ns, &error) == FW_RET_OK, "robots");
}

// The parameters of a node that nobody has configured, read once.
static const node_settings_t * default_settings(void)
{
  static node_settings_t settings;
  static bool is_read;
  if (!is_read) {
    ros_parameters_t parameters;
    fw_error_t error = {0};
    fuzz_require(node_parameters_init(&parameters) && node_settings_read(&settings, &parameters, &error), "settings");
    ros_parameters_fini(&parameters);
    fuzz_require(rcutils_logging_initialize() == RCUTILS_RET_OK, "a log");
    rcutils_logging_set_default_logger_level(RCUTILS_LOG_SEVERITY_FATAL);
    is_read = true;
  }
  return &settings;
}

static void begin(run_t * run, fuzz_bytes_t * bytes)
{
  fw_error_t error = {0};
  const uint8_t kind = fuzz_byte(bytes);
  silent_graph = (silent_graph_t){.now_ns = 10 * SECOND_NS, .last_ns = 10 * SECOND_NS};
  run->settings = *default_settings();
  run->settings.pose_source = (node_pose_source_t)(kind % 3);
  run->settings.controller.poses_are_on_change = run->settings.pose_source == NODE_POSES_AMCL;
  run->settings.controller.expansions_max = 500;
  run->settings.discovers_robots = (kind & 4) != 0;
  run->settings.gives_to_nearest = (kind & 8) != 0;
  (void)snprintf(run->settings.tf_topic, sizeof(run->settings.tf_topic), (kind & 16) != 0 ? "{robot}/tf" : "/tf");
  run->is_active = (kind & 32) == 0;
  fw_controller_options_t options = fw_controller_options_default();
  options.worker = FW_CONTROLLER_WORKER_INLINE;
  options.settings = run->settings.controller;
  options.closure_names = closures;
  options.closure_count = 1;
  options.log = note_log;
  fuzz_require(fw_controller_init(&run->controller, &options, &error) == FW_RET_OK, "a controller");
  fw_controller_set_active(&run->controller, run->is_active);
  run->site = (node_site_t){
    .controller = &run->controller,
    .transforms = &run->transforms,
    .settings = &run->settings,
    .session = &run->session,
    .clock = &run->clock,
    .has_jumped_back = &run->has_jumped_back,
    .is_active = &run->is_active,
    .logger = "fuzz",
    .log = &run->log,
  };
  run->unassigned_goals = (node_unassigned_goals_t){.site = &run->site, .executor = &run->executor};
  run->subscriptions = (node_subscriptions_t){.site = &run->site, .executor = &run->executor};
  run->transforms = (node_transforms_t){.site = &run->site, .executor = &run->executor};
  set_robots(run, 7);
  fuzz_require(
    node_unassigned_goals_init(&run->unassigned_goals) && node_subscriptions_init(&run->subscriptions) &&
      node_transforms_init(&run->transforms),
    "subscriptions");
}

static void end(run_t * run)
{
  node_subscriptions_fini(&run->subscriptions);
  node_transforms_fini(&run->transforms);
  node_unassigned_goals_fini(&run->unassigned_goals);
  fw_controller_fini(&run->controller);
  fuzz_require(silent_graph.count == 0, "all subscriptions end");
}

static void take_message(fuzz_bytes_t * bytes)
{
  const silent_subscription_t * one = &silent_graph.subscriptions[fuzz_below(bytes, silent_graph.count)];
  const ros_on_message_t to = one->on_message;
  fill_of(one->type)(to.message, bytes);
  to.callback(to.message, to.context);
}

static void read_robots(run_t * run)
{
  fuzz_require(
    node_subscriptions_read_robots(&run->subscriptions) && node_transforms_read_robots(&run->transforms),
    "subscriptions of robots");
}

static void step(run_t * run, fuzz_bytes_t * bytes)
{
  const uint8_t kind = fuzz_byte(bytes);
  if (kind >= 16) {
    take_message(bytes);
    return;
  }
  switch (kind) {
    case 0:
    case 1:
      set_robots(run, fuzz_byte(bytes) & 7);
      read_robots(run);
      break;
    case 2:
      silent_graph.now_ns = (int64_t)fuzz_byte(bytes) * SECOND_NS;
      break;
    case 3:
      run->is_active = !run->is_active;
      fw_controller_set_active(&run->controller, run->is_active);
      break;
    case 4:
      node_transforms_check(&run->transforms);
      break;
    default:
      silent_graph.now_ns += (int64_t)fuzz_byte(bytes) * 100000000;
  }
}

// What node_spin_once does with time that has gone back.
static void follow_time(run_t * run)
{
  const int64_t now_ns = node_site_now(&run->site);
  if (run->has_jumped_back) {
    run->has_jumped_back = false;
    node_transforms_clear(&run->transforms);
    node_subscriptions_clear(&run->subscriptions);
    fw_controller_restart_clock(&run->controller, now_ns);
  }
  (void)fw_controller_update(&run->controller, now_ns);
}

static void check(run_t * run)
{
  fw_goal_event_t event;
  while (fw_controller_next_event(&run->controller, &event)) {
    if (event.kind != FW_GOAL_ACCEPTED && event.kind != FW_GOAL_ACTIVE && event.id < GOALS_MAX) {
      fuzz_require(!run->has_ended[event.id], "a goal ends once");
      run->has_ended[event.id] = true;
    }
  }
  for (int32_t r = 0; r < fw_controller_robot_count(&run->controller); ++r) {
    const fw_controller_path_t path = fw_controller_released_path(&run->controller, r);
    for (int32_t k = 0; k < path.count; ++k) {
      fuzz_require(isfinite(path.waypoints[k].point.x) && isfinite(path.waypoints[k].point.y), "places are finite");
    }
    const fw_controller_robot_status_t status = fw_controller_robot_status(&run->controller, r, silent_graph.now_ns);
    fuzz_require(status.fault == FW_FAULT_NONE || status.fault_text[0] != '\0', "a fault has a text");
  }
}

int LLVMFuzzerTestOneInput(const uint8_t * data, size_t size)
{
  static run_t run;
  fuzz_bytes_t bytes = {.data = data, .size = size};
  run = (run_t){0};
  begin(&run, &bytes);
  for (int32_t k = 0; k < STEPS_MAX && fuzz_has_more(&bytes); ++k) {
    step(&run, &bytes);
    silent_graph.now_ns += 50000000;
    follow_time(&run);
    check(&run);
  }
  end(&run);
  return 0;
}

// ---- seeds: a map, poses of all robots, goals, and some of each other message

enum {
  GOAL = 0,  // subscriptions by number, in the order of `begin`
  MAP = 3,
  BLOCKED = 4,
  UPDATE = 5,
  KEEPOUT = 6,
  COSTS = 7,
  FIRST_OF_ROBOTS = 8,
};

typedef struct seed_t {
  uint8_t data[1024];
  size_t size;
} seed_t;

static void put(seed_t * seed, const uint8_t * bytes, size_t count)
{
  fuzz_require(seed->size + count <= sizeof(seed->data), "a seed is small");
  memcpy(seed->data + seed->size, bytes, count);
  seed->size += count;
}

#define PUT(seed, ...) put((seed), (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

// The middle of a column or row of half a metre, as fuzz_double reads it: (value - 8192) / 1024.
#define MIDDLE(index) 64, 0, (uint8_t)(33 + 2 * (index))

static void put_map(seed_t * seed, uint8_t subscription)
{
  // header (now, map), 20 x 20 cells, the right resolution and number of values, all free
  PUT(seed, 16, subscription, 255, 0, 19, 19, 33, 255, 0);
}

static void put_pose(seed_t * seed, uint8_t subscription, uint8_t column, uint8_t row)
{
  PUT(seed, 16, subscription, 255, 0, MIDDLE(column), MIDDLE(row), 32, 0);
}

static void put_goal(seed_t * seed, uint8_t subscription, uint8_t column, uint8_t row)
{
  PUT(seed, 16, subscription, 255, 0, MIDDLE(column), MIDDLE(row), 32);
}

static void put_transforms(seed_t * seed, uint8_t subscription, uint8_t column)
{
  static const uint8_t children[ROBOTS_MAX] = {128 + 3, 128 + 5, 128 + 6};  // base frames, as fill_text reads them
  PUT(seed, 16, subscription, ROBOTS_MAX);
  for (uint8_t r = 0; r < ROBOTS_MAX; ++r) {
    PUT(seed, 255, 0, children[r], MIDDLE(column), MIDDLE(1 + 3 * r), 32);
  }
}

// Robots stand, get goals, and drive there cell by cell.
static void seed_of_source(fuzz_seed_t add, void * context, node_pose_source_t source)
{
  const uint8_t per_robot = source == NODE_POSES_AMCL ? 4 : source == NODE_POSES_ODOM ? 3 : 2;  // with goals
  seed_t seed = {.size = 0};
  PUT(&seed, (uint8_t)source);
  put_map(&seed, MAP);
  for (uint8_t turn = 0; turn < 7; ++turn) {
    const uint8_t column = turn < 4 ? 2 : (uint8_t)(turn - 1);
    for (uint8_t r = 0; r < ROBOTS_MAX && source != NODE_POSES_TF; ++r) {
      const uint8_t first = (uint8_t)(FIRST_OF_ROBOTS + r * per_robot);
      put_pose(&seed, first, column, (uint8_t)(1 + 3 * r));
      if (source == NODE_POSES_AMCL) {
        put_pose(&seed, (uint8_t)(first + 1), column, (uint8_t)(1 + 3 * r));
      }
    }
    if (source == NODE_POSES_TF) {
      put_transforms(&seed, FIRST_OF_ROBOTS + 2 * ROBOTS_MAX + 1, column);  // behind the closure
    }
    for (uint8_t r = 0; r < ROBOTS_MAX && turn == 2; ++r) {
      put_goal(&seed, (uint8_t)(FIRST_OF_ROBOTS + (r + 1) * per_robot - 2), 12, (uint8_t)(1 + 3 * r));
    }
    PUT(&seed, 5, 3);  // 0.3 s
  }
  put_map(&seed, KEEPOUT);
  put_map(&seed, COSTS);
  PUT(&seed, 16, UPDATE, 255, 0, 28, 4, 7, 7, 255, 1, 0, 0, 100);
  PUT(&seed, 16, BLOCKED, 255, 0, MIDDLE(0), MIDDLE(0), 1, MIDDLE(9), MIDDLE(9));
  put_goal(&seed, GOAL, 3, 3);
  add(context, seed.data, seed.size);
}

void fuzz_seeds(fuzz_seed_t add, void * context)
{
  seed_of_source(add, context, NODE_POSES_TF);
  seed_of_source(add, context, NODE_POSES_ODOM);
  seed_of_source(add, context, NODE_POSES_AMCL);
}
