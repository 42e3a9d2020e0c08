/* SPDX-License-Identifier: MIT */
/* Whether this is built with a sanitizer: its runtime shares the process and its sandbox.
 * The leak check forks, traces and reads /proc. */

#ifndef FS_SANITIZED_H
#define FS_SANITIZED_H

#ifndef __has_feature
#define __has_feature(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                     \
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

#endif
