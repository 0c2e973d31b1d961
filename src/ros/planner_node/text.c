#include "ros/planner_node/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool refuse(fw_error_t * reason, const char * format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(reason->text, sizeof reason->text, format, arguments);
  va_end(arguments);
  return false;
}

bool name_copy(char name[NAME_SIZE], const char * text)
{
  const size_t length = strlen(text);
  if (length >= NAME_SIZE) {
    return false;
  }
  memcpy(name, text, length + 1);
  return true;
}
