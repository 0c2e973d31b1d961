// Files that programs keep for later: records.
//
// They are read back and trusted, so only their owner may write them, whatever the process's umask is; others may read.

#ifndef BASE__CREATE_FILE_H_
#define BASE__CREATE_FILE_H_

#include <stdbool.h>
#include <stdio.h>

// An empty file, open for writing. An existing one is emptied, and an error (EEXIST) if it `must_be_new`; a symbolic
// link in its place is not followed (ELOOP). NULL on failure, with errno.
FILE * fw__create_file(const char * path, bool must_be_new);

#endif  // BASE__CREATE_FILE_H_
