// Token buckets for log lines. See log_throttle.h.

#include "base/log_throttle.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/assert.h"

static const int64_t LINE_NS = 1000000000;  // one token

// FNV-1a of the text up to the first ':'.
static fw_log_bucket_t * bucket_of(fw_log_throttle_t * throttle, const char * text)
{
  uint32_t hash = UINT32_C(2166136261);
  for (const char * c = text; *c != '\0' && *c != ':'; ++c) {
    hash = (hash ^ (unsigned char)*c) * UINT32_C(16777619);
  }
  return &throttle->buckets[hash % FW_LOG_SOURCES];
}

// Takes a token if there is one. The bucket is kept as the moment at which it will be full.
static bool take_token(fw_log_bucket_t * bucket, int64_t now_ns)
{
  const int64_t from_ns = bucket->full_ns > now_ns ? bucket->full_ns : now_ns;
  if (from_ns + LINE_NS > now_ns + FW_LOG_LINES_AT_ONCE * LINE_NS) {
    return false;
  }
  bucket->full_ns = from_ns + LINE_NS;
  return true;
}

static void hold(fw_log_throttle_t * throttle, fw_log_bucket_t * bucket, int32_t level, const char * text)
{
  if (bucket->held == NULL) {
    bucket->held = calloc(1, sizeof *bucket->held);
    if (bucket->held == NULL) {
      return;
    }
  }
  bucket->held->left_out = bucket->is_holding ? bucket->held->left_out + 1 : 0;
  bucket->held->level = level;
  (void)snprintf(bucket->held->text, sizeof bucket->held->text, "%s", text);
  throttle->holding_count += bucket->is_holding ? 0 : 1;
  bucket->is_holding = true;
}

bool fw__log_throttle_admits(fw_log_throttle_t * throttle, int32_t level, const char * text, int64_t now_ns)
{
  fw_log_bucket_t * bucket = bucket_of(throttle, text);
  // Behind a line that is held back there is no way past it: lines keep their order.
  if (!bucket->is_holding && take_token(bucket, now_ns)) {
    return true;
  }
  hold(throttle, bucket, level, text);
  return false;
}

const fw_held_line_t * fw__log_throttle_next(fw_log_throttle_t * throttle, int64_t now_ns, bool is_ending)
{
  FW_ASSERT(throttle->holding_count >= 0 && throttle->holding_count <= FW_LOG_SOURCES);
  for (int32_t k = 0; throttle->holding_count > 0 && k < FW_LOG_SOURCES; ++k) {
    fw_log_bucket_t * bucket = &throttle->buckets[(throttle->next + k) % FW_LOG_SOURCES];
    if (bucket->is_holding && (is_ending || take_token(bucket, now_ns))) {
      bucket->is_holding = false;
      throttle->holding_count -= 1;
      throttle->next = (throttle->next + k + 1) % FW_LOG_SOURCES;
      return bucket->held;
    }
  }
  return NULL;
}

void fw__log_throttle_fini(fw_log_throttle_t * throttle)
{
  for (int32_t k = 0; k < FW_LOG_SOURCES; ++k) {
    free(throttle->buckets[k].held);
  }
  *throttle = (fw_log_throttle_t){0};
}
