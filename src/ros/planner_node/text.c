// Short texts of fixed size. See text.h.

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ros/planner_node/text.h"

bool node_refuse(fw_error_t * reason, const char * format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(reason->text, sizeof reason->text, format, arguments);
  va_end(arguments);
  return false;
}

bool node_name_copy(char name[NODE_NAME_SIZE], const char * text)
{
  const size_t length = strlen(text);
  if (length >= NODE_NAME_SIZE) {
    return false;
  }
  memcpy(name, text, length + 1);
  return true;
}
