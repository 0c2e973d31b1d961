#include "cli/common/setting.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"

bool cli_setting_parse(cli_setting_t * setting, const char * text)
{
  const char * equals = strchr(text, '=');
  const char * dot = memchr(text, '.', equals != NULL ? (size_t)(equals - text) : 0);
  const char * key = dot != NULL ? dot + 1 : text;
  if (equals == NULL || equals == key || (size_t)(equals - text) >= sizeof(setting->key)) {
    return false;
  }
  snprintf(setting->owner, sizeof(setting->owner), "%.*s", dot != NULL ? (int)(dot - text) : 0, text);
  snprintf(setting->key, sizeof(setting->key), "%.*s", (int)(equals - key), key);
  setting->value = equals + 1;
  return true;
}

const fw_parameter_def_t * cli_setting_find(const cli_setting_t * setting, cli_setting_target_t target)
{
  FW_ASSERT(target.name != NULL && target.parameter_count >= 0);
  if (setting->owner[0] != '\0' && strcmp(setting->owner, target.name) != 0) {
    return NULL;
  }
  for (int32_t i = 0; i < target.parameter_count; i++) {
    if (strcmp(target.parameters[i].name, setting->key) == 0) {
      return &target.parameters[i];
    }
  }
  return NULL;
}
