#include "cli/table.h"

#include "base/shown.h"
#include "base/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COLUMNS_MAX 24
#define WIDTH       80
#define GAP         2
#define GIVES_MIN   8

void table_init(struct table *t, const struct table_column *column, unsigned columns)
{
    *t = (struct table){.column = column, .columns = columns};
}

void table_fini(struct table *t)
{
    for (unsigned i = 0; i < t->cells; i++)
        free(t->cell[i]);
    free(t->cell);
    t->cell = NULL;
    t->cells = 0;
}

static void take(struct table *t, char *cell)
{
    if (cell && t->cells == t->room) {
        unsigned room = t->room ? 2 * t->room : 64;
        char **more = realloc(t->cell, room * sizeof *more);
        if (more) {
            t->cell = more;
            t->room = room;
        }
    }
    if (!cell || t->cells == t->room) {
        free(cell);
        t->failed = true;
        return;
    }
    t->cell[t->cells++] = cell;
}

/* Labels and addresses come from outside. */
void table_add(struct table *t, const char *cell)
{
    struct text text;
    text_init(&text);
    text_add_shown(&text, cell ? cell : "");
    take(t, text_take(&text));
}

void table_addf(struct table *t, const char *fmt, ...)
{
    struct text text;
    va_list ap;
    text_init(&text);
    va_start(ap, fmt);
    text_addv(&text, fmt, ap);
    va_end(ap);
    take(t, text_take(&text));
}

void table_add_count(struct table *t, uint64_t count)
{
    table_addf(t, "%" PRIu64, count);
}

