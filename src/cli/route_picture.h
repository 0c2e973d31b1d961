// A picture of routes for one robot: the map, what the search has built, the cells that it looked at, and the ways.

#ifndef CLI__ROUTE_PICTURE_H_
#define CLI__ROUTE_PICTURE_H_

#include <stdio.h>

#include "fleetweave/search.h"

typedef struct cli_picture_t {
  const fw_grid_t * grid;
  bool is_hexagonal;
  const char * title;
  FILE * stream;
  double line;  // height of a line of text, in cells
} cli_picture_t;

// Frame, text and map; a second line of text from `words`.
void cli_picture_open(cli_picture_t * picture, const char * words);
void cli_picture_put_shapes(cli_picture_t * picture, const fw_router_t * router);
void cli_picture_put_route(cli_picture_t * picture, const fw_route_t * route);
void cli_picture_close(cli_picture_t * picture);

#endif  // CLI__ROUTE_PICTURE_H_
