/* SPDX-License-Identifier: MIT */
/* Files that are taken for GGUF, by their first bytes, and how the parser names them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gguf/mistaken.h"
#include "support/parsed.h"

#define BYTES(string) (const uint8_t *)(string), sizeof(string) - 1

static const struct row {
    const uint8_t *bytes;
    size_t size;
    const char *what; /* how the text starts; NULL: not recognised */
} rows[] = {
    {BYTES("version https://git-lfs.github.com/spec/v1\noid sha256:00\n"),
     "a git-lfs pointer"},
    {BYTES("<!DOCTYPE html>\n<html lang=\"en\">"), "HTML"},
    {BYTES("<!doctype HTML>"), "HTML"},
    {BYTES("\357\273\277\n  <HTML>"), "HTML"},
    {BYTES("<htm"), NULL},
    {BYTES("\x10\x02\0\0\0\0\0\0{\"__metadata__\":{"), "a safetensors file"},
    {BYTES("\x10\x02\0\0\0\0\0\0{"), NULL},
    {BYTES("PK\003\004\024\0"), "a zip archive"},
    {BYTES("PK\001\002"), NULL},
    {BYTES("MZqFpD='\n"), "a llamafile"},
    {BYTES("lmgg\1\0\0\0"), "a ggml file"},
    {BYTES("fmgg\1\0\0\0"), "a ggmf file"},
    {BYTES("tjgg\3\0\0\0"), "a ggjt file"},
    {BYTES("algg\1\0\0\0"), "a ggla file"},
    {BYTES("ggml"), "a ggml file"},
    {BYTES("ggmf"), "a ggmf file"},
    {BYTES("ggjt"), "a ggjt file"},
    {BYTES("ggla"), "a ggla file"},
    {BYTES("FUGG\0\0\0\3"), "GGUF's magic in the wrong order"},
    {BYTES("gguf\3\0\0\0"), "GGUF's magic in lower case"},
    {BYTES("\037\213\010\0"), "gzip"},
    {BYTES("\050\265\057\375"), "zstd"},
    {BYTES("\3757zXZ\0"), "xz"},
    {BYTES("BZh91AY"), "bzip2"},
    {BYTES("7z\274\257\047\034"), "a 7z archive"},
    {BYTES("Rar!\032\007"), "a rar archive"},
    {BYTES("\211HDF\r\n"), "an HDF5 file"},
    {BYTES("\223NUMPY\1\0"), "a numpy file"},
    {BYTES("\177ELF\2\1"), "an ELF program"},
    {BYTES("\200\002}q"), "a Python pickle"},
    {BYTES("{\"error\":\"not found\"}"), "JSON"},
    {BYTES("Entry not found"), "an error message"},
    {BYTES("\0\0\0\0\0\0\0\0\0\0\0\0"), "zeros"},
    {BYTES("what is this"), NULL},
    {BYTES("G"), NULL},
    {BYTES(""), NULL},
};

static void test_each_kind(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const char *what = mistaken_for(rows[i].bytes, rows[i].size);
        if (rows[i].what == NULL) {
            assert_null(what);
            continue;
        }
        assert_non_null(what);
        assert_memory_equal(what, rows[i].what, strlen(rows[i].what));
    }
}

static void assert_refusal(const char *bytes, size_t size, const char *text)
{
    struct parsed parsed;
    parsed_pieces(&parsed, (const uint8_t *)bytes, size, 4, 1);
    assert_true(parsed.rc < 0);
    assert_int_equal(parsed.error.code, GGUFS_FORMAT);
    assert_int_equal(parsed.error.offset, 0);
    assert_string_equal(parsed.error.text, text);
    parsed_done(&parsed);
}

/* Only as many bytes as are needed are looked at, and the magic is shown in hex. */
static void test_the_parser_names_it(void **state)
{
    (void)state;
    assert_refusal(
        "tjgg\3\0\0\0", 8,
        "not a GGUF file: it starts with 74 6a 67 67, GGUF with 47 47 55 46; it "
        "looks like a ggjt file, older than GGUF: convert it");
    assert_refusal("\033[2J", 4,
                   "not a GGUF file: it starts with 1b 5b 32 4a, GGUF with 47 47 55 46");
    assert_refusal("x", 1, "not a GGUF file: it starts with 78, GGUF with 47 47 55 46");
    assert_refusal("", 0, "not a GGUF file: it is empty");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind),
        cmocka_unit_test(test_the_parser_names_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
