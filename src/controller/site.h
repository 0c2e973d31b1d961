// What the parts of the controller share: the settings, the map, the log; and short texts of fixed size.

#ifndef CONTROLLER__SITE_H_
#define CONTROLLER__SITE_H_

#include <stdbool.h>
#include <stddef.h>

#include <fleetweave/controller.h>

enum { FW_REASON_SIZE = 256 };  // bytes of a reason for a person to read, with the final zero

#define FW_TIME_MAX_NS INT64_MAX  // forever

// The caller's log. Any thread may write to it.
typedef struct fw_log_t {
  void (*write)(void * context, fw_log_level_t level, const char * text);  // NULL: nothing is logged
  void * context;
} fw_log_t;

void fw__log(const fw_log_t * log, fw_log_level_t level, const char * format, ...) FW_PRINTF(3, 4);

// Borrowed; each part keeps a copy of this struct.
typedef struct fw_controller_site_t {
  const fw_controller_settings_t * settings;
  const struct fw_planning_map_t * map;
  const fw_log_t * log;
} fw_controller_site_t;

// Writes why something is refused, cut to the size of the text. Always false, so that a check can end with
// `return fw__refuse(reason, ...)`.
bool fw__refuse(fw_error_t * reason, const char * format, ...) FW_PRINTF(2, 3);
// The same with a number of fw_fault_t.
bool fw__refuse_as(fw_error_t * reason, fw_fault_t fault, const char * format, ...) FW_PRINTF(3, 4);
// Copies a name. False if it does not fit; `name` is then as it was.
bool fw__name_copy(char name[FW_NAME_SIZE], const char * text);

static inline int64_t fw__seconds_to_ns(double seconds) { return (int64_t)(seconds * 1e9); }

#endif  // CONTROLLER__SITE_H_
