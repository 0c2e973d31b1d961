// Frames in a hash table, links as rings of stamps. See transform_buffer.h.

#include "motion/transform_buffer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"

enum { NONE = -1, CAPACITY_FIRST = 64, SAMPLES_FIRST = 4 };

// As tf2: a quaternion whose squared length differs from 1 by more is a mistake and not a rounding error.
static const double QUATERNION_TOLERANCE = 0.01;
static const double TRANSLATION_MAX = 1e9;  // metres

// ---- transforms

// v + 2 q x (q x v + w v)
static void rotate(const fw_transform_t * by, double v[3])
{
  const double cx = by->qy * v[2] - by->qz * v[1] + by->qw * v[0];
  const double cy = by->qz * v[0] - by->qx * v[2] + by->qw * v[1];
  const double cz = by->qx * v[1] - by->qy * v[0] + by->qw * v[2];
  const double x = v[0] + 2.0 * (by->qy * cz - by->qz * cy);
  const double y = v[1] + 2.0 * (by->qz * cx - by->qx * cz);
  const double z = v[2] + 2.0 * (by->qx * cy - by->qy * cx);
  v[0] = x;
  v[1] = y;
  v[2] = z;
}

static void normalise(fw_transform_t * t)
{
  const double length = sqrt(t->qx * t->qx + t->qy * t->qy + t->qz * t->qz + t->qw * t->qw);
  t->qx /= length;
  t->qy /= length;
  t->qz /= length;
  t->qw /= length;
}

fw_transform_t fw__transform_compose(const fw_transform_t * a, const fw_transform_t * b)
{
  double v[3] = {b->x, b->y, b->z};
  rotate(a, v);
  return (fw_transform_t){
    .x = a->x + v[0],
    .y = a->y + v[1],
    .z = a->z + v[2],
    .qx = a->qw * b->qx + a->qx * b->qw + a->qy * b->qz - a->qz * b->qy,
    .qy = a->qw * b->qy - a->qx * b->qz + a->qy * b->qw + a->qz * b->qx,
    .qz = a->qw * b->qz + a->qx * b->qy - a->qy * b->qx + a->qz * b->qw,
    .qw = a->qw * b->qw - a->qx * b->qx - a->qy * b->qy - a->qz * b->qz,
  };
}

fw_transform_t fw__transform_from_pose2d(const fw_pose2d_t * pose)
{
  return (fw_transform_t){.x = pose->x, .y = pose->y, .qz = sin(pose->yaw / 2.0), .qw = cos(pose->yaw / 2.0)};
}

fw_transform_t fw__transform_inverse(const fw_transform_t * transform)
{
  fw_transform_t inverse = {.qx = -transform->qx, .qy = -transform->qy, .qz = -transform->qz, .qw = transform->qw};
  double v[3] = {-transform->x, -transform->y, -transform->z};
  rotate(&inverse, v);
  inverse.x = v[0];
  inverse.y = v[1];
  inverse.z = v[2];
  return inverse;
}

fw_pose2d_t fw__transform_pose2d(const fw_transform_t * t)
{
  return (fw_pose2d_t){
    .x = t->x,
    .y = t->y,
    .yaw = atan2(2.0 * (t->qw * t->qz + t->qx * t->qy), t->qw * t->qw + t->qx * t->qx - t->qy * t->qy - t->qz * t->qz),
  };
}

// Between two samples: translation linearly, rotation along the shorter arc (slerp).
static fw_transform_t interpolate(const fw_transform_t * a, const fw_transform_t * b, double u)
{
  const double dot = a->qx * b->qx + a->qy * b->qy + a->qz * b->qz + a->qw * b->qw;
  const double angle = acos(fmin(1.0, fabs(dot)));
  // Nearly equal rotations: the sines would be 0 by 0, and a straight line is as good.
  const double one = angle < 1e-6 ? 1.0 - u : sin((1.0 - u) * angle) / sin(angle);
  const double other = (angle < 1e-6 ? u : sin(u * angle) / sin(angle)) * (dot < 0.0 ? -1.0 : 1.0);
  fw_transform_t result = {
    .x = a->x + u * (b->x - a->x),
    .y = a->y + u * (b->y - a->y),
    .z = a->z + u * (b->z - a->z),
    .qx = one * a->qx + other * b->qx,
    .qy = one * a->qy + other * b->qy,
    .qz = one * a->qz + other * b->qz,
    .qw = one * a->qw + other * b->qw,
  };
  normalise(&result);
  return result;
}

