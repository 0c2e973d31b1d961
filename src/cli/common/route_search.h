// Path searches for a single robot: the options that `route` and `bench search` share, a router made from them, and the
// queries to answer.

#ifndef CLI__COMMON__ROUTE_SEARCH_H_
#define CLI__COMMON__ROUTE_SEARCH_H_

#include "cli/common/instance.h"
#include "cli/common/options.h"
#include "fleetweave/search.h"

enum { CLI_FOOTPRINT_MAX = 1024 };

typedef struct cli_route_options_t {
  cli_instance_options_t instance;  // --map, --make, --scen; `robots` is the number of queries, -1: not given
  const char * from;                // "X,Y"
  const char * to;
  int64_t connectivity;
  const char * diagonal;   // "tick" or "root"
  const char * footprint;  // "WxH", NULL for one cell
  int64_t clearance;
  cli_list_t settings;  // texts for cli_setting_parse
  int64_t expansions;   // per query, 0: no limit
  int64_t memory_mb;    // 0: no limit
} cli_route_options_t;

cli_route_options_t cli_route_options_default(void);

// Tables for a cli_group_t with a cli_route_options_t as values.
extern const cli_option_t cli_query_options[];   // --scen, --queries, --seed
extern const cli_option_t cli_motion_options[];  // --connectivity, --diagonal, --footprint, --clearance
extern const cli_option_t cli_search_options[];  // --set and the limits

// All functions below that return an int return an exit code after an error message.

// Sets the options of a router. The footprint is stored in `cells`, which `router` points to.
int cli_route_parse_options(
  const cli_route_options_t * options, fw_offset_t cells[CLI_FOOTPRINT_MAX], fw_router_options_t * router);

// Checks that the searches exist and that each setting is for at least one of them.
int cli_route_check_options(const cli_route_options_t * options, const char * const * searches, int32_t search_count);

typedef struct cli_route_request_t {
  const char * search;                  // its name, checked by cli_route_check_options
  const cli_route_options_t * options;  // for the settings
  const fw_router_options_t * router_options;
} cli_route_request_t;

// Makes a router with the settings that are for it. CLI_NOT_SOLVED: the search does not support the options; then the
// reason is in `reason`, or on stderr if `reason` is NULL.
int cli_route_open(fw_router_t * router, const cli_route_request_t * request, fw_error_t * reason);

// ---- queries --------------------------------------------------------------------------------------------------------

// One path to find.
typedef struct cli_query_t {
  fw_cell_t ends[2];  // from, to
  double length;      // of a shortest path, from the scenario; negative: unknown
} cli_query_t;

typedef struct cli_queries_t {
  cli_query_t * items;
  int32_t count;
} cli_queries_t;

// Makes the queries of --from and --to, of --scen, or random ones. The grid must have been loaded.
int cli_queries_load(cli_queries_t * queries, const cli_instance_t * instance, const cli_route_options_t * options);
void cli_queries_fini(cli_queries_t * queries);

#endif  // CLI__COMMON__ROUTE_SEARCH_H_
