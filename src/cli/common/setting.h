// The argument of --set: "key=value" sets a parameter of every planner (or search) that has it, "owner.key=value" of
// the planner (or search) of that name only.

#ifndef CLI__COMMON__SETTING_H_
#define CLI__COMMON__SETTING_H_

#include <stdbool.h>

#include "fleetweave/fleetweave.h"
#include "fleetweave/planner_def.h"

typedef struct cli_setting_t {
  char owner[64];  // name of the planner or search; empty: every one that has the key
  char key[64];
  const char * value;  // points into the text
} cli_setting_t;

// A planner or a search, as far as a setting is concerned.
typedef struct cli_setting_target_t {
  const char * name;
  const fw_parameter_def_t * parameters;
  int32_t parameter_count;
} cli_setting_target_t;

// False if the text has another form, or its names are too long to be those of a parameter.
bool cli_setting_parse(cli_setting_t * setting, const char * text);
// The parameter that the setting sets, NULL if the setting is not for this target.
const fw_parameter_def_t * cli_setting_find(const cli_setting_t * setting, cli_setting_target_t target);

#endif  // CLI__COMMON__SETTING_H_