// ---- frames by name

static uint32_t hash_of(const char * name)
{
  uint32_t hash = 2166136261u;  // FNV-1a
  for (const char * c = name; *c != '\0'; ++c) {
    hash = (hash ^ (uint8_t)*c) * 16777619u;
  }
  return hash;
}

// The place of a name in the table: that of its slot, or the empty one where it belongs.
static int32_t place_of(const fw_transform_buffer_t * self, const char * name)
{
  const int32_t mask = self->table_size - 1;
  int32_t place = (int32_t)(hash_of(name) & (uint32_t)mask);
  while (self->table[place] != 0 && strcmp(self->frames[self->table[place] - 1].name, name) != 0) {
    place = (place + 1) & mask;
  }
  return place;
}

static int32_t find(const fw_transform_buffer_t * self, const char * name)
{
  return self->table_size == 0 ? NONE : self->table[place_of(self, name)] - 1;
}

static void rebuild_table(fw_transform_buffer_t * self)
{
  memset(self->table, 0, (size_t)self->table_size * sizeof *self->table);
  for (int32_t k = 0; k < self->frame_count; ++k) {
    if (self->frames[k].name[0] != '\0') {
      self->table[place_of(self, self->frames[k].name)] = k + 1;
    }
  }
}

static int32_t frames_max(const fw_transform_buffer_t * self)
{
  return self->frames_max > 0 ? self->frames_max : FW_FRAMES_MAX;
}

// Twice the room for frames, within the limit. False if there is no memory; nothing is lost then.
static bool grow(fw_transform_buffer_t * self)
{
  const int32_t wish = self->capacity == 0 ? CAPACITY_FIRST : 2 * self->capacity;
  const int32_t capacity = wish < frames_max(self) ? wish : frames_max(self);
  int32_t table_size = 2 * CAPACITY_FIRST;
  while (table_size < 2 * capacity) {
    table_size *= 2;
  }
  fw_transform_frame_t * frames = realloc(self->frames, (size_t)capacity * sizeof *frames);
  self->frames = frames != NULL ? frames : self->frames;
  int32_t * changed = realloc(self->changed, (size_t)capacity * sizeof *changed);
  self->changed = changed != NULL ? changed : self->changed;
  int32_t * table = malloc((size_t)table_size * sizeof *table);
  if (frames == NULL || changed == NULL || table == NULL) {
    free(table);
    return false;
  }
  free(self->table);
  self->table = table;
  self->table_size = table_size;
  self->capacity = capacity;
  rebuild_table(self);
  return true;
}

static void unlink_from_parent(fw_transform_buffer_t * self, int32_t index)
{
  fw_transform_frame_t * frame = &self->frames[index];
  if (frame->is_wanted && frame->parent != NONE) {
    if (frame->previous == NONE) {
      self->frames[frame->parent].first_child = frame->next;
    } else {
      self->frames[frame->previous].next = frame->next;
    }
    if (frame->next != NONE) {
      self->frames[frame->next].previous = frame->previous;
    }
  }
  frame->next = NONE;
  frame->previous = NONE;
}

static void link_to_parent(fw_transform_buffer_t * self, int32_t index)
{
  fw_transform_frame_t * frame = &self->frames[index];
  FW_ASSERT(frame->is_wanted && frame->parent != NONE && frame->next == NONE && frame->previous == NONE);
  fw_transform_frame_t * parent = &self->frames[frame->parent];
  frame->next = parent->first_child;
  if (parent->first_child != NONE) {
    self->frames[parent->first_child].previous = index;
  }
  parent->first_child = index;
}

// A frame and all above it are wanted from now on.
static void want(fw_transform_buffer_t * self, int32_t index)
{
  while (index != NONE && !self->frames[index].is_wanted) {
    fw_transform_frame_t * frame = &self->frames[index];
    frame->is_wanted = true;
    self->wanted += 1;
    self->unwanted -= 1;
    if (frame->parent != NONE) {
      link_to_parent(self, index);
    }
    index = frame->parent;
  }
}

