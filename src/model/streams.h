/* SPDX-License-Identifier: MIT */
/* Who reads a file from front to back, and how far ahead of each the disk should be. Only
 * numbers: asking the disk is for pages.c. Not for several threads at once. */

#ifndef GGUFS_MODEL_STREAMS_H
#define GGUFS_MODEL_STREAMS_H

#include <stddef.h>
#include <stdint.h>

/* As many readers are told apart; one more takes the place of the one that came first. */
#define STREAMS_MAX 8

/* All zero: nobody has read anything. */
struct streams {
    struct stream {
        uint64_t start; /* where its first request ended; 0: there is none */
        uint64_t next;  /* its furthest request ended here */
        uint64_t asked; /* what lies before this was asked for */
    } streams[STREAMS_MAX];
    unsigned newest;
};

/* A part of a file. */
struct stretch {
    uint64_t offset, size;
};

/* A request for [offset, offset + size) of a file of end bytes, as it comes. Gives what is
 * to be read from the disk meanwhile: nothing (size 0) where it continues no other request,
 * or where enough was asked for. */
struct stretch streams_follow(struct streams *streams, uint64_t offset, size_t size,
                              uint64_t end);

#endif
