/* SPDX-License-Identifier: MIT */
/* libggufs: a GGUF model as a tree of files, without a mount.
 *
 * This header is the library's manual. It has four parts: errors, the format's types, a model
 * (keys, values, tensors, numbers) and a tree (the names, attributes and contents of the files
 * that show one model or many). The program ggufs is written on it and has no other door.
 *
 * Conventions. A function that can fail returns 0 or a negative errno value; where it takes a
 * struct ggufs_error it also says there what is wrong (NULL is allowed: nobody asks). Bytes out
 * of a file are a pointer and a length and may hold any byte, also NUL. What a function gives
 * out belongs to the model or tree it came from and lives as long as that, unless it says
 * otherwise. Functions that take NULL where they close or free do nothing then. Models and
 * trees may be read from many threads at once; opening and closing one is the caller's to
 * order. The library never prints, never exits, keeps no global state. */

#ifndef GGUFS_H
#define GGUFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/uio.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) && !defined(GGUFS_API)
#define GGUFS_API __attribute__((visibility("default")))
#elif !defined(GGUFS_API)
#define GGUFS_API
#endif

/* The version of the library, as in "0.1.0". */
GGUFS_API const char *ggufs_version(void);

/* ---- Errors ------------------------------------------------------------------------------ */

/* What kind of trouble it is. The numbers are the program's exit statuses. */
enum ggufs_code {
    GGUFS_OK = 0,
    GGUFS_SYSTEM = 1,     /* open, read, memory: errnum says which errno */
    GGUFS_USAGE = 2,      /* the caller asked for what makes no sense */
    GGUFS_FORMAT = 3,     /* no GGUF file, or a malformed one */
    GGUFS_VERSION = 4,    /* a GGUF file of a version that is not read here */
    GGUFS_INCOMPLETE = 5, /* data cut off, shards missing */
};

#define GGUFS_NO_OFFSET UINT64_MAX

/* The first fault that was found. Texts are one line, fit for a terminal: whatever came out of
 * a file was escaped, and cut where it was long. */
struct ggufs_error {
    enum ggufs_code code;
    int errnum;      /* positive errno value, also for faults of the format (EBADMSG) */
    uint64_t offset; /* byte of the file where the fault is, or GGUFS_NO_OFFSET */
    char file[256];  /* which file; empty where it is the one that the caller named */
    char text[512];  /* what was found and what is allowed, without the file's name */
};

/* Writes "FILE: TEXT (at byte OFFSET)" to buffer, as snprintf does; file is used where the
 * error names none. Returns the length that the whole line has. */
GGUFS_API int ggufs_error_format(const struct ggufs_error *error, const char *file,
                                 char *buffer, size_t size);

/* Writes bytes to buffer so that a terminal shows them and obeys none: control bytes and bytes
 * that are not valid UTF-8 become \xNN, a backslash \\. What does not fit in size - 1 bytes is
 * cut and ends in "...". Always ends in NUL. Returns buffer. */
GGUFS_API char *ggufs_quote(char *buffer, size_t size, const char *bytes, size_t length);

/* ---- The format's types ------------------------------------------------------------------ */

/* Types of metadata values; the numbers are the format's (spec, gguf.h). */
enum ggufs_value_type {
    GGUFS_U8 = 0,
    GGUFS_I8 = 1,
    GGUFS_U16 = 2,
    GGUFS_I16 = 3,
    GGUFS_U32 = 4,
    GGUFS_I32 = 5,
    GGUFS_F32 = 6,
    GGUFS_BOOL = 7,
    GGUFS_STR = 8,
    GGUFS_ARR = 9,
    GGUFS_U64 = 10,
    GGUFS_I64 = 11,
    GGUFS_F64 = 12,
};

/* ggml's name of a value type ("u8", "arr"), or NULL for a number that is none. */
GGUFS_API const char *ggufs_value_type_name(uint32_t type);

/* What is known of a tensor type (ggml_type). */
struct ggufs_type {
    const char *name;    /* ggml's, such as "Q4_K" */
    uint32_t id;         /* the number in the file */
    uint32_t block_size; /* elements in a block */
    uint32_t type_size;  /* bytes of a block */
    bool removed; /* once assigned, no longer in ggml: its size cannot be relied on */
};

/* The type of that number, or NULL where it is unknown. Removed ones are known. */
GGUFS_API const struct ggufs_type *ggufs_type_by_id(uint32_t id);
/* Walks the table, in the order of ids: i from 0 until NULL. */
GGUFS_API const struct ggufs_type *ggufs_type_at(size_t i);

#define GGUFS_DIMS_MAX    8 /* dimensions of a tensor */
#define GGUFS_NESTING_MAX 8 /* arrays in arrays */

