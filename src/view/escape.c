// Escaping works on code points, not on bytes: a byte that is no part of valid UTF-8 becomes U+FFFD, since a file name
// may hold any byte while JSON and XML may not.

#include "view/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd"

static bool is_continuation(unsigned char byte) { return (byte & 0xc0) == 0x80; }

// Length of the valid UTF-8 sequence at `text`, 0 if there is none. Overlong forms and surrogates are not valid.
static size_t sequence_length(const char * text)
{
  const unsigned char * byte = (const unsigned char *)text;
  if (byte[0] < 0x80) {
    return 1;
  }
  if (byte[0] >= 0xc2 && byte[0] <= 0xdf) {
    return is_continuation(byte[1]) ? 2 : 0;
  }
  if (byte[0] >= 0xe0 && byte[0] <= 0xef) {
    const unsigned char low = byte[0] == 0xe0 ? 0xa0 : 0x80;
    const unsigned char high = byte[0] == 0xed ? 0x9f : 0xbf;
    return byte[1] >= low && byte[1] <= high && is_continuation(byte[2]) ? 3 : 0;
  }
  if (byte[0] >= 0xf0 && byte[0] <= 0xf4) {
    const unsigned char low = byte[0] == 0xf0 ? 0x90 : 0x80;
    const unsigned char high = byte[0] == 0xf4 ? 0x8f : 0xbf;
    const bool is_valid = byte[1] >= low && byte[1] <= high && is_continuation(byte[2]) && is_continuation(byte[3]);
    return is_valid ? 4 : 0;
  }
  return 0;
}

// Writes one code point as it is, or its replacement; returns the bytes taken from `text`.
static size_t put_plain(FILE * stream, const char * text)
{
  const size_t length = sequence_length(text);
  if (length == 0) {
    fputs(REPLACEMENT, stream);
    return 1;
  }
  fwrite(text, 1, length, stream);
  return length;
}

void fw__escape_markup(FILE * stream, const char * text)
{
  while (*text != '\0') {
    const char c = *text;
    switch (c) {
      case '&':
        fputs("&amp;", stream);
        text++;
        break;
      case '<':
        fputs("&lt;", stream);
        text++;
        break;
      case '>':
        fputs("&gt;", stream);
        text++;
        break;
      case '"':
        fputs("&quot;", stream);
        text++;
        break;
      case '\'':
        fputs("&#39;", stream);
        text++;
        break;
      default:
        if ((unsigned char)c < 0x20 && strchr("\t\n\r", c) == NULL) {
          fputs(REPLACEMENT, stream);
          text++;
        } else {
          text += put_plain(stream, text);
        }
    }
  }
}

void fw__escape_json(FILE * stream, const char * text)
{
  fputc('"', stream);
  while (*text != '\0') {
    const char c = *text;
    switch (c) {
      case '"':
        fputs("\\\"", stream);
        text++;
        break;
      case '\\':
        fputs("\\\\", stream);
        text++;
        break;
      case '\n':
        fputs("\\n", stream);
        text++;
        break;
      case '\t':
        fputs("\\t", stream);
        text++;
        break;
      default:
        if ((unsigned char)c < 0x20 || c == 0x7f || strchr("<>&", c) != NULL) {
          fprintf(stream, "\\u%04x", (unsigned)c);
          text++;
        } else {
          text += put_plain(stream, text);
        }
    }
  }
  fputc('"', stream);
}
