/* SPDX-License-Identifier: MIT */
/* The builder: three growing buffers (keys, infos, data) that are put together behind a header
 * at the end. Of the library it uses nothing but the table of types, for sizes. */

#include "support/build.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DATA_MAX ((uint64_t)64 << 20)

/* ---- Buffers ----------------------------------------------------------------------------- */

static void grow(struct build_buffer *buffer, size_t size)
{
    if (size <= buffer->room)
        return;
    size_t room = buffer->room * 2 > size ? buffer->room * 2 : size + 256;
    buffer->bytes = realloc(buffer->bytes, room);
    if (buffer->bytes == NULL)
        abort();
    memset(buffer->bytes + buffer->room, 0, room - buffer->room);
    buffer->room = room;
}

static void put(struct build_buffer *buffer, const void *bytes, size_t size)
{
    grow(buffer, buffer->size + size);
    if (size > 0)
        memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
}

static void put_number(struct build_buffer *buffer, uint64_t value, size_t size,
                       bool big_endian)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++)
        bytes[big_endian ? size - 1 - i : i] = (uint8_t)(value >> (8 * i));
    put(buffer, bytes, size);
}

static size_t length_width(const struct build *build)
{
    return build->version == 1 ? 4 : 8;
}

static void put_length(const struct build *build, struct build_buffer *buffer,
                       uint64_t value)
{
    put_number(buffer, value, length_width(build), build->big_endian);
}

static void pad(struct build_buffer *buffer, uint64_t alignment, uint8_t byte)
{
    while (buffer->size % alignment != 0)
        put(buffer, &byte, 1);
}