/* ---- A model ----------------------------------------------------------------------------- */

/* What quantised types become in the views (npy/, model.safetensors). */
enum ggufs_dequant {
    GGUFS_DEQUANT_F32 = 0,
    GGUFS_DEQUANT_F16,
    GGUFS_DEQUANT_BF16_AS_U16, /* bfloat16's bits in numpy's uint16; BF16 in safetensors */
};

/* How to open. All zero is the default. */
struct ggufs_options {
    bool strict;  /* a warning is an error */
    bool single;  /* one shard alone, though it is one of a set */
    bool partial; /* a set with missing shards: what is there */
    bool
        mlock; /* pages of tensor data stay in memory once they are in (RLIMIT_MEMLOCK) */
    bool drop; /* lets go of them behind a reader: one pass over more than memory holds */
    bool no_views; /* no npy/, model.safetensors, SHA256SUMS */
    enum ggufs_dequant dequant;
    /* Called with one line (fit for a terminal, no newline) when something happens that nobody
     * waits for: a file skipped, a model changed or unreadable under an open tree. May be
     * called from any thread. NULL: nobody listens. */
    void (*log)(void *log_data, const char *line);
    void *log_data;
};

struct ggufs_model;

/* Opens the file at path and, where it is a shard of a set, the others beside it. options may
 * be NULL. 0, or -errno with error filled. On success *model is the caller's to close. */
GGUFS_API int ggufs_model_open(const char *path, const struct ggufs_options *options,
                               struct ggufs_model **model, struct ggufs_error *error);
GGUFS_API void ggufs_model_close(struct ggufs_model *model);

/* One file of a model; a model that is not split has one. */
struct ggufs_shard {
    const char *name;   /* of the file, no directory */
    bool missing;       /* not there (options.partial): only the name is known */
    uint64_t file_size; /* bytes */
    uint32_t version;   /* of the format: 1, 2, 3 */
    bool big_endian;
    uint64_t alignment;   /* bytes */
    uint64_t data_offset; /* of the data section, bytes from the start of the file */
    size_t n_keys;
    size_t n_tensors;
};
GGUFS_API size_t ggufs_model_shards(const struct ggufs_model *model);
GGUFS_API void ggufs_model_shard(const struct ggufs_model *model, size_t i,
                                 struct ggufs_shard *shard);

/* What is odd about the model, in the order in which it was found. */
struct ggufs_warning {
    const char *text; /* one line, fit for a terminal */
    uint64_t offset;  /* byte of the shard's file, or GGUFS_NO_OFFSET */
    size_t shard;
    bool incomplete; /* data is cut off or a shard is missing */
};
GGUFS_API size_t ggufs_model_warnings(const struct ggufs_model *model);
GGUFS_API void ggufs_model_warning(const struct ggufs_model *model, size_t i,
                                   struct ggufs_warning *warning);

/* An array as it lies in the head. Take elements with ggufs_array_next. */
struct ggufs_array {
    const uint8_t *bytes; /* the elements, packed, in the file's byte order */
    uint64_t size;        /* their bytes */
    uint64_t count;       /* elements */
    uint32_t type;        /* enum ggufs_value_type, checked */
    bool big_endian;
    bool v1; /* lengths are u32 (version 1 of the format) */
};

/* A value, taken out of the head and turned to the machine's byte order. */
struct ggufs_value {
    uint32_t type; /* enum ggufs_value_type, checked */
    union {
        uint64_t u; /* u8 u16 u32 u64; bool: the byte as stored */
        int64_t i;  /* i8 i16 i32 i64 */
        float f32;
        double f64;
        struct {
            const char *bytes; /* in the head; no NUL at its end */
            uint64_t length;
        } str;
        struct ggufs_array arr;
    };
};

/* A key with its value. */
struct ggufs_key {
    const char *name; /* in the head; any bytes, no NUL at its end */
    uint64_t name_length;
    struct ggufs_value value;
    uint64_t offset; /* of the key's record in the file of the first shard */
};

/* Keys are those of the first shard that is there, in file order. i is below the count. */
GGUFS_API size_t ggufs_model_keys(const struct ggufs_model *model);
GGUFS_API void ggufs_model_key(const struct ggufs_model *model, size_t i,
                               struct ggufs_key *key);
/* The first key of that name: 0, or -ENOENT. By hash. */
GGUFS_API int ggufs_model_find_key(const struct ggufs_model *model, const char *name,
                                   size_t length, size_t *i);

/* Takes the first element off the array: true, with element filled and array moved behind it;
 * false where none is left. The head was checked when it was read: nothing can fail. */
GGUFS_API bool ggufs_array_next(struct ggufs_array *array, struct ggufs_value *element);

