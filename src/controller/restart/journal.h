// The journal: a file that holds the last known state of a fleet, so that a controller that was killed continues where
// it was: accepted goals are known, and no release contradicts an earlier one.
//
// The idea is that of a write-ahead log with one kind of entry: "this part of this robot is now so". The journal keeps
// the whole state in memory; setters change it there and mark what has changed; commit appends the changed parts as one
// batch with a checksum, which a reader takes whole or not at all. A file that has grown too large is replaced by one
// that holds the state as a single batch (compaction). docs/journal_format.md describes the bytes.
//
//   set_pose ─┐                       ┌─ append to the file
//   put_goal ─┼─> state in memory ─> commit
//   …        ─┘    (const view)       └─ or replace the file: path.new, fsync, rename, fsync of the directory
//
// What holds:
// - After a kill at any moment the file holds the state of the last commit that returned FW_RET_OK, or of a later one
//   that had not returned. After a power failure the same holds with FW_JOURNAL_SYNC_EACH; with
//   FW_JOURNAL_SYNC_INTERVAL the newest batches may be missing, and with FW_JOURNAL_SYNC_NEVER any number of them.
// - A commit that fails loses nothing: the changes stay in memory and the next commit writes them. Memory does not grow
//   while commits fail, because only the newest value of each part is kept.
// - The same calls give the same bytes on every machine. The journal has no clock.
// - The file is bounded: compaction when it is larger than compact_above_bytes and four times the state.
//
// Lengths are metres in the map frame and angles radians, never cells: the map's resolution may differ in the next run.
// The journal knows nothing of maps, planners and ROS; robots are known by name.
//
// The order matters to a controller: a release may be published, and a goal be called accepted, only after the commit
// that holds it has returned FW_RET_OK. What was released and is not in the journal is unknown after a kill.
//
// Commit and init do file I/O and may block for as long as the disk does (an fsync can take 100 ms and more). A journal
// is used from one thread at a time.

#ifndef CONTROLLER__RESTART__JOURNAL_H_
#define CONTROLLER__RESTART__JOURNAL_H_

#include "controller/restart/journal_io.h"
#include "fleetweave/fleetweave.h"

#define FW_JOURNAL_VERSION 2u          // of the file format
#define FW_JOURNAL_NAME_BYTES_MAX 255  // without the zero at the end
#define FW_JOURNAL_ROBOTS_MAX 100000
#define FW_JOURNAL_GOALS_MAX 1024       // of one robot
#define FW_JOURNAL_WAYPOINTS_MAX 65536  // of one release
#define FW_JOURNAL_ENDS_MAX 4096        // ends that nobody has heard of

// ---- state ----------------------------------------------------------------------------------------------------------

typedef struct fw_journal_waypoint_t {
  double x;  // metres in the map frame, finite
  double y;
  double yaw;  // radians, finite
} fw_journal_waypoint_t;

typedef struct fw_journal_goal_t {
  uint64_t id;     // 1 to 2^64 - 2, unique among the robot's goals
  uint64_t order;  // of arrival: a robot's goals are sorted by it, those of equal order by id
  fw_journal_waypoint_t pose;
  double position_tolerance;  // metres, 0 to infinity
  double yaw_tolerance;       // radians, 0 to infinity
  uint32_t flags;             // the caller's, for example whether the goal is active or queued
} fw_journal_goal_t;

typedef enum fw_journal_outcome_t {
  FW_JOURNAL_REACHED = 1,
  FW_JOURNAL_FAILED = 2,
  FW_JOURNAL_CANCELLED = 3,
  FW_JOURNAL_REPLACED = 4,
} fw_journal_outcome_t;

// How a goal ended.
typedef struct fw_journal_end_t {
  uint64_t id;                   // 0 for none
  fw_journal_outcome_t outcome;  // valid with an id
  uint32_t code;                 // the caller's, for example the number of the failure
} fw_journal_end_t;

// The end of a goal that nobody may have heard of yet. Ends are numbered from 1 over all lives of the file.
typedef struct fw_journal_untold_t {
  fw_journal_end_t end;
  char robot[FW_JOURNAL_NAME_BYTES_MAX + 1];
} fw_journal_untold_t;

typedef struct fw_journal_pose_t {
  fw_journal_waypoint_t at;
  int64_t stamp_ns;  // in the caller's clock
} fw_journal_pose_t;

// The reserved space of a robot: from where it was to where its release ends.
typedef struct fw_journal_release_t {
  const fw_journal_waypoint_t * waypoints;
  int32_t count;  // 0 to FW_JOURNAL_WAYPOINTS_MAX; 0: nothing is released
} fw_journal_release_t;

// Bits of fw_journal_robot_t.flags. The journal stores any other bits unchanged.
enum {
  FW_JOURNAL_HELD = 1,
  FW_JOURNAL_OUT_OF_SERVICE = 2,
};