static void free_slot(fw_transform_buffer_t * self, int32_t index)
{
  fw_transform_frame_t * frame = &self->frames[index];
  free(frame->samples);
  *frame = (fw_transform_frame_t){
    .parent = NONE,
    .first_child = NONE,
    .next = self->used < self->frame_count ? self->first_free : NONE,
    .previous = NONE,
  };
  self->first_free = index;
  self->used -= 1;
}

// Which frames are wanted, anew from those that are watched.
static void find_wanted(fw_transform_buffer_t * self)
{
  for (int32_t k = 0; k < self->frame_count; ++k) {
    fw_transform_frame_t * frame = &self->frames[k];
    frame->is_wanted = false;
    frame->is_kept = false;
    frame->first_child = NONE;
    if (frame->name[0] != '\0') {
      frame->next = NONE;
      frame->previous = NONE;
    }
  }
  self->wanted = 0;
  self->unwanted = self->used;
  for (int32_t k = 0; k < self->frame_count; ++k) {
    if (self->frames[k].watchers > 0) {
      want(self, k);
    }
  }
}

// Frees the frames that are neither wanted nor at an end of a static link: those that robots have left behind. Costs
// time in proportion to all frames, so it is done when robots leave and when there is no room.
static void sweep(fw_transform_buffer_t * self)
{
  find_wanted(self);
  for (int32_t k = 0; k < self->frame_count; ++k) {
    fw_transform_frame_t * frame = &self->frames[k];
    if (frame->is_static || frame->is_wanted) {
      frame->is_kept = true;
      if (frame->parent != NONE) {
        self->frames[frame->parent].is_kept = true;
      }
    }
  }
  for (int32_t k = 0; k < self->frame_count; ++k) {
    fw_transform_frame_t * frame = &self->frames[k];
    if (frame->name[0] != '\0' && !frame->is_kept) {
      free_slot(self, k);
      self->unwanted -= 1;
    } else if (frame->parent != NONE && !self->frames[frame->parent].is_kept) {
      frame->parent = NONE;  // it is there for its static children only
      frame->count = 0;
    }
  }
  rebuild_table(self);
}

// The slot of a name, a new one if need be. NONE if there is no room.
static int32_t obtain(fw_transform_buffer_t * self, const char * name)
{
  const int32_t found = find(self, name);
  if (found != NONE) {
    return found;
  }
  if (self->used == self->frame_count && self->frame_count == self->capacity) {
    if (self->capacity == frames_max(self)) {
      sweep(self);
    } else if (!grow(self)) {
      return NONE;
    }
    if (self->used == self->capacity) {
      return NONE;
    }
  }
  int32_t index = self->frame_count;
  if (self->used < self->frame_count) {
    index = self->first_free;
    self->first_free = self->frames[index].next;
  } else {
    self->frame_count += 1;
  }
  self->frames[index] = (fw_transform_frame_t){.parent = NONE, .first_child = NONE, .next = NONE, .previous = NONE};
  memcpy(self->frames[index].name, name, strlen(name) + 1);
  self->used += 1;
  self->unwanted += 1;
  self->table[place_of(self, name)] = index + 1;
  return index;
}

// ---- links

static void forget_samples(fw_transform_frame_t * frame)
{
  frame->first = 0;
  frame->count = 0;
}

static fw_transform_sample_t * sample_at(const fw_transform_frame_t * frame, int32_t index)
{
  FW_ASSERT(index >= 0 && index < frame->count);
  return &frame->samples[(frame->first + index) % frame->capacity];
}

