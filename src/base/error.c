// Filling a fw_error_t.

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/assert.h"

static void fill(fw_error_t * error, fw_error_detail_t detail, const char * format, va_list arguments)
{
  FW_ASSERT(detail.robot >= -1);
  if (error == NULL) {
    return;
  }
  error->fault = detail.fault;
  error->robot = detail.robot;
  error->cell = detail.cell;
  (void)vsnprintf(error->text, sizeof(error->text), format, arguments);
}

fw_ret_t fw__error(fw_error_t * error, fw_ret_t ret, const char * format, ...)
{
  FW_ASSERT(ret != FW_RET_OK);
  va_list arguments;
  va_start(arguments, format);
  fill(error, (fw_error_detail_t){.fault = FW_FAULT_INVALID, .robot = -1, .cell = FW_CELL_NONE}, format, arguments);
  va_end(arguments);
  return ret;
}

fw_ret_t fw__error_at(fw_error_t * error, fw_error_detail_t detail, const char * format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fill(error, detail, format, arguments);
  va_end(arguments);
  return FW_RET_INVALID_ARGUMENT;
}

fw_ret_t fw__error_memory(fw_error_t * error) { return fw__error(error, FW_RET_BAD_ALLOC, "out of memory"); }