// What is known of one robot. Views of it are valid until the next call of a setter for this robot or of fini.
typedef struct fw_journal_robot_t {
  char name[FW_JOURNAL_NAME_BYTES_MAX + 1];
  uint32_t flags;
  bool has_pose;
  fw_journal_pose_t pose;     // valid with has_pose
  fw_journal_goal_t * goals;  // sorted by (order, id)
  int32_t goal_count;
  fw_journal_end_t last_end;          // the goal that ended last
  fw_journal_waypoint_t * waypoints;  // of its release
  int32_t waypoint_count;
  // Private.
  int32_t goal_capacity;
  int32_t waypoint_capacity;
  uint32_t changed_parts;  // not yet in the file
  bool is_in_file;
} fw_journal_robot_t;

// ---- the journal ----------------------------------------------------------------------------------------------------

typedef enum fw_journal_sync_t {
  FW_JOURNAL_SYNC_EACH = 0,      // each commit that wrote something
  FW_JOURNAL_SYNC_INTERVAL = 1,  // at most once in sync_interval_ns, at a commit
  FW_JOURNAL_SYNC_NEVER = 2,     // only a new file's name, reserved goal ids, and compaction
} fw_journal_sync_t;

typedef struct fw_journal_options_t {
  const char * path;  // copied; `path` with ".new" behind it is used during compaction
  fw_journal_sync_t sync;
  int64_t sync_interval_ns;  // 0 or more
  // Compaction when the file is larger than this and larger than four times the state. 0: 1 MiB. While compaction is
  // impossible (no space, directory not writable), the file may grow to four times that limit, then commits fail.
  int64_t compact_above_bytes;
  // A pose is taken only when it is farther than this from the one that is stored, in position (metres) or in yaw
  // (radians). 0: whenever it differs at all. The stamp alone is no difference.
  double pose_distance;
  double pose_turn;
  fw_allocator_t allocator;    // {0}: the default
  const fw_journal_io_t * io;  // copied; NULL: the operating system
} fw_journal_options_t;

// What init found in the file.
typedef struct fw_journal_recovery_t {
  bool is_new;          // there was no file, or an empty one
  int64_t batch_count;  // that were read
  int64_t cut_bytes;    // that were cut off at the end of the file, because no whole batch begins there
  // The cut is an incomplete write at the end, as a kill leaves it: nothing is lost that a commit had confirmed. False
  // with cut_bytes > 0: the file was damaged (or power failed before a sync), and the state may be an older one:
  // releases may be missing from it.
  bool is_torn;
  char warning[256];  // one line for a person to read; empty if nothing was cut
} fw_journal_recovery_t;

typedef struct fw_journal_stats_t {
  int64_t file_bytes;
  int64_t state_bytes;  // the size that the file would have after compaction
  int64_t batch_count;  // batches written since init, compactions included
  int64_t sync_count;
  int64_t compaction_count;
  int64_t failed_compaction_count;
  char last_compaction_failure[256];  // empty if there was none
} fw_journal_stats_t;

// `{0}` is an empty object that may be passed to fini. All members are private; use the functions.
typedef struct fw_journal_t {
  fw_allocator_t allocator;
  fw_journal_io_t io;
  fw_journal_options_t options;  // with defaults filled in
  char * path;                   // NULL: not initialised
  char * path_new;
  int file;
  // The state. Robots are sorted by name. `forgotten` are those that the file still has. Both arrays have room for all.
  fw_journal_robot_t ** robots;
  int32_t robot_count;
  fw_journal_robot_t ** forgotten;
  int32_t forgotten_count;
  int32_t robot_capacity;
  uint64_t next_goal_id;  // no goal has had this id or a larger one
  bool is_paused;
  bool is_fleet_changed;         // the two above are not yet in the file
  fw_journal_untold_t * untold;  // the ends told + 1 to told + untold_count
  int32_t untold_count;
  int32_t untold_capacity;
  uint64_t told;
  uint64_t told_in_file;
  uint64_t ended_in_file;  // the number of the last end that the file knows
  // The file.
  int64_t file_bytes;   // whole batches; what is behind them is never read
  uint64_t sequence;    // of the last batch
  uint32_t checksum;    // of the last batch, or of the header: the next batch's begins with it
  int64_t retry_bytes;  // after a failed compaction: not again before the file has this size
  bool must_rewrite;    // appending is impossible: its end is in an unknown state
  bool must_sync_directory;
  bool is_unsynced;  // bytes were written after the last sync
  bool must_sync;    // at the next commit, whatever the options say
  bool has_synced;   // last_sync_ns is valid
  int64_t last_sync_ns;
  uint8_t * buffer;
  size_t buffer_capacity;
  fw_journal_stats_t stats;
} fw_journal_t;

