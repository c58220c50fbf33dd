/* cli/others_words.h — what fio, filebench and elbencho call an option, for who types it here.
 * Shape    their word in, ours out, both without dashes; a lookup.
 * Limits   the words of one command line each, not all there are.
 * Errors   none; NULL: not among them.       Threads  no state. */
#ifndef LOADLINE_CLI_OTHERS_WORDS_H
#define LOADLINE_CLI_OTHERS_WORDS_H

const char *others_word(const char *theirs);

#endif
