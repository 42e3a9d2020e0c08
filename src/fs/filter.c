/* SPDX-License-Identifier: MIT */
/* The seccomp filter: the system calls that serving a tree needs, in two tables: whatever
 * their arguments, and with some only. All others, and those of other architectures, are
 * refused. */

#include "fs/sandbox.h"
#include "fs/sanitized.h"

#include <errno.h>

#include "config.h"

#ifdef HAVE_SECCOMP

#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

/* FUSE_DEV_IOC_CLONE: another descriptor for the same mount. */
#define CLONE_CONNECTION _IOR(229, 0, uint32_t)

/* Which argument holds clone's flags. */
#if defined(__s390__) || defined(__CRIS__)
#define CLONE_FLAGS 1
#else
#define CLONE_FLAGS 0
#endif

/* Namespaces, which a new thread must not get either. */
#define CLONE_NEW                                                                        \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |       \
     CLONE_NEWPID | CLONE_NEWNET)

/* PR_SET_VMA, newer than some headers: the C library may name its memory. */
#define NAME_MEMORY 0x53564d41

enum when { ALWAYS, FOLDERS, CLONE_FD, RINGS, UNSANITIZED, SANITIZERS };

/* Allowed, whatever the arguments. */
static const struct {
    int call;
    enum when when;
} allowed[] = {
    /* requests, answers, models */
    {SCMP_SYS(read), ALWAYS},
    {SCMP_SYS(readv), ALWAYS},
    {SCMP_SYS(write), ALWAYS},
    {SCMP_SYS(writev), ALWAYS},
    {SCMP_SYS(pread64), ALWAYS},
    {SCMP_SYS(preadv), ALWAYS},
    {SCMP_SYS(preadv2), ALWAYS},
    {SCMP_SYS(lseek), ALWAYS},
    {SCMP_SYS(_llseek), ALWAYS},
    {SCMP_SYS(close), ALWAYS},
    {SCMP_SYS(fstat), ALWAYS},
    {SCMP_SYS(fstat64), ALWAYS},
    {SCMP_SYS(newfstatat), ALWAYS},
    {SCMP_SYS(fstatat64), ALWAYS},
    {SCMP_SYS(statx), ALWAYS},
    {SCMP_SYS(fstatfs), ALWAYS},
    {SCMP_SYS(fstatfs64), ALWAYS},
    {SCMP_SYS(fgetxattr), ALWAYS},
    {SCMP_SYS(fadvise64), ALWAYS},
    {SCMP_SYS(fadvise64_64), ALWAYS},
    {SCMP_SYS(arm_fadvise64_64), ALWAYS},
    {SCMP_SYS(readahead), ALWAYS},
    {SCMP_SYS(poll), ALWAYS},
    {SCMP_SYS(ppoll), ALWAYS},
    {SCMP_SYS(ppoll_time64), ALWAYS},
    /* memory */
    {SCMP_SYS(brk), ALWAYS},
    {SCMP_SYS(munmap), ALWAYS},
    {SCMP_SYS(mremap), ALWAYS},
    {SCMP_SYS(madvise), ALWAYS},
    {SCMP_SYS(mincore), ALWAYS},
    {SCMP_SYS(mlock), ALWAYS},
    {SCMP_SYS(mlock2), ALWAYS},
    {SCMP_SYS(munlock), ALWAYS},
    {SCMP_SYS(membarrier), ALWAYS},
    /* threads, signals, time */
    {SCMP_SYS(futex), ALWAYS},
    {SCMP_SYS(futex_time64), ALWAYS},
    {SCMP_SYS(set_robust_list), ALWAYS},
    {SCMP_SYS(rseq), ALWAYS},
    {SCMP_SYS(sched_yield), ALWAYS},
    {SCMP_SYS(sched_getaffinity), ALWAYS},
    {SCMP_SYS(getpid), ALWAYS},
    {SCMP_SYS(gettid), ALWAYS},
    {SCMP_SYS(getuid), ALWAYS},
    {SCMP_SYS(geteuid), ALWAYS},
    {SCMP_SYS(getgid), ALWAYS},
    {SCMP_SYS(getegid), ALWAYS},
    {SCMP_SYS(rt_sigaction), ALWAYS},
    {SCMP_SYS(rt_sigprocmask), ALWAYS},
    {SCMP_SYS(rt_sigreturn), ALWAYS},
    {SCMP_SYS(sigreturn), ALWAYS},
    {SCMP_SYS(sigaltstack), ALWAYS},
    {SCMP_SYS(restart_syscall), ALWAYS},
    {SCMP_SYS(clock_gettime), ALWAYS},
    {SCMP_SYS(clock_gettime64), ALWAYS},
    {SCMP_SYS(clock_nanosleep), ALWAYS},
    {SCMP_SYS(clock_nanosleep_time64), ALWAYS},
    {SCMP_SYS(nanosleep), ALWAYS},
    {SCMP_SYS(gettimeofday), ALWAYS},
    {SCMP_SYS(getrandom), ALWAYS},
    {SCMP_SYS(uname), ALWAYS},
    {SCMP_SYS(sysinfo), ALWAYS},
    {SCMP_SYS(exit), ALWAYS},
    {SCMP_SYS(exit_group), ALWAYS},
    /* models that are opened later: Landlock says where, and the table below how */
    {SCMP_SYS(stat), FOLDERS},
    {SCMP_SYS(lstat), FOLDERS},
    {SCMP_SYS(stat64), FOLDERS},
    {SCMP_SYS(lstat64), FOLDERS},
    {SCMP_SYS(access), FOLDERS},
    {SCMP_SYS(faccessat), FOLDERS},
    {SCMP_SYS(faccessat2), FOLDERS},
    {SCMP_SYS(readlink), FOLDERS},
    {SCMP_SYS(readlinkat), FOLDERS},
    {SCMP_SYS(getdents), FOLDERS},
    {SCMP_SYS(getdents64), FOLDERS},
    {SCMP_SYS(getcwd), FOLDERS},
    {SCMP_SYS(dup), FOLDERS},
    {SCMP_SYS(dup3), FOLDERS},
    /* for a ring that is there: none can be set up */
    {SCMP_SYS(io_uring_enter), RINGS},
    /* what the sanitizers' own code does beside */
    {SCMP_SYS(open), SANITIZERS},
    {SCMP_SYS(openat), SANITIZERS},
    {SCMP_SYS(fcntl), SANITIZERS},
    {SCMP_SYS(fcntl64), SANITIZERS},
    {SCMP_SYS(prctl), SANITIZERS},
    {SCMP_SYS(readlink), SANITIZERS},
    {SCMP_SYS(pipe), SANITIZERS},
    {SCMP_SYS(pipe2), SANITIZERS},
    {SCMP_SYS(dup2), SANITIZERS},
    {SCMP_SYS(getppid), SANITIZERS},
    {SCMP_SYS(getrlimit), SANITIZERS},
    {SCMP_SYS(prlimit64), SANITIZERS},
    {SCMP_SYS(process_vm_readv), SANITIZERS},
    {SCMP_SYS(getdents), SANITIZERS},
    {SCMP_SYS(getdents64), SANITIZERS},
    {SCMP_SYS(clone), SANITIZERS},
    {SCMP_SYS(ptrace), SANITIZERS},
    {SCMP_SYS(wait4), SANITIZERS},
};

