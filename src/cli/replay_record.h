// `fleetweave replay RECORD`: planners are asked again what they were asked, and must answer the same.

#ifndef CLI__REPLAY_RECORD_H_
#define CLI__REPLAY_RECORD_H_

#include <stdbool.h>
#include <stdint.h>

typedef struct cli_replay_t {
  const char * path;
  int64_t entry;      // 0: all
  const char * page;  // of that entry's plan, as it is found now; NULL: none
  const char * title;
} cli_replay_t;

bool cli_is_record(const char * path);
// An exit code: CLI_NOT_SOLVED if an answer is another one.
int cli_replay_record(const cli_replay_t * replay);

#endif  // CLI__REPLAY_RECORD_H_
