// Files in YAML, read by libyaml, with errors that name the file and the line.
//
// A file is one document. Nodes are libyaml's own; they are valid until the file is closed.

#ifndef MAP_FILES__YAML_FILE_H_
#define MAP_FILES__YAML_FILE_H_

#include <yaml.h>

#include "base/error.h"

typedef struct fw_yaml_file_t {
  const char * path;  // borrowed
  yaml_document_t document;
} fw_yaml_file_t;

// FW_RET_NOT_FOUND without the file; FW_RET_FILE if it is not one YAML document whose root is a mapping.
FW_MUST_USE fw_ret_t fw__yaml_open(fw_yaml_file_t * file, const char * path, fw_error_t * error);
void fw__yaml_close(fw_yaml_file_t * file);
const yaml_node_t * fw__yaml_root(fw_yaml_file_t * file);

// The number of pairs of a mapping or items of a sequence; 0 for any other node.
int32_t fw__yaml_count(const yaml_node_t * node);
// Item `k` of a sequence.
const yaml_node_t * fw__yaml_item(fw_yaml_file_t * file, const yaml_node_t * sequence, int32_t k);
// Pair `k` of a mapping. Returns its key, or NULL if that is no scalar.
const char * fw__yaml_pair(fw_yaml_file_t * file, const yaml_node_t * mapping, int32_t k, const yaml_node_t ** value);
// The value of a key of a mapping; NULL if it has none.
const yaml_node_t * fw__yaml_find(fw_yaml_file_t * file, const yaml_node_t * mapping, const char * key);

// The text of a scalar; for messages and comparisons, "a list" or "a mapping" for other nodes.
const char * fw__yaml_text(const yaml_node_t * node);
// A finite number.
bool fw__yaml_number(const yaml_node_t * node, double * number);

// Fills `error` with "FILE:LINE: …" for the line where the node begins. Returns FW_RET_FILE.
fw_ret_t fw__yaml_error(
  const fw_yaml_file_t * file, const yaml_node_t * node, fw_error_t * error, const char * format, ...) FW_PRINTF(4, 5);

#endif  // MAP_FILES__YAML_FILE_H_
