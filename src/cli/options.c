/* SPDX-License-Identifier: MIT */
/* Reads the command line. Short and long options are getopt's; the words behind -o are ours
 * where a table below has them and kept for libfuse otherwise, which refuses what it does not
 * know when it mounts. */

#include "cli/options.h"
#include "cli/print.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

/* What getopt_long returns for options without a letter. */
enum { COMMAND = 256, BRIEF, JSON };

/* clang-format off */
static const struct option long_options[] = {
    {"check", no_argument, NULL, COMMAND},
    {"ls", no_argument, NULL, COMMAND},
    {"cat", no_argument, NULL, COMMAND},
    {"diff", no_argument, NULL, COMMAND},
    {"brief", no_argument, NULL, BRIEF},
    {"json", no_argument, NULL, JSON},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};
/* clang-format on */

/* Words behind -o that switch something on. */
static const struct flag {
    const char *word;
    size_t offset; /* of the bool in struct options */
} flags[] = {
    {"strict", offsetof(struct options, open.strict)},
    {"single", offsetof(struct options, open.single)},
    {"partial", offsetof(struct options, open.partial)},
    {"no_views", offsetof(struct options, open.no_views)},
    {"mlock", offsetof(struct options, open.mlock)},
    {"drop", offsetof(struct options, open.drop)},
    {"nonempty", offsetof(struct options, nonempty)},
    {"no_sandbox", offsetof(struct options, no_sandbox)},
};

struct choice {
    const char *word;
    int value;
};

static const struct choice dequants[] = {
    {"f32", GGUFS_DEQUANT_F32},
    {"f16", GGUFS_DEQUANT_F16},
    {"bf16-as-u16", GGUFS_DEQUANT_BF16_AS_U16},
    {NULL, 0},
};

static const struct choice caches[] = {
    {"auto", MOUNT_CACHE_AUTO},
    {"always", MOUNT_CACHE_ALWAYS},
    {"never", MOUNT_CACHE_NEVER},
    {NULL, 0},
};

static int usage(const char *format, ...) __attribute__((format(printf, 1, 2)));

static int usage(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message_list(format, arguments);
    va_end(arguments);
    return GGUFS_USAGE;
}

static int no_memory(void)
{
    print_message("out of memory");
    return GGUFS_SYSTEM;
}

/* The value of the choice that is called word; -1 where none is. */
static int choose(const struct choice *choices, const char *word)
{
    for (; choices->word; choices++)
        if (strcmp(choices->word, word) == 0)
            return choices->value;
    return -1;
}

/* What follows prefix in word; NULL where word does not begin with it. */
static const char *behind(const char *word, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(word, prefix, length) == 0 ? word + length : NULL;
}

static bool set_flag(struct options *options, const char *word)
{
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (strcmp(flags[i].word, word) == 0) {
            *(bool *)((char *)options + flags[i].offset) = true;
            return true;
        }
    return false;
}

/* Appends a word to those that libfuse gets. */
static int keep_for_fuse(struct options *options, const char *word)
{
    size_t have = options->fuse_options ? strlen(options->fuse_options) + 1 : 0;
    size_t size = strlen(word) + 1;
    char *list = realloc(options->fuse_options, have + size);
    if (!list)
        return no_memory();
    if (have)
        list[have - 1] = ',';
    memcpy(list + have, word, size);
    options->fuse_options = list;
    return 0;
}

static int set_word(struct options *options, const char *word)
{
    const char *value;
    int choice;
    if (set_flag(options, word))
        return 0;
    if ((value = behind(word, "dequant="))) {
        if ((choice = choose(dequants, value)) < 0)
            return usage("-o %s: it is f32, f16 or bf16-as-u16", word);
        options->open.dequant = (enum ggufs_dequant)choice;
        return 0;
    }
    if ((value = behind(word, "cache="))) {
        if ((choice = choose(caches, value)) < 0)
            return usage("-o %s: it is auto, always or never", word);
        options->cache = (enum mount_cache)choice;
        return 0;
    }
    return keep_for_fuse(options, word);
}

/* Where the first word of a list ends: a comma, unless a backslash stands before it. */
static char *word_end(char *list)
{
    for (; *list && *list != ','; list++)
        if (list[0] == '\\' && list[1])
            list++;
    return list;
}

static int set_words(struct options *options, const char *list)
{
    char *words = strdup(list);
    if (!words)
        return no_memory();
    int status = 0;
    for (char *word = words, *end; !status && *word; word = end) {
        end = word_end(word);
        if (*end)
            *end++ = '\0';
        if (*word)
            status = set_word(options, word);
    }
    free(words);
    return status;
}

static int set_command(struct options *options, const char *name)
{
    const struct command *command = command_find(name);
    const struct command *before = options->command;
    if (before && before != command && !before->wins && !command->wins)
        return usage("--%s and --%s: one of them", before->name, command->name);
    if (!before || !before->wins)
        options->command = command;
    return 0;
}

/* An option that getopt does not take. letter is what it left in optopt: the letter, or for a
 * long one 0 or its value, and then the word before optind is the option. */
static int refuse(int option, int letter, const char *word)
{
    if (option == ':')
        return usage("-%c needs an argument (see ggufs --help)", letter);
    if (letter == 0 || letter >= COMMAND)
        return usage("unknown option %s (see ggufs --help)", word);
    if (letter == 'h' || letter == 'V')
        return usage("%s: the option takes no argument", word);
    return usage("unknown option -%c (see ggufs --help)", letter);
}

static int set_option(struct options *options, int option, const char *name)
{
    switch (option) {
    case 'f': options->foreground = true; return 0;
    case 'd': options->debug = options->foreground = true; return 0;
    case 's': options->single_threaded = true; return 0;
    case 'q': options->quiet = true; return 0;
    case BRIEF: options->brief = true; return 0;
    case JSON: options->json = true; return 0;
    case 'h': return set_command(options, "help");
    case 'V': return set_command(options, "version");
    case 'o': return set_words(options, optarg);
    default: return set_command(options, name);
    }
}

/* Whether the command can do with what it was given. */
static int check(const struct options *options)
{
    const struct command *command = options->command;
    if (command->wins)
        return 0;
    if (options->n_operands < command->min_operands ||
        options->n_operands > command->max_operands)
        return usage("%s; usage: ggufs %s (see ggufs --help)",
                     options->n_operands ? "not that many operands" : "no model is named",
                     command->usage);
    if (command != command_find("diff") && (options->brief || options->json))
        return usage("%s: only with --diff", options->brief ? "--brief" : "--json");
    if (command != command_find("mount") && options->fuse_options)
        return usage("-o %s: unknown, or of use only for a mount", options->fuse_options);
    return 0;
}

int options_parse(struct options *options, int argc, char **argv)
{
    int option, name = 0, status;
    *options = (struct options){0};
    opterr = 0;
    while ((option = getopt_long(argc, argv, ":fdsqhVo:", long_options, &name)) != -1) {
        if (option == '?' || option == ':')
            return refuse(option, optopt, argv[optind - 1]);
        if ((status = set_option(options, option, long_options[name].name)))
            return status;
    }
    if (!options->command)
        options->command = command_find("mount");
    options->operands = (const char *const *)(argv + optind);
    options->n_operands = (size_t)(argc - optind);
    return check(options);
}

void options_done(struct options *options)
{
    free(options->fuse_options);
}
