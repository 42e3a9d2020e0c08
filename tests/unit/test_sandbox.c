/* SPDX-License-Identifier: MIT */
/* The sandbox, tried from inside: a row is something that a process tries once it
 * is locked up, and what must come of it. Each row has a process of its own. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "fs/sandbox.h"
#include "fs/sanitized.h"

/* dir/in/file and dir/out; open is dir/out, opened before. */
struct place {
    char dir[64], in[80], file[96], out[80], made[96];
    int open;
};

#define LAYER_MISSING 255 /* a process's way to say that the kernel lacks a layer */

static int failed(bool fine)
{
    return fine ? 0 : errno;
}

/* -- what is tried: 0 or the errno -- */

static int try_open_inside(const struct place *place)
{
    return failed(open(place->file, O_RDONLY | O_CLOEXEC) >= 0);
}

static int try_open_outside(const struct place *place)
{
    return failed(open(place->out, O_RDONLY | O_CLOEXEC) >= 0);
}

static int try_open_for_writing(const struct place *place)
{
    return failed(open(place->file, O_WRONLY | O_CLOEXEC) >= 0);
}

static int try_create(const struct place *place)
{
    return failed(open(place->made, O_RDWR | O_CREAT | O_CLOEXEC, 0600) >= 0);
}

static int try_list(const struct place *place)
{
    return failed(open(place->in, O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0);
}

static int try_unlink(const struct place *place)
{
    return failed(unlink(place->file) == 0);
}

static int try_tcp(const struct place *place)
{
    (void)place;
    return failed(socket(AF_INET, SOCK_STREAM, 0) >= 0);
}

static int try_unix(const struct place *place)
{
    (void)place;
    return failed(socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
}

static int try_execute(const struct place *place)
{
    (void)place;
    return failed(execl("/bin/true", "true", (char *)NULL) == 0);
}

static int try_fork(const struct place *place)
{
    pid_t child = fork();

    (void)place;
    if (child == 0)
        _exit(0);
    return failed(child > 0);
}

static int try_trace(const struct place *place)
{
    (void)place;
    return failed(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0);
}

static int try_mount(const struct place *place)
{
    return failed(mount("none", place->in, "tmpfs", 0, NULL) == 0);
}

static int try_unmount(const struct place *place)
{
    return failed(umount2(place->in, MNT_DETACH) == 0);
}

static int try_signal(const struct place *place)
{
    (void)place;
    return failed(kill(getppid(), 0) == 0);
}

static int try_code(const struct place *place)
{
    (void)place;
    return failed(mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                       0) != MAP_FAILED);
}

/* An open descriptor that sends signals to somebody is a way around kill. */
static int try_signal_by_file(const struct place *place)
{
    return failed(fcntl(place->open, F_SETOWN, getppid()) == 0);
}

static int try_be_dumpable(const struct place *place)
{
    (void)place;
    return failed(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == 0);
}

static int try_change_user(const struct place *place)
{
    (void)place;
    return failed(setuid(getuid()) == 0);
}

static int try_dumpable(const struct place *place)
{
    (void)place;
    return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0 ? 0 : EINVAL;
}

static int try_privileges(const struct place *place)
{
    (void)place;
    return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : EINVAL;
}

static int try_read(const struct place *place)
{
    char byte = 0;

    return failed(pread(place->open, &byte, 1, 0) == 1 && byte == 'o');
}

static int try_map(const struct place *place)
{
    const char *map = mmap(NULL, 1, PROT_READ, MAP_SHARED, place->open, 0);

    return failed(map != MAP_FAILED && *map == 'o');
}

static int try_fstat(const struct place *place)
{
    struct stat st;

    return failed(fstat(place->open, &st) == 0 && st.st_size == 3);
}

static int try_memory(const struct place *place)
{
    char *large = malloc(64 << 20);

    (void)place;
    if (!large)
        return ENOMEM;
    memset(large, 1, 1 << 20);
    large = realloc(large, 80 << 20);
    free(large);
    return large ? 0 : ENOMEM;
}

static void *wait_for_ever(void *data)
{
    for (;;)
        pause();
    return data;
}

/* As libfuse does with its threads at the end. */
static int try_cancelled_thread(const struct place *place)
{
    pthread_t thread;
    void *result = NULL;
    int error;

    (void)place;
    error = pthread_create(&thread, NULL, wait_for_ever, NULL);
    if (error == 0)
        error = pthread_cancel(thread);
    if (error == 0)
        error = pthread_join(thread, &result);
    return error ? error : result == PTHREAD_CANCELED ? 0 : EINVAL;
}

static void *add_one(void *data)
{
    ++*(int *)data;
    return data;
}

static int try_threads(const struct place *place)
{
    int sums[8] = {0}, total = 0, error = 0;
    pthread_t threads[8];

    (void)place;
    for (int i = 0; i < 8 && error == 0; i++)
        error = pthread_create(&threads[i], NULL, add_one, &sums[i]);
    for (int i = 0; i < 8 && error == 0; i++) {
        error = pthread_join(threads[i], NULL);
        total += sums[i];
    }
    return error ? error : total == 8 ? 0 : EINVAL;
}

static int try_time(const struct place *place)
{
    struct timespec moment = {0, 1};
    char byte;

    (void)place;
    return failed(nanosleep(&moment, NULL) == 0 &&
                  clock_gettime(CLOCK_MONOTONIC, &moment) == 0 &&
                  getrandom(&byte, 1, 0) == 1);
}

/* -- the rows -- */

enum verdict {
    WORKS,
    REFUSED,
    REFUSED_UNSANITIZED, /* the leak check was left the right for it */
};

static const struct row {
    const char *what;
    int (*attempt)(const struct place *place);
    enum verdict closed; /* with no folders */
    enum verdict folder; /* with dir/in as a folder */
} rows[] = {
    {"open a file below the folder", try_open_inside, REFUSED, WORKS},
    {"list the folder", try_list, REFUSED, WORKS},
    {"open a file elsewhere", try_open_outside, REFUSED, REFUSED},
    {"open for writing", try_open_for_writing, REFUSED, REFUSED},
    {"create a file", try_create, REFUSED, REFUSED},
    {"remove a file", try_unlink, REFUSED, REFUSED},
    {"a TCP socket", try_tcp, REFUSED, REFUSED},
    {"a UNIX socket", try_unix, REFUSED, REFUSED},
    {"run a program", try_execute, REFUSED, REFUSED},
    {"fork", try_fork, REFUSED_UNSANITIZED, REFUSED_UNSANITIZED},
    {"ptrace", try_trace, REFUSED_UNSANITIZED, REFUSED_UNSANITIZED},
    {"mount", try_mount, REFUSED, REFUSED},
    {"unmount", try_unmount, REFUSED, REFUSED},
    {"signal another process", try_signal, REFUSED, REFUSED},
    {"signals by an open file", try_signal_by_file, REFUSED_UNSANITIZED,
     REFUSED_UNSANITIZED},
    {"be dumped again", try_be_dumpable, REFUSED_UNSANITIZED, REFUSED_UNSANITIZED},
    {"memory that is code", try_code, REFUSED, REFUSED},
    {"change the user", try_change_user, REFUSED, REFUSED},
    {"cannot be dumped", try_dumpable, WORKS, WORKS},
    {"gets no new privileges", try_privileges, WORKS, WORKS},
    {"read an open file", try_read, WORKS, WORKS},
    {"map an open file", try_map, WORKS, WORKS},
    {"stat an open file", try_fstat, WORKS, WORKS},
    {"allocate memory", try_memory, WORKS, WORKS},
    {"threads", try_threads, WORKS, WORKS},
    {"cancel a thread", try_cancelled_thread, WORKS, WORKS},
    {"time and random bytes", try_time, WORKS, WORKS},
};

/* -- running them -- */

static void count_warning(void *data, const char *line)
{
    (void)line;
    ++*(int *)data;
}

/* What came of it: 0, an errno, or LAYER_MISSING. */
static int run_row(const struct row *row, const struct place *place, bool with_folder)
{
    const char *folders[] = {place->in, NULL};
    int warnings = 0, status = 0;
    struct sandbox sandbox = {
        .folders = with_folder ? folders : NULL,
        .warn = count_warning,
        .warn_data = &warnings,
    };
    pid_t child = fork();

    if (child == 0) {
        sandbox_enter(&sandbox);
        _exit(warnings ? LAYER_MISSING : row->attempt(place));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFEXITED(status))
        fail_msg("%s: killed by signal %d", row->what, WTERMSIG(status));
    return WEXITSTATUS(status);
}

static bool as_expected(enum verdict verdict, int result)
{
    if (verdict == REFUSED_UNSANITIZED && SANITIZED)
        return true;
    if (verdict == WORKS)
        return result == 0;
    return result == EPERM || result == EACCES;
}

static void run_rows(const struct place *place, bool with_folder)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int result = run_row(&rows[i], place, with_folder);

        if (result == LAYER_MISSING) {
            print_message("# this kernel or build lacks a layer of the sandbox\n");
            return;
        }
        if (!as_expected(with_folder ? rows[i].folder : rows[i].closed, result))
            fail_msg("%s: %s", rows[i].what, strerror(result));
    }
}

