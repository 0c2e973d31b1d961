// Limits how many log lines one source may write: a robot whose messages are refused a hundred times per second, each
// for another reason, must not fill the disk, and must not hide what others have to say.
//
// The source of a line is its text up to the first ':' ("robot_7: error 202: …", "map refused: …"). Each source has a
// token bucket: FW_LOG_LINES_AT_ONCE lines, and one more per second. A line without a token is held back; a later one
// of its source replaces it. When there is a token again, the line that is held back is due, with the number of those
// that it replaced: so the log always ends with the last thing that each source said.
//
// Sources share FW_LOG_SOURCES buckets by their hash; two that share one are limited together. Times are those of a
// steady clock and are passed in. Not for several threads at once.

#ifndef BASE__LOG_THROTTLE_H_
#define BASE__LOG_THROTTLE_H_

#include <stdbool.h>
#include <stdint.h>

enum { FW_LOG_LINES_AT_ONCE = 10, FW_LOG_SOURCES = 1024, FW_LOG_LINE_SIZE = 512 };

typedef struct fw_held_line_t {
  int32_t level;
  int64_t left_out;             // lines of its source since the last one that was written, without this one
  char text[FW_LOG_LINE_SIZE];  // cut if longer
} fw_held_line_t;

typedef struct fw_log_bucket_t {
  int64_t full_ns;        // when the bucket has all its tokens again
  fw_held_line_t * held;  // NULL: nothing was held back so far
  bool is_holding;
} fw_log_bucket_t;

// Private. Zero is an empty throttle.
typedef struct fw_log_throttle_t {
  fw_log_bucket_t buckets[FW_LOG_SOURCES];
  int32_t holding_count;
  int32_t next;  // bucket at which the search for lines that are due goes on
} fw_log_throttle_t;

void fw__log_throttle_fini(fw_log_throttle_t * throttle);

// True if the line is to be written now. Otherwise it is held back; without memory for that it is lost.
bool fw__log_throttle_admits(fw_log_throttle_t * throttle, int32_t level, const char * text, int64_t now_ns);

// The next line that was held back and is due, to be written now; NULL if there is none. Valid until the next call.
// `is_ending`: all lines that are held back are due.
const fw_held_line_t * fw__log_throttle_next(fw_log_throttle_t * throttle, int64_t now_ns, bool is_ending);

#endif  // BASE__LOG_THROTTLE_H_
