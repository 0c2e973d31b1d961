// The log and short texts. See site.h.

#include "controller/site.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

void fw__log(const fw_log_t * log, fw_log_level_t level, const char * format, ...)
{
  if (log == NULL || log->write == NULL) {
    return;
  }
  char text[2 * FW_REASON_SIZE];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  fw__make_printable(text);
  va_end(arguments);
  log->write(log->context, level, text);
}

bool fw__refuse(fw_error_t * reason, const char * format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  reason->fault = FW_FAULT_INVALID;
  (void)vsnprintf(reason->text, sizeof reason->text, format, arguments);
  fw__make_printable(reason->text);
  va_end(arguments);
  return false;
}

bool fw__refuse_as(fw_error_t * reason, fw_fault_t fault, const char * format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  reason->fault = fault;
  (void)vsnprintf(reason->text, sizeof reason->text, format, arguments);
  fw__make_printable(reason->text);
  va_end(arguments);
  return false;
}

bool fw__name_copy(char name[FW_NAME_SIZE], const char * text)
{
  const size_t length = strlen(text);
  if (length >= FW_NAME_SIZE) {
    return false;
  }
  memcpy(name, text, length + 1);
  return true;
}
