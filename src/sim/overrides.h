// Overrides: which of the parameter values given in files and on the command line are meant for a node.

#ifndef SIM__OVERRIDES_H_
#define SIM__OVERRIDES_H_

#include <stdbool.h>

// Is the node with the full name `name` ("/fleet/fleet_sim") meant by `pattern` ("/**", "/*/fleet_sim")?
// `*` stands for one token between slashes, `**` for any number of them.
bool fw__node_name_matches(const char * pattern, const char * name);

#endif  // SIM__OVERRIDES_H_
