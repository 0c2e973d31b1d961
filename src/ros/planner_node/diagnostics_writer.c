#include "ros/planner_node/diagnostics_writer.h"

#include <stdarg.h>
#include <stdio.h>

#include <diagnostic_msgs/msg/key_value.h>

#include "ros/planner_node/path_message.h"

void diagnostics_value(writer_t * writer, const char * key, const char * format, ...)
{
  char text[NODE_REASON_SIZE];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  diagnostic_msgs__msg__KeyValue * value = &writer->status->values.data[writer->next++];
  writer->is_fine = writer->is_fine && string_set(&value->key, key) && string_set(&value->value, text);
}

bool diagnostics_begin(status_t * status, size_t value_count, const char * node_name, const char * name)
{
  char text[2 * NODE_NAME_SIZE + 4];
  (void)snprintf(text, sizeof text, "%s: %s", node_name[0] == '/' ? node_name + 1 : node_name, name);
  if (status->values.size != value_count) {
    diagnostic_msgs__msg__KeyValue__Sequence__fini(&status->values);
    if (!diagnostic_msgs__msg__KeyValue__Sequence__init(&status->values, value_count)) {
      return false;
    }
  }
  return string_set(&status->name, text) && string_set(&status->hardware_id, "fleetweave");
}

void diagnostics_level(writer_t * writer, uint8_t level, const char * text)
{
  writer->status->level = level;
  writer->is_fine = writer->is_fine && string_set(&writer->status->message, text);
}