void table_add_when(struct table *t, uint64_t wall_ns)
{
    time_t seconds = (time_t)(wall_ns / 1000000000u);
    struct tm tm;
    char when[32] = "-";
    if (wall_ns > 0 && localtime_r(&seconds, &tm) &&
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", &tm) == 0)
        when[0] = '\0';
    table_add(t, when);
}

/* ---- for machines ---- */

static void add_csv(struct text *out, const char *s)
{
    bool quoted = strpbrk(s, ",\"");
    char shown[SHOWN_MAX];
    text_add(out, quoted ? "\"" : "");
    for (size_t len; (len = shown_next(s, shown)) > 0; s += len)
        text_add(out, *s == '"' ? "\"\"" : shown);
    text_add(out, quoted ? "\"" : "");
}

static void print_csv(struct text *out, const struct table *t)
{
    const char *between = "";
    for (unsigned c = 0; c < t->columns; c++) {
        if (!t->column[c].key)
            continue;
        text_addf(out, "%s%s", between, t->column[c].key);
        between = ",";
    }
    text_add(out, "\n");
    for (unsigned i = 0; i < t->cells; i++) {
        unsigned c = i % t->columns;
        between = c == 0 ? "" : between;
        if (t->column[c].key) {
            text_add(out, between);
            add_csv(out, t->cell[i]);
            between = ",";
        }
        if (c + 1 == t->columns)
            text_add(out, "\n");
    }
}

static void add_json(struct text *out, const struct table_column *column, const char *cell)
{
    text_addf(out, "\"%s\":", column->key);
    if (!column->number)
        text_add_json_string(out, cell);
    else
        text_add(out, *cell ? cell : "null");
}

static void print_json(struct text *out, const struct table *t)
{
    const char *between = "";
    text_add(out, "[");
    for (unsigned i = 0; i < t->cells; i++) {
        unsigned c = i % t->columns;
        if (c == 0) {
            text_add(out, i ? ",\n{" : "\n{");
            between = "";
        }
        if (t->column[c].key) {
            text_add(out, between);
            add_json(out, &t->column[c], t->cell[i]);
            between = ",";
        }
        text_add(out, c + 1 == t->columns ? "}" : "");
    }
    text_add(out, t->cells ? "\n]\n" : "]\n");
}

/* ---- for people ---- */

static bool starts_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

static unsigned width_of(const char *s)
{
    unsigned width = 0;
    for (; *s; s++)
        width += starts_character(*s);
    return width;
}

/* Where the character with that number begins. */
static const char *character(const char *s, unsigned number)
{
    for (; *s; s++)
        if (starts_character(*s) && number-- == 0)
            break;
    return s;
}

static void add_short(struct text *out, const char *s, unsigned room)
{
    unsigned width = width_of(s);
    if (width <= room) {
        text_add(out, s);
        return;
    }
    unsigned front = (room - 3) / 2, back = room - 3 - front;
    text_add_bytes(out, s, (size_t)(character(s, front) - s));
    text_add(out, "...");
    text_add(out, character(s, width - back));
}

static void find_widths(const struct table *t, bool wide, unsigned width[COLUMNS_MAX])
{
    unsigned sum = 0;
    for (unsigned c = 0; c < t->columns; c++) {
        width[c] = t->column[c].head ? width_of(t->column[c].head) : 0;
        for (unsigned i = c; t->column[c].head && i < t->cells; i += t->columns) {
            unsigned w = width_of(t->cell[i]);
            width[c] = w > width[c] ? w : width[c];
        }
        sum += t->column[c].head ? width[c] + (sum ? GAP : 0) : 0;
    }
    unsigned over = wide || sum <= WIDTH ? 0 : sum - WIDTH;
    for (unsigned c = t->columns; c-- > 0 && over > 0;) {
        unsigned can = t->column[c].gives && width[c] > GIVES_MIN ? width[c] - GIVES_MIN : 0;
        unsigned less = can < over ? can : over;
        width[c] -= less;
        over -= less;
    }
}

/* cell NULL: the headings. Blanks at the end of a line are left out. */
static void print_line(struct text *out, const struct table *t, char *const *cell,
                       const unsigned width[COLUMNS_MAX])
{
    unsigned owed = 0;
    bool first = true;
    for (unsigned c = 0; c < t->columns; c++) {
        const char *s = cell ? cell[c] : t->column[c].head;
        if (!t->column[c].head)
            continue;
        unsigned used = width_of(s) < width[c] ? width_of(s) : width[c];
        owed += first ? 0 : GAP;
        first = false;
        owed += t->column[c].right ? width[c] - used : 0;
        if (*s) {
            text_addf(out, "%*s", (int)owed, "");
            add_short(out, s, width[c]);
            owed = 0;
        } else {
            owed += used;
        }
        owed += t->column[c].right ? 0 : width[c] - used;
    }
    text_add(out, "\n");
}

static void print_text(struct text *out, const struct table *t, bool wide)
{
    unsigned width[COLUMNS_MAX];
    find_widths(t, wide, width);
    print_line(out, t, NULL, width);
    for (unsigned i = 0; i + t->columns <= t->cells; i += t->columns)
        print_line(out, t, t->cell + i, width);
}

static void print_md(struct text *out, const struct table *t)
{
    for (unsigned i = 0; i < t->columns; i++)
        if (t->column[i].head)
            text_addf(out, "| %s ", t->column[i].head);
    text_add(out, "|\n");
    for (unsigned i = 0; i < t->columns; i++)
        if (t->column[i].head)
            text_add(out, t->column[i].right ? "|---:" : "|:---");
    text_add(out, "|\n");
    for (unsigned i = 0; i < t->cells; i++) {
        unsigned c = i % t->columns;
        if (t->column[c].head) {
            text_add(out, "| ");
            text_add_md(out, t->cell[i]);
            text_add(out, " ");
        }
        text_add(out, c + 1 == t->columns ? "|\n" : "");
    }
}

void table_print(struct text *out, const struct table *t, enum report_format format, bool wide)
{
    out->failed = out->failed || t->failed;
    switch (format) {
    case REPORT_JSON:
        print_json(out, t);
        break;
    case REPORT_CSV:
        print_csv(out, t);
        break;
    case REPORT_MD:
        print_md(out, t);
        break;
    case REPORT_TEXT:
        print_text(out, t, wide);
        break;
    }
}
