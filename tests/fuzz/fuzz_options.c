/* SPDX-License-Identifier: MIT */
/* The command line, of any words: it is understood, or refused with one line that says why.
 *
 * Input: the words, a line each. */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <getopt.h>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/print.h"
#include "harness.h"

#define WORDS 64

/* -- what options.c refers to; messages are counted instead of printed -- */

static unsigned messages;

void print_message_list(const char *format, va_list arguments)
{
    char text[2048];
    expect(vsnprintf(text, sizeof(text), format, arguments) > 0);
    messages++;
}

void print_message(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message_list(format, arguments);
    va_end(arguments);
}

#define NO_COMMAND(name)                                                                 \
    int name(const struct options *options)                                              \
    {                                                                                    \
        (void)options;                                                                   \
        return 0;                                                                        \
    }
NO_COMMAND(mount_command)
NO_COMMAND(check_command)
NO_COMMAND(list_command)
NO_COMMAND(cat_command)
NO_COMMAND(diff_command)
NO_COMMAND(help_command)
NO_COMMAND(version_command)

/* -- the harness -- */

static void check_options(const struct options *options, char *const *argv, int argc)
{
    expect(options->command != NULL);
    expect(options->open.log == NULL);
    if (options->command->wins)
        return;
    expect(options->n_operands >= options->command->min_operands);
    expect(options->n_operands <= options->command->max_operands);
    for (size_t i = 0; i < options->n_operands; i++)
        expect(options->operands[i] == argv[(size_t)argc - options->n_operands + i]);
}

/* Words that end in NUL, in text itself. */
static int cut_words(char *text, char *argv[WORDS + 1])
{
    static char program[] = "ggufs";
    int argc = 1;
    argv[0] = program;
    for (char *word = strtok(text, "\n"); word && argc < WORDS; word = strtok(NULL, "\n"))
        argv[argc++] = word;
    argv[argc] = NULL;
    return argc;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *argv[WORDS + 1];
    char *text = exact_alloc(size + 1);
    struct options options;
    if (size > 0)
        memcpy(text, bytes, size);
    text[size] = '\0';
    int argc = cut_words(text, argv);
    messages = 0;
    optind = 0; /* getopt begins anew */
    int status = options_parse(&options, argc, argv);
    expect(status == 0 || status == GGUFS_USAGE);
    expect(messages == (status == 0 ? 0 : 1));
    if (status == 0)
        check_options(&options, argv, argc);
    options_done(&options);
    free(text);
    return 0;
}

void harness_seeds(seed_visit_fn *visit, void *data)
{
    static const char *const lines[] = {
        "model.gguf",
        "-f\nmodel.gguf\nmnt\n-o\nallow_other,dequant=bf16-as-u16,cache=never",
        "--check\n-q\na.gguf\nb.gguf",
        "-o\nstrict,single,partial,no_views\n--ls\nm\n--\n-x",
        "--cat\nm\ninfo.json",
        "--diff\n--brief\na\nb",
        "--diff\n--json\na\nb",
        "-h",
        "-V\n-d\n-s",
        "--help=x",
        "-o",
        "--unknown",
        "-osubtype=a\\,b,,fsname=x\\",
        "-fdsz",
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        char name[32];
        snprintf(name, sizeof(name), "line-%02zu", i);
        visit(data, name, lines[i], strlen(lines[i]));
    }
}
