// Names of the robots of a world. See world_names.h.

#include "cli/world_names.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/common/words.h"

void cli_names_fini(cli_names_t * names)
{
  free(names->texts);
  free((void *)names->list);
  *names = (cli_names_t){0};
}

int32_t cli_names_count(const char * text)
{
  int32_t count = 1;
  for (; *text != '\0'; ++text) {
    count += *text == ',';
  }
  return count;
}

// Names go into topics, and those begin with a letter.
static bool is_name(const char * text)
{
  bool is_fine = isalpha((unsigned char)text[0]) != 0;
  for (; *text != '\0'; ++text) {
    is_fine = is_fine && (isalnum((unsigned char)*text) != 0 || *text == '_');
  }
  return is_fine;
}

int cli_names_read(cli_names_t * names, const char * text, int32_t count)
{
  *names = (cli_names_t){
    .texts = calloc((size_t)count + 1, sizeof(*names->texts)),
    .list = calloc((size_t)count + 1, sizeof(*names->list)),
    .count = count,
  };
  if (names->texts == NULL || names->list == NULL) {
    return cli_say(CLI_FAILURE, "out of memory");
  }
  for (int32_t i = 0; i < count; ++i) {
    names->list[i] = names->texts[i];
    const size_t length = text == NULL ? 0 : strcspn(text, ",");
    if (text == NULL) {
      snprintf(names->texts[i], CLI_NAME_SIZE, "robot_%d", (int)i);
    } else if (length < CLI_NAME_SIZE) {
      memcpy(names->texts[i], text, length);
      text += length + (text[length] == ',' ? 1 : 0);
    }
    if (!is_name(names->texts[i])) {
      return cli_say(CLI_USAGE, "--names: name %d must be letters, digits and _, beginning with a letter", (int)i + 1);
    }
    for (int32_t j = 0; j < i; ++j) {
      if (strcmp(names->texts[i], names->texts[j]) == 0) {
        return cli_say(CLI_USAGE, "--names: %s stands there twice", names->texts[i]);
      }
    }
  }
  return CLI_SOLVED;
}
