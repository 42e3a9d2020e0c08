/* SPDX-License-Identifier: MIT */
/* Builds GGUF files, good and bad ones, in memory: every version, either byte order, any claim.
 * Nothing is checked, what is asked for is written. Memory running out ends the program.
 *
 *     struct build build;
 *     build_init(&build, 3, false);
 *     build_key_str(&build, "general.architecture", "llama");
 *     build_tensor(&build, "output.weight", 0, 2, (uint64_t[]){4, 2});
 *     build_write(&build, path);           or  bytes = build_bytes(&build, &size);
 *     build_done(&build);
 *
 * The head is written in the order of the calls: keys, then tensors. To spoil a file, set the
 * fields of struct build marked so, write values in pieces (build_key, then build_u32,
 * build_array, build_raw ...), fill in a struct build_tensor by hand, or change and cut the
 * bytes. build_position says where in the file the next piece goes, for tests that must know
 * where a fault will be found. */

#ifndef GGUFS_TESTS_BUILD_H
#define GGUFS_TESTS_BUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ggufs.h"

#define BUILD_AUTO UINT64_MAX /* what is right */

struct build_buffer {
    uint8_t *bytes;
    size_t size;
    size_t room;
};

struct build {
    /* To be changed at will before build_bytes: */
    uint64_t claim_keys;    /* in the header; BUILD_AUTO */
    uint64_t claim_tensors; /* in the header; BUILD_AUTO */
    uint64_t alignment;     /* that tensors are placed by, whatever the keys say; 32 */
    bool no_padding;        /* no bytes between the head and the data */
    bool no_final_padding;  /* none behind the last tensor */
    uint8_t padding;        /* the byte that padding is made of; 0 */
    /* To be looked at: */
    uint32_t version;
    bool big_endian;
    size_t n_keys;
    size_t n_tensors;
    /* The builder's own: */
    struct build_buffer keys, infos, data, file;
};

/* An empty file of that version. Another number than 1, 2, 3 is written as it is; lengths then
 * are as in version 3. */
void build_init(struct build *build, uint32_t version, bool big_endian);
void build_done(struct build *build);

/* ---- Keys ---- */

void build_key_str(struct build *build, const char *name, const char *text);
void build_key_bool(struct build *build, const char *name, uint8_t value);
void build_key_u32(struct build *build, const char *name, uint32_t value);
void build_key_f32(struct build *build, const char *name, float value);
void build_key_f64(struct build *build, const char *name, double value);
/* Any type of fixed size: the low bytes of value (of a float: its bits). */
void build_key_number(struct build *build, const char *name, uint32_t type,
                      uint64_t value);
/* general.alignment, and tensors that follow are placed by it. */
void build_alignment(struct build *build, uint32_t alignment);

void build_key_strings(struct build *build, const char *name, size_t n,
                       const char *const *strings);
/* An array of a type of fixed size, as in build_key_number. */
void build_key_numbers(struct build *build, const char *name, uint32_t type, size_t n,
                       const uint64_t *values);

/* In pieces: the name and the type, then the value by the calls below. */
void build_key(struct build *build, const char *name, uint32_t type);
void build_key_bytes(struct build *build, const char *name, size_t length, uint32_t type);

/* Pieces, in the file's byte order, put behind the last key. */
void build_u8(struct build *build, uint8_t value);
void build_u16(struct build *build, uint16_t value);
void build_u32(struct build *build, uint32_t value);
void build_u64(struct build *build, uint64_t value);
void build_length(struct build *build, uint64_t value); /* u32 in version 1, else u64 */
void build_string(struct build *build, const char *bytes, size_t length);
/* An array's head: the elements follow, as many as one likes. */
void build_array(struct build *build, uint32_t type, uint64_t count);
void build_raw(struct build *build, const void *bytes, size_t size);

/* ---- Tensors ---- */

/* A tensor behind the one before, aligned, with data: build_data_byte(its number, i). */
void build_tensor(struct build *build, const char *name, uint32_t type, uint32_t n_dims,
                  const uint64_t *dims);

/* The whole truth about a tensor. Zeroed fields are zeros, not defaults. */
struct build_tensor {
    const char *name;
    uint64_t name_length; /* BUILD_AUTO: the string's */
    uint32_t type;
    uint32_t n_dims;
    uint32_t claim_dims; /* 0: n_dims; another number is written in its place */
    uint64_t dims[GGUFS_DIMS_MAX + 1];
    uint64_t
        offset; /* from the data section; BUILD_AUTO: behind the furthest data, aligned */
    uint64_t size;    /* of the data; BUILD_AUTO: by type (0 where that is unknown) */
    const void *data; /* size bytes; NULL: the pattern */
};
/* Its number. Data that would make the section larger than 64 MiB is left out. */
size_t build_add(struct build *build, const struct build_tensor *tensor);

/* Byte i of the data of tensor number: no two tensors, and no two halves of one, are alike. */
uint8_t build_data_byte(size_t number, uint64_t i);

/* ---- The file ---- */

/* Where the next piece of a key goes, and the next tensor info. */
uint64_t build_position(const struct build *build);
uint64_t build_info_position(const struct build *build);
/* Where the data section starts. */
uint64_t build_data_offset(const struct build *build);

/* The whole file: the builder's, until the next call. May be written to. */
uint8_t *build_bytes(struct build *build, size_t *size);
/* Writes it: 0, or -errno. */
int build_write(struct build *build, const char *path);

#endif
