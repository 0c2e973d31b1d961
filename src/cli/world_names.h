// Names of the robots of a world: from a list by commas, or robot_0, robot_1, …

#ifndef CLI__WORLD_NAMES_H_
#define CLI__WORLD_NAMES_H_

#include <stdint.h>

enum { CLI_NAME_SIZE = 64 };

typedef struct cli_names_t {
  char (*texts)[CLI_NAME_SIZE];
  const char ** list;  // the same, as a list
  int32_t count;
} cli_names_t;

int32_t cli_names_count(const char * text);  // in a list by commas
// `text` NULL: robot_0 and so on. Returns an exit code after saying what is wrong.
int cli_names_read(cli_names_t * names, const char * text, int32_t count);
void cli_names_fini(cli_names_t * names);

#endif  // CLI__WORLD_NAMES_H_
