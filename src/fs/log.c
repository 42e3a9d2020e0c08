/* SPDX-License-Identifier: MIT */
/* Where lines go, see struct mount_log. The serving process in the background has neither
 * a terminal nor the right to talk to syslog: it hands its lines to its keeper. */

#include "fs/channel.h"
#include "fs/mount.h"

#include <syslog.h>

void mount_log(void *data, const char *line)
{
    const struct mount_log *log = data;

    switch (log->where) {
    case MOUNT_LOG_REPORT: log->report(log->report_data, line); break;
    case MOUNT_LOG_KEEPER: channel_send_line(log->keeper, line); break;
    case MOUNT_LOG_SYSLOG: syslog(LOG_WARNING, "%s", line); break;
    }
}
