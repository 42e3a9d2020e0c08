/* SPDX-License-Identifier: MIT */
/* The decoders against what ggml itself made of real tensors: generated files with,
 * for each tensor, the SHA-256 of its values as ggml's reference gives them, and
 * big-endian twins of some of these files. The files are optional material
 * ($GGUFS_SHARED/gen); without it all is skipped.
 *
 * A hash cannot take any NaN for any NaN. Where it differs and values are NaN, they
 * are held against the formulas instead, which can. */

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>
#include <openssl/evp.h>

#include "base/load.h"
#include "quant/quant.h"
#include "reference.h"
#include "support/material.h"

/* FILE.json, parsed; FILE.gguf, open. */
struct pair {
    json_t *json;
    FILE *file;
    bool big_endian;
};

static struct pair pair_open(const char *directory, const char *name, int length)
{
    char path[4096];
    struct pair pair;
    snprintf(path, sizeof(path), "%s/%.*s.json", directory, length, name);
    /* Metadata that is in there too has integers and strings beyond jansson's wont. */
    pair.json = json_load_file(path, JSON_DECODE_INT_AS_REAL | JSON_ALLOW_NUL, NULL);
    snprintf(path, sizeof(path), "%s/%.*s.gguf", directory, length, name);
    pair.file = fopen(path, "rb");
    assert_non_null(pair.json);
    assert_non_null(pair.file);
    const char *endian = json_string_value(json_object_get(pair.json, "endian"));
    pair.big_endian = endian && strcmp(endian, "big") == 0;
    return pair;
}

static void pair_close(struct pair *pair)
{
    json_decref(pair->json);
    fclose(pair->file);
}

static uint64_t integer(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return (uint64_t)json_number_value(value);
}

/* A tensor's bytes and values; both are the caller's to free. */
struct values {
    const struct reference_type *type;
    uint8_t *bytes;
    float *out;
    size_t n_blocks, n;
};

static struct values values_read(const struct pair *pair, const json_t *tensor)
{
    struct values v = {.type = reference_type((uint32_t)integer(tensor, "type_id"))};
    assert_non_null(v.type);
    size_t size = (size_t)integer(tensor, "n_bytes");
    v.n = (size_t)integer(tensor, "n_elements");
    v.n_blocks = v.n / (size_t)v.type->n;
    assert_int_equal(v.n_blocks * (size_t)v.type->size, size);
    v.bytes = malloc(size + 1);
    v.out = malloc(v.n * sizeof(float) + 1);
    assert_non_null(v.bytes);
    assert_non_null(v.out);
    assert_int_equal(fseek(pair->file, (long)integer(tensor, "abs_offset"), SEEK_SET), 0);
    assert_int_equal(fread(v.bytes, 1, size, pair->file), size);
    quant_decoder(v.type->id)(v.bytes, v.n_blocks, v.out, pair->big_endian);
    return v;
}

static void values_done(struct values *v)
{
    free(v->bytes);
    free(v->out);
}

/* The SHA-256 of values as little-endian float32, in hex. */
static void hash(const struct values *v, char *hex)
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned length = 0;
    uint8_t *bytes = malloc(4 * v->n + 1);
    assert_non_null(bytes);
    for (size_t i = 0; i < v->n; i++) {
        uint32_t bits;
        memcpy(&bits, v->out + i, sizeof(bits));
        store_u32(bytes + 4 * i, bits, false);
    }
    assert_int_equal(EVP_Digest(bytes, 4 * v->n, digest, &length, EVP_sha256(), NULL), 1);
    free(bytes);
    for (unsigned i = 0; i < length; i++)
        sprintf(hex + 2 * i, "%02x", digest[i]);
}

static bool any_nan(const struct values *v)
{
    for (size_t i = 0; i < v->n; i++)
        if (isnan(v->out[i]))
            return true;
    return false;
}

static bool equals_formulas(const struct values *v)
{
    float *expected = malloc(v->n * sizeof(float) + 1);
    assert_non_null(expected);
    reference_decode(v->type, v->bytes, v->n_blocks, expected);
    bool equal = reference_equal(v->out, expected, v->n);
    free(expected);
    return equal;
}

