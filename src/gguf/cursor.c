/* SPDX-License-Identifier: MIT */
/* What a cursor notes when bytes are missing; the reading itself is inline in cursor.h. */

#include "gguf/cursor.h"

void cursor_fail(struct cursor *cursor, uint64_t count, uint32_t size, const char *what,
                 const char *unit)
{
    if (count <= cursor_left(cursor) / size) {
        cursor->state = CURSOR_MORE;
        cursor->wanted = cursor->position + count * size;
        return;
    }
    cursor->state = CURSOR_PAST_END;
    cursor->what = what;
    cursor->count = count;
    cursor->unit = unit;
}
