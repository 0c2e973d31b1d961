#include "ros/planner_node/inbox.h"

#include <stdio.h>
#include <stdlib.h>

#include <geometry_msgs/msg/pose_stamped.h>
#include <geometry_msgs/msg/pose_with_covariance_stamped.h>
#include <nav_msgs/msg/odometry.h>

bool inbox_init(inbox_t * inbox, int32_t robot_count, int32_t closure_count)
{
  inbox->closures = calloc((size_t)closure_count + 1, sizeof *inbox->closures);
  bool is_fine = nav_msgs__msg__OccupancyGrid__init(&inbox->map) && nav_msgs__msg__GridCells__init(&inbox->blocked) &&
                 inbox->closures != NULL;
  for (int32_t k = 0; is_fine && k < closure_count; ++k) {
    is_fine = nav_msgs__msg__Path__init(&inbox->closures[k].path);
    inbox->closure_count = k + 1;
  }
  return is_fine && inbox_grow(inbox, robot_count);
}

bool inbox_grow(inbox_t * inbox, int32_t robot_count)
{
  robot_mail_t ** robots = realloc(inbox->robots, ((size_t)robot_count + 1) * sizeof *robots);
  if (robots == NULL) {
    return false;
  }
  inbox->robots = robots;
  for (; inbox->robot_count < robot_count; ++inbox->robot_count) {
    robots[inbox->robot_count] = calloc(1, sizeof **robots);
    if (robots[inbox->robot_count] == NULL) {
      return false;
    }
  }
  return true;
}

void inbox_fini(inbox_t * inbox)
{
  nav_msgs__msg__OccupancyGrid__fini(&inbox->map);
  nav_msgs__msg__GridCells__fini(&inbox->blocked);
  for (int32_t k = 0; k < inbox->closure_count; ++k) {
    nav_msgs__msg__Path__fini(&inbox->closures[k].path);
  }
  for (int32_t k = 0; k < inbox->robot_count; ++k) {
    free(inbox->robots[k]->queue);
    free(inbox->robots[k]);
  }
  free(inbox->closures);
  free(inbox->robots);
  *inbox = (inbox_t){0};
}

void inbox_on_map(const void * message, void * inbox)
{
  (void)message;  // it is inbox->map
  ((inbox_t *)inbox)->has_map = true;
}

void inbox_on_blocked(const void * message, void * inbox)
{
  (void)message;  // it is inbox->blocked
  ((inbox_t *)inbox)->has_blocked = true;
}

void inbox_on_closed_path(const void * message, void * closure_mail)
{
  (void)message;  // it is the mail's path
  ((closure_mail_t *)closure_mail)->is_new = true;
}

static void put(pose_mail_t * mail, const std_msgs__msg__Header * header, const geometry_msgs__msg__Pose * pose)
{
  const geometry_msgs__msg__Quaternion * q = &pose->orientation;
  (void)snprintf(mail->frame_id, sizeof mail->frame_id, "%s", header->frame_id.data);
  mail->point = (point_t){pose->position.x, pose->position.y};
  mail->yaw = yaw_of(q->x, q->y, q->z, q->w);
  mail->stamp_ns = (int64_t)header->stamp.sec * 1000000000 + header->stamp.nanosec;
  mail->is_new = true;
}

void inbox_on_odometry(const void * message, void * robot_mail)
{
  const nav_msgs__msg__Odometry * odometry = message;
  put(&((robot_mail_t *)robot_mail)->pose, &odometry->header, &odometry->pose.pose);
}

void inbox_on_amcl_pose(const void * message, void * robot_mail)
{
  const geometry_msgs__msg__PoseWithCovarianceStamped * pose = message;
  put(&((robot_mail_t *)robot_mail)->pose, &pose->header, &pose->pose.pose);
}

void inbox_on_goal(const void * message, void * robot_mail)
{
  const geometry_msgs__msg__PoseStamped * goal = message;
  put(&((robot_mail_t *)robot_mail)->goal, &goal->header, &goal->pose);
}

#if HAS_GOALS
void inbox_on_goals(const void * message, void * robot_mail)
{
  const nav_msgs__msg__Goals * goals = message;
  robot_mail_t * mail = robot_mail;
  const int32_t count = (int32_t)goals->goals.size;
  if (count > mail->queue_capacity) {
    pose_mail_t * queue = realloc(mail->queue, (size_t)count * sizeof *queue);
    if (queue == NULL) {
      return;
    }
    mail->queue = queue;
    mail->queue_capacity = count;
  }
  for (int32_t k = 0; k < count; ++k) {
    const geometry_msgs__msg__PoseStamped * goal = &goals->goals.data[k];
    put(&mail->queue[k], goal->header.frame_id.size > 0 ? &goal->header : &goals->header, &goal->pose);
  }
  mail->queue_count = count;
  mail->has_queue = true;
}
#endif
