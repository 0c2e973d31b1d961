// A small JSON writer. It writes commas, quotes and escapes; the caller gives keys and values in order.
//
//   cli_json_t json = {.stream = stdout};
//   cli_json_open(&json, NULL, '{');
//   cli_json_text(&json, "planner", "hca");
//   cli_json_close(&json, '}');            // {"planner": "hca"}
//
// `key` is NULL inside an array and for the outermost value.

#ifndef CLI__COMMON__JSON_H_
#define CLI__COMMON__JSON_H_

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct cli_json_t {
  FILE * stream;
  bool needs_comma;
  int32_t depth;  // open objects and arrays
} cli_json_t;

void cli_json_open(cli_json_t * json, const char * key, char bracket);        // '{' or '['
void cli_json_close(cli_json_t * json, char bracket);                         // '}' or ']'
void cli_json_text(cli_json_t * json, const char * key, const char * value);  // NULL is written as null
void cli_json_integer(cli_json_t * json, const char * key, int64_t value);
void cli_json_number(cli_json_t * json, const char * key, double value);  // six digits after the point; NaN is null
void cli_json_boolean(cli_json_t * json, const char * key, bool value);

#endif  // CLI__COMMON__JSON_H_
