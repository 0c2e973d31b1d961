#include "plan/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "plan/record_parts.h"

fw_ret_t fw__record_open(fw__record_t * record, const char * path, fw_error_t * error)
{
  *record = (fw__record_t){.allocator = fw_allocator_default()};
  fw_ret_t ret = fw__text_open(&record->text, path, NULL, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  const char * line = fw__text_line(&record->text);
  if (line == NULL || strcmp(line, "fleetweave_record=1") != 0) {
    ret = fw__text_error(&record->text, error, "not a record: the first line must be fleetweave_record=1");
    fw__record_close(record);
  }
  return ret;
}

void fw__record_close(fw__record_t * record)
{
  fw__text_close(&record->text);
  fw_grid_fini(&record->grid);
  fw__deallocate(&record->allocator, record->robots);
  fw__deallocate(&record->allocator, record->closures);
  fw__deallocate(&record->allocator, record->offsets);
  *record = (fw__record_t){0};
}

// Is there, from here on, a whole line `key=number`, before another entry begins?
static bool has_line(const fw__record_t * record, const char * key, int64_t number)
{
  char wanted[64];
  const int length = snprintf(wanted, sizeof(wanted), "%s=%lld", key, (long long)number);
  const char * line = record->text.cursor;
  while (line < record->text.end) {
    const char * behind = memchr(line, '\n', (size_t)(record->text.end - line));
    if (behind == NULL || strncmp(line, "solve=", 6) == 0) {
      return false;
    }
    if (behind - line == length && memcmp(line, wanted, (size_t)length) == 0) {
      return true;
    }
    line = behind + 1;
  }
  return false;
}

static fw_ret_t read_question(fw__record_t * record, fw_error_t * error)
{
  fw_ret_t ret = fw__record_read_problem(record, error);
  char * line = fw__text_line(&record->text);
  if (ret == FW_RET_OK && (line == NULL || strncmp(line, "asked=", 6) != 0)) {
    ret = fw__text_error(
      &record->text, error, "expected asked= behind the question, not '%.40s'", line != NULL ? line : "");
  }
  return ret;
}

// From `solve=` on.
static fw_ret_t read_entry(fw__record_t * record, fw_error_t * error)
{
  record->is_cut = !has_line(record, "asked", record->number);
  if (record->is_cut) {
    return FW_RET_NOT_FOUND;  // the file may go on, if another process wrote to it: nobody knows from where
  }
  const fw_ret_t ret = read_question(record, error);
  record->has_answer = ret == FW_RET_OK && has_line(record, "done", record->number);
  return ret == FW_RET_OK && record->has_answer ? fw__record_read_answer(record, error) : ret;
}

fw_ret_t fw__record_next(fw__record_t * record, fw_error_t * error)
{
  while (record->plan_lines > 0) {
    (void)fw__record_plan_line(record);
  }
  if (record->number > 0 && !record->has_answer) {
    return FW_RET_NOT_FOUND;  // what follows is a part of its answer
  }
  record->is_new_planner = record->has_answer = false;
  for (char * line = fw__text_line(&record->text); line != NULL; line = fw__text_line(&record->text)) {
    char * cursor = line;
    fw_ret_t ret = FW_RET_OK;
    if (fw__text_skip(&cursor, "solve=")) {
      record->number = strtoll(cursor, NULL, 10);
      record->line = record->text.line_number;
      return read_entry(record, error);
    }
    if (fw__text_skip(&cursor, "planner=")) {
      ret = fw__record_read_planner(record, cursor, error);
      record->is_new_planner = true;
    } else if (record->text.cursor < record->text.end || strchr(line, '=') != NULL) {
      ret = fw__record_read_grid(record, line, error);
    }
    if (ret != FW_RET_OK) {
      // What a process left that ended while it wrote is no error.
      record->is_cut = record->text.cursor >= record->text.end;
      return record->is_cut ? FW_RET_NOT_FOUND : ret;
    }
  }
  return FW_RET_NOT_FOUND;
}

const char * fw__record_plan_line(fw__record_t * record)
{
  if (record->plan_lines <= 0) {
    return NULL;
  }
  --record->plan_lines;
  return fw__text_line(&record->text);
}