static bool applies(enum when when, const struct sandbox *sandbox)
{
    switch (when) {
    case ALWAYS: return true;
    case FOLDERS: return sandbox->folders && *sandbox->folders;
    case CLONE_FD: return sandbox->clone_device;
    case UNSANITIZED: return !SANITIZED;
    case RINGS: return sandbox->rings;
    case SANITIZERS: return SANITIZED;
    }
    return false;
}

static int allow_calls(scmp_filter_ctx filter, const struct sandbox *sandbox)
{
    int result = 0;

    for (size_t i = 0; i < sizeof allowed / sizeof *allowed && result == 0; i++)
        if (applies(allowed[i].when, sandbox))
            result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i].call, 0);
    return result;
}

/* Allowed where an argument's bits under the mask are these: memory that is not code,
 * threads but no processes, files for reading, and of what fcntl and prctl can do that
 * which asks or names. (A descriptor's owner would get signals, in our name.) */
static const struct {
    int call;
    unsigned argument;
    uint64_t mask, bits;
    enum when when;
} limited[] = {
    {SCMP_SYS(mmap), 2, PROT_EXEC, 0, ALWAYS},
    {SCMP_SYS(mmap2), 2, PROT_EXEC, 0, ALWAYS},
    {SCMP_SYS(mprotect), 2, PROT_EXEC, 0, ALWAYS},
    {SCMP_SYS(clone), CLONE_FLAGS, CLONE_THREAD | CLONE_NEW, CLONE_THREAD, UNSANITIZED},
    {SCMP_SYS(ioctl), 1, UINT32_MAX, CLONE_CONNECTION, ALWAYS},
    {SCMP_SYS(open), 1, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY, FOLDERS},
    {SCMP_SYS(openat), 2, O_ACCMODE | O_CREAT | O_TRUNC, O_RDONLY, FOLDERS},
    /* a thread's own descriptor of /dev/fuse */
    {SCMP_SYS(open), 1, O_ACCMODE | O_CREAT | O_TRUNC, O_RDWR, CLONE_FD},
    {SCMP_SYS(openat), 2, O_ACCMODE | O_CREAT | O_TRUNC, O_RDWR, CLONE_FD},
    {SCMP_SYS(fcntl), 1, UINT32_MAX, F_DUPFD, UNSANITIZED},
    {SCMP_SYS(fcntl), 1, UINT32_MAX, F_DUPFD_CLOEXEC, UNSANITIZED},
    {SCMP_SYS(fcntl), 1, UINT32_MAX, F_GETFD, UNSANITIZED},
    {SCMP_SYS(fcntl), 1, UINT32_MAX, F_SETFD, UNSANITIZED},
    {SCMP_SYS(fcntl), 1, UINT32_MAX, F_GETFL, UNSANITIZED},
    {SCMP_SYS(fcntl64), 1, UINT32_MAX, F_DUPFD, UNSANITIZED},
    {SCMP_SYS(fcntl64), 1, UINT32_MAX, F_DUPFD_CLOEXEC, UNSANITIZED},
    {SCMP_SYS(fcntl64), 1, UINT32_MAX, F_GETFD, UNSANITIZED},
    {SCMP_SYS(fcntl64), 1, UINT32_MAX, F_SETFD, UNSANITIZED},
    {SCMP_SYS(fcntl64), 1, UINT32_MAX, F_GETFL, UNSANITIZED},
    {SCMP_SYS(prctl), 0, UINT32_MAX, PR_GET_DUMPABLE, UNSANITIZED},
    {SCMP_SYS(prctl), 0, UINT32_MAX, PR_GET_NO_NEW_PRIVS, UNSANITIZED},
    {SCMP_SYS(prctl), 0, UINT32_MAX, PR_SET_NAME, UNSANITIZED},
    {SCMP_SYS(prctl), 0, UINT32_MAX, NAME_MEMORY, UNSANITIZED},
};