/* Returns whether the tensor has a hash to be checked. */
static bool check_hash(const struct pair *pair, const json_t *tensor, const char *file)
{
    const char *expected =
        json_string_value(json_object_get(tensor, "f32_sha256_ggml_c"));
    if (!expected)
        return false;
    const char *name = json_string_value(json_object_get(tensor, "name"));
    char actual[2 * EVP_MAX_MD_SIZE + 1];
    struct values v = values_read(pair, tensor);
    hash(&v, actual);
    if (strcmp(actual, expected) != 0) {
        if (!any_nan(&v) || !equals_formulas(&v))
            fail_msg("%s: %s (%s): other values than ggml's", file, name, v.type->name);
        print_message("# %s: %s: as ggml but for the bits of NaNs\n", file, name);
    }
    values_done(&v);
    return true;
}

static void test_hashes(void **state)
{
    (void)state;
    char path[2048];
    assert_true(material_path(path, sizeof(path), "gen"));
    DIR *dir = opendir(path);
    size_t n = 0;
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".json") != 0)
            continue;
        struct pair pair = pair_open(path, entry->d_name, (int)(dot - entry->d_name));
        json_t *tensor;
        size_t i;
        json_array_foreach(json_object_get(pair.json, "tensors"), i, tensor) n +=
            check_hash(&pair, tensor, entry->d_name);
        pair_close(&pair);
    }
    closedir(dir);
    print_message("# %zu tensors as ggml decodes them\n", n);
    assert_true(n > 0);
}

/* Whether writers agree on that tensor's bytes in a big-endian file: some leave
 * blocks, and BF16, as they are in a little-endian one. */
static bool is_swapped(const char *file, const struct reference_type *type)
{
    return strncmp(file, "be-conv", 7) == 0 ||
           (type->n == 1 && strcmp(type->name, "BF16"));
}

static const json_t *find_tensor(const struct pair *pair, const char *name)
{
    json_t *tensor;
    size_t i;
    json_array_foreach(
        json_object_get(pair->json, "tensors"), i,
        tensor) if (strcmp(json_string_value(json_object_get(tensor, "name")), name) ==
                    0) return tensor;
    fail_msg("no tensor %s", name);
    return NULL;
}

static void check_twins(const char *directory, const char *little, const char *big)
{
    struct pair a = pair_open(directory, little, (int)strlen(little));
    struct pair b = pair_open(directory, big, (int)strlen(big));
    json_t *tensor;
    size_t i, n = 0;
    assert_true(b.big_endian && !a.big_endian);
    json_array_foreach(json_object_get(a.json, "tensors"), i, tensor)
    {
        const char *name = json_string_value(json_object_get(tensor, "name"));
        struct values v = values_read(&a, tensor);
        struct values w = values_read(&b, find_tensor(&b, name));
        assert_int_equal(v.n, w.n);
        assert_ptr_equal(v.type, w.type);
        if (is_swapped(big, v.type)) {
            assert_true(reference_equal(v.out, w.out, v.n));
            n++;
        }
        values_done(&v);
        values_done(&w);
    }
    print_message("# %s: %zu tensors as in %s\n", big, n, little);
    assert_true(n > 0);
    pair_close(&a);
    pair_close(&b);
}

static void test_big_endian_twins(void **state)
{
    static const char *const twins[][2] = {
        {"type-BF16", "be-conv-type-BF16"},
        {"type-MXFP4", "be-conv-type-MXFP4"},
        {"type-Q8_0", "be-conv-type-Q8_0"},
        {"gw-le", "gw-be"},
    };
    (void)state;
    char path[2048];
    assert_true(material_path(path, sizeof(path), "gen"));
    for (size_t i = 0; i < sizeof(twins) / sizeof(*twins); i++)
        check_twins(path, twins[i][0], twins[i][1]);
}

int main(void)
{
    char path[2048];
    if (!material_path(path, sizeof(path), "gen"))
        return material_skip("gen");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hashes),
        cmocka_unit_test(test_big_endian_twins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
