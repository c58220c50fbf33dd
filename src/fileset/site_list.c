#include "fileset/site_priv.h"

void site_list_start(struct site_list *list, struct site *site, uint64_t node, char *buf)
{
    *list = (struct site_list){.site = site, .node = node, .buf = buf};
}

int site_list_next(struct site_list *list, const struct target_dirent **out)
{
    const struct target_dirent *entry;

    if (list->pos == list->len) {
        int64_t n = site_do(list->site, (struct op){.kind = OP_READDIR,
                                                    .node = list->node,
                                                    .buf = list->buf,
                                                    .len = SITE_LIST_BYTES,
                                                    .off = list->cookie});
        if (n <= 0)
            return (int)n;
        list->len = (size_t)n;
        list->pos = 0;
    }
    entry = (const struct target_dirent *)(const void *)(list->buf + list->pos);
    list->pos += entry->record_bytes;
    list->cookie = entry->cookie;
    *out = entry;
    return 1;
}
