#include "view/vlq.h"

#include <string.h>

#include "base/assert.h"

#define CHARACTERS_PER_NUMBER_MAX 8  // 31 bits in groups of 5 need 7

void fw__vlq_init(fw_vlq_t * vlq, const fw_allocator_t * allocator) { *vlq = (fw_vlq_t){.allocator = *allocator}; }

void fw__vlq_fini(fw_vlq_t * vlq)
{
  if (vlq->text != NULL) {
    vlq->allocator.deallocate(vlq->text, vlq->allocator.state);
  }
  *vlq = (fw_vlq_t){0};
}

static bool reserve(fw_vlq_t * vlq, size_t capacity)
{
  if (capacity <= vlq->capacity) {
    return true;
  }
  const size_t grown = capacity < 32 ? 64 : capacity * 2;
  char * text = vlq->allocator.allocate(grown, vlq->allocator.state);
  if (text == NULL) {
    return false;
  }
  if (vlq->text != NULL) {
    memcpy(text, vlq->text, vlq->length);
    vlq->allocator.deallocate(vlq->text, vlq->allocator.state);
  }
  vlq->text = text;
  vlq->capacity = grown;
  return true;
}

void fw__vlq_put(fw_vlq_t * vlq, int64_t number)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (
    vlq->has_failed || number <= -FW_VLQ_MAX || number >= FW_VLQ_MAX ||
    !reserve(vlq, vlq->length + CHARACTERS_PER_NUMBER_MAX)) {
    vlq->has_failed = true;
    return;
  }
  uint32_t rest = number < 0 ? ((uint32_t)-number << 1) | 1u : (uint32_t)number << 1;
  do {
    const uint32_t group = rest & 31u;
    rest >>= 5;
    vlq->text[vlq->length++] = digits[rest != 0 ? group | 32u : group];
    FW_ASSERT(vlq->length <= vlq->capacity);
  } while (rest != 0);
}

void fw__vlq_write_json(const fw_vlq_t * vlq, FILE * stream)
{
  FW_ASSERT(!vlq->has_failed && vlq->length <= vlq->capacity);
  fputc('"', stream);
  fwrite(vlq->text != NULL ? vlq->text : "", 1, vlq->length, stream);
  fputc('"', stream);
}
