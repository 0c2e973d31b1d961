// Parameters as text, and the parameter table of every planner.

#include "fleetweave/planner_def.h"

#include "support/test.h"

static const char * const colours[] = {"red", "green", "blue"};
static const fw_parameter_def_t integer = {.name = "window", .initial = 4, .min = -1, .max = 64};
static const fw_parameter_def_t boolean = {.name = "plain", .type = FW_PARAMETER_BOOLEAN, .max = 1};
static const fw_parameter_def_t choice = {.name = "colour", .type = FW_PARAMETER_CHOICE, .max = 2, .choices = colours};

static void valid_texts_are_parsed_and_formatted(void ** state)
{
  (void)state;
  const struct {
    const fw_parameter_def_t * parameter;
    const char * text;
    int64_t value;
    const char * back;
  } cases[] = {
    {&integer, "1", 1, "1"},      {&integer, "64", 64, "64"},      {&integer, "-1", -1, "-1"},
    {&integer, "007", 7, "7"},    {&boolean, "true", 1, "true"},   {&boolean, "0", 0, "false"},
    {&boolean, "1", 1, "true"},   {&boolean, "false", 0, "false"}, {&choice, "red", 0, "red"},
    {&choice, "blue", 2, "blue"},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    int64_t value = 99;
    assert_int_equal(fw_parameter_parse(cases[i].parameter, cases[i].text, &value, NULL), FW_RET_OK);
    assert_int_equal(value, cases[i].value);
    char text[32];
    fw_parameter_format(cases[i].parameter, value, text, sizeof(text));
    assert_string_equal(text, cases[i].back);
  }
}

static void invalid_texts_are_refused_with_the_reason(void ** state)
{
  (void)state;
  const struct {
    const fw_parameter_def_t * parameter;
    const char * text;
    const char * words;
  } cases[] = {
    {&integer, "65", "window must be between -1 and 64, not 65"},
    {&integer, "-2", "between -1 and 64"},
    {&integer, "", "whole number"},
    {&integer, "3.5", "whole number, not '3.5'"},
    {&integer, "4 ", "whole number"},
    {&integer, "0x10", "whole number"},
    {&integer, "99999999999999999999", "whole number"},
    {&integer, "nan", "whole number"},
    {&boolean, "yes", "plain must be true or false, not 'yes'"},
    {&boolean, "2", "true or false"},
    {&boolean, "True", "true or false"},
    {&choice, "pink", "colour must be red, green or blue, not 'pink'"},
    {&choice, "1", "red, green or blue"},
    {&choice, "", "red, green or blue"},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    int64_t value = 99;
    fw_error_t error;
    assert_int_equal(fw_parameter_parse(cases[i].parameter, cases[i].text, &value, &error), FW_RET_INVALID_ARGUMENT);
    assert_int_equal(value, 99);
    if (strstr(error.text, cases[i].words) == NULL) {
      fail_msg("'%s' is not in '%s'", cases[i].words, error.text);
    }
  }
}

static void a_text_of_any_length_is_safe(void ** state)
{
  (void)state;
  char text[5000];
  memset(text, '9', sizeof(text));
  text[sizeof(text) - 1] = '\0';
  int64_t value;
  fw_error_t error;
  assert_int_equal(fw_parameter_parse(&integer, text, &value, &error), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(fw_parameter_parse(&choice, text, &value, &error), FW_RET_INVALID_ARGUMENT);
  char small[3];
  fw_parameter_format(&choice, 1, small, sizeof(small));
  assert_string_equal(small, "gr");
}

static bool is_word(const char * text)
{
  return text[0] != '\0' && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(text);
}

// The registry: names are words and differ, every table is complete and its initial values are valid.
static void every_planner_is_well_described(void ** state)
{
  (void)state;
  assert_true(fw_planner_def_count() >= 2);
  assert_null(fw_planner_def_at(-1));
  assert_null(fw_planner_def_at(fw_planner_def_count()));
  assert_null(fw_planner_def_find("nobody"));
  assert_null(fw_planner_def_find(NULL));
  for (int32_t i = 0; i < fw_planner_def_count(); ++i) {
    const fw_planner_def_t * def = fw_planner_def_at(i);
    assert_true(is_word(def->name));
    assert_ptr_equal(fw_planner_def_find(def->name), def);  // fails if an earlier one has the same name
    assert_true(strlen(def->summary) > 10 && strchr(def->summary, '\n') == NULL);
    assert_true(strlen(def->paper) > 10);
    assert_non_null(def->solve);
    assert_in_range(def->parameter_count, 0, FW_PARAMETERS_MAX);
    for (int32_t p = 0; p < def->parameter_count; ++p) {
      const fw_parameter_def_t * parameter = &def->parameters[p];
      assert_true(is_word(parameter->name));
      assert_true(strlen(parameter->help) > 10);
      assert_true(parameter->min <= parameter->initial && parameter->initial <= parameter->max);
      char text[64];
      int64_t value = -1;
      fw_parameter_format(parameter, parameter->initial, text, sizeof(text));
      assert_int_equal(fw_parameter_parse(parameter, text, &value, NULL), FW_RET_OK);
      assert_int_equal(value, parameter->initial);
      for (int32_t q = 0; q < p; ++q) {
        assert_string_not_equal(parameter->name, def->parameters[q].name);
      }
      for (int64_t c = 0; parameter->type == FW_PARAMETER_CHOICE && c <= parameter->max; ++c) {
        assert_true(is_word(parameter->choices[c]));
      }
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(valid_texts_are_parsed_and_formatted),
    cmocka_unit_test(invalid_texts_are_refused_with_the_reason),
    cmocka_unit_test(a_text_of_any_length_is_safe),
    cmocka_unit_test(every_planner_is_well_described),
  };
  return TEST_RUN(tests);
}
