/* SPDX-License-Identifier: MIT */
/* The program: reads the command line, does what it says, tells the exit status. */

#include "cli/command.h"
#include "cli/options.h"
#include "cli/print.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

/* Makes sure that descriptors 0 to 2 are taken, lest a model becomes standard output. What
 * takes the place of a closed one fails as it would: nothing can be read from 0 or written to
 * the others. */
static void take_standard_descriptors(void)
{
    int fd;
    do
        fd = open("/dev/null", fcntl(STDIN_FILENO, F_GETFD) < 0 ? O_WRONLY : O_RDONLY);
    while (fd >= STDIN_FILENO && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO)
        close(fd);
}

int main(int argc, char **argv)
{
    struct options options;
    take_standard_descriptors();
    signal(SIGPIPE,
           SIG_DFL); /* a reader that goes away ends this program, as it does cat */
    int status = options_parse(&options, argc, argv);
    if (!status)
        status = options.command->run(&options);
    if (!print_end() && status < options.command->failure)
        status = options.command->failure;
    options_done(&options);
    return status;
}
