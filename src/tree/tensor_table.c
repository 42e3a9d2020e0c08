/* SPDX-License-Identifier: MIT */
/* tensors.tsv: one line a tensor, for people, awk, sort and diff. No offsets: two models with
 * the same tensors have the same table. */

#include <errno.h>
#include <stdlib.h>

#include "content/text.h"
#include "tree/views.h"
#include "tree/words.h"

#define LINES_A_STEP 32 /* a line has at most 255 bytes of name and some 200 of numbers */

struct table_maker {
    const struct tree *tree;
    const struct ggufs_model *model;
};

static void put_line(const struct table_maker *maker, size_t i, struct sink *sink)
{
    char buffer[256];
    struct ggufs_tensor tensor;

    ggufs_model_tensor(maker->model, i, &tensor);
    sink_string(sink, tree_tensor_name(maker->tree, i, buffer));
    sink_char(sink, '\t');
    word_tensor_type(sink, &tensor);
    sink_char(sink, '\t');
    word_shape(sink, &tensor);
    sink_char(sink, '\t');
    sink_u64(sink, tensor.n_elements);
    sink_char(sink, '\t');
    sink_u64(sink, tensor.size);
    sink_char(sink, '\n');
}

/* at[0]: 0 before the header, then the number of the next tensor plus one. */
static int table_step(const void *data, struct text_state *state, struct sink *sink)
{
    const struct table_maker *maker = data;
    size_t n = ggufs_model_tensors(maker->model), i;

    if (state->at[0] == 0) {
        sink_string(sink, "name\ttype\tshape\tn_elements\tbytes\n");
        state->at[0] = 1;
    }
    i = state->at[0] - 1;
    for (size_t end = i + LINES_A_STEP; i < n && i < end; i++)
        put_line(maker, i, sink);
    state->at[0] = i + 1;
    return i < n;
}

int tensors_tsv_content(const struct tree *tree, const struct ggufs_model *model,
                        struct content **content)
{
    struct table_maker *maker = malloc(sizeof(*maker));

    if (!maker)
        return -ENOMEM;
    *maker = (struct table_maker){tree, model};
    *content = content_text(table_step, maker, free);
    return *content ? 0 : -ENOMEM;
}
