// Escaping of text from users (names of maps, titles) for HTML, XML, SVG and JSON. A name such as `</script>`, or one
// that is not valid UTF-8, must break neither a page nor a JSON reader.

#ifndef VIEW__ESCAPE_H_
#define VIEW__ESCAPE_H_

#include <stdio.h>

// Writes text for an element or an attribute of HTML, XML or SVG. Bytes that are not valid UTF-8, and control
// characters that XML forbids, become U+FFFD.
void fw__escape_markup(FILE * stream, const char * text);

// Writes a JSON string with its quotes. `<`, `>` and `&` become \u escapes, so that it is safe inside a <script>.
void fw__escape_json(FILE * stream, const char * text);

#endif  // VIEW__ESCAPE_H_
