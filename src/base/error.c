// Filling a fw_error_t.

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static void fill(fw_error_t * error, fw__fault_t where, const char * format, va_list arguments)
{
  if (error == NULL) {
    return;
  }
  error->fault = where.fault;
  error->robot = where.robot;
  error->cell = where.cell;
  (void)vsnprintf(error->text, sizeof(error->text), format, arguments);
}

fw_ret_t fw__error(fw_error_t * error, fw_ret_t ret, const char * format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fill(error, (fw__fault_t){.fault = FW_FAULT_INVALID, .robot = -1, .cell = FW_CELL_NONE}, format, arguments);
  va_end(arguments);
  return ret;
}

fw_ret_t fw__error_at(fw_error_t * error, fw__fault_t where, const char * format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fill(error, where, format, arguments);
  va_end(arguments);
  return FW_RET_INVALID_ARGUMENT;
}

fw_ret_t fw__error_memory(fw_error_t * error) { return fw__error(error, FW_RET_BAD_ALLOC, "out of memory"); }
