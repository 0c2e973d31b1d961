// HSL colours, converted to sRGB. See palette.h.

#include "view/palette.h"

#include <math.h>
#include <stdio.h>

typedef struct rgb_t {
  double red;  // 0 to 1
  double green;
  double blue;
} rgb_t;

// Hues by the golden angle, so that robots with neighbouring numbers differ most; lightness alternates.
static rgb_t rgb_of(int32_t robot)
{
  const double hue = fmod((double)robot * 137.508, 360.0) / 60.0;
  const double lightness = robot % 3 == 0 ? 0.46 : robot % 3 == 1 ? 0.52 : 0.41;
  const double chroma = (1.0 - fabs(2.0 * lightness - 1.0)) * 0.62;
  const double second = chroma * (1.0 - fabs(fmod(hue, 2.0) - 1.0));
  const double base = lightness - chroma / 2.0;
  const int sextant = (int)hue;
  const double red = sextant == 0 || sextant == 5 ? chroma : sextant == 1 || sextant == 4 ? second : 0.0;
  const double green = sextant == 1 || sextant == 2 ? chroma : sextant == 0 || sextant == 3 ? second : 0.0;
  const double blue = sextant == 3 || sextant == 4 ? chroma : sextant == 2 || sextant == 5 ? second : 0.0;
  return (rgb_t){red + base, green + base, blue + base};
}

static unsigned byte_of(double part) { return (unsigned)lround(255.0 * part) & 255u; }

fw_colour_t fw__palette_colour(int32_t robot)
{
  const rgb_t light = rgb_of(robot);
  fw_colour_t colour;
  snprintf(
    colour.text, sizeof(colour.text), "#%02x%02x%02x", byte_of(light.red), byte_of(light.green), byte_of(light.blue));
  return colour;
}

// By relative luminance (WCAG), with gamma 2.2.
const char * fw__palette_ink(int32_t robot)
{
  const rgb_t c = rgb_of(robot);
  const double luminance = 0.2126 * pow(c.red, 2.2) + 0.7152 * pow(c.green, 2.2) + 0.0722 * pow(c.blue, 2.2);
  return luminance > 0.22 ? "#111" : "#fff";
}
