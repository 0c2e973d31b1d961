// Transform buffer: where frames are in each other, from links "child in parent" that arrive with stamps, as on ROS's
// /tf and /tf_static. No ROS in here.
//
// Frames form trees; each frame has one parent and a short history of its place in it. A lookup composes the links from
// a frame up to a root at the newest common time: the latest moment at which every link is known, as in tf2. Between
// two stamps of a link its value is interpolated; beyond its last stamp nothing is extrapolated. A localisation that
// stamps map -> odom ahead of now (AMCL's transform_tolerance) therefore gives the pose of the newest odometry, and one
// that is silent stops the poses.
//
//   map ──2 Hz──> robot_3/odom ──50 Hz──> robot_3/base_link          a fleet shares one buffer:
//    └──────────> robot_4/odom ─────────> robot_4/base_link          two frames per robot
//
// Who looks something up watches its frame. Moving links are kept only if they are on the way from a watched frame to
// its root: links of other systems cost a look at their name and no memory. Static links come once, perhaps before
// anybody knows that they are on the way, so all of them are kept, within a limit. So memory is bounded, whatever
// arrives: by `frames_max` frames and FW_TRANSFORM_SAMPLES_MAX stamps of each.
//
// Threads: one at a time. Time is the caller's; no clock is read.

#ifndef MOTION__TRANSFORM_BUFFER_H_
#define MOTION__TRANSFORM_BUFFER_H_

#include "motion/polyline.h"

enum {
  FW_FRAME_NAME_SIZE = 128,        // bytes of a frame's name, with its final zero
  FW_FRAMES_MAX = 131072,          // frames of a buffer that sets no limit of its own
  FW_TRANSFORM_SAMPLES_MAX = 128,  // stamps of a link; the oldest go first
  FW_TRANSFORM_DEPTH_MAX = 64,     // links from a frame to its root
};
#define FW_TRANSFORM_HISTORY_NS INT64_C(5000000000)  // stamps of a link that are older than its newest by more go too
#define FW_TRANSFORM_IS_STATIC INT64_MAX             // stamp of what holds at any time

// Translation in metres and rotation as a quaternion of length 1: coordinates in the child into those in the parent.
typedef struct fw_transform_t {
  double x, y, z;
  double qx, qy, qz, qw;
} fw_transform_t;

// A link as it arrives. The names may begin with a slash, which is dropped; they are not kept.
typedef struct fw_transform_link_t {
  const char * parent;
  const char * child;
  fw_transform_t transform;
  int64_t stamp_ns;  // without meaning if it is static
  bool is_static;
} fw_transform_link_t;

typedef struct fw_transform_sample_t {
  int64_t stamp_ns;
  fw_transform_t transform;
} fw_transform_sample_t;

// Private.
typedef struct fw_transform_frame_t {
  char name[FW_FRAME_NAME_SIZE];  // empty: a free slot
  int32_t parent;                 // -1: none
  // The wanted frames below this one: a list through their `next` and `previous`; -1 ends it.
  int32_t first_child;
  int32_t next;  // of a free slot: the next free one
  int32_t previous;
  int32_t watchers;
  bool is_wanted;  // watched, or on the way from a watched frame up
  bool is_root;
  bool is_static;
  bool is_changed;                  // is in the list of changed frames
  bool is_kept;                     // while frames are swept
  fw_transform_sample_t * samples;  // ring; stamps rise from `first` on
  int32_t first;
  int32_t count;
  int32_t capacity;
  const char * refusal;  // why its last link was refused; NULL: it was not
} fw_transform_frame_t;