// Opens the journal and reads its state; `recovery` may be NULL. An incomplete or damaged end is cut off and reported
// in `recovery`. FW_RET_FILE, with a file that is left as it was, if it is locked (by another node, for example), is
// not a journal, has a newer format or a damaged header, or cannot be read or written. After a failure the journal is
// {0}.
FW_MUST_USE fw_ret_t fw__journal_init(
  fw_journal_t * journal, const fw_journal_options_t * options, fw_journal_recovery_t * recovery, fw_error_t * error);
// Closes the file. Changes that are not committed are lost.
void fw__journal_fini(fw_journal_t * journal);

// Setters change the state in memory; a robot that is unknown is added. Names are 1 to FW_JOURNAL_NAME_BYTES_MAX bytes.
// After an error (FW_RET_INVALID_ARGUMENT, FW_RET_BAD_ALLOC) nothing has changed. A value that is there already is no
// change and will not be written.

// Adds a goal, or replaces the one with this id. Raises the next goal id above it.
FW_MUST_USE fw_ret_t
fw__journal_put_goal(fw_journal_t * journal, const char * robot, const fw_journal_goal_t * goal, fw_error_t * error);
// Removes a goal and remembers how it ended. FW_RET_NOT_FOUND if the robot has no such goal.
FW_MUST_USE fw_ret_t
fw__journal_end_goal(fw_journal_t * journal, const char * robot, fw_journal_end_t end, fw_error_t * error);
// Ends are told at least once: an end is added before anybody can hear of it, and those up to number `told` are removed
// when somebody has. Of more than FW_JOURNAL_ENDS_MAX the oldest is removed: nobody listens.
FW_MUST_USE fw_ret_t
fw__journal_add_untold(fw_journal_t * journal, const char * robot, fw_journal_end_t end, fw_error_t * error);
void fw__journal_raise_told(fw_journal_t * journal, uint64_t told);  // a smaller number changes nothing
// See pose_distance of the options.
FW_MUST_USE fw_ret_t
fw__journal_set_pose(fw_journal_t * journal, const char * robot, const fw_journal_pose_t * pose, fw_error_t * error);
// The waypoints are copied.
FW_MUST_USE fw_ret_t
fw__journal_set_release(fw_journal_t * journal, const char * robot, fw_journal_release_t release, fw_error_t * error);
FW_MUST_USE fw_ret_t
fw__journal_set_flags(fw_journal_t * journal, const char * robot, uint32_t flags, fw_error_t * error);
// Removes everything that is known of the robot. An unknown one is no error.
void fw__journal_forget(fw_journal_t * journal, const char * robot);
void fw__journal_set_paused(fw_journal_t * journal, bool is_paused);
// Ids below `next_goal_id` (1 or more) count as given from now on; a smaller one than the present one changes nothing.
// The next commit syncs, whatever the options say: ids that are reserved before they are given are never given twice,
// also if the power fails.
void fw__journal_reserve_goal_ids(fw_journal_t * journal, uint64_t next_goal_id);

// Writes all changes since the last commit as one batch, and syncs as the options say; `now_ns` is the caller's
// monotonic time and only paces FW_JOURNAL_SYNC_INTERVAL. Call it at intervals, also without changes: it syncs what is
// due and writes the file again if it was deleted. After an error (FW_RET_FILE, FW_RET_BAD_ALLOC) the file holds the
// state of the last commit, or that of this one but perhaps not durably; the next commit tries again.
FW_MUST_USE fw_ret_t fw__journal_commit(fw_journal_t * journal, int64_t now_ns, fw_error_t * error);

// The state with all changes, committed or not. Robots are in the order of their names, compared as bytes.
int32_t fw__journal_robot_count(const fw_journal_t * journal);
const fw_journal_robot_t * fw__journal_robot_at(const fw_journal_t * journal, int32_t index);
const fw_journal_robot_t * fw__journal_find(const fw_journal_t * journal, const char * name);  // NULL if unknown
uint64_t fw__journal_next_goal_id(const fw_journal_t * journal);                               // from 1
bool fw__journal_is_paused(const fw_journal_t * journal);
uint64_t fw__journal_told(const fw_journal_t * journal);  // ends that were told, from the first life on
int32_t fw__journal_untold_count(const fw_journal_t * journal);
const fw_journal_untold_t * fw__journal_untold_at(const fw_journal_t * journal, int32_t index);  // the oldest first
fw_journal_stats_t fw__journal_stats(const fw_journal_t * journal);

// Are all invariants true? Robots and goals sorted and unique, numbers in their ranges, no forgotten robot that is not
// in the file or is known again.
bool fw__journal_validate(const fw_journal_t * journal);

#endif  // CONTROLLER__RESTART__JOURNAL_H_
