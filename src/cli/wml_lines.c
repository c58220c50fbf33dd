#include "cli/wml_lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <editline/readline.h>

bool wml_lines_typed(void)
{
    return isatty(STDIN_FILENO);
}

/* libedit shows the prompt and then takes the terminal out of the mode in which a key means the end of
 * input; one that was hit in between arrived as a zero byte, and was lost. So: before the prompt. */
static int take_terminal(void)
{
    rl_prep_terminal(1);
    return 0;
}

static int edit(bool more, char **line, size_t *len)
{
    /* stdout is for answers alone. */
    rl_outstream = stderr;
    rl_pre_input_hook = take_terminal;
    *line = readline(more ? "> " : "loadline> ");
    if (!*line) {
        fputc('\n', stderr);
        return 0;
    }
    *len = strlen(*line);
    if (*len > 0)
        add_history(*line);
    return 1;
}

static int read_plain(char **line, size_t *len)
{
    size_t room = 0;
    *line = NULL;
    errno = 0;
    ssize_t got = getline(line, &room, stdin);
    if (got < 0) {
        int rc = feof(stdin) ? 0 : errno ? -errno : -EIO;
        free(*line);
        *line = NULL;
        return rc;
    }
    *len = (size_t)got - (got > 0 && (*line)[got - 1] == '\n');
    return 1;
}

int wml_lines_next(bool more, char **line, size_t *len)
{
    bool editing = isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
    return editing ? edit(more, line, len) : read_plain(line, len);
}
