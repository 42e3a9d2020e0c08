/* SPDX-License-Identifier: MIT */
/* Names out of any bytes: each is legal for a filesystem, leads back to its bytes where it was
 * not cut, is another one than all others of its directory, and is found again. And quoting:
 * what it gives is fit for a terminal.
 *
 * Input: a byte that separates the names of a list, one that says how long names may be, the
 * list. */

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "harness.h"
#include "tree/names.h"
#include "tree/naming.h"

static void expect_legal(const char *name, size_t length, size_t room)
{
    expect(length > 0 && length <= room);
    expect(utf8_valid(name, length));
    for (size_t i = 0; i < length; i++)
        expect((unsigned char)name[i] >= 0x20 && name[i] != 0x7f && name[i] != '/');
    expect(!(length == 1 && name[0] == '.'));
    expect(!(length == 2 && name[0] == '.' && name[1] == '.'));
}

static bool was_cut(const char *name, size_t length)
{
    return length >= 18 && memcmp(name + length - 18, "%~", 2) == 0;
}

/* ---- one name ---- */

static void check_back(const char *name, size_t length, const char *bytes, size_t size)
{
    size_t back_size;
    char *back = exact_alloc(length);
    bool uncut = name_unescape(name, length, back, &back_size);
    expect(uncut == !was_cut(name, length));
    if (uncut)
        expect(back_size == size && memcmp(back, bytes, size) == 0);
    free(back);
}

static void check_name(const char *bytes, size_t size, size_t room)
{
    char *name = exact_alloc(room + 1);
    size_t length = name_escape(bytes, size, name, room);
    expect(name[length] == '\0');
    expect_legal(name, length, room);
    check_back(name, length, bytes, size);
    expect(name_is_plain(bytes, size, room) ==
           (length == size && memcmp(name, bytes, size) == 0));
    free(name);
}

/* Any bytes as a file name: what is taken for one is what name_escape writes. */
static void check_unescape(const char *bytes, size_t size)
{
    char again[NAME_MAX_BYTES + 1];
    size_t back_size, length;
    char *back = exact_alloc(size);
    if (size <= NAME_MAX_BYTES && name_unescape(bytes, size, back, &back_size)) {
        length = name_escape(back, back_size, again, NAME_MAX_BYTES);
        expect(length == size && memcmp(again, bytes, size) == 0);
    }
    free(back);
}

static void check_quote(const char *bytes, size_t size)
{
    for (size_t room = 1; room < 200; room += room < 8 ? 1 : 61) {
        char *quoted = exact_alloc(room);
        expect(ggufs_quote(quoted, room, bytes, size) == quoted);
        expect(strlen(quoted) < room);
        if (quoted[0] != '\0')
            expect_line(quoted);
        free(quoted);
    }
}

/* ---- a list ---- */

struct list {
    size_t count;
    struct name *names;
};

static struct name list_name(const void *owner, uint32_t i)
{
    return ((const struct list *)owner)->names[i];
}

static void cut_list(struct list *list, const char *bytes, size_t size, char separator)
{
    list->count = 0;
    list->names = exact_alloc((size + 1) * sizeof(*list->names));
    for (;;) {
        const char *end = size > 0 ? memchr(bytes, separator, size) : NULL;
        size_t length = end ? (size_t)(end - bytes) : size;
        list->names[list->count++] = (struct name){bytes, length};
        if (end == NULL)
            break;
        bytes += length + 1;
        size -= length + 1;
    }
}

static int compare(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    size_t shorter = x->length < y->length ? x->length : y->length;
    int order = memcmp(x->bytes, y->bytes, shorter);
    return order ? order : (x->length > y->length) - (x->length < y->length);
}

static void check_unique(const struct naming *naming)
{
    struct name *names = exact_alloc(naming->count * sizeof(*names));
    for (uint32_t i = 0; i < naming->count; i++)
        names[i] = naming_name(naming, i);
    qsort(names, naming->count, sizeof(*names), compare);
    for (size_t i = 1; i < naming->count; i++)
        expect(compare(&names[i - 1], &names[i]) != 0);
    free(names);
}

static void check_same(const struct naming *a, const struct naming *b)
{
    for (uint32_t i = 0; i < a->count; i++) {
        struct name x = naming_name(a, i), y = naming_name(b, i);
        expect(compare(&x, &y) == 0);
    }
}

static void check_naming(const struct naming *naming, const struct list *list)
{
    for (uint32_t i = 0; i < naming->count; i++) {
        struct name name = naming_name(naming, i), raw = list->names[i];
        expect_legal(name.bytes, name.length, naming->room);
        expect(naming_find(naming, name.bytes, name.length) == i);
        expect(naming_is_raw(naming, i) == (compare(&name, &raw) == 0));
    }
    check_unique(naming);
}

static void check_list(const struct list *list, size_t room)
{
    struct naming naming, again;
    struct table known;
    expect(table_init(&known, list->count, list_name, list) == 0);
    for (uint32_t i = 0; i < list->count; i++)
        table_add(&known, i);
    expect(naming_init(&naming, list->count, room, list_name, list, NULL) == 0);
    check_naming(&naming, list);
    expect(naming_init(&again, list->count, room, list_name, list, &known) == 0);
    check_naming(&again, list);
    check_same(&naming, &again);
    naming_done(&naming);
    naming_done(&again);
    table_done(&known);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct list list;
    if (size < 2)
        return 0;
    size_t room = 48 + bytes[1] % (NAME_MAX_BYTES - 47);
    char *text = exact_copy(bytes + 2, size - 2);
    check_name(text, size - 2, NAME_MAX_BYTES);
    check_name(text, size - 2, room);
    check_unescape(text, size - 2);
    check_quote(text, size - 2);
    cut_list(&list, text, size - 2, (char)bytes[0]);
    check_list(&list, room);
    free(list.names);
    free(text);
    return 0;
}

static void visit_text(seed_visit_fn *visit, void *data, const char *name,
                       const char *text)
{
    visit(data, name, text, strlen(text));
}

void harness_seeds(seed_visit_fn *visit, void *data)
{
    char longs[800];
    memset(longs, 'x', sizeof(longs));
    longs[0] = longs[270] = longs[535] = longs[790] = '\n';
    visit_text(visit, data, "list",
               "\n\xff"
               "a\na\na%2\n\n.\n..\na/b\n%\n%2F\n\xc3\xbc");
    visit_text(visit, data, "bad-utf8", "\n\xff\xc0\xaf\n\xed\xa0\x80\n\xf4\x90\x80\x80");
    visit_text(visit, data, "short-room",
               "\n\x01\xf0\x9f\xa6\x99%~0123456789abcdef\nq%3");
    visit(data, "long", longs, sizeof(longs));
    visit(data, "nothing", "\n\xff", 2);
}
