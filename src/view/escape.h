// Foreign text (names of maps, titles) inside the formats that we write. A name such as `</script>` or one that is not
// valid UTF-8 must neither break a page nor a JSON reader.

#ifndef VIEW__ESCAPE_H_
#define VIEW__ESCAPE_H_

#include <stdio.h>

// Text for an element or an attribute of HTML, XML or SVG. Control characters that XML forbids become U+FFFD.
void fw__escape_markup(FILE * stream, const char * text);

// A JSON string with its quotes. `<`, `>` and `&` are written as \u escapes, so the result may stand inside a <script>.
void fw__escape_json(FILE * stream, const char * text);

#endif  // VIEW__ESCAPE_H_
