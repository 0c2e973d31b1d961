// Filling a fw_error_t.

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/assert.h"

// The length of the UTF-8 sequence of a printable character at `text`; 0 if there is none.
static size_t printable_length(const unsigned char * text)
{
  if (text[0] < 0x80) {
    return text[0] >= 0x20 && text[0] != 0x7f ? 1 : 0;
  }
  const size_t length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
  static const uint32_t least[] = {0, 0, 0xa0, 0x800, 0x10000};  // 0x80 to 0x9f are control characters
  uint32_t code = text[0] & (0x7fU >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((text[i] & 0xc0) != 0x80) {  // at the end of the text, too
      return 0;
    }
    code = code << 6 | (text[i] & 0x3fU);
  }
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  return text[0] >= 0xc2 && text[0] <= 0xf4 && code >= least[length] && code <= 0x10ffff && !is_surrogate ? length : 0;
}

void fw__make_printable(char * text)
{
  for (size_t at = 0; text[at] != '\0';) {
    const size_t length = printable_length((const unsigned char *)text + at);
    if (length == 0) {
      text[at] = '?';
    }
    at += length > 0 ? length : 1;
  }
}

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
  fw__make_printable(error->text);
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
