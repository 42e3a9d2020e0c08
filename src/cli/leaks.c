/* SPDX-License-Identifier: MIT */
/* Only of use in a build with sanitizers: these look for leaks when the program ends, with
 * system calls that its sandbox refuses. A process that is locked up is spared that. */

#if defined(__SANITIZE_ADDRESS__)

#include <sys/prctl.h>

/* Asked by LeakSanitizer, which gives it the name. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void)
{
    return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0;
}

#endif