static int allow_if(scmp_filter_ctx filter, int call, struct scmp_arg_cmp condition)
{
    return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 1, &condition);
}

static int allow_limited(scmp_filter_ctx filter, const struct sandbox *sandbox)
{
    int result = 0;

    for (size_t i = 0; i < sizeof limited / sizeof *limited && result == 0; i++)
        if (applies(limited[i].when, sandbox))
            result = allow_if(filter, limited[i].call,
                              SCMP_CMP(limited[i].argument, SCMP_CMP_MASKED_EQ,
                                       limited[i].mask, limited[i].bits));
    return result;
}

/* Signals to ourselves. And what has its flags in memory, out of a filter's sight: as if
 * the kernel did not know it, the C library falls back on the call that has not. */
static int allow_the_rest(scmp_filter_ctx filter)
{
    static const int unseen[] = {SCMP_SYS(clone3), SCMP_SYS(openat2)};
    int result =
        allow_if(filter, SCMP_SYS(tgkill), SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));

    for (size_t i = 0; i < sizeof unseen / sizeof *unseen && result == 0; i++)
        result = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), unseen[i], 0);
    return result;
}

int filter_enter(const struct sandbox *sandbox)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int result = 0;

    if (!filter)
        return -ENOMEM;
    if (sandbox->rings) /* for their threads as well */
        result = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    if (result == 0)
        result = allow_calls(filter, sandbox);
    if (result == 0)
        result = allow_limited(filter, sandbox);
    if (result == 0)
        result = allow_the_rest(filter);
    if (result == 0)
        result = seccomp_load(filter);
    seccomp_release(filter);
    return result;
}

#else

int filter_enter(const struct sandbox *sandbox)
{
    (void)sandbox;
    return -ENOSYS;
}

#endif
