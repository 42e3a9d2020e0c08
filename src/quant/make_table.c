/* SPDX-License-Identifier: MIT */
/* make_table OUTPUT TABLE...: turns files of numbers into C, at build time. One row a
 * line: .csv rows are decimal numbers, .hex rows one hexadecimal number. The table of
 * tables/NAME.csv is quant_NAME, of the type that tables.h declares; that the number
 * of rows and columns is the declared one is left to the compiler, by assertions
 * written beside each table. */

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct table {
    const char *path;
    char name[64];
    bool hex;
    size_t rows;
    size_t columns;
};

static int complain(const struct table *table, const char *what)
{
    fprintf(stderr, "make_table: %s:%zu: %s\n", table->path, table->rows + 1, what);
    return -1;
}

static int name_table(struct table *table)
{
    const char *slash = strrchr(table->path, '/');
    const char *base = slash ? slash + 1 : table->path;
    size_t length = strcspn(base, ".");
    if (length >= sizeof(table->name))
        return complain(table, "name too long");
    memcpy(table->name, base, length);
    table->hex = strcmp(base + length, ".hex") == 0;
    if (!table->hex && strcmp(base + length, ".csv") != 0)
        return complain(table, "neither .csv nor .hex");
    return 0;
}

/* Copies the numbers of a line and counts them. */
static int write_row(struct table *table, char *line, FILE *out)
{
    size_t columns = 0;
    bool braces = strchr(line, ',') != NULL;
    fputs(braces ? "    {" : "    ", out);
    for (char *p = line;; p++) {
        char *end;
        errno = 0;
        long number = strtol(p, &end, table->hex ? 16 : 10);
        if (end == p || errno != 0)
            return complain(table, "not a number");
        fprintf(out, table->hex ? "%s0x%08lx" : "%s%ld", columns ? ", " : "", number);
        columns++;
        p = end;
        if (*p != ',')
            break;
    }
    fputs(braces ? "},\n" : ",\n", out);
    if (table->rows > 0 && columns != table->columns)
        return complain(table, "not as many columns as above");
    table->columns = columns;
    table->rows++;
    return 0;
}

static int write_rows(struct table *table, FILE *in, FILE *out)
{
    char line[256];
    while (fgets(line, sizeof(line), in)) {
        size_t length = strcspn(line, "\n");
        if (line[length] != '\n')
            return complain(table, "line too long, or without an end");
        line[length] = '\0';
        if (write_row(table, line, out) < 0)
            return -1;
    }
    return ferror(in) ? complain(table, "cannot be read") : 0;
}

static int write_table(const char *path, FILE *out)
{
    struct table table = {.path = path};
    if (name_table(&table) < 0)
        return -1;
    FILE *in = fopen(path, "r");
    if (!in)
        return complain(&table, strerror(errno));
    fprintf(out, "\n__typeof__(quant_%s) quant_%s = {\n", table.name, table.name);
    int result = write_rows(&table, in, out);
    size_t row_size = table.columns * (table.hex ? sizeof(uint32_t) : sizeof(uint8_t));
    fprintf(out,
            "};\n_Static_assert(sizeof(quant_%s) == %zu && sizeof(*quant_%s) == %zu,\n",
            table.name, table.rows * row_size, table.name, row_size);
    fprintf(out, "               \"%s is not declared so\");\n", table.name);
    fclose(in);
    return result;
}

static int write_tables(FILE *out, char **paths)
{
    fputs("/* SPDX-License-Identifier: MIT */\n"
          "/* Made by make_table. The numbers are ggml's: see src/quant/tables/README. "
          "*/\n\n"
          "#include \"quant/tables.h\"\n",
          out);
    for (; *paths; paths++)
        if (write_table(*paths, out) < 0)
            return -1;
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fputs("usage: make_table OUTPUT TABLE...\n", stderr);
        return 2;
    }
    FILE *out = fopen(argv[1], "w");
    if (!out) {
        fprintf(stderr, "make_table: %s: %s\n", argv[1], strerror(errno));
        return 1;
    }
    int result = write_tables(out, argv + 2);
    if (fclose(out) != 0)
        result = -1;
    if (result < 0)
        remove(argv[1]);
    return result < 0 ? 1 : 0;
}
