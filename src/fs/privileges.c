/* SPDX-License-Identifier: MIT */
/* Users and capabilities, see privileges.h. The capability calls are made raw: they are
 * two, and a library for them would be one more to need. */

#include "fs/privileges.h"
#include "fs/failure.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct passwd *find_user(const char *user)
{
    const struct passwd *found = getpwnam(user);
    char *end;
    unsigned long number = strtoul(user, &end, 10);

    if (found || *user < '0' || *user > '9' || *end || number >= (uid_t)-1)
        return found;
    return getpwuid((uid_t)number);
}

int privileges_user(struct privileges *privileges, const char *user,
                    struct ggufs_error *error)
{
    const struct passwd *found = find_user(user);
    char quoted[80];

    ggufs_quote(quoted, sizeof quoted, user, strlen(user));
    if (!found)
        return usage_failure(error, "-o setuid=%s: no such user", quoted);
    if (geteuid() != 0 && found->pw_uid != getuid())
        return usage_failure(error, "-o setuid=%s: only root can serve as somebody else",
                             quoted);
    privileges->switch_user = geteuid() == 0;
    privileges->uid = found->pw_uid;
    privileges->gid = found->pw_gid;
    return 0;
}

int privileges_pose(const struct privileges *privileges)
{
    if (!privileges->switch_user)
        return 0;
    if (setresgid(privileges->gid, (gid_t)-1, (gid_t)-1) != 0 ||
        setresuid(privileges->uid, (uid_t)-1, (uid_t)-1) != 0)
        return -errno;
    return 0;
}

int privileges_unpose(const struct privileges *privileges)
{
    if (!privileges->switch_user)
        return 0;
    if (setresuid(0, (uid_t)-1, (uid_t)-1) != 0 ||
        setresgid(0, (gid_t)-1, (gid_t)-1) != 0)
        return -errno;
    return 0;
}

static int become_user(const struct privileges *privileges)
{
    const struct passwd *user = getpwuid(privileges->uid);

    if (user ? initgroups(user->pw_name, privileges->gid) : setgroups(0, NULL))
        return -errno;
    if (setresgid(privileges->gid, privileges->gid, privileges->gid) != 0 ||
        setresuid(privileges->uid, privileges->uid, privileges->uid) != 0)
        return -errno;
    return 0;
}

/* Keeps the capabilities of a mask that are held, and no way to get others back. */
static int limit_capabilities(uint32_t keep)
{
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct data[2];

    if (syscall(SYS_capget, &header, data) != 0)
        return -errno;
    data[0].permitted = data[0].effective = data[0].permitted & keep;
    data[1].permitted = data[1].effective = 0;
    data[0].inheritable = data[1].inheritable = 0;
    return syscall(SYS_capset, &header, data) == 0 ? 0 : -errno;
}

/* Root without capabilities would have them again in a program that it starts. */
static void lock_capabilities(void)
{
    prctl(PR_SET_SECUREBITS,
          SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |
              SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED,
          0, 0, 0);
    for (unsigned long i = 0; prctl(PR_CAPBSET_DROP, i, 0, 0, 0) == 0; i++)
        ;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

int privileges_drop(const struct privileges *privileges)
{
    int result = privileges->switch_user ? become_user(privileges) : 0;

    if (result != 0)
        return result;
    if (privileges->drop) {
        lock_capabilities();
        return limit_capabilities(0);
    }
    if (privileges->all)
        return 0;
    return limit_capabilities(privileges->search ? 1U << CAP_DAC_READ_SEARCH : 0);
}
