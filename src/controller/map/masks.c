// Masks and areas over the map, and updates of a part of it: the calls of <fleetweave/controller.h>.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/heap.h"
#include "controller/controller.h"
#include "fleetweave/planner_def.h"

// ---- masks

static size_t value_count(const fw_occupancy_map_t * map) { return (size_t)map->width * (size_t)map->height; }

static bool masks_are_equal(const fw_occupancy_map_t * a, const fw_occupancy_map_t * b)
{
  if (a->values == NULL || b->values == NULL) {
    return a->values == b->values;
  }
  return a->width == b->width && a->height == b->height && a->resolution == b->resolution &&
         a->origin.point.x == b->origin.point.x && a->origin.point.y == b->origin.point.y &&
         a->origin.yaw == b->origin.yaw && memcmp(a->values, b->values, value_count(a)) == 0;
}

void fw__controller_note_mask_fault(
  fw_controller_impl_t * controller, fw_map_mask_t * mask, const char * name, const char * reason)
{
  if (reason[0] != '\0' && strcmp(reason, mask->fault.text) != 0) {
    fw__log(
      &controller->log, FW_LOG_ERROR, "%s refused: %s%s", name, reason,
      mask->mask.values != NULL ? "; the last good one stays in force" : "");
  }
  (void)snprintf(mask->fault.text, sizeof mask->fault.text, "%s", reason);
}

// Puts a copy of a good mask into force; `mask` is empty for none. False with a reason: nothing has changed.
static bool take_mask(
  fw_controller_impl_t * controller, fw_map_mask_t * kept, const fw_occupancy_map_t * mask, fw_error_t * reason)
{
  const fw_occupancy_map_t old = kept->mask;
  fw_occupancy_map_t copy = *mask;
  if (mask->values != NULL) {
    int8_t * values = fw__malloc(value_count(mask));
    if (values == NULL) {
      return fw__refuse(reason, "out of memory");
    }
    memcpy(values, mask->values, value_count(mask));
    copy.values = values;
  }
  kept->mask = copy;
  if (!fw__controller_rebuild_map(controller, controller->last_now_ns, reason)) {
    kept->mask = old;
    free((void *)(uintptr_t)copy.values);
    return false;
  }
  free((void *)(uintptr_t)old.values);
  return true;
}

typedef struct mask_call_t {
  fw_map_mask_t * kept;
  const char * name;
} mask_call_t;

static fw_ret_t set_mask(
  fw_controller_impl_t * controller, mask_call_t call, const fw_occupancy_map_t * mask, fw_error_t * error)
{
  const bool is_none = mask == NULL || (mask->width == 0 && mask->height == 0);
  const fw_occupancy_map_t wanted = is_none ? (fw_occupancy_map_t){0} : *mask;
  fw_error_t reason = {0};
  bool is_taken = is_none || fw__planning_map_check(&wanted, &reason);
  // Map servers repeat their masks.
  if (is_taken && !masks_are_equal(&wanted, &call.kept->mask)) {
    is_taken = take_mask(controller, call.kept, &wanted, &reason);
  }
  fw__controller_note_mask_fault(controller, call.kept, call.name, is_taken ? "" : reason.text);
  return is_taken ? FW_RET_OK : fw__error(error, FW_RET_INVALID_ARGUMENT, "%s", reason.text);
}

fw_ret_t fw_controller_set_keepout_mask(
  fw_controller_t * self, const fw_occupancy_map_t * mask, int64_t now_ns, fw_error_t * error)
{
  (void)now_ns;
  return set_mask(self->impl, (mask_call_t){&self->impl->keepout, "keepout mask"}, mask, error);
}

fw_ret_t fw_controller_set_cost_mask(
  fw_controller_t * self, const fw_occupancy_map_t * mask, int64_t now_ns, fw_error_t * error)
{
  (void)now_ns;
  return set_mask(self->impl, (mask_call_t){&self->impl->cost_mask, "cost mask"}, mask, error);
}

// ---- areas

bool fw__controller_check_rules(
  const fw_area_list_t * areas, const fw_controller_settings_t * settings, fw_error_t * reason)
{
  const bool has_rules = fw__area_list_has(areas, FW_AREA_ONE_WAY) || fw__area_list_has(areas, FW_AREA_NO_WAITING);
  return !has_rules || fw_planner_def_find(settings->planner.name)->has_rules ||
         fw__refuse(
           reason, "planner %.60s does not support one-way or no-waiting areas; hca and whca do",
           settings->planner.name);
}

