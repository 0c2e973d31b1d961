// An SVG picture of paths for a single robot: the map, the abstraction that the search has built, the cells that it has
// searched, and the paths.

#ifndef CLI__ROUTE_PICTURE_H_
#define CLI__ROUTE_PICTURE_H_

#include <stdio.h>

#include "fleetweave/search.h"

typedef struct cli_route_picture_t {
  const fw_grid_t * grid;
  bool is_hexagonal;
  const char * title;
  FILE * stream;
  double line;  // height of a line of text, in cells; set by open
} cli_route_picture_t;

// Writes the frame, the title, the second line of text and the map.
void cli_route_picture_open(cli_route_picture_t * picture, const char * subtitle);
// Draws the abstraction, such as rectangles of a quadtree or edges of a graph.
void cli_route_picture_put_shapes(cli_route_picture_t * picture, const fw_router_t * router);
// Draws the searched cells and the path.
void cli_route_picture_put_route(cli_route_picture_t * picture, const fw_route_t * route);
void cli_route_picture_close(cli_route_picture_t * picture);

#endif  // CLI__ROUTE_PICTURE_H_
