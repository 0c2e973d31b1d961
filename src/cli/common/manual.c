// The help of a command, from the same tables as the parser.

#include <stdio.h>
#include <string.h>

#include "cli/common/arguments.h"

static void print_option(const cli_option_t * option)
{
  char left[64];
  char letter[8] = "    ";
  if (option->letter != 0) {
    snprintf(letter, sizeof(letter), "-%c, ", option->letter);
  }
  snprintf(
    left, sizeof(left), "  %s--%s%s%s", letter, option->name, option->value != NULL ? " " : "",
    option->value != NULL ? option->value : "");
  printf("%-30s", left);
  if (strlen(left) >= 30) {
    printf("\n%-30s", "");
  }
  // Further lines of a help text stand under the first.
  for (const char * c = option->help; *c != '\0'; c++) {
    putchar(*c);
    if (*c == '\n') {
      printf("%-30s", "");
    }
  }
  putchar('\n');
}

void cli_print_manual(const cli_manual_t * manual)
{
  printf("Usage: fleetweave %s %s\n\n%s\n", manual->name, manual->usage, manual->about);
  for (int32_t g = 0; g < manual->group_count; g++) {
    const cli_group_t * group = &manual->groups[g];
    printf("\n%s:\n", group->title);
    for (int32_t i = 0; i < group->option_count; i++) {
      print_option(&group->options[i]);
    }
  }
  printf("\nExamples:\n%s\n", manual->examples);
  printf(
    "\nExit code: %s\n", manual->exit_codes != NULL
                           ? manual->exit_codes
                           : "0 done, 2 wrong command line, 3 failure (the reason is on stderr).");
}
