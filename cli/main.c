// main.c: wrought COMMAND ...
#include "cli.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>

typedef struct command {
    const char *name;
    cli_command_fn *run;
    const char *about;
} command;

static const command commands[] = {
    {"new", cli_new, "start a recipe from a model, or a scene around it"},
    {"rig", cli_rig, "build the asset of a recipe: rig, weights, examples"},
    {"sim", cli_sim, "simulate a scene; run again to resume"},
    {"render", cli_render, "draw pictures and films of a recording, a model or an asset"},
    {"export", cli_export, "write recordings and models as .glb, .usda, caches and sequences"},
    {"tune", cli_tune, "propose values for metal from a run in which nothing bends"},
    {"crush", cli_crush, "press a shape into a model as into sheet metal"},
    {"clean", cli_clean, "write a repaired copy of a model, and say what was wrong with it"},
    {"info", cli_info, "say what is in a file, and whether it is sound"},
    {"bench", cli_bench, "measure on this machine"},
    {"demo", cli_demo, "simulate, render and export a shipped scene"},
};

static void print_help(void)
{
    printf("Wrought %d.%d.%d: physics that bends to the artist's hand.\n\n"
           "usage: wrought COMMAND [arguments]\n\n",
           WR_VERSION_MAJOR, WR_VERSION_MINOR, WR_VERSION_PATCH);
    for (int i = 0; i < WRI_COUNT(commands); i++) {
        printf("  %-8s %s\n", commands[i].name, commands[i].about);
    }
    printf(
        "\n'wrought COMMAND --help' tells more. Options take values as --output X or --output=X. "
        "First film:\n"
        "  wrought demo\n"
        "Exit status: 0 done; 1 bad input; 2 bad usage; 3 finished, but something failed on the "
        "way;\n130 interrupted, what was done is kept.\n");
}

// What was printed must have arrived: a full disk or a closed pipe behind us is trouble, too.
static int check_output(int status)
{
    bool ok = fflush(stdout) == 0 && !ferror(stdout);
    return ok || status != CLI_OK
               ? status
               : cli_complain(CLI_TROUBLE, "standard output: cannot write what should be printed");
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN); // nobody reads what we print: the work is done all the same
    signal(SIGXFSZ, SIG_IGN); // a write beyond a limit is an error to report
    signal(SIGCHLD, SIG_DFL); // how ffmpeg ended must be known, whoever started us
    setlocale(LC_CTYPE, "");  // for the bar; our sentences and numbers are the same everywhere
    if (argc < 2) {
        print_help();
        return CLI_BAD_USAGE;
    }
    const char *word = argv[1];
    if (!strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help")) {
        print_help();
        return check_output(CLI_OK);
    }
    if (!strcmp(word, "--version")) {
        printf("wrought %d.%d.%d\n", WR_VERSION_MAJOR, WR_VERSION_MINOR, WR_VERSION_PATCH);
        return check_output(CLI_OK);
    }
    const char *names[WRI_COUNT(commands)];
    for (int i = 0; i < WRI_COUNT(commands); i++) {
        names[i] = commands[i].name;
        if (strcmp(word, commands[i].name) == 0) {
            return check_output(commands[i].run(argc - 2, argv + 2));
        }
    }
    const char *nearest = wri_nearest_word(word, names, WRI_COUNT(names));
    if (nearest) {
        return cli_complain(CLI_BAD_USAGE, "unknown command \"%s\"; did you mean \"%s\"?", word,
                            nearest);
    }
    return cli_complain(CLI_BAD_USAGE, "unknown command \"%s\"; 'wrought --help' lists them", word);
}