// Puts a copy of good areas into force. False with a reason: nothing has changed.
static bool take_areas(fw_controller_impl_t * controller, const fw_area_t * areas, int32_t count, fw_error_t * reason)
{
  fw_area_list_t wanted = {0};
  for (int32_t k = 0; k < count; ++k) {
    if (!fw__area_check(&areas[k], reason)) {
      return false;
    }
  }
  if (!fw__area_list_init(&wanted, areas, count)) {
    return fw__refuse(reason, "out of memory");
  }
  const fw_area_list_t old = controller->areas;
  bool is_taken = fw__controller_check_rules(&wanted, &controller->settings, reason);
  if (is_taken && !fw__area_lists_are_equal(&wanted, &old)) {
    controller->areas = wanted;
    is_taken = fw__controller_rebuild_map(controller, controller->last_now_ns, reason);
    controller->areas = is_taken ? wanted : old;
    wanted = is_taken ? old : wanted;
  }
  fw__area_list_fini(&wanted);
  return is_taken;
}

fw_ret_t fw_controller_set_areas(
  fw_controller_t * self, const fw_area_t * areas, int32_t area_count, int64_t now_ns, fw_error_t * error)
{
  (void)now_ns;
  fw_controller_impl_t * controller = self->impl;
  fw_error_t reason = {0};
  if (area_count < 0 || (area_count > 0 && areas == NULL)) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "area_count is %d: it must be 0, or above 0 with areas", area_count);
  }
  const bool is_taken = take_areas(controller, areas, area_count, &reason);
  if (!is_taken && strcmp(reason.text, controller->areas_fault.text) != 0) {
    fw__log(
      &controller->log, FW_LOG_ERROR, "areas refused: %s%s", reason.text,
      controller->areas.count > 0 ? "; the last good ones stay in force" : "");
  }
  controller->areas_fault = reason;
  return is_taken ? FW_RET_OK : fw__error(error, FW_RET_INVALID_ARGUMENT, "%s", reason.text);
}

// ---- updates of the map

static bool check_update(const fw_controller_impl_t * controller, const fw_map_update_t * update, fw_error_t * reason)
{
  const fw_occupancy_map_t * map = &controller->occupancy;
  if (map->values == NULL) {
    return fw__refuse(reason, "there is no map yet that it could change");
  }
  if (
    update->width < 1 || update->height < 1 || update->values == NULL || update->x < 0 || update->y < 0 ||
    update->width > map->width || update->height > map->height || update->x > map->width - update->width ||
    update->y > map->height - update->height) {
    return fw__refuse(
      reason, "an update of %d x %d cells at (%d, %d) is not inside the map of %d x %d cells", update->width,
      update->height, update->x, update->y, map->width, map->height);
  }
  return true;
}

// Exchanges the values in a part of the map with those of `part`. True if they differ.
static bool swap_values(fw_occupancy_map_t * map, fw_grid_window_t window, int8_t * part)
{
  int8_t * values = (int8_t *)(uintptr_t)map->values;  // our own copy
  bool differs = false;
  for (int32_t k = 0; k < window.width * window.height; ++k) {
    const size_t at =
      (size_t)(window.y + k / window.width) * (size_t)map->width + (size_t)(window.x + k % window.width);
    const int8_t old = values[at];
    differs = differs || old != part[k];
    values[at] = part[k];
    part[k] = old;
  }
  return differs;
}

static bool update_map(fw_controller_impl_t * controller, const fw_map_update_t * update, fw_error_t * reason)
{
  const fw_grid_window_t window = {update->x, update->y, update->width, update->height};
  const size_t size = (size_t)update->width * (size_t)update->height;
  int8_t * part = fw__malloc(size);
  if (part == NULL) {
    return fw__refuse(reason, "out of memory");
  }
  memcpy(part, update->values, size);
  bool is_taken = true;
  if (swap_values(&controller->occupancy, window, part) && controller->map.is_spoilt) {
    is_taken = fw__controller_rebuild_map(controller, controller->last_now_ns, reason);
  } else if (memcmp(part, update->values, size) != 0) {
    const fw_map_source_t source = fw__controller_map_source(controller, &controller->occupancy);
    is_taken = fw__planning_map_update(&controller->map, &source, window, reason);
    if (is_taken) {
      fw__controller_note_new_map(controller);
    }
  }
  if (!is_taken) {
    (void)swap_values(&controller->occupancy, window, part);
  }
  free(part);
  return is_taken;
}

fw_ret_t fw_controller_update_map(
  fw_controller_t * self, const fw_map_update_t * update, int64_t now_ns, fw_error_t * error)
{
  (void)now_ns;
  fw_controller_impl_t * controller = self->impl;
  fw_error_t reason = {0};
  const bool is_good = check_update(controller, update, &reason) && update_map(controller, update, &reason);
  fw__controller_note_map_fault(controller, is_good ? "" : reason.text);
  return is_good ? FW_RET_OK : fw__error(error, FW_RET_INVALID_ARGUMENT, "%s", reason.text);
}
