/* cli/say_remarks.h — what is wrong with a workload file, on stderr, in the form of compilers.
 * Threads  main thread. */
#ifndef LOADLINE_CLI_SAY_REMARKS_H
#define LOADLINE_CLI_SAY_REMARKS_H

#include "lang/lang.h"

void say_remarks(const struct lang_remarks *remarks);

#endif