// Room for one sample more; the oldest goes if there are too many. False if there is no memory.
static bool reserve_sample(fw_transform_frame_t * frame)
{
  if (frame->count < frame->capacity) {
    return true;
  }
  if (frame->capacity == FW_TRANSFORM_SAMPLES_MAX) {
    frame->first = (frame->first + 1) % frame->capacity;
    frame->count -= 1;
    return true;
  }
  const int32_t capacity = frame->capacity == 0 ? SAMPLES_FIRST : 2 * frame->capacity;
  fw_transform_sample_t * samples = malloc((size_t)capacity * sizeof *samples);
  if (samples == NULL) {
    return false;
  }
  for (int32_t k = 0; k < frame->count; ++k) {
    samples[k] = *sample_at(frame, k);
  }
  free(frame->samples);
  frame->samples = samples;
  frame->first = 0;
  frame->capacity = capacity;
  return true;
}

// Adds a sample in the order of stamps. False if there is no memory.
static bool insert(fw_transform_frame_t * frame, const fw_transform_sample_t * sample)
{
  int32_t at = frame->count;  // mostly it is the newest
  while (at > 0 && sample_at(frame, at - 1)->stamp_ns >= sample->stamp_ns) {
    at -= 1;
    if (sample_at(frame, at)->stamp_ns == sample->stamp_ns) {
      return true;
    }
  }
  const int64_t newest_ns = at < frame->count ? sample_at(frame, frame->count - 1)->stamp_ns : sample->stamp_ns;
  if (newest_ns - sample->stamp_ns > FW_TRANSFORM_HISTORY_NS || (at == 0 && frame->count == FW_TRANSFORM_SAMPLES_MAX)) {
    return true;  // too old to be kept
  }
  while (frame->count > 0 && newest_ns - sample_at(frame, 0)->stamp_ns > FW_TRANSFORM_HISTORY_NS) {
    frame->first = (frame->first + 1) % frame->capacity;
    frame->count -= 1;
    at -= 1;
  }
  const int32_t count = frame->count;
  if (!reserve_sample(frame)) {
    return false;
  }
  at -= count - frame->count;
  frame->count += 1;
  for (int32_t k = frame->count - 1; k > at; --k) {
    *sample_at(frame, k) = *sample_at(frame, k - 1);
  }
  *sample_at(frame, at) = *sample;
  return true;
}

// The watched frames from `top` down have changed.
static void mark_changed(fw_transform_buffer_t * self, int32_t top)
{
  int32_t at = top;
  for (;;) {
    fw_transform_frame_t * frame = &self->frames[at];
    if (frame->watchers > 0 && !frame->is_changed) {
      frame->is_changed = true;
      self->changed[self->changed_count++] = at;
    }
    if (frame->first_child != NONE) {
      at = frame->first_child;
      continue;
    }
    while (at != top && self->frames[at].next == NONE) {
      at = self->frames[at].parent;
    }
    if (at == top) {
      return;
    }
    at = self->frames[at].next;
  }
}

int32_t fw__transform_buffer_next_changed(fw_transform_buffer_t * self)
{
  if (self->changed_count == 0) {
    return NONE;
  }
  const int32_t index = self->changed[--self->changed_count];
  self->frames[index].is_changed = false;
  return index;
}

// True if `ancestor` is `frame` or above it.
static bool is_above(const fw_transform_buffer_t * self, int32_t ancestor, int32_t frame)
{
  while (frame != NONE && frame != ancestor) {
    frame = self->frames[frame].parent;
  }
  return frame == ancestor;
}

static void set_parent(fw_transform_buffer_t * self, int32_t child, int32_t parent, bool is_static)
{
  fw_transform_frame_t * frame = &self->frames[child];
  if (frame->parent != parent) {
    unlink_from_parent(self, child);
    forget_samples(frame);
    frame->parent = parent;
    if (frame->is_wanted) {
      link_to_parent(self, child);
    }
  }
  if (is_static || frame->is_static) {
    forget_samples(frame);  // a static link has one sample, which holds at any time
  }
  frame->is_static = is_static;
}

// ---- what arrives

// Without a slash at its beginning. NULL if it cannot be a name.
static const char * frame_name(const char * text)
{
  text = text != NULL && text[0] == '/' ? text + 1 : text;
  return text != NULL && text[0] != '\0' && strlen(text) < FW_FRAME_NAME_SIZE ? text : NULL;
}

