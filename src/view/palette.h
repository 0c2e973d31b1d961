// The palette: one colour per robot, the same in SVG pictures, Gazebo worlds and RViz markers. (The HTML player
// computes its own from the same hues, since its themes need other lightness.)

#ifndef VIEW__PALETTE_H_
#define VIEW__PALETTE_H_

#include <stdint.h>

// The colours of page, walls and text in every SVG picture, for light and dark themes, as parts of a style sheet.
#define FW_PALETTE_PAGE "#fff"
#define FW_PALETTE_PAGE_DARK "#1c1f23"
#define FW_PALETTE_WALL "#4a4f57"
#define FW_PALETTE_WALL_DARK "#6d7581"
#define FW_PALETTE_TEXT "#1d2024"
#define FW_PALETTE_TEXT_DARK "#e7e8ea"

typedef struct fw_colour_t {
  char text[8];  // "#rrggbb": not every SVG viewer knows hsl()
} fw_colour_t;

fw_colour_t fw__palette_colour(int32_t robot);
// Black or white, whichever has more contrast to the robot's colour.
const char * fw__palette_ink(int32_t robot);

#endif  // VIEW__PALETTE_H_