/* A tensor as its info describes it. */
struct ggufs_tensor {
    const char *name; /* in the head; any bytes, no NUL at its end */
    uint64_t name_length;
    uint32_t type_id;              /* as in the file */
    const struct ggufs_type *type; /* NULL where the number is unknown */
    uint32_t n_dims;
    uint64_t dims[GGUFS_DIMS_MAX]; /* ggml's ne: fastest varying first; 1 behind n_dims */
    uint64_t n_elements;           /* product of dims; 1 for n_dims 0 */
    uint64_t offset;               /* bytes from the start of the shard's file */
    uint64_t size; /* bytes; of an extent: up to the next tensor or the end */
    bool extent;   /* size is not known by type (unknown, removed, odd rows) */
    size_t shard;
};

/* Tensors are those of all shards, in shard order and file order. */
GGUFS_API size_t ggufs_model_tensors(const struct ggufs_model *model);
GGUFS_API void ggufs_model_tensor(const struct ggufs_model *model, size_t i,
                                  struct ggufs_tensor *tensor);
GGUFS_API int ggufs_model_find_tensor(const struct ggufs_model *model, const char *name,
                                      size_t length, size_t *i);

/* Reads size bytes of tensor i from byte offset of its data. 0, or -EIO where they are not
 * there (cut off, missing shard, truncated since), -ESTALE where the file changed since it was
 * opened, -EINVAL past the tensor's end. Never less than asked for. */
GGUFS_API int ggufs_tensor_read(const struct ggufs_model *model, size_t i,
                                uint64_t offset, void *buffer, size_t size);

/* Writes the values [first, first + count) of tensor i as float, bit for bit those of ggml's
 * reference. 0, -EIO and -ESTALE as above, -EINVAL past the end, -ENOTSUP for a type without a
 * decoder or rows that are no multiple of the block. */
GGUFS_API int ggufs_tensor_decode(const struct ggufs_model *model, size_t i,
                                  uint64_t first, float *out, size_t count);

/* ---- A tree ------------------------------------------------------------------------------ */

/* The files that show one model, or several with a directory each. A node is known by its
 * number, which is its inode number and the same each time that the same files are opened. */
struct ggufs_tree;

#define GGUFS_ROOT 1 /* the number of the root */

/* Opens what the program calls MODEL: n is at least 1. A model's path (or one shard's), a
 * directory of models, several of either, or a name in a store ("ollama:NAME", "hf:ORG/NAME",
 * "lmstudio:PUBLISHER/REPO"). One file or name gives that model's own tree; anything else a
 * directory a model, opened when somebody looks at it. options are copied, may be NULL. */
GGUFS_API int ggufs_tree_open(const char *const *models, size_t n,
                              const struct ggufs_options *options,
                              struct ggufs_tree **tree, struct ggufs_error *error);
GGUFS_API void ggufs_tree_close(struct ggufs_tree *tree);

/* The model of a tree over one; NULL over many. */
GGUFS_API const struct ggufs_model *ggufs_tree_model(const struct ggufs_tree *tree);

/* A name for the tree: the model's file name less .gguf and a shard's suffix, or the
 * directory's. Fit for a mountpoint's name. */
GGUFS_API const char *ggufs_tree_name(const struct ggufs_tree *tree);

/* How a model of a tree over many stands. */
enum ggufs_state {
    GGUFS_SHOWN,      /* a directory in the root is its tree */
    GGUFS_SKIPPED,    /* has none: no GGUF file, a folder that cannot be searched... */
    GGUFS_UNREADABLE, /* has one that cannot be entered now: rights, memory, I/O */
};

/* One model of a tree over many: what a line of models.tsv is made of. */
struct ggufs_summary {
    const char *name; /* of its directory, or what that would be called */
    const char *path; /* of the file to open, or of what was skipped: any bytes */
    enum ggufs_state state;
    enum ggufs_code code; /* the kind of trouble; GGUFS_OK where it is shown */
    const char *trouble;  /* one line, fit for a terminal; NULL where it is shown */
    /* Of a model that is shown; else empty and 0. */
    const char *architecture; /* general.architecture, quoted; "" where there is none */
    const char *types;        /* of its tensors, most bytes first: "Q4_K,F32" */
    uint64_t parameters;
    uint64_t bytes; /* of all its files */
};
/* Calls visit for each model of a tree over many, in the root's order, the skipped ones among
 * them, until there is no more or visit returns non-zero, which is then what the function
 * returns. Before that it looks at the folders again and opens, once, each model that nobody
 * has looked at. summary lives until visit returns, its strings until the tree is closed; visit
 * may use the tree, but not close it. A tree over one model has none: ggufs_tree_model. */
