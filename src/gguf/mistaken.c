/* SPDX-License-Identifier: MIT */
/* Knows the first bytes of what lies about under names that end in .gguf and is none: failed
 * downloads, other containers, older ones. Only ever asked about files without GGUF's magic. */

#include "gguf/mistaken.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

struct mark {
    const char *bytes;
    size_t length;
    const char *what;
};

#define MARK(bytes, what)                                                                \
    {                                                                                    \
        bytes, sizeof(bytes) - 1, what                                                   \
    }

static const struct mark marks[] = {
    MARK("version https://git-lfs",
         "a git-lfs pointer: fetch the file with git lfs pull"),
    MARK("version https://hawser", "a git-lfs pointer: fetch the file with git lfs pull"),
    MARK("FUGG", "GGUF's magic in the wrong order: big-endian files begin with GGUF too"),
    MARK("gguf", "GGUF's magic in lower case"),
    MARK("lmgg", "a ggml file, older than GGUF: convert it"),
    MARK("fmgg", "a ggmf file, older than GGUF: convert it"),
    MARK("tjgg", "a ggjt file, older than GGUF: convert it"),
    MARK("algg", "a ggla file (LoRA adapter), older than GGUF: convert it"),
    MARK("ggml", "a ggml file, older than GGUF: convert it"),
    MARK("ggmf", "a ggmf file, older than GGUF: convert it"),
    MARK("ggjt", "a ggjt file, older than GGUF: convert it"),
    MARK("ggla", "a ggla file (LoRA adapter), older than GGUF: convert it"),
    MARK("PK\003\004", "a zip archive (also what PyTorch saves)"),
    MARK("PK\005\006", "an empty zip archive"),
    MARK("MZqFpD=", "a llamafile: the model is inside, in a zip archive"),
    MARK("\037\213", "gzip data: unpack it"),
    MARK("\050\265\057\375", "zstd data: unpack it"),
    MARK("\3757zXZ", "xz data: unpack it"),
    MARK("BZh", "bzip2 data: unpack it"),
    MARK("7z\274\257\047\034", "a 7z archive: unpack it"),
    MARK("Rar!", "a rar archive: unpack it"),
    MARK("\211HDF", "an HDF5 file"),
    MARK("\223NUMPY", "a numpy file"),
    MARK("\177ELF", "an ELF program"),
    MARK("\200\002", "a Python pickle (PyTorch)"),
    MARK("{", "JSON text"),
    MARK("Entry not found", "an error message instead of the file"),
    MARK("Access to model", "an error message instead of the file"),
    MARK("Invalid username", "an error message instead of the file"),
};

static bool is_html(const uint8_t *bytes, size_t size)
{
    static const char *const starts[] = {"<!doctype", "<html", "<?xml", "<head", "<body"};
    size_t at = 0;
    if (size >= 3 && memcmp(bytes, "\357\273\277", 3) == 0)
        at = 3;
    while (at < size && memchr(" \t\r\n", bytes[at], 4) != NULL)
        at++;
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        size_t length = strlen(starts[i]);
        if (size - at >= length &&
            strncasecmp((const char *)bytes + at, starts[i], length) == 0)
            return true;
    }
    return false;
}

/* The length of a JSON header as u64, little-endian, then the header: an object. */
static bool is_safetensors(const uint8_t *bytes, size_t size)
{
    return size >= 10 && bytes[6] == 0 && bytes[7] == 0 && bytes[8] == '{' &&
           (bytes[9] == '"' || bytes[9] == '}' || bytes[9] == ' ');
}

static bool is_zeros(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return size > 0;
}

const char *mistaken_for(const uint8_t *bytes, size_t size)
{
    if (is_safetensors(bytes, size))
        return "a safetensors file";
    if (is_html(bytes, size))
        return "HTML: a web page instead of the file";
    if (is_zeros(bytes, size))
        return "zeros: a download that was never finished";
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
        if (size >= marks[i].length &&
            memcmp(bytes, marks[i].bytes, marks[i].length) == 0)
            return marks[i].what;
    return NULL;
}
