#include "view/player.h"

#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "view/escape.h"

static const char * const page_lines[] = {
#include "view/player.inc"
};

void fw__scene_add_fact(fw__scene_t * scene, const char * name, const char * format, ...)
{
  if (scene->fact_count == FW__PLAYER_FACTS_MAX) {
    return;
  }
  fw__player_fact_t * fact = &scene->facts[scene->fact_count++];
  fact->name = name;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fact->value, sizeof(fact->value), format, arguments);
  va_end(arguments);
}

static void write_vlq(FILE * stream, const fw__vlq_t * vlq)
{
  fputc('"', stream);
  fwrite(vlq->text != NULL ? vlq->text : "", 1, vlq->length, stream);
  fputc('"', stream);
}

// Runs of cells of one cost, row after row: number of cells, cost.
static fw_ret_t write_grid(FILE * stream, const fw_grid_t * grid, const fw_allocator_t * allocator, fw_error_t * error)
{
  fw__vlq_t runs;
  fw__vlq_init(&runs, allocator);
  const int32_t count = fw_grid_cell_count(grid);
  for (fw_cell_t cell = 0; cell < count;) {
    fw_cell_t end = cell + 1;
    while (end < count && grid->cost[end] == grid->cost[cell]) {
      end++;
    }
    fw__vlq_put(&runs, end - cell);
    fw__vlq_put(&runs, grid->cost[cell]);
    cell = end;
  }
  write_vlq(stream, &runs);
  const bool has_failed = runs.has_failed;
  fw__vlq_fini(&runs);
  return has_failed ? fw__error_memory(error) : FW_RET_OK;
}

// A list with a code for each robot, found at `offset` in its track.
static void write_codes(const fw__tracks_t * tracks, const char * name, size_t offset, FILE * stream)
{
  fprintf(stream, ",\n\"%s\":[", name);
  for (int32_t robot = 0; robot < tracks->robot_count; robot++) {
    fputs(robot > 0 ? ",\n" : "\n", stream);
    write_vlq(stream, (const fw__vlq_t *)(const void *)((const char *)&tracks->tracks[robot] + offset));
  }
  fputs("\n]", stream);
}

// What `check` says: words, and when and where.
static void write_flaw(const fw__scene_t * scene, FILE * stream)
{
  const fw_conflict_t * conflict = &scene->flaw->conflict;
  const fw_grid_t * grid = scene->tracks->grid;
  if (scene->flaw->text[0] == '\0') {
    return;
  }
  fputs(",\n\"flaw\":{\"text\":", stream);
  fw__escape_json(stream, scene->flaw->text);
  if (conflict->kind != FW_CONFLICT_NONE) {
    fprintf(stream, ",\"tick\":%d,\"robots\":[", conflict->tick);
    if (conflict->robot >= 0) {
      fprintf(stream, "%d", conflict->robot);
    }
    if (conflict->other >= 0) {
      fprintf(stream, ",%d", conflict->other);
    }
    fputc(']', stream);
  }
  if (conflict->kind != FW_CONFLICT_NONE && conflict->cell >= 0 && conflict->cell < fw_grid_cell_count(grid)) {
    fprintf(stream, ",\"x\":%d,\"y\":%d", fw_grid_x(grid, conflict->cell), fw_grid_y(grid, conflict->cell));
  }
  fputc('}', stream);
}

// What only a plan has.
static void write_layers(const fw__scene_t * scene, FILE * stream)
{
  const fw__tracks_t * tracks = scene->tracks;
  write_flaw(scene, stream);
  fputs(",\n\"turning\":\"", stream);
  for (int32_t robot = 0; robot < tracks->robot_count; robot++) {
    fputc(tracks->tracks[robot].is_turning ? '1' : '0', stream);
  }
  fputs("\",\n\"closures\":", stream);
  write_vlq(stream, &tracks->closures);
  write_codes(tracks, "shapes", offsetof(fw__track_t, shape), stream);
  write_codes(tracks, "stays", offsetof(fw__track_t, stays), stream);
  write_codes(tracks, "waits", offsetof(fw__track_t, waits), stream);
}

static void write_scene(const fw__scene_t * scene, bool is_plan, FILE * stream)
{
  const fw__tracks_t * tracks = scene->tracks;
  fputs("{\"name\":", stream);
  fw__escape_json(stream, scene->name != NULL ? scene->name : "");
  fprintf(stream, ",\"end\":%lld,\"hasYaw\":%s", (long long)tracks->end, tracks->has_yaw ? "true" : "false");
  fputs(",\"facts\":[", stream);
  for (int32_t i = 0; i < scene->fact_count; i++) {
    fputs(i > 0 ? ",[" : "[", stream);
    fw__escape_json(stream, scene->facts[i].name);
    fputc(',', stream);
    fw__escape_json(stream, scene->facts[i].value);
    fputc(']', stream);
  }
  fputs("],\n\"goals\":", stream);
  write_vlq(stream, &tracks->goals);
  fputs(",\n\"arrivals\":", stream);
  write_vlq(stream, &tracks->arrivals);
  fputs(",\n\"overlaps\":", stream);
  write_vlq(stream, &tracks->overlaps);
  write_codes(tracks, "tracks", offsetof(fw__track_t, code), stream);
  if (is_plan) {
    write_layers(scene, stream);
  }
  fputc('}', stream);
}

static fw_ret_t write_data(const fw__player_t * player, FILE * stream, fw_error_t * error)
{
  const fw__tracks_t * tracks = player->scenes[0].tracks;
  fputs("{\"kind\":", stream);
  fw__escape_json(stream, player->kind);
  fprintf(
    stream, ",\"width\":%d,\"height\":%d,\"isRow0Below\":%s", tracks->grid->width, tracks->grid->height,
    tracks->is_row_0_below ? "true" : "false");
  fprintf(
    stream, ",\"unitsPerCell\":%d,\"cellOffset\":%g,\"secondsPerUnit\":%.9g,\"metresPerCell\":%.9g,\"radius\":%.6g",
    tracks->units_per_cell, tracks->cell_offset, tracks->seconds_per_unit, tracks->metres_per_cell,
    tracks->radius_cells);
  fprintf(
    stream, ",\"at\":%d,\"window\":%d,\"showsReservations\":%s", player->at, player->window,
    player->shows_reservations ? "true" : "false");
  fputs(",\n\"grid\":", stream);
  const fw_ret_t ret = write_grid(stream, tracks->grid, &tracks->allocator, error);
  fputs(",\n\"scenes\":[", stream);
  for (int32_t i = 0; i < player->scene_count; i++) {
    fputs(i > 0 ? ",\n" : "\n", stream);
    write_scene(&player->scenes[i], strcmp(player->kind, "plan") == 0, stream);
  }
  fputs("\n]}\n", stream);
  return ret;
}

fw_ret_t fw__player_write(const fw__player_t * player, FILE * stream, fw_error_t * error)
{
  fw_ret_t ret = FW_RET_OK;
  for (size_t i = 0; ret == FW_RET_OK && i < sizeof(page_lines) / sizeof(page_lines[0]); i++) {
    if (strcmp(page_lines[i], "@TITLE@\n") == 0) {
      fw__escape_markup(stream, player->title);
    } else if (strcmp(page_lines[i], "@DATA@\n") == 0) {
      ret = write_data(player, stream, error);
    } else {
      fputs(page_lines[i], stream);
    }
  }
  if (ret == FW_RET_OK && ferror(stream)) {
    return fw__error(error, FW_RET_FILE, "the page cannot be written");
  }
  return ret;
}
