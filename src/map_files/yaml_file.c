// Files in YAML. See yaml_file.h.

#include "map_files/yaml_file.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static fw_ret_t parser_error(const yaml_parser_t * parser, const char * path, fw_error_t * error)
{
  if (parser->error == YAML_MEMORY_ERROR) {
    return fw__error_memory(error);
  }
  const char * problem = parser->problem == NULL ? "it cannot be read" : parser->problem;
  const bool is_byte = parser->error == YAML_READER_ERROR;  // no line is known then
  if (is_byte) {
    return fw__error(
      error, FW_RET_FILE, "%.150s: byte %llu: %.80s", path, (unsigned long long)parser->problem_offset, problem);
  }
  return fw__error(
    error, FW_RET_FILE, "%.150s:%llu: %.80s%s%.80s", path, (unsigned long long)parser->problem_mark.line + 1, problem,
    parser->context == NULL ? "" : " ", parser->context == NULL ? "" : parser->context);
}

// More than the largest file of areas: 10,000 of 256 points each.
enum { YAML_BYTES_MAX = 256 * 1024 * 1024 };

fw_ret_t fw__yaml_open(fw_yaml_file_t * file, const char * path, fw_error_t * error)
{
  *file = (fw_yaml_file_t){.path = path};
  yaml_parser_t parser;
  FILE * stream = fopen(path, "rb");
  if (stream == NULL) {
    const bool is_missing = errno == ENOENT;
    return fw__error(error, is_missing ? FW_RET_NOT_FOUND : FW_RET_FILE, "%.150s: %.80s", path, strerror(errno));
  }
  struct stat status;
  if (fstat(fileno(stream), &status) == 0 && status.st_size > YAML_BYTES_MAX) {
    (void)fclose(stream);
    return fw__error(
      error, FW_RET_FILE, "%.150s: the file is larger than %d MiB, the most that can be read", path,
      YAML_BYTES_MAX / (1024 * 1024));
  }
  if (!yaml_parser_initialize(&parser)) {
    (void)fclose(stream);
    return fw__error_memory(error);
  }
  yaml_parser_set_input_file(&parser, stream);
  fw_ret_t ret = FW_RET_OK;
  if (!yaml_parser_load(&parser, &file->document)) {
    ret = parser_error(&parser, path, error);
  } else {
    const yaml_node_t * root = fw__yaml_root(file);
    if (root == NULL || root->type != YAML_MAPPING_NODE) {
      ret = fw__error(error, FW_RET_FILE, "%.150s: %s", path, root == NULL ? "it is empty" : "expected 'key: value'");
      fw__yaml_close(file);
    }
  }
  yaml_parser_delete(&parser);
  (void)fclose(stream);
  return ret;
}

void fw__yaml_close(fw_yaml_file_t * file) { yaml_document_delete(&file->document); }

const yaml_node_t * fw__yaml_root(fw_yaml_file_t * file) { return yaml_document_get_root_node(&file->document); }

int32_t fw__yaml_count(const yaml_node_t * node)
{
  const ptrdiff_t count =
    node->type == YAML_SEQUENCE_NODE  ? node->data.sequence.items.top - node->data.sequence.items.start
    : node->type == YAML_MAPPING_NODE ? node->data.mapping.pairs.top - node->data.mapping.pairs.start
                                      : 0;
  return count > INT32_MAX ? INT32_MAX : (int32_t)count;
}

const yaml_node_t * fw__yaml_item(fw_yaml_file_t * file, const yaml_node_t * sequence, int32_t k)
{
  return yaml_document_get_node(&file->document, sequence->data.sequence.items.start[k]);
}

const char * fw__yaml_pair(fw_yaml_file_t * file, const yaml_node_t * mapping, int32_t k, const yaml_node_t ** value)
{
  const yaml_node_pair_t * pair = &mapping->data.mapping.pairs.start[k];
  const yaml_node_t * key = yaml_document_get_node(&file->document, pair->key);
  *value = yaml_document_get_node(&file->document, pair->value);
  return key->type == YAML_SCALAR_NODE ? fw__yaml_text(key) : NULL;
}

const yaml_node_t * fw__yaml_find(fw_yaml_file_t * file, const yaml_node_t * mapping, const char * key)
{
  for (int32_t k = 0; mapping->type == YAML_MAPPING_NODE && k < fw__yaml_count(mapping); ++k) {
    const yaml_node_t * value = NULL;
    const char * name = fw__yaml_pair(file, mapping, k, &value);
    if (name != NULL && strcmp(name, key) == 0) {
      return value;
    }
  }
  return NULL;
}

const char * fw__yaml_text(const yaml_node_t * node)
{
  return node->type == YAML_SCALAR_NODE     ? (const char *)node->data.scalar.value  // ends with a zero
         : node->type == YAML_SEQUENCE_NODE ? "a list"
                                            : "a mapping";
}

bool fw__yaml_number(const yaml_node_t * node, double * number)
{
  if (node->type != YAML_SCALAR_NODE || node->data.scalar.length == 0) {
    return false;
  }
  const char * text = fw__yaml_text(node);
  char * end = NULL;
  *number = strtod(text, &end);
  return end == text + node->data.scalar.length && isfinite(*number);
}

fw_ret_t fw__yaml_error(
  const fw_yaml_file_t * file, const yaml_node_t * node, fw_error_t * error, const char * format, ...)
{
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return fw__error(
    error, FW_RET_FILE, "%.150s:%llu: %s", file->path, (unsigned long long)node->start_mark.line + 1, text);
}
