// Rows: the parameters of a node as one table, read once at the start from YAML files and the command line.
//
// A row says where in the node's own struct its value lies, so that the rest of the node reads plain C fields. For
// parameters that change while a node runs see src/node/parameters.h.

#ifndef ROS__ROWS_H_
#define ROS__ROWS_H_

#include <rcl/rcl.h>
#include <stdio.h>

#include "fleetweave/fleetweave.h"

enum { FW_ROW_TEXT_MAX = 512, FW_ROW_NAME_MAX = 64, FW_ROW_ROBOTS_MAX = 2000 };

// What the field is, in brackets.
typedef enum ros_row_kind_t {
  FW_ROW_ROBOTS,    // a list of names, all different, or their number: robot_0, robot_1, ...  (ros_row_texts_t)
  FW_ROW_TEXT,      // (char[FW_ROW_TEXT_MAX])
  FW_ROW_NUMBER,    // (double)
  FW_ROW_INTEGER,   // (int64_t)
  FW_ROW_BOOLEAN,   // (bool)
  FW_ROW_TEXTS,     // a list of any length (ros_row_texts_t)
  FW_ROW_INTEGERS,  // (ros_row_integers_t)
} ros_row_kind_t;

typedef struct ros_row_texts_t {
  char (*items)[FW_ROW_NAME_MAX];
  int32_t count;
} ros_row_texts_t;

typedef struct ros_row_integers_t {
  int64_t * items;
  int32_t count;
} ros_row_integers_t;

typedef struct ros_row_t {
  const char * name;
  ros_row_kind_t kind;
  size_t offset;   // of the value in the node's struct
  double initial;  // of a number, an integer, a boolean, and of how many robots there are; lists are empty
  double min;      // of numbers, of how many robots
  double max;
  const char * text;  // the initial text
  const char * help;
} ros_row_t;

typedef struct ros_rows_t {
  const ros_row_t * rows;
  int32_t count;
} ros_rows_t;

// The initial values, then what the arguments of `node` say. `values` is zeroed, and can be given to ros_rows_fini in any
// case. The error names the parameter, its value and what it may be.
FW_MUST_USE fw_ret_t ros_rows_read(const ros_rows_t * rows, void * values, const rcl_node_t * node, fw_error_t * error);
void ros_rows_fini(const ros_rows_t * rows, void * values);
// The table, for --help.
void ros_rows_print(const ros_rows_t * rows, FILE * stream);

#endif  // ROS__ROWS_H_
