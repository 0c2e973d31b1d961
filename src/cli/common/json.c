#include "cli/common/json.h"

#include <inttypes.h>
#include <math.h>

#include "base/assert.h"
#include "view/escape.h"

// Writes what stands before a value: a comma if it is not the first one, and its key.
static void begin(cli_json_t * json, const char * key)
{
  if (json->needs_comma) {
    fputs(", ", json->stream);
  }
  if (key != NULL) {
    fw__escape_json(json->stream, key);
    fputs(": ", json->stream);
  }
  json->needs_comma = true;
}

void cli_json_open(cli_json_t * json, const char * key, char bracket)
{
  begin(json, key);
  FW_ASSERT(bracket == '{' || bracket == '[');
  fputc(bracket, json->stream);
  json->depth++;
  json->needs_comma = false;
}

void cli_json_close(cli_json_t * json, char bracket)
{
  FW_ASSERT((bracket == '}' || bracket == ']') && json->depth > 0);
  fputc(bracket, json->stream);
  json->depth--;
  json->needs_comma = true;
}

void cli_json_text(cli_json_t * json, const char * key, const char * value)
{
  begin(json, key);
  if (value == NULL) {
    fputs("null", json->stream);
  } else {
    fw__escape_json(json->stream, value);
  }
}

void cli_json_integer(cli_json_t * json, const char * key, int64_t value)
{
  begin(json, key);
  fprintf(json->stream, "%" PRId64, value);
}

void cli_json_number(cli_json_t * json, const char * key, double value)
{
  begin(json, key);
  if (isfinite(value)) {
    fprintf(json->stream, "%.6f", value);
  } else {
    fputs("null", json->stream);
  }
}

void cli_json_boolean(cli_json_t * json, const char * key, bool value)
{
  begin(json, key);
  fputs(value ? "true" : "false", json->stream);
}
