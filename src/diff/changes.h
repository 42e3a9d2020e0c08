/* SPDX-License-Identifier: MIT */
/* What differs between two models, as a list that a report is written from. Found by name: the
 * file names of keys and tensors in the tree, of which there are no two alike. */

#ifndef GGUFS_DIFF_CHANGES_H
#define GGUFS_DIFF_CHANGES_H

#include "diff/diff.h"

/* One of the two sides. */
struct side {
    struct ggufs_tree *tree;
    const struct ggufs_model *model;
};

/* What is compared: the entries of one directory of the tree, by number in the model. */
enum subject { SUBJECT_KEYS, SUBJECT_TENSORS, SUBJECTS };

enum change_kind { CHANGE_ADDED, CHANGE_REMOVED, CHANGE_CHANGED, CHANGE_KINDS };

/* How two tensors' numbers differ. */
struct numbers {
    bool known;     /* the shapes are the same and both could be decoded */
    double largest; /* absolute difference */
    double mean;    /* absolute difference */
    double cosine;  /* similarity; NaN where one of them is all zero */
};

/* An entry that is on one side only, or on both and not the same. */
struct change {
    enum change_kind kind;
    char *name;        /* file name; fit for a terminal but for what UTF-8 can hold */
    size_t old, new;   /* numbers in the models, as far as they are there */
    bool bytes_differ; /* tensors: of equal type and shape, the data does not */
    int trouble;       /* tensors: -errno where the data could not be read */
    struct numbers numbers;
};

struct changes {
    struct change *items;
    size_t count, room;
    size_t by_kind[CHANGE_KINDS];
    size_t same;
    size_t troubles;
};

void changes_done(struct changes *changes);

/* The names of both sides, paired: what is on one side only goes to changes; for what is on
 * both, pair(data, name, old, new) is called. 0 or the first error. */
int pair_entries(const struct side *old, const struct side *new, enum subject subject,
                 struct changes *changes,
                 int (*pair)(void *data, const char *name, size_t old, size_t new),
                 void *data);
/* Appends; the name is copied. NULL where memory is out. */
struct change *changes_add(struct changes *changes, enum change_kind kind,
                           const char *name, size_t old, size_t new);

/* Fill changes from both sides. 0 or -errno. */
int compare_keys(const struct side *old, const struct side *new, struct changes *changes);
int compare_tensors(const struct side *old, const struct side *new,
                    const struct diff_options *options, struct changes *changes);

/* The two data of a pair of tensors: 1 equal, 0 not, -errno. Reports bytes by count(data, n). */
int tensors_equal(const struct side *old, size_t i, const struct side *new, size_t k,
                  void (*count)(void *data, uint64_t bytes), void *data);
/* Decodes both; their element counts are equal. 0 or -errno (-ENOTSUP: no numbers). */
int tensors_numbers(const struct side *old, size_t i, const struct side *new, size_t k,
                    struct numbers *numbers);

/* -- reports; 0 or -ENOMEM -- */

int report_text(const struct side *old, const struct side *new,
                const struct changes changes[SUBJECTS],
                const struct diff_options *options);
int report_json(const struct side *old, const struct side *new,
                const struct changes changes[SUBJECTS],
                const struct diff_options *options);

/* A key's value in a line: its type and the start of its text, quoted. */
void describe_value(const struct side *side, const char *name, size_t i, char *out,
                    size_t room);
/* "Q4_K", or the number of an unknown type. */
void describe_type(const struct ggufs_tensor *tensor, char out[32]);
/* "4096x32000", slowest first; "scalar" for no dimensions. */
void describe_shape(const struct ggufs_tensor *tensor, char out[200]);

#endif
