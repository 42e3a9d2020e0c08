/* SPDX-License-Identifier: MIT */
/* Landlock: no file can be opened any more, but for reading below the sandbox's folders;
 * no TCP port, no abstract socket, no signal to outside where the kernel can refuse
 * those. The numbers are the kernel's (linux/landlock.h), spelled out here since headers
 * in use lack the later ones; the system calls have the same number on every
 * architecture. */

#include "fs/sandbox.h"
#include "fs/sanitized.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    CREATE_RULESET = 444,
    ADD_RULE = 445,
    RESTRICT_SELF = 446,
    WANT_VERSION = 1, /* flag of CREATE_RULESET */
    PATH_BENEATH = 1, /* type of rule */
};

#define READ_FILE  (1ULL << 2)
#define READ_DIR   (1ULL << 3)
#define WRITE_FILE (1ULL << 1)
#define IOCTL_DEV  (1ULL << 15)

/* Longer with every version of the interface; a kernel refuses more than it knows. */
struct ruleset {
    uint64_t files;  /* rights on files that are refused where no rule gives them */
    uint64_t ports;  /* rights on TCP ports, likewise; from version 4 */
    uint64_t scoped; /* what must not be reached outside the sandbox; from version 6 */
};

struct path_rule {
    uint64_t rights;
    int32_t folder;
} __attribute__((packed));

/* What is new in a version, on top of those before. */
static const struct {
    long version;
    struct ruleset adds;
    size_t size;
} versions[] = {
    {1, {0x1fff, 0, 0}, 8},  /* 13 rights: execute, write, read, make and remove things */
    {2, {1 << 13, 0, 0}, 8}, /* refer: link and rename between directories */
    {3, {1 << 14, 0, 0}, 8}, /* truncate */
    {4, {0, 3, 0}, 16},      /* bind and connect TCP */
    {5, {IOCTL_DEV, 0, 0}, 16}, {6, {0, 0, 3}, 24}, /* abstract UNIX sockets, signals */
};

/* Fills rules with all that a kernel of that version can refuse; returns their size. */
static size_t refuse_all(long version, struct ruleset *rules)
{
    size_t size = 0;

    *rules = (struct ruleset){0};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        if (versions[i].version > version)
            break;
        rules->files |= versions[i].adds.files;
        rules->ports |= versions[i].adds.ports;
        rules->scoped |= versions[i].adds.scoped;
        size = versions[i].size;
    }
    return size;
}

static int allow_below(int ruleset, const char *path, uint64_t rights)
{
    struct path_rule rule = {.rights = rights};
    struct stat st;
    int result = 0;

    rule.folder = open(path, O_PATH | O_CLOEXEC);
    if (rule.folder < 0)
        return -errno;
    if (fstat(rule.folder, &st) == 0 && !S_ISDIR(st.st_mode))
        rule.rights &= ~READ_DIR;
    if (syscall(ADD_RULE, ruleset, PATH_BENEATH, &rule, 0) != 0)
        result = -errno;
    close(rule.folder);
    return result;
}

/* A folder that is not there now gets no rule: what appears there later stays closed. */
static int allow_folder(int ruleset, const char *path)
{
    int result = allow_below(ruleset, path, READ_FILE | READ_DIR);

    return result == -ENOENT || result == -ENOTDIR || result == -EACCES ? 0 : result;
}

static int allow_what_is_needed(int ruleset, const struct ruleset *rules,
                                const struct sandbox *sandbox)
{
    const char *const *folder = sandbox->folders;
    int result = 0;

    for (; folder && *folder && result == 0; folder++)
        result = allow_folder(ruleset, *folder);
    if (result == 0 && SANITIZED)
        result = allow_below(ruleset, "/proc", READ_FILE | READ_DIR);
    if (result == 0 && sandbox->rings) /* which processors there are */
        result = allow_folder(ruleset, "/sys/devices/system");
    if (result == 0 && sandbox->clone_device)
        result = allow_below(ruleset, "/dev/fuse",
                             READ_FILE | WRITE_FILE | (rules->files & IOCTL_DEV));
    return result;
}

int landlock_enter(const struct sandbox *sandbox)
{
    struct ruleset rules;
    long version = syscall(CREATE_RULESET, NULL, 0, WANT_VERSION);
    int ruleset, result;

    if (version < 1)
        return version < 0 ? -errno : -ENOSYS;
    ruleset = (int)syscall(CREATE_RULESET, &rules, refuse_all(version, &rules), 0);
    if (ruleset < 0)
        return -errno;
    result = allow_what_is_needed(ruleset, &rules, sandbox);
    if (result == 0 && syscall(RESTRICT_SELF, ruleset, 0) != 0)
        result = -errno;
    close(ruleset);
    return result;
}
