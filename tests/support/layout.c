/* SPDX-License-Identifier: MIT */
/* Laying out files, and telling what was found among them. */

#include "support/layout.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

void layout_new(struct layout *layout)
{
    const char *base = getenv("TMPDIR");
    char name[200];
    snprintf(name, sizeof(name), "%s/ggufs-stores-XXXXXX", base && *base ? base : "/tmp");
    assert_non_null(mkdtemp(name));
    char *real = realpath(name, NULL);
    assert_non_null(real);
    snprintf(layout->root, sizeof(layout->root), "%s", real);
    free(real);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static int open_up(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)ftw;
    if (type == FTW_DNR || (type == FTW_D && (st->st_mode & 0700) != 0700))
        chmod(path, 0700);
    return 0;
}

void layout_free(struct layout *layout)
{
    nftw(layout->root, open_up, 16, FTW_PHYS);
    assert_int_equal(nftw(layout->root, remove_one, 16, FTW_PHYS | FTW_DEPTH), 0);
}

const char *layout_path(const struct layout *layout, const char *path)
{
    static char buffers[16][4096];
    static unsigned next;
    char *buffer = buffers[next++ % 16];
    snprintf(buffer, sizeof(buffers[0]), "%s%s%s", layout->root, *path ? "/" : "", path);
    return buffer;
}

/* All directories of a path but its last part. */
static void make_parents(const struct layout *layout, const char *path)
{
    char full[4096];
    snprintf(full, sizeof(full), "%s", layout_path(layout, path));
    for (char *p = full + strlen(layout->root) + 1; (p = strchr(p, '/')); p++) {
        *p = '\0';
        mkdir(full, 0755);
        *p = '/';
    }
}

void layout_directory(const struct layout *layout, const char *path)
{
    make_parents(layout, path);
    assert_int_equal(mkdir(layout_path(layout, path), 0755), 0);
}

void layout_file(const struct layout *layout, const char *path, const char *text)
{
    make_parents(layout, path);
    FILE *file = fopen(layout_path(layout, path), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

void layout_link(const struct layout *layout, const char *path, const char *target)
{
    make_parents(layout, path);
    assert_int_equal(symlink(target, layout_path(layout, path)), 0);
}

void layout_fifo(const struct layout *layout, const char *path)
{
    make_parents(layout, path);
    assert_int_equal(mkfifo(layout_path(layout, path), 0644), 0);
}

bool layout_close(const struct layout *layout, const char *path)
{
    assert_int_equal(chmod(layout->root, 0755), 0);
    bool modes_count =
        getuid() != 0 || (seteuid(65534) == 0 && eaccess(layout->root, R_OK | X_OK) == 0);
    layout_root_again();
    assert_int_equal(chmod(layout_path(layout, path), 0), 0);
    if (!modes_count)
        print_message("# root cannot stop being root here\n");
    else if (getuid() == 0)
        assert_int_equal(seteuid(65534), 0);
    return modes_count;
}

void layout_root_again(void)
{
    assert_int_equal(seteuid(getuid()), 0);
}

/* What stands behind root/ in an absolute path, "." for root itself. */
static const char *inside(const struct layout *layout, const char *path)
{
    size_t length = strlen(layout->root);
    if (strncmp(path, layout->root, length) != 0)
        return path;
    if (path[length] == '/')
        return path + length + 1;
    return path[length] == '\0' ? "." : path;
}

char *layout_text(const struct layout *layout, const struct found_list *list)
{
    static const char *const kinds[] = {"", " projector", " adapter"};
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (size_t i = 0; i < list->count; i++) {
        const struct found *found = &list->items[i];
        if (found->trouble) {
            fprintf(out, "%s ! %s\n", found->name, inside(layout, found->trouble));
            continue;
        }
        fprintf(out, "%s = %s %ju", found->name, inside(layout, found->path),
                (uintmax_t)found->size);
        if (found->files != 1 || found->set)
            fprintf(out, " (%u files)", found->files);
        fprintf(out, "%s\n", kinds[found->kind]);
    }
    fclose(out);
    return text;
}

char *layout_folders(const struct layout *layout, const struct places *places)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (size_t i = 0; i < places->n_folders; i++)
        fprintf(out, "%s\n", inside(layout, places->folders[i]));
    fclose(out);
    return text;
}
