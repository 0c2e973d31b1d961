// Names of nodes in parameter files.

#include "ros/node_name.h"

#include <string.h>

static const char * token(const char * text, size_t * length)
{
  text += *text == '/';
  *length = strcspn(text, "/");
  return text;
}

// Token by token; after a `**` that took too few, it takes one more and the rest is tried again.
bool ros_node_name_matches(const char * pattern, const char * name)
{
  const char * retry_pattern = NULL;
  const char * retry_name = NULL;
  while (*name != '\0' || *pattern != '\0') {
    size_t pattern_length = 0;
    size_t name_length = 0;
    const char * pattern_token = token(pattern, &pattern_length);
    const char * name_token = token(name, &name_length);
    if (pattern_length == 2 && memcmp(pattern_token, "**", 2) == 0) {
      pattern = pattern_token + 2;
      retry_pattern = pattern;
      retry_name = name;
    } else if (
      name_length > 0 && ((pattern_length == 1 && *pattern_token == '*') ||
                          (pattern_length == name_length && memcmp(pattern_token, name_token, name_length) == 0))) {
      pattern = pattern_token + pattern_length;
      name = name_token + name_length;
    } else if (retry_name != NULL && *retry_name != '\0') {
      retry_name = token(retry_name, &name_length);
      retry_name += name_length;
      name = retry_name;
      pattern = retry_pattern;
    } else {
      return false;
    }
  }
  return true;
}
