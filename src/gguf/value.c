/* SPDX-License-Identifier: MIT */
/* Values out of bytes that parse has checked: no bounds are looked at here. */

#include "gguf/value.h"

#include <string.h>

#include "gguf/format.h"

uint32_t value_scalar_size(uint32_t type)
{
    static const uint8_t sizes[] = {
        [GGUFS_U8] = 1,  [GGUFS_I8] = 1,  [GGUFS_U16] = 2, [GGUFS_I16] = 2,
        [GGUFS_U32] = 4, [GGUFS_I32] = 4, [GGUFS_F32] = 4, [GGUFS_BOOL] = 1,
        [GGUFS_STR] = 0, [GGUFS_ARR] = 0, [GGUFS_U64] = 8, [GGUFS_I64] = 8,
        [GGUFS_F64] = 8,
    };
    return type < sizeof(sizes) ? sizes[type] : 0;
}

static void load_scalar(const uint8_t *bytes, bool big_endian, struct ggufs_value *value)
{
    uint32_t bits32;
    uint64_t bits64;
    switch (value->type) {
    case GGUFS_U8:
    case GGUFS_BOOL: value->u = bytes[0]; break;
    case GGUFS_I8: value->i = (int8_t)bytes[0]; break;
    case GGUFS_U16: value->u = load_u16(bytes, big_endian); break;
    case GGUFS_I16: value->i = (int16_t)load_u16(bytes, big_endian); break;
    case GGUFS_U32: value->u = load_u32(bytes, big_endian); break;
    case GGUFS_I32: value->i = (int32_t)load_u32(bytes, big_endian); break;
    case GGUFS_U64: value->u = load_u64(bytes, big_endian); break;
    case GGUFS_I64: value->i = (int64_t)load_u64(bytes, big_endian); break;
    case GGUFS_F32:
        bits32 = load_u32(bytes, big_endian);
        memcpy(&value->f32, &bits32, sizeof(bits32));
        break;
    default:
        bits64 = load_u64(bytes, big_endian);
        memcpy(&value->f64, &bits64, sizeof(bits64));
        break;
    }
}

uint64_t value_load_array(const uint8_t *bytes, struct encoding encoding,
                          struct ggufs_array *array)
{
    uint64_t header = 4 + length_size(encoding.v1);
    array->type = load_u32(bytes, encoding.big_endian);
    array->count = value_load_length(bytes + 4, encoding);
    array->bytes = bytes + header;
    array->size = array->count * value_scalar_size(array->type);
    array->big_endian = encoding.big_endian;
    array->v1 = encoding.v1;
    return header;
}

/* Bytes of elements that have each their own size. At most GGUFS_NESTING_MAX deep, since array
 * elements are measured by value_load. */
static uint64_t measure_elements(const struct ggufs_array *array,
                                 struct encoding encoding)
{
    struct ggufs_value element;
    uint64_t size = 0;
    for (uint64_t i = 0; i < array->count; i++)
        size += value_load(array->bytes + size, array->type, encoding, &element);
    return size;
}

uint64_t value_load(const uint8_t *bytes, uint32_t type, struct encoding encoding,
                    struct ggufs_value *value)
{
    value->type = type;
    if (type == GGUFS_STR) {
        value->str.length = value_load_length(bytes, encoding);
        value->str.bytes = (const char *)bytes + length_size(encoding.v1);
        return length_size(encoding.v1) + value->str.length;
    }
    if (type == GGUFS_ARR) {
        uint64_t header = value_load_array(bytes, encoding, &value->arr);
        if (value_scalar_size(value->arr.type) == 0)
            value->arr.size = measure_elements(&value->arr, encoding);
        return header + value->arr.size;
    }
    load_scalar(bytes, encoding.big_endian, value);
    return value_scalar_size(type);
}

bool value_as_u64(const struct ggufs_value *value, uint64_t *number)
{
    switch (value->type) {
    case GGUFS_U8:
    case GGUFS_U16:
    case GGUFS_U32:
    case GGUFS_U64: *number = value->u; return true;
    case GGUFS_I8:
    case GGUFS_I16:
    case GGUFS_I32:
    case GGUFS_I64:
        if (value->i < 0)
            return false;
        *number = (uint64_t)value->i;
        return true;
    default: return false;
    }
}

bool ggufs_array_next(struct ggufs_array *array, struct ggufs_value *element)
{
    if (array->count == 0)
        return false;
    struct encoding encoding = {.big_endian = array->big_endian, .v1 = array->v1};
    uint64_t size = value_load(array->bytes, array->type, encoding, element);
    array->bytes += size;
    array->size -= size;
    array->count--;
    return true;
}