GGUFS_API int ggufs_tree_models(struct ggufs_tree *tree,
                                int (*visit)(void *data,
                                             const struct ggufs_summary *summary),
                                void *data);

/* What a sandboxed caller must still be able to read when models are opened later: the i-th
 * directory, or NULL behind the last. None for a tree over one model. */
GGUFS_API const char *ggufs_tree_folder(const struct ggufs_tree *tree, size_t i);

/* The node of that name in a directory: 0, -ENOENT, -ENOTDIR, or the error that opening the
 * model behind it met. */
GGUFS_API int ggufs_tree_lookup(struct ggufs_tree *tree, uint64_t dir, const char *name,
                                uint64_t *node);
/* The node at a path below the root ("metadata/general.name"; "" and "/" are the root). */
GGUFS_API int ggufs_tree_resolve(struct ggufs_tree *tree, const char *path,
                                 uint64_t *node);
/* The directory that holds a node; the root's is the root. */
GGUFS_API int ggufs_tree_parent(struct ggufs_tree *tree, uint64_t node, uint64_t *dir);

/* Fills st: st_ino, st_mode, st_nlink, st_uid, st_gid, st_size, st_blocks, st_blksize, times.
 * Generated text is measured the first time (once; then the size is kept). */
GGUFS_API int ggufs_tree_stat(struct ggufs_tree *tree, uint64_t node, struct stat *st);
/* The same where it costs nothing; -EAGAIN where the size was not measured yet. */
GGUFS_API int ggufs_tree_stat_known(struct ggufs_tree *tree, uint64_t node,
                                    struct stat *st);

/* An entry of a directory. */
struct ggufs_entry {
    const char *name; /* ends in NUL; lives until the callback returns */
    uint64_t node;
    mode_t type;   /* S_IFDIR or S_IFREG */
    uint64_t next; /* the position behind this entry: where to go on from */
};
/* Calls visit for each entry of a directory from position on (0 is the first), without "." and
 * "..", always in the same order, until there is no more or visit returns non-zero, which is
 * then what the function returns. -ENOTDIR, or an error of opening the model behind it. */
GGUFS_API int ggufs_tree_list(struct ggufs_tree *tree, uint64_t dir, uint64_t position,
                              int (*visit)(void *data, const struct ggufs_entry *entry),
                              void *data);

/* Extended attributes, as getxattr(2) and listxattr(2): the length, with size 0 only that;
 * -ERANGE where it does not fit, -ENODATA for a name that is not there. */
GGUFS_API ssize_t ggufs_tree_getxattr(struct ggufs_tree *tree, uint64_t node,
                                      const char *name, void *buffer, size_t size);
GGUFS_API ssize_t ggufs_tree_listxattr(struct ggufs_tree *tree, uint64_t node,
                                       char *buffer, size_t size);

/* What df shows: the model's size, full. */
GGUFS_API int ggufs_tree_statfs(struct ggufs_tree *tree, struct statvfs *st);

/* An open file of a tree. It keeps its model open. */
struct ggufs_file;

/* 0; -EISDIR; -ESTALE where the model's file was rewritten since it was opened; -EIO. */
GGUFS_API int ggufs_file_open(struct ggufs_tree *tree, uint64_t node,
                              struct ggufs_file **file);
GGUFS_API void ggufs_file_close(struct ggufs_file *file);
/* Bytes; measured like ggufs_tree_stat. */
GGUFS_API int ggufs_file_size(struct ggufs_file *file, uint64_t *size);

/* Reads up to size bytes from offset. Returns how many: all that were asked for up to the end
 * of the file, never less for another reason; or -errno (-EIO, -ESTALE, -ENOMEM). */
GGUFS_API ssize_t ggufs_file_read(struct ggufs_file *file, uint64_t offset, void *buffer,
                                  size_t size);

/* The same without copying what lies in a model file: pieces[0..*n) say where the bytes are,
 * in order; *n is the room at entry (at least 1). Mapped bytes must only be given to the
 * kernel (writev): touching them kills the process where the file was truncated. Text that is
 * made on the spot is in scratch, which has room for size bytes. Returns the sum of the pieces'
 * lengths, as ggufs_file_read. A read that takes long (SHA256SUMS) ends soon with -EINTR when
 * another thread sets *stop, which may be NULL. */
GGUFS_API ssize_t ggufs_file_gather(struct ggufs_file *file, uint64_t offset, size_t size,
                                    void *scratch, struct iovec *pieces, int *n,
                                    const volatile int *stop);

/* Where the whole file is one run of a model file from its first byte to its last (model.gguf
 * of a model in one file): that file's descriptor, still the library's. -1 otherwise. */
GGUFS_API int ggufs_file_backing(struct ggufs_file *file);

#ifdef __cplusplus
}
#endif

#endif
