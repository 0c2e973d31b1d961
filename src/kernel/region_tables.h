// The tables of the memory `regions` as a device has them, and what has changed of them since it got them.
//
// All tables follow from the map and the goals. When cells are blocked or freed, most of their values stay as they were
// and where they were; so tables before and after are compared in pieces of 64 bytes, and only pieces that differ are
// sent. Where these are more bytes than the table, it is sent as a whole. What a table has grown by is not listed: the
// device knows how much it has.

#ifndef KERNEL__REGION_TABLES_H_
#define KERNEL__REGION_TABLES_H_

#include <stddef.h>

#include "kernel/rtaa_view.h"

// As in fw_rtaa_regions_t.
enum {
  FW_REGION_TABLE_BLOCK_REGION,
  FW_REGION_TABLE_CELL_REGION,
  FW_REGION_TABLE_CELL_NUMBER,
  FW_REGION_TABLE_COMPONENT,
  FW_REGION_TABLE_AROUND_BEGIN,
  FW_REGION_TABLE_NEAR_BEGIN,
  FW_REGION_TABLE_FAR_ROW,
  FW_REGION_TABLE_AROUND,
  FW_REGION_TABLE_NEAR,
  FW_REGION_TABLE_FAR,
  FW_REGION_TABLES
};

typedef struct fw_region_table_t {
  const void * values;
  size_t bytes;
} fw_region_table_t;

void fw__region_tables(const fw_rtaa_regions_t * regions, fw_region_table_t tables[FW_REGION_TABLES]);

enum { FW_REGION_PIECE_BYTES = 64, FW_REGION_PIECES_MAX = 4096 };

// A piece of a table that has changed.
typedef struct fw_region_piece_t {
  int32_t table;
  int32_t number;
} fw_region_piece_t;

typedef struct fw_region_changes_t {
  fw_region_piece_t * pieces;  // room for FW_REGION_PIECES_MAX; one may be listed twice
  int32_t piece_count;
  bool is_whole[FW_REGION_TABLES];  // all of the table has changed
} fw_region_changes_t;

// All tables are new, or nothing has changed.
void fw__region_changes_set(fw_region_changes_t * changes, bool is_whole);
// Adds the piece with a value.
void fw__region_changes_add(fw_region_changes_t * changes, int32_t table, size_t offset_bytes);
// Adds what differs between the tables before and after.
void fw__region_changes_compare(
  fw_region_changes_t * changes, const fw_rtaa_regions_t * before, const fw_rtaa_regions_t * after);

#endif  // KERNEL__REGION_TABLES_H_