static void test_closed(void **state)
{
    run_rows(*state, false);
}

static void test_with_a_folder(void **state)
{
    run_rows(*state, true);
}

/* Without the sandbox, what it refuses works: else the rows above would prove nothing. */
static void test_outside(void **state)
{
    const struct place *place = *state;

    assert_int_equal(try_open_inside(place), 0);
    assert_int_equal(try_open_outside(place), 0);
    assert_int_equal(try_open_for_writing(place), 0);
    assert_int_equal(try_unix(place), 0);
    assert_int_equal(try_fork(place), 0);
    assert_int_equal(wait(NULL) > 0, 1);
    assert_int_equal(try_signal(place), 0);
    assert_int_equal(try_signal_by_file(place), 0);
    assert_int_equal(try_be_dumpable(place), 0);
    assert_int_equal(try_code(place), 0);
}

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
    static struct place place;
    const char *tmp = getenv("TMPDIR");

    snprintf(place.dir, sizeof place.dir, "%.40s/sandbox.XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(place.dir))
        return -1;
    snprintf(place.in, sizeof place.in, "%s/in", place.dir);
    snprintf(place.file, sizeof place.file, "%s/file", place.in);
    snprintf(place.made, sizeof place.made, "%s/made", place.in);
    snprintf(place.out, sizeof place.out, "%s/out", place.dir);
    if (mkdir(place.in, 0700) != 0)
        return -1;
    write_file(place.file, "file");
    write_file(place.out, "out");
    place.open = open(place.out, O_RDONLY | O_CLOEXEC);
    *state = &place;
    return place.open < 0;
}

static int tear_down(void **state)
{
    const struct place *place = *state;

    close(place->open);
    unlink(place->file);
    unlink(place->made);
    unlink(place->out);
    rmdir(place->in);
    return rmdir(place->dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_closed),
        cmocka_unit_test(test_with_a_folder),
        cmocka_unit_test(test_outside),
    };

    return cmocka_run_group_tests_name("sandbox", tests, set_up, tear_down);
}
