/* cli/announce.h — what a study is going to do, told before it does.
 * Shape    an intent in, notes on stderr out.    Threads  main thread. */
#ifndef LOADLINE_CLI_ANNOUNCE_H
#define LOADLINE_CLI_ANNOUNCE_H

#include "study/study.h"

/* kept: whether results go to a store. */
void announce_study(const struct study_intent *intent, bool kept);
/* "/mnt/a, /mnt/b"; the caller's to free(), NULL without memory. */
char *announce_targets(const struct study_intent *intent);

#endif
