/* SPDX-License-Identifier: MIT */
/* Preloaded into the program, tries from inside what its sandbox is to refuse: when a model is
 * about to be opened (and so before a byte of it is parsed), and on SIGUSR1. A line an attempt,
 * "WHEN: WHAT: works", "refused" or "error N", goes to the file that $GGUFS_PROBE names, which
 * is opened when the program starts. $GGUFS_PROBE_FILE is a file to be opened. */

#include "fs/sanitized.h"
#include "ggufs.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What it knows from the start: a signal's handler has no other way to be told. */
static struct {
    int out;
    char file[4096];
    char *const arguments[2], *const environment[1];
} probe = {.out = -1, .arguments = {(char[]){"true"}, NULL}, .environment = {NULL}};

/* -- attempts: what a system call gives, less than 0 for an error in errno -- */

static long open_with(const char *path, int flags)
{
    long fd = open(path, flags | O_CLOEXEC, 0600);
    if (fd >= 0)
        close((int)fd);
    return fd;
}

static long open_file(void)
{
    return open_with(probe.file, O_RDONLY);
}

static long open_elsewhere(void)
{
    return open_with("/etc/passwd", O_RDONLY);
}

static long write_file(void)
{
    return open_with(probe.file, O_WRONLY);
}

static long create_file(void)
{
    return open_with("/tmp", O_TMPFILE | O_RDWR);
}

static long remove_file(void)
{
    return unlink("/tmp/ggufs-probe-no-such-file");
}

static long make_socket(int domain)
{
    int fd = socket(domain, SOCK_STREAM, 0);
    if (fd >= 0)
        close(fd);
    return fd;
}

static long socket_inet(void)
{
    return make_socket(AF_INET);
}

static long socket_unix(void)
{
    return make_socket(AF_UNIX);
}

static long signal_parent(void)
{
    return kill(getppid(), 0);
}

static long trace_parent(void)
{
    return ptrace(PTRACE_SEIZE, getppid(), NULL, NULL);
}

static long mount_something(void)
{
    return mount("none", "/nowhere", "tmpfs", 0, NULL);
}

static long new_namespace(void)
{
    return syscall(SYS_unshare, 0);
}

static long memory_code(void)
{
    void *code =
        mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return code == MAP_FAILED ? -1 : munmap(code, 4096);
}

static long file_in_memory(void)
{
    long fd = syscall(SYS_memfd_create, "probe", 0);
    if (fd >= 0)
        close((int)fd);
    return fd;
}

static long change_user(void)
{
    return setuid(getuid());
}

static long terminal_input(void)
{
    return syscall(SYS_ioctl, probe.out, 0x5412 /* TIOCSTI */, "x") < 0 && errno == EPERM
               ? -1
               : 0;
}

static long be_dumped(void)
{
    errno = EPERM;
    return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) > 0 ? 0 : -1;
}

static long new_privileges(void)
{
    errno = EPERM;
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? -1 : 0;
}

/* By the system call: what the C library does around it is not for a signal's handler. */
static long fork_here(void)
{
    return syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
}

static long fork_child(void)
{
    long child = fork_here();
    if (child == 0)
        _exit(0);
    return child > 0 ? waitpid((pid_t)child, NULL, 0) : child;
}

/* In a child, so that this process is there to tell of it, where there can be one. */
static long execute(void)
{
    int status = 0;
    long child = fork_here();
    if (child <= 0)
        execve("/bin/true", probe.arguments, probe.environment);
    if (child == 0)
        _exit(errno == EPERM || errno == EACCES ? 1 : 2);
    if (child < 0)
        return -1;
    waitpid((pid_t)child, &status, 0);
    errno = status == 1 << 8 ? EPERM : EINVAL;
    return status == 0 ? 0 : -1;
}

/* Where a sanitizer's runtime shares the sandbox, it is left some of them. */
static const struct {
    const char *what;
    long (*attempt)(void);
    int strict_only;
} attempts[] = {
    {"open the file", open_file, 0},
    {"open another file", open_elsewhere, 0},
    {"write to the file", write_file, 0},
    {"create a file", create_file, 0},
    {"remove a file", remove_file, 0},
    {"a TCP socket", socket_inet, 0},
    {"a UNIX socket", socket_unix, 0},
    {"signal the parent", signal_parent, 0},
    {"trace the parent", trace_parent, 1},
    {"mount", mount_something, 0},
    {"unshare", new_namespace, 0},
    {"memory that is code", memory_code, 0},
    {"memory as a file", file_in_memory, 0},
    {"change the user", change_user, 0},
    {"type on the terminal", terminal_input, 0},
    {"be dumped", be_dumped, 0},
    {"get new privileges", new_privileges, 0},
    {"fork", fork_child, 1},
    {"run a program", execute, 0},
};

/* -- telling -- */

static void add(char *line, size_t size, const char *text)
{
    size_t used = strlen(line), more = strlen(text);
    if (used + more < size)
        memcpy(line + used, text, more + 1);
}

static void tell(const char *when, const char *what, long result)
{
    char line[100] = "", digits[4] = {0};
    add(line, sizeof line, when);
    add(line, sizeof line, ": ");
    add(line, sizeof line, what);
    if (result >= 0) {
        add(line, sizeof line, ": works\n");
    } else if (errno == EPERM || errno == EACCES) {
        add(line, sizeof line, ": refused\n");
    } else {
        digits[0] = (char)('0' + errno / 100 % 10);
        digits[1] = (char)('0' + errno / 10 % 10);
        digits[2] = (char)('0' + errno % 10);
        add(line, sizeof line, ": error ");
        add(line, sizeof line, digits);
        add(line, sizeof line, "\n");
    }
    if (write(probe.out, line, strlen(line)) < 0)
        _exit(99); /* nothing else could tell */
}

static void try_all(const char *when)
{
    int saved = errno;
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
        if (!SANITIZED || !attempts[i].strict_only)
            tell(when, attempts[i].what, attempts[i].attempt());
    tell(when, SANITIZED ? "sanitized" : "done", 0);
    errno = saved;
}

static void on_signal(int signal)
{
    (void)signal;
    try_all("serving");
}

/* -- ways in -- */

/* In place of the library's, which it goes on to. */
__attribute__((visibility("default"))) int ggufs_tree_open(
    const char *const *names, size_t n, const struct ggufs_options *options,
    struct ggufs_tree **tree, struct ggufs_error *error)
{
    int (*library)(const char *const *, size_t, const struct ggufs_options *,
                   struct ggufs_tree **, struct ggufs_error *);
    void *found = dlsym(RTLD_NEXT, "ggufs_tree_open");
    memcpy(&library, &found, sizeof library);
    if (probe.out >= 0)
        try_all("opening");
    return library(names, n, options, tree, error);
}

__attribute__((constructor)) static void start(void)
{
    const char *out = getenv("GGUFS_PROBE"), *file = getenv("GGUFS_PROBE_FILE");
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    int fd = out ? open(out, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    /* Far from the numbers that the program's own get. */
    probe.out = fcntl(fd, F_DUPFD_CLOEXEC, 100);
    close(fd);
    snprintf(probe.file, sizeof probe.file, "%s", file ? file : "");
    sigaction(SIGUSR1, &action, NULL);
}
