#include "cli/bench_bcp.h"
void cli_bcp_write_svg(const cli_bcp_report_t * report, FILE * stream)
{
  (void)report;
  (void)stream;
}