// Why the values of a link make no sense; NULL if they do.
static const char * check_values(const fw_transform_buffer_t * self, const fw_transform_link_t * link, int64_t now_ns)
{
  const fw_transform_t * t = &link->transform;
  const double square = t->qx * t->qx + t->qy * t->qy + t->qz * t->qz + t->qw * t->qw;
  // Written so that NaN fails.
  if (!(fabs(t->x) <= TRANSLATION_MAX && fabs(t->y) <= TRANSLATION_MAX && fabs(t->z) <= TRANSLATION_MAX)) {
    return "its translation is not finite";
  }
  if (!(fabs(square - 1.0) <= QUATERNION_TOLERANCE)) {
    return "its quaternion does not have length 1";
  }
  if (link->is_static) {
    return NULL;
  }
  if (link->stamp_ns <= 0) {
    return "it has no stamp";
  }
  if (self->stamp_max_ns > 0 && now_ns > 0) {
    if (link->stamp_ns < now_ns - self->stamp_max_ns) {
      return "its stamp is too old";
    }
    if (link->stamp_ns > now_ns + self->stamp_max_ns) {
      return "its stamp is too far in the future";
    }
  }
  return NULL;
}

static bool refuse(
  fw_transform_buffer_t * self, const fw_transform_link_t * link, const char * why, fw_error_t * reason)
{
  self->refused += 1;
  (void)fw__error_at(
    reason, (fw_error_detail_t){FW_FAULT_FRAME, -1, FW_CELL_NONE},
    "the transform from '%.60s' to '%.60s' is refused: %s", link->parent == NULL ? "" : link->parent,
    link->child == NULL ? "" : link->child, why);
  return false;
}

// The slots of a link that is to be kept. False if there is no room.
static bool obtain_both(
  fw_transform_buffer_t * self, const char * parent_name, const char * child_name, int32_t * parent, int32_t * child)
{
  *parent = obtain(self, parent_name);
  *child = *parent == NONE ? NONE : obtain(self, child_name);
  // Making room for the second may have swept the first away, which then has no other name but another or no slot.
  return *child != NONE && find(self, parent_name) == *parent;
}

bool fw__transform_buffer_add(
  fw_transform_buffer_t * self, const fw_transform_link_t * link, int64_t now_ns, fw_error_t * reason)
{
  const char * parent_name = frame_name(link->parent);
  const char * child_name = frame_name(link->child);
  if (parent_name == NULL || child_name == NULL) {
    return refuse(self, link, "a name is empty or too long", reason);
  }
  int32_t child = find(self, child_name);
  const bool is_wanted = child != NONE && self->frames[child].is_wanted;
  const bool is_root = child != NONE && self->frames[child].is_root;
  if (is_root || (!is_wanted && (!link->is_static || self->unwanted >= frames_max(self) / 2))) {
    self->foreign += 1;
    return true;
  }
  if (strcmp(parent_name, child_name) == 0) {
    return refuse(self, link, "a frame cannot be its own parent", reason);
  }
  const char * why = check_values(self, link, now_ns);
  int32_t parent = NONE;
  if (why == NULL && !obtain_both(self, parent_name, child_name, &parent, &child)) {
    why = "there are too many frames";
  }
  if (why == NULL && is_above(self, child, parent)) {
    why = "it would close a cycle";
  }
  if (child != NONE) {
    self->frames[child].refusal = why;
  }
  if (why != NULL) {
    return refuse(self, link, why, reason);
  }
  set_parent(self, child, parent, link->is_static);
  fw_transform_sample_t sample = {link->is_static ? 0 : link->stamp_ns, link->transform};
  normalise(&sample.transform);
  if (!insert(&self->frames[child], &sample)) {
    return refuse(self, link, "out of memory", reason);
  }
  if (self->frames[child].is_wanted) {
    want(self, parent);
    mark_changed(self, child);
  }
  return true;
}

int32_t fw__transform_buffer_watch(fw_transform_buffer_t * self, const char * name)
{
  const char * text = frame_name(name);
  const int32_t index = text == NULL ? NONE : obtain(self, text);
  if (index != NONE) {
    self->frames[index].watchers += 1;
    want(self, index);
    mark_changed(self, index);  // what is above may be known already
  }
  return index;
}