static uint64_t align(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

/* ---- Life -------------------------------------------------------------------------------- */

void build_init(struct build *build, uint32_t version, bool big_endian)
{
    *build = (struct build){
        .claim_keys = BUILD_AUTO,
        .claim_tensors = BUILD_AUTO,
        .alignment = 32,
        .version = version,
        .big_endian = big_endian,
    };
}

void build_done(struct build *build)
{
    free(build->keys.bytes);
    free(build->infos.bytes);
    free(build->data.bytes);
    free(build->file.bytes);
    memset(build, 0, sizeof(*build));
}

/* ---- Pieces ------------------------------------------------------------------------------ */

void build_u8(struct build *build, uint8_t value)
{
    put(&build->keys, &value, 1);
}

void build_u16(struct build *build, uint16_t value)
{
    put_number(&build->keys, value, 2, build->big_endian);
}

void build_u32(struct build *build, uint32_t value)
{
    put_number(&build->keys, value, 4, build->big_endian);
}

void build_u64(struct build *build, uint64_t value)
{
    put_number(&build->keys, value, 8, build->big_endian);
}

void build_length(struct build *build, uint64_t value)
{
    put_length(build, &build->keys, value);
}

void build_string(struct build *build, const char *bytes, size_t length)
{
    build_length(build, length);
    put(&build->keys, bytes, length);
}

void build_array(struct build *build, uint32_t type, uint64_t count)
{
    build_u32(build, type);
    build_length(build, count);
}

void build_raw(struct build *build, const void *bytes, size_t size)
{
    put(&build->keys, bytes, size);
}

/* ---- Keys -------------------------------------------------------------------------------- */

static size_t scalar_size(uint32_t type)
{
    switch (type) {
    case GGUFS_U8:
    case GGUFS_I8:
    case GGUFS_BOOL: return 1;
    case GGUFS_U16:
    case GGUFS_I16: return 2;
    case GGUFS_U64:
    case GGUFS_I64:
    case GGUFS_F64: return 8;
    default: return 4;
    }
}

void build_key_bytes(struct build *build, const char *name, size_t length, uint32_t type)
{
    build_string(build, name, length);
    build_u32(build, type);
    build->n_keys++;
}

void build_key(struct build *build, const char *name, uint32_t type)
{
    build_key_bytes(build, name, strlen(name), type);
}

void build_key_number(struct build *build, const char *name, uint32_t type,
                      uint64_t value)
{
    build_key(build, name, type);
    put_number(&build->keys, value, scalar_size(type), build->big_endian);
}

void build_key_str(struct build *build, const char *name, const char *text)
{
    build_key(build, name, GGUFS_STR);
    build_string(build, text, strlen(text));
}

void build_key_bool(struct build *build, const char *name, uint8_t value)
{
    build_key_number(build, name, GGUFS_BOOL, value);
}

void build_key_u32(struct build *build, const char *name, uint32_t value)
{
    build_key_number(build, name, GGUFS_U32, value);
}

void build_key_f32(struct build *build, const char *name, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    build_key_number(build, name, GGUFS_F32, bits);
}

void build_key_f64(struct build *build, const char *name, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    build_key_number(build, name, GGUFS_F64, bits);
}

void build_alignment(struct build *build, uint32_t alignment)
{
    build_key_u32(build, "general.alignment", alignment);
    build->alignment = alignment;
}

void build_key_strings(struct build *build, const char *name, size_t n,
                       const char *const *strings)
{
    build_key(build, name, GGUFS_ARR);
    build_array(build, GGUFS_STR, n);
    for (size_t i = 0; i < n; i++)
        build_string(build, strings[i], strlen(strings[i]));
}

void build_key_numbers(struct build *build, const char *name, uint32_t type, size_t n,
                       const uint64_t *values)
{
    build_key(build, name, GGUFS_ARR);
    build_array(build, type, n);
    for (size_t i = 0; i < n; i++)
        put_number(&build->keys, values[i], scalar_size(type), build->big_endian);
}

/* ---- Tensors ----------------------------------------------------------------------------- */

uint8_t build_data_byte(size_t number, uint64_t i)
{
    uint64_t x = (number + 1) * 0x9e3779b97f4a7c15u + i * 0xd1342543de82ef95u;
    x ^= x >> 32;
    x *= 0xd1342543de82ef95u;
    return (uint8_t)(x >> 56);
}

static uint64_t size_by_type(const struct build_tensor *tensor)
{
    const struct ggufs_type *type = ggufs_type_by_id(tensor->type);
    uint64_t elements = 1;
    for (uint32_t i = 0; i < tensor->n_dims; i++)
        elements *= tensor->dims[i];
    return type == NULL ? 0 : elements / type->block_size * type->type_size;
}

static void put_data(struct build *build, const struct build_tensor *tensor,
                     uint64_t offset, uint64_t size)
{
    if (offset > DATA_MAX || size > DATA_MAX - offset)
        return;
    grow(&build->data, offset + size);
    for (uint64_t i = 0; i < size; i++)
        build->data.bytes[offset + i] = tensor->data == NULL
                                            ? build_data_byte(build->n_tensors, i)
                                            : ((const uint8_t *)tensor->data)[i];
    if (build->data.size < offset + size)
        build->data.size = offset + size;
}

static void put_info(struct build *build, const struct build_tensor *tensor,
                     uint64_t offset)
{
    struct build_buffer *infos = &build->infos;
    bool big_endian = build->big_endian;
    uint64_t length =
        tensor->name_length == BUILD_AUTO ? strlen(tensor->name) : tensor->name_length;
    put_length(build, infos, length);
    put(infos, tensor->name, length);
    put_number(infos, tensor->claim_dims != 0 ? tensor->claim_dims : tensor->n_dims, 4,
               big_endian);
    for (uint32_t i = 0; i < tensor->n_dims; i++)
        put_length(build, infos, tensor->dims[i]);
    put_number(infos, tensor->type, 4, big_endian);
    put_number(infos, offset, 8, big_endian);
}

size_t build_add(struct build *build, const struct build_tensor *tensor)
{
    uint64_t offset = tensor->offset, size = tensor->size;
    if (size == BUILD_AUTO)
        size = size_by_type(tensor);
    if (offset == BUILD_AUTO)
        offset = align(build->data.size, build->alignment);
    put_info(build, tensor, offset);
    put_data(build, tensor, offset, size);
    return build->n_tensors++;
}

void build_tensor(struct build *build, const char *name, uint32_t type, uint32_t n_dims,
                  const uint64_t *dims)
{
    struct build_tensor tensor = {
        .name = name,
        .name_length = BUILD_AUTO,
        .type = type,
        .n_dims = n_dims,
        .offset = BUILD_AUTO,
        .size = BUILD_AUTO,
    };
    if (n_dims > 0)
        memcpy(tensor.dims, dims, n_dims * sizeof(*dims));
    build_add(build, &tensor);
}

/* ---- The file ---------------------------------------------------------------------------- */

static uint64_t header_size(const struct build *build)
{
    return 8 + 2 * length_width(build);
}

uint64_t build_position(const struct build *build)
{
    return header_size(build) + build->keys.size;
}

uint64_t build_info_position(const struct build *build)
{
    return build_position(build) + build->infos.size;
}

uint64_t build_data_offset(const struct build *build)
{
    uint64_t end = build_info_position(build);
    return build->no_padding ? end : align(end, build->alignment);
}

uint8_t *build_bytes(struct build *build, size_t *size)
{
    struct build_buffer *file = &build->file;
    file->size = 0;
    put(file, "GGUF", 4);
    put_number(file, build->version, 4, build->big_endian);
    put_length(build, file,
               build->claim_tensors == BUILD_AUTO ? build->n_tensors
                                                  : build->claim_tensors);
    put_length(build, file,
               build->claim_keys == BUILD_AUTO ? build->n_keys : build->claim_keys);
    put(file, build->keys.bytes, build->keys.size);
    put(file, build->infos.bytes, build->infos.size);
    if (build->n_tensors > 0 && !build->no_padding)
        pad(file, build->alignment, build->padding);
    put(file, build->data.bytes, build->data.size);
    if (build->n_tensors > 0 && !build->no_padding && !build->no_final_padding)
        pad(file, build->alignment, build->padding);
    *size = file->size;
    return file->bytes;
}

int build_write(struct build *build, const char *path)
{
    size_t size;
    const uint8_t *bytes = build_bytes(build, &size);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (fd < 0)
        return -errno;
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            int rc = -errno;
            close(fd);
            return rc;
        }
        bytes += n;
        size -= (size_t)n;
    }
    return close(fd) < 0 ? -errno : 0;
}
