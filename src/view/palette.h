// A colour for each robot: the same in every still picture.

#ifndef VIEW__PALETTE_H_
#define VIEW__PALETTE_H_

#include <stdint.h>

typedef struct fw_colour_t {
  char text[8];  // "#rrggbb", since not every viewer knows hsl()
} fw_colour_t;

fw_colour_t fw__palette_colour(int32_t robot);
// Black or white, whichever reads better on the robot's colour.
const char * fw__palette_ink(int32_t robot);

#endif  // VIEW__PALETTE_H_
