/* SPDX-License-Identifier: MIT */
/* The seccomp filter: the system calls that serving a tree needs, in one table. All
 * others, and those of other architectures, are refused. */

#include "fs/sandbox.h"
#include "fs/sanitized.h"

#include <errno.h>

#include "config.h"

#ifdef HAVE_SECCOMP

#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* FUSE_DEV_IOC_CLONE: another descriptor for the same mount. */
#define CLONE_CONNECTION _IOR(229, 0, uint32_t)

/* Which argument holds clone's flags. */
#if defined(__s390__) || defined(__CRIS__)
#define CLONE_FLAGS 1
#else
#define CLONE_FLAGS 0
#endif

enum when { ALWAYS, FOLDERS, CLONE_FD, SANITIZERS };

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
    {SCMP_SYS(fcntl), ALWAYS},
    {SCMP_SYS(fcntl64), ALWAYS},
    {SCMP_SYS(fgetxattr), ALWAYS},
    {SCMP_SYS(fadvise64), ALWAYS},
    {SCMP_SYS(fadvise64_64), ALWAYS},
    {SCMP_SYS(arm_fadvise64_64), ALWAYS},
    {SCMP_SYS(readahead), ALWAYS},
    {SCMP_SYS(poll), ALWAYS},
    {SCMP_SYS(ppoll), ALWAYS},
    {SCMP_SYS(ppoll_time64), ALWAYS},
    /* memory; mmap and mprotect have rules below */
    {SCMP_SYS(brk), ALWAYS},
    {SCMP_SYS(munmap), ALWAYS},
    {SCMP_SYS(mremap), ALWAYS},
    {SCMP_SYS(madvise), ALWAYS},
    {SCMP_SYS(mincore), ALWAYS},
    {SCMP_SYS(mlock), ALWAYS},
    {SCMP_SYS(mlock2), ALWAYS},
    {SCMP_SYS(munlock), ALWAYS},
    {SCMP_SYS(membarrier), ALWAYS},
    /* threads, signals, time; clone and tgkill have rules below */
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
    {SCMP_SYS(prctl), ALWAYS},
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
    /* models that are opened later: Landlock says where */
    {SCMP_SYS(open), FOLDERS},
    {SCMP_SYS(openat), FOLDERS},
    {SCMP_SYS(openat2), FOLDERS},
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
    /* a thread's own descriptor of /dev/fuse */
    {SCMP_SYS(open), CLONE_FD},
    {SCMP_SYS(openat), CLONE_FD},
    /* what the sanitizers' own code does beside */
    {SCMP_SYS(open), SANITIZERS},
    {SCMP_SYS(openat), SANITIZERS},
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

static int allow_if(scmp_filter_ctx filter, int call, struct scmp_arg_cmp condition)
{
    return seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call, 1, &condition);
}

/* Allowed with certain arguments only: memory that is not code, threads but no processes
 * (clone3 has its flags in memory, out of a filter's sight: without it the C library
 * falls back on clone), signals to ourselves. */
static int allow_some_arguments(scmp_filter_ctx filter)
{
    static const int mapping[] = {SCMP_SYS(mmap), SCMP_SYS(mmap2), SCMP_SYS(mprotect)};
    int result = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);

    for (size_t i = 0; i < sizeof mapping / sizeof *mapping && result == 0; i++)
        result = allow_if(filter, mapping[i], SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    if (result == 0 && !SANITIZED)
        result = allow_if(
            filter, SCMP_SYS(clone),
            SCMP_CMP(CLONE_FLAGS, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
    if (result == 0)
        result = allow_if(filter, SCMP_SYS(tgkill),
                          SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)getpid()));
    if (result == 0)
        result = allow_if(filter, SCMP_SYS(ioctl),
                          SCMP_A1(SCMP_CMP_EQ, (scmp_datum_t)CLONE_CONNECTION));
    return result;
}

int filter_enter(const struct sandbox *sandbox)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int result;

    if (!filter)
        return -ENOMEM;
    result = allow_calls(filter, sandbox);
    if (result == 0)
        result = allow_some_arguments(filter);
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