int32_t fw__transform_buffer_watch_root(fw_transform_buffer_t * self, const char * name)
{
  const int32_t index = fw__transform_buffer_watch(self, name);
  if (index != NONE) {
    fw_transform_frame_t * frame = &self->frames[index];
    unlink_from_parent(self, index);
    forget_samples(frame);
    frame->parent = NONE;
    frame->is_static = false;
    frame->is_root = true;
  }
  return index;
}

void fw__transform_buffer_unwatch(fw_transform_buffer_t * self, int32_t index)
{
  FW_ASSERT(index >= 0 && index < self->frame_count && self->frames[index].watchers > 0);
  self->frames[index].watchers -= 1;
  if (self->frames[index].watchers > 0) {
    return;
  }
  self->frames[index].is_root = false;
  for (int32_t k = 0; k < self->changed_count; ++k) {
    if (self->changed[k] == index) {
      self->changed[k] = self->changed[--self->changed_count];
      break;
    }
  }
  self->frames[index].is_changed = false;
  sweep(self);
}

void fw__transform_buffer_clear(fw_transform_buffer_t * self)
{
  for (int32_t k = 0; k < self->frame_count; ++k) {
    if (!self->frames[k].is_static) {  // what is static does not come again
      forget_samples(&self->frames[k]);
    }
  }
}

void fw__transform_buffer_fini(fw_transform_buffer_t * self)
{
  for (int32_t k = 0; k < self->frame_count; ++k) {
    free(self->frames[k].samples);
  }
  free(self->frames);
  free(self->table);
  free(self->changed);
  *self = (fw_transform_buffer_t){0};
}

// ---- lookups

// The newest common time of the links from `frame` up to `root`, and the frame whose link ends there. False if a link
// is missing: `top` is then the frame that has none.
static bool walk(
  const fw_transform_buffer_t * self, int32_t root, int32_t frame, fw_transform_result_t * result, int32_t * top)
{
  result->stamp_ns = FW_TRANSFORM_IS_STATIC;
  result->oldest = NONE;
  int32_t depth = 0;
  for (int32_t at = frame; at != root; at = self->frames[at].parent) {
    const fw_transform_frame_t * link = &self->frames[at];
    *top = at;
    if (link->parent == NONE || link->count == 0 || ++depth > FW_TRANSFORM_DEPTH_MAX) {
      return false;
    }
    if (!link->is_static && sample_at(link, link->count - 1)->stamp_ns < result->stamp_ns) {
      result->stamp_ns = sample_at(link, link->count - 1)->stamp_ns;
      result->oldest = at;
    }
  }
  return true;
}

// The value of a link at a time that is not after its last stamp. False if it is before the first.
static bool value_at(const fw_transform_frame_t * link, int64_t stamp_ns, fw_transform_t * value)
{
  int32_t at = link->count - 1;
  if (link->is_static) {
    *value = sample_at(link, at)->transform;
    return true;
  }
  while (at >= 0 && sample_at(link, at)->stamp_ns > stamp_ns) {
    at -= 1;
  }
  if (at < 0) {
    return false;
  }
  const fw_transform_sample_t * before = sample_at(link, at);
  *value = before->transform;
  if (before->stamp_ns != stamp_ns) {
    FW_ASSERT(at + 1 < link->count);
    const fw_transform_sample_t * after = sample_at(link, at + 1);
    const double u = (double)(stamp_ns - before->stamp_ns) / (double)(after->stamp_ns - before->stamp_ns);
    *value = interpolate(&before->transform, &after->transform, u);
  }
  return true;
}

bool fw__transform_buffer_common_time(
  const fw_transform_buffer_t * self, int32_t root, int32_t frame, int64_t * stamp_ns)
{
  fw_transform_result_t result;
  int32_t top = NONE;
  const bool is_known = walk(self, root, frame, &result, &top);
  *stamp_ns = result.stamp_ns;
  return is_known;
}

