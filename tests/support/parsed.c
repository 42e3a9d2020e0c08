/* SPDX-License-Identifier: MIT */
/* The loop around the parser that model/load has, without a file. */

#include "support/parsed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t *copy(const uint8_t *bytes, size_t size)
{
    uint8_t *own = malloc(size > 0 ? size : 1);
    if (own == NULL)
        abort();
    if (size > 0)
        memcpy(own, bytes, size);
    return own;
}

static void feed(struct parsed *parsed, const uint8_t *bytes, size_t have,
                 uint64_t file_size, size_t at_hand, size_t step)
{
    struct parser *parser = parser_new(file_size);
    uint64_t wanted = 0;
    memset(parsed, 0, sizeof(*parsed));
    if (parser == NULL)
        abort();
    for (;;) {
        at_hand = at_hand < have ? at_hand : have;
        free(parsed->bytes);
        parsed->bytes = copy(bytes, at_hand);
        parsed->feeds++;
        parsed->rc = parser_feed(parser, parsed->bytes, at_hand, &wanted, &parsed->error);
        if (parsed->rc != 1)
            break;
        if (wanted <= at_hand || wanted > file_size || at_hand == have)
            abort(); /* it never asks for what it has, or for more than there is */
        at_hand = wanted > at_hand + step ? wanted : at_hand + step;
    }
    if (parsed->rc == 0)
        parsed->rc = parser_take(parser, parsed->bytes, &parsed->head, &parsed->error);
    parser_free(parser);
}

void parsed_whole(struct parsed *parsed, const uint8_t *bytes, size_t size)
{
    feed(parsed, bytes, size, size, size, 0);
}

void parsed_pieces(struct parsed *parsed, const uint8_t *bytes, size_t size, size_t first,
                   size_t step)
{
    feed(parsed, bytes, size, size, first, step);
}

void parsed_head(struct parsed *parsed, const uint8_t *bytes, size_t have,
                 uint64_t file_size)
{
    feed(parsed, bytes, have, file_size, have, 0);
}

bool parsed_file(struct parsed *parsed, const char *path)
{
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    size_t size = 0, room = 0, n;
    if (file == NULL)
        return false;
    do {
        room = room == 0 ? 1 << 16 : room * 2;
        bytes = realloc(bytes, room);
        if (bytes == NULL)
            abort();
        n = fread(bytes + size, 1, room - size, file);
        size += n;
    } while (n > 0 && size == room);
    bool whole = ferror(file) == 0 && feof(file) != 0;
    fclose(file);
    if (whole)
        parsed_whole(parsed, bytes, size);
    free(bytes);
    return whole;
}

void parsed_done(struct parsed *parsed)
{
    head_done(&parsed->head);
    free(parsed->bytes);
    memset(parsed, 0, sizeof(*parsed));
}
