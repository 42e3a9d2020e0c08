/* SPDX-License-Identifier: MIT */
/* /proc/self/mountinfo, see mountinfo.h and proc_pid_mountinfo(5). A line of it:
 *
 *     36 35 0:45 / /home/me/mnt ro,nosuid shared:1 - fuse.ggufs model.gguf ro,user_id=0
 *     id    device mountpoint            optional    type
 */

#include "fs/mountinfo.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* The kernel writes space, tab, newline and backslash as \ooo. In place. */
static void unescape(char *text)
{
    char *out = text;

    for (const char *in = text; *in; out++) {
        if (in[0] == '\\' && in[1] && in[2] && in[3]) {
            *out = (char)((in[1] - '0') << 6 | (in[2] - '0') << 3 | (in[3] - '0'));
            in += 4;
        } else {
            *out = *in++;
        }
    }
    *out = '\0';
}

/* Takes the line apart; true if it is a mount at path. */
static bool line_matches(char *line, const char *path, struct mountinfo *info)
{
    char *rest = line, *point = NULL, *type = strstr(line, " - ");

    if (!type || sscanf(line, "%u %*u %u:%u", &info->id, &info->major, &info->minor) != 3)
        return false;
    for (int field = 0; field < 5; field++)
        point = strsep(&rest, " ");
    if (!point)
        return false;
    unescape(point);
    if (strcmp(point, path) != 0)
        return false;
    type += strlen(" - ");
    snprintf(info->type, sizeof info->type, "%.*s", (int)strcspn(type, " "), type);
    return true;
}

bool mountinfo_search(FILE *file, const char *path, struct mountinfo *info)
{
    struct mountinfo candidate;
    char *line = NULL;
    size_t room = 0;
    bool found = false;

    /* Of several at one place the last one is on top. */
    while (getline(&line, &room, file) >= 0) {
        if (line_matches(line, path, &candidate)) {
            *info = candidate;
            found = true;
        }
    }
    free(line);
    return found;
}

bool mountinfo_find(const char *path, struct mountinfo *info)
{
    FILE *file = fopen("/proc/self/mountinfo", "re");
    bool found;

    if (!file)
        return false;
    found = mountinfo_search(file, path, info);
    fclose(file);
    return found;
}