bool fw__transform_buffer_lookup(
  const fw_transform_buffer_t * self, int32_t root, int32_t frame, fw_transform_result_t * result, fw_error_t * reason)
{
  FW_ASSERT(root >= 0 && root < self->frame_count && frame >= 0 && frame < self->frame_count);
  const fw_error_detail_t detail = {FW_FAULT_FRAME, -1, FW_CELL_NONE};
  const char * root_name = self->frames[root].name;
  int32_t top = NONE;
  *result = (fw_transform_result_t){.transform = {.qw = 1.0}};
  if (!walk(self, root, frame, result, &top)) {
    const fw_transform_frame_t * missing = &self->frames[top];
    (void)fw__error_at(
      reason, detail, "no transform from %.100s to %.100s%s%s",
      missing->parent == NONE ? root_name : self->frames[missing->parent].name, missing->name,
      missing->refusal == NULL ? "" : ": the last one is refused, ", missing->refusal == NULL ? "" : missing->refusal);
    return false;
  }
  for (int32_t at = frame; at != root; at = self->frames[at].parent) {
    fw_transform_t value;
    if (!value_at(&self->frames[at], result->stamp_ns, &value)) {
      const fw_transform_frame_t * oldest = &self->frames[result->oldest];
      (void)fw__error_at(
        reason, detail, "the last transform from %.60s to %.60s is older than all that are kept from %.60s to %.60s",
        self->frames[oldest->parent].name, oldest->name, self->frames[self->frames[at].parent].name,
        self->frames[at].name);
      return false;
    }
    result->transform = fw__transform_compose(&value, &result->transform);
  }
  return true;
}

bool fw__transform_buffer_lookup_at(
  const fw_transform_buffer_t * self, int32_t root, int32_t frame, int64_t stamp_ns, fw_transform_t * transform)
{
  int64_t newest_ns = 0;
  *transform = (fw_transform_t){.qw = 1.0};
  bool is_known = fw__transform_buffer_common_time(self, root, frame, &newest_ns) && stamp_ns <= newest_ns;
  for (int32_t at = frame; is_known && at != root; at = self->frames[at].parent) {
    fw_transform_t value;
    is_known = value_at(&self->frames[at], stamp_ns, &value);
    *transform = is_known ? fw__transform_compose(&value, transform) : *transform;
  }
  return is_known;
}

const char * fw__transform_buffer_name(const fw_transform_buffer_t * self, int32_t frame)
{
  return self->frames[frame].name;
}

const char * fw__transform_buffer_parent_name(const fw_transform_buffer_t * self, int32_t frame)
{
  const int32_t parent = self->frames[frame].parent;
  return parent == NONE ? "" : self->frames[parent].name;
}

static bool validate_frame(const fw_transform_buffer_t * self, int32_t index)
{
  const fw_transform_frame_t * frame = &self->frames[index];
  bool is_valid = find(self, frame->name) == index && frame->count <= frame->capacity &&
                  frame->capacity <= FW_TRANSFORM_SAMPLES_MAX && (frame->watchers == 0 || frame->is_wanted) &&
                  (!frame->is_static || frame->count <= 1);
  for (int32_t k = 1; k < frame->count; ++k) {
    is_valid = is_valid && sample_at(frame, k - 1)->stamp_ns < sample_at(frame, k)->stamp_ns;
  }
  int32_t at = index, steps = 0;
  while (at != NONE && steps <= self->frame_count) {
    at = self->frames[at].parent;
    steps += 1;
  }
  if (frame->parent != NONE && frame->is_wanted) {
    int32_t sibling = self->frames[frame->parent].first_child;
    while (sibling != NONE && sibling != index) {
      sibling = self->frames[sibling].next;
    }
    is_valid = is_valid && sibling == index && self->frames[frame->parent].is_wanted;
  }
  return is_valid && at == NONE;
}

bool fw__transform_buffer_validate(const fw_transform_buffer_t * self)
{
  int32_t used = 0, wanted = 0;
  bool is_valid = true;
  for (int32_t k = 0; k < self->frame_count; ++k) {
    if (self->frames[k].name[0] != '\0') {
      used += 1;
      wanted += self->frames[k].is_wanted ? 1 : 0;
      is_valid = is_valid && validate_frame(self, k);
    }
  }
  return is_valid && used == self->used && wanted == self->wanted && self->unwanted == used - wanted &&
         used <= frames_max(self);
}
