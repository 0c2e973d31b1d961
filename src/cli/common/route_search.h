// Searches for one robot as `route` and `bench search` use them: the options they share, and a router made of them.

#ifndef CLI__COMMON__ROUTE_SEARCH_H_
#define CLI__COMMON__ROUTE_SEARCH_H_

#include "cli/common/arguments.h"
#include "cli/common/instance.h"
#include "fleetweave/search.h"

enum { CLI_FOOTPRINT_MAX = 1024 };

typedef struct cli_route_options_t {
  cli_instance_options_t instance;  // --map, --make, --scen; `robots` is the number of questions
  const char * from;                // "X,Y"
  const char * to;
  int64_t connectivity;
  const char * diagonal;   // "tick" or "root"
  const char * footprint;  // "WxH", NULL for one cell
  int64_t clearance;
  cli_list_t settings;  // "key=value", "search.key=value"
  int64_t expansions;   // per question, 0: no limit
  int64_t memory_mb;    // 0: no limit
} cli_route_options_t;

cli_route_options_t cli_route_options_default(void);

// Tables for cli_group_t with cli_route_options_t as values: what is asked, and how one may move.
extern const cli_option_t cli_question_options[];
enum { CLI_QUESTION_OPTION_COUNT = 3, CLI_QUESTION_ENDS_COUNT = 2 };
extern const cli_option_t cli_motion_options[];
enum { CLI_MOTION_OPTION_COUNT = 4 };
extern const cli_option_t cli_search_options[];
enum { CLI_SEARCH_OPTION_COUNT = 3 };

// The options of a router, with the footprint in `cells`. Returns an exit code after saying what is wrong.
int cli_route_read_options(
  const cli_route_options_t * options, fw_offset_t cells[CLI_FOOTPRINT_MAX], fw_router_options_t * router);

// Whether the searches exist and each setting fits at least one of them.
int cli_route_check_names(const cli_route_options_t * options, const char * const * searches, int32_t search_count);

// A router of that name with the settings that are for it. CLI_NOT_SOLVED: this search cannot do what is asked, with
// the reason in `reason` if that is given, else on stderr.
int cli_route_open(
  fw_router_t * router, const char * search, const cli_route_options_t * options,
  const fw_router_options_t * router_options, fw_error_t * reason);

// ---- questions ------------------------------------------------------------------------------------------------------

typedef struct cli_question_t {
  fw_cell_t ends[2];
  double length;  // optimal, from the scenario; negative if it does not say
} cli_question_t;

typedef struct cli_questions_t {
  cli_question_t * items;
  int32_t count;
} cli_questions_t;

// Those of --from and --to, of --scen, or random ones. The grid must be there.
int cli_questions_load(
  cli_questions_t * questions, const cli_instance_t * instance, const cli_route_options_t * options);
void cli_questions_free(cli_questions_t * questions);

#endif  // CLI__COMMON__ROUTE_SEARCH_H_
