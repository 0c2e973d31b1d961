// Parameter rows: name, range, initial value and meaning of every parameter, in one table.

#ifndef SIM__PARAMETER_ROWS_H_
#define SIM__PARAMETER_ROWS_H_

#include <rcl_yaml_param_parser/types.h>
#include <stddef.h>

#include "sim/parameters.h"

typedef enum fw_sim_kind_t {
  FW_SIM_ROBOTS,  // a number or a list of names
  FW_SIM_TEXT,
  FW_SIM_NUMBER,
  FW_SIM_INTEGER,
  FW_SIM_BOOLEAN,
  FW_SIM_TEXTS,     // a list, one per robot or of any length
  FW_SIM_INTEGERS,  // a list, one per robot
} fw_sim_kind_t;

typedef struct fw_sim_row_t {
  const char * name;
  fw_sim_kind_t kind;
  size_t offset;  // of the value in fw_sim_parameters_t
  double initial;
  double min;
  double max;
  const char * text;  // the initial text
  const char * help;
} fw_sim_row_t;

extern const fw_sim_row_t fw__sim_rows[];
extern const int32_t fw__sim_row_count;

// Puts a value into its place. The error names the parameter, the value and what it may be.
FW_MUST_USE fw_ret_t fw__sim_set_value(
  fw_sim_parameters_t * parameters, const fw_sim_row_t * row, const rcl_variant_t * value, fw_error_t * error);

#endif  // SIM__PARAMETER_ROWS_H_
