/* SPDX-License-Identifier: MIT */
/* Runs a program as a kernel would that lacks something: the system calls for it fail as they do
 * there. It does so by a seccomp filter, which the program inherits, and needs to be root.
 *
 *     without THING... -- PROGRAM [ARGUMENT]... */

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { ANY = 0, LANDLOCK_CREATE_RULESET = 444 };

/* A system call that fails, whatever its first argument or for one. */
static const struct call {
    const char *thing;
    unsigned int number;
    unsigned int first;
    unsigned int error;
} calls[] = {
    {"landlock", LANDLOCK_CREATE_RULESET, ANY, ENOSYS},
    {"seccomp", SYS_seccomp, ANY, ENOSYS},
    {"seccomp", SYS_prctl, PR_SET_SECCOMP, EINVAL},
    {"no_new_privs", SYS_prctl, PR_SET_NO_NEW_PRIVS, EINVAL},
    {"dumpable", SYS_prctl, PR_SET_DUMPABLE, EINVAL},
};

static int take_away(const struct call *call)
{
    /* The low half of the first argument is all that these calls look at. */
    const unsigned int half = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 4;
    const unsigned int first = offsetof(struct seccomp_data, args) + half;
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->number, 0, 4),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, first),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call->first, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JA, call->first == ANY ? 0 : 1, 0, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | call->error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof program / sizeof *program, program};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0);
}

/* Of seccomp the second row ends what can be taken away: it is to be named last. */
static int take_away_all(const char *thing)
{
    int known = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strcmp(calls[i].thing, thing) != 0)
            continue;
        known = 1;
        if (take_away(&calls[i]) != 0) {
            perror("without");
            return -1;
        }
    }
    if (!known)
        fprintf(stderr, "without: %s is not known\n", thing);
    return known ? 0 : -1;
}

int main(int argc, char **argv)
{
    int i = 1;
    for (; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (take_away_all(argv[i]) != 0)
            return 1;
    if (i + 1 >= argc) {
        fputs("usage: without THING... -- PROGRAM [ARGUMENT]...\n", stderr);
        return 2;
    }
    execv(argv[i + 1], argv + i + 1);
    perror(argv[i + 1]);
    return 1;
}
