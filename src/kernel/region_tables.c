// Which parts of the tables have changed. See region_tables.h.

#include "kernel/region_tables.h"

#include <string.h>

#include "base/assert.h"

void fw__region_tables(const fw_rtaa_regions_t * regions, fw_region_table_t tables[FW_REGION_TABLES])
{
  const size_t cells = (size_t)regions->cell_count, count = (size_t)regions->region_count;
  const fw_region_table_t all[FW_REGION_TABLES] = {
    [FW_REGION_TABLE_BLOCK_REGION] = {regions->block_region, (size_t)regions->block_count * sizeof(int32_t)},
    [FW_REGION_TABLE_CELL_REGION] = {regions->cell_region, cells * sizeof(uint16_t)},
    [FW_REGION_TABLE_CELL_NUMBER] = {regions->cell_number, cells * sizeof(uint16_t)},
    [FW_REGION_TABLE_COMPONENT] = {regions->component, count * sizeof(int32_t)},
    [FW_REGION_TABLE_AROUND_BEGIN] = {regions->around_begin, (count + 1) * sizeof(int32_t)},
    [FW_REGION_TABLE_NEAR_BEGIN] = {regions->near_begin, (count + 1) * sizeof(int64_t)},
    [FW_REGION_TABLE_FAR_ROW] = {regions->far_row, count * sizeof(int64_t)},
    [FW_REGION_TABLE_AROUND] = {regions->around, (size_t)regions->around_count * sizeof(int32_t)},
    [FW_REGION_TABLE_NEAR] = {regions->near, (size_t)regions->near_count},
    [FW_REGION_TABLE_FAR] = {regions->far, (size_t)regions->far_count * sizeof(uint32_t)},
  };
  memcpy(tables, all, sizeof(all));
}

void fw__region_changes_set(fw_region_changes_t * changes, bool is_whole)
{
  changes->piece_count = 0;
  for (int32_t table = 0; table < FW_REGION_TABLES; ++table) {
    changes->is_whole[table] = is_whole;
  }
}

void fw__region_changes_add(fw_region_changes_t * changes, int32_t table, size_t offset_bytes)
{
  FW_ASSERT(table >= 0 && table < FW_REGION_TABLES);
  if (changes->piece_count == FW_REGION_PIECES_MAX) {
    changes->is_whole[table] = true;
  } else if (!changes->is_whole[table]) {
    changes->pieces[changes->piece_count++] =
      (fw_region_piece_t){table, (int32_t)(offset_bytes / FW_REGION_PIECE_BYTES)};
  }
}

// Bytes that a piece takes in the copy to a device, with its place.
enum { SENT_PIECE_BYTES = FW_REGION_PIECE_BYTES + 8 };

static void compare_table(
  fw_region_changes_t * changes, int32_t table, const fw_region_table_t * before, const fw_region_table_t * after)
{
  const size_t bytes = before->bytes < after->bytes ? before->bytes : after->bytes;
  const int32_t first = changes->piece_count;
  for (size_t at = 0; at < bytes && !changes->is_whole[table]; at += FW_REGION_PIECE_BYTES) {
    const size_t rest = bytes - at;
    if (
      memcmp(
        (const char *)before->values + at, (const char *)after->values + at,
        rest < FW_REGION_PIECE_BYTES ? rest : FW_REGION_PIECE_BYTES) != 0) {
      fw__region_changes_add(changes, table, at);
      changes->is_whole[table] =
        changes->is_whole[table] || (size_t)(changes->piece_count - first) * SENT_PIECE_BYTES >= after->bytes;
    }
  }
  if (changes->is_whole[table]) {
    changes->piece_count = first;
  }
}

void fw__region_changes_compare(
  fw_region_changes_t * changes, const fw_rtaa_regions_t * before, const fw_rtaa_regions_t * after)
{
  fw_region_table_t old[FW_REGION_TABLES], now[FW_REGION_TABLES];
  fw__region_tables(before, old);
  fw__region_tables(after, now);
  for (int32_t table = 0; table < FW_REGION_TABLES; ++table) {
    compare_table(changes, table, &old[table], &now[table]);
  }
}
