// `fleetweave route`: what a run has at hand, between the part that runs (route.c) and the part that tells
// (route_report.c).

#ifndef CLI__ROUTE_H_
#define CLI__ROUTE_H_

#include "cli/common/json.h"
#include "cli/common/output.h"
#include "cli/route_picture.h"
#include "cli/common/route_search.h"

typedef struct cli_route_command_t {
  cli_route_options_t route;
  const char * search;
  bool finds_corners;
  bool is_list;
  const char * out;
  const char * title;
  bool is_json;
} cli_route_command_t;

// All that a run has at hand.
typedef struct cli_route_run_t {
  const cli_route_command_t * options;
  cli_instance_t instance;
  cli_questions_t questions;
  fw_router_options_t router_options;
  fw_offset_t cells[CLI_FOOTPRINT_MAX];
  fw_router_t router;
  cli_output_t output;
  cli_picture_t picture;
  cli_json_t json;
  // Sums.
  int32_t solved;
  int32_t without_way;
  int32_t given_up;
  int64_t expanded;
  int64_t elapsed_ns;
  double length;
} cli_route_run_t;

// The searches and their parameters.
void cli_route_print_list(void);

double cli_route_length(const fw_route_t * route);  // in straight moves

// One question, or the sums of many.
void cli_route_print_one(const cli_route_run_t * run, const fw_route_t * route, int64_t elapsed_ns);
void cli_route_print_sums(const cli_route_run_t * run);

// JSON: opened once, then a member for each question.
void cli_route_open_json(cli_route_run_t * run);
void cli_route_write_one(
  cli_route_run_t * run, const cli_question_t * question, const fw_route_t * route, int64_t elapsed_ns);
void cli_route_close_json(cli_route_run_t * run);

#endif  // CLI__ROUTE_H_
