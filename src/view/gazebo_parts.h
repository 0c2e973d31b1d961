// What the parts of a Gazebo world share.

#ifndef VIEW__GAZEBO_PARTS_H_
#define VIEW__GAZEBO_PARTS_H_

#include "view/gazebo.h"

typedef struct fw__gazebo_words_t {
  const char * file;      // of plugins: "gz-sim" in gz-sim-physics-system
  const char * system;    // the namespace of their classes
  const char * messages;  // the package of message types
} fw__gazebo_words_t;

fw__gazebo_words_t fw__gazebo_words(fw__gazebo_release_t release);
void fw__gazebo_begin(FILE * stream);
void fw__gazebo_write_robot(const fw__gazebo_t * gazebo, int32_t robot, bool is_placed, FILE * stream);

#endif  // VIEW__GAZEBO_PARTS_H_
