/* SPDX-License-Identifier: MIT */
/* Tries to change what is in a mount, in every way that Linux has, and says what comes of
 * each: a line a way, with tabs between its name, the error that it failed with, or
 * "done", and the error that it must fail with.
 *
 *     try_writes MOUNT (which holds info.json, tensors.tsv and metadata/) */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utime.h>

#define FILE_NAME  "info.json"
#define OTHER_NAME "tensors.tsv"
#define DIR_NAME   "metadata"
#define NEW_NAME   "metadata/made.here"

static void tell_as(const char *name, int result, int expected)
{
    printf("%s\t%s\t", name, result < 0 ? strerror(errno) : "done");
    printf("%s\n", strerror(expected));
}

static void tell(const char *name, int result)
{
    tell_as(name, result, EROFS);
}

static void try_open(const char *name, const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC, 0644);
    tell(name, fd);
    if (fd >= 0)
        close(fd);
}

static void try_opens(void)
{
    try_open("open for writing", FILE_NAME, O_WRONLY);
    try_open("open for both", FILE_NAME, O_RDWR);
    try_open("open to append", FILE_NAME, O_WRONLY | O_APPEND);
    try_open("open to truncate", FILE_NAME, O_WRONLY | O_TRUNC);
    try_open("open for reading, to truncate", FILE_NAME, O_RDONLY | O_TRUNC);
    try_open("open with O_CREAT", FILE_NAME, O_WRONLY | O_CREAT);
    try_open("create", NEW_NAME, O_WRONLY | O_CREAT);
    try_open("create for reading", NEW_NAME, O_RDONLY | O_CREAT);
    try_open("create alone", NEW_NAME, O_RDWR | O_CREAT | O_EXCL);
    try_open("create in the root", "made.here", O_RDWR | O_CREAT);
    try_open("create without a name", DIR_NAME, O_RDWR | O_TMPFILE);
    tell("access for writing", access(FILE_NAME, W_OK));
    tell("access of a directory for writing", access(DIR_NAME, W_OK));
}

static void try_names(void)
{
    tell("mkdir", mkdir(NEW_NAME, 0755));
    tell("rmdir", rmdir(DIR_NAME));
    tell("unlink", unlink(FILE_NAME));
    tell("unlink of what is not there", unlink(NEW_NAME));
    tell("link", link(FILE_NAME, NEW_NAME));
    tell("symlink", symlink(FILE_NAME, NEW_NAME));
    tell("rename", rename(FILE_NAME, NEW_NAME));
    tell("rename over another", rename(FILE_NAME, OTHER_NAME));
    tell("rename of a directory", rename(DIR_NAME, "made.here"));
    tell("exchange of names",
         renameat2(AT_FDCWD, FILE_NAME, AT_FDCWD, OTHER_NAME, RENAME_EXCHANGE));
    tell("mknod of a file", mknod(NEW_NAME, S_IFREG | 0644, 0));
    tell("mknod of a FIFO", mknod(NEW_NAME, S_IFIFO | 0644, 0));
}

static void try_socket(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = NEW_NAME};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    tell("bind of a socket", bind(fd, (struct sockaddr *)&address, sizeof address));
    close(fd);
}

static void try_attributes(void)
{
    const struct timespec times[2] = {{1, 0}, {2, 0}};
    tell("chmod", chmod(FILE_NAME, 0644));
    tell("chmod of a directory", chmod(DIR_NAME, 0755));
    tell("chmod of the root", chmod(".", 0755));
    tell("chown", chown(FILE_NAME, getuid(), getgid()));
    tell("lchown", lchown(FILE_NAME, getuid(), getgid()));
    tell("truncate", truncate(FILE_NAME, 0));
    tell("truncate to more", truncate(FILE_NAME, 1 << 20));
    tell("utime", utime(FILE_NAME, NULL));
    tell("utimensat", utimensat(AT_FDCWD, FILE_NAME, times, 0));
    tell("utimensat of a directory", utimensat(AT_FDCWD, DIR_NAME, NULL, 0));
    tell("setxattr", setxattr(FILE_NAME, "user.mine", "1", 1, 0));
    tell("setxattr of one that is there", setxattr(".", "user.gguf.version", "1", 1, 0));
    tell("lsetxattr", lsetxattr(FILE_NAME, "user.mine", "1", 1, XATTR_CREATE));
    tell("removexattr", removexattr(".", "user.gguf.version"));
    tell("lremovexattr", lremovexattr(FILE_NAME, "user.mine"));
}

/* Through a descriptor that was opened for reading. */
static void try_descriptor(void)
{
    const struct timespec times[2] = {{1, 0}, {2, 0}};
    int fd = open(FILE_NAME, O_RDONLY | O_CLOEXEC);
    tell("fchmod", fchmod(fd, 0644));
    tell("fchown", fchown(fd, getuid(), getgid()));
    tell("futimens", futimens(fd, times));
    tell("fsetxattr", fsetxattr(fd, "user.mine", "1", 1, 0));
    tell("fremovexattr", fremovexattr(fd, "user.mine"));
    close(fd);
}

/* These the kernel refuses earlier, for the descriptor is one for reading. */
static void try_writes(void)
{
    int fd = open(FILE_NAME, O_RDONLY | O_CLOEXEC);
    tell_as("write", (int)write(fd, "x", 1), EBADF);
    tell_as("fallocate", fallocate(fd, 0, 0, 4096), EBADF);
    tell_as("ftruncate", ftruncate(fd, 0), EINVAL);
    void *map = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    tell_as("shared mmap for writing", map == MAP_FAILED ? -1 : 0, EACCES);
    close(fd);
}

int main(int argc, char **argv)
{
    if (argc != 2 || chdir(argv[1]) < 0) {
        fputs("usage: try_writes MOUNT\n", stderr);
        return 2;
    }
    try_opens();
    try_names();
    try_socket();
    try_attributes();
    try_descriptor();
    try_writes();
    return 0;
}