// {0} is an empty buffer. The first two members may be set before its first use.
typedef struct fw_transform_buffer_t {
  int32_t frames_max;  // 0: FW_FRAMES_MAX
  int64_t
    stamp_max_ns;   // a link whose stamp is farther than this from now, before or after, is refused; 0: any is taken
  int64_t refused;  // links that made no sense, for diagnostics
  int64_t foreign;  // links that lead to no watched frame
  int32_t wanted;   // frames that are wanted: when it rises, links that were foreign may have become useful

  // Private.
  fw_transform_frame_t * frames;
  int32_t frame_count;  // slots in use once, free ones included
  int32_t capacity;
  int32_t used;        // slots in use now
  int32_t unwanted;    // of those, frames that nobody wants: ends of static links
  int32_t first_free;  // valid if used < frame_count
  int32_t * table;     // by hash of the name: slot + 1, 0: none
  int32_t table_size;  // a power of two, at least twice the capacity
  int32_t * changed;   // watched frames whose chain has changed
  int32_t changed_count;
} fw_transform_buffer_t;

void fw__transform_buffer_fini(fw_transform_buffer_t * buffer);
// Forgets all links, for a clock that has jumped. Watched frames stay watched.
void fw__transform_buffer_clear(fw_transform_buffer_t * buffer);

// Watches a frame and returns its number, which stays until it was unwatched as often. -1 if there is no room, or no
// such name is possible.
int32_t fw__transform_buffer_watch(fw_transform_buffer_t * buffer, const char * name);
// The same for a frame up to which others are looked up. Its own place in yet another frame is of no interest: such
// links are foreign, so that a wrong one cannot make the right ones look like a cycle.
int32_t fw__transform_buffer_watch_root(fw_transform_buffer_t * buffer, const char * name);
void fw__transform_buffer_unwatch(fw_transform_buffer_t * buffer, int32_t frame);

// Takes a link. False with a reason if it makes no sense: an empty, long or equal name, a value that is not finite, a
// quaternion that is not of length 1, a stamp far from now, a cycle; then the last good one stays in force. Foreign
// links, and stamps that are known already or too old to be kept, are ignored, which is no fault.
bool fw__transform_buffer_add(
  fw_transform_buffer_t * buffer, const fw_transform_link_t * link, int64_t now_ns, fw_error_t * reason);

// A watched frame whose place in its root may have changed since it was last returned here; -1: there is none.
int32_t fw__transform_buffer_next_changed(fw_transform_buffer_t * buffer);

typedef struct fw_transform_result_t {
  fw_transform_t transform;  // coordinates in the frame into those in the root
  int64_t stamp_ns;          // the newest common time; FW_TRANSFORM_IS_STATIC if all links are static
  int32_t oldest;            // the frame whose link ends first and so determines the stamp; -1: all are static
} fw_transform_result_t;

// The newest common time alone; cheap. False if there is none.
bool fw__transform_buffer_common_time(
  const fw_transform_buffer_t * buffer, int32_t root, int32_t frame, int64_t * stamp_ns);
// `root` is a watched root, `frame` a watched frame. False with a reason that names the link that is missing, or ends
// before others begin.
bool fw__transform_buffer_lookup(
  const fw_transform_buffer_t * buffer, int32_t root, int32_t frame, fw_transform_result_t * result,
  fw_error_t * reason);
// The place at a given time. False if a link is missing, or not known at that time: nothing is extrapolated.
bool fw__transform_buffer_lookup_at(
  const fw_transform_buffer_t * buffer, int32_t root, int32_t frame, int64_t stamp_ns, fw_transform_t * transform);
const char * fw__transform_buffer_name(const fw_transform_buffer_t * buffer, int32_t frame);
const char * fw__transform_buffer_parent_name(const fw_transform_buffer_t * buffer, int32_t frame);  // "" if none

fw_transform_t fw__transform_compose(const fw_transform_t * outer, const fw_transform_t * inner);
fw_transform_t fw__transform_from_pose2d(const fw_pose2d_t * pose);
fw_transform_t fw__transform_inverse(const fw_transform_t * transform);
// Position and yaw in the plane: height, roll and pitch are dropped.
fw_pose2d_t fw__transform_pose2d(const fw_transform_t * transform);

// For assertions and tests.
bool fw__transform_buffer_validate(const fw_transform_buffer_t * buffer);

#endif  // MOTION__TRANSFORM_BUFFER_H_
