#include "cli/cli.h"
#include "cli/console.h"

#include <string.h>

static const struct option_table *const tables[] = {NULL};

/* Every script asks `loadline complete` and hands on what it says. */

/* A bash cuts words at = and : too, so they are put together again, and what stands before the last
 * of them is taken off the answers. Readline quotes files itself where nothing but files is
 * offered, and would quote the rest once more. */
static const char bash_script[] =
    "# bash completion of loadline\n"
    "_loadline() {\n"
    "    local words=() i word answer cut= files= breaks=${COMP_WORDBREAKS//[^=:]}\n"
    "    for ((i = 1; i <= COMP_CWORD; i++)); do\n"
    "        word=${COMP_WORDS[i]}\n"
    "        if [[ $breaks && $i -gt 1 && ( $word == [$breaks]* || ${COMP_WORDS[i-1]} == "
    "*[$breaks] ) "
    "]]; then\n"
    "            words[${#words[@]}-1]+=$word\n"
    "        else\n"
    "            words+=(\"$word\")\n"
    "        fi\n"
    "    done\n"
    "    for ((i = 0; i < ${#words[@]}; i++)); do\n"
    "        [[ ${words[i]} == [\\'\\\"]* ]] && words[i]=${words[i]:1}\n"
    "    done\n"
    "    word=${words[${#words[@]}-1]}\n"
    "    [[ $breaks ]] && cut=${word%\"${word##*[$breaks]}\"}\n"
    "    COMPREPLY=()\n"
    "    while IFS=$'\\t' read -r answer _; do\n"
    "        case $answer in\n"
    "        :files) files=-f ;;\n"
    "        :dirs) files=-d ;;\n"
    "        *) COMPREPLY+=(\"${answer#\"$cut\"}\") ;;\n"
    "        esac\n"
    "    done < <(\"${COMP_WORDS[0]/#\\~/$HOME}\" complete -- \"${words[@]}\" 2>/dev/null)\n"
    "    if [[ $files && ${#COMPREPLY[@]} == 0 ]]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        mapfile -t COMPREPLY < <(compgen $files -- \"${word#\"$cut\"}\")\n"
    "        return\n"
    "    fi\n"
    "    while [[ $files ]] && IFS= read -r answer; do\n"
    "        [[ -d $answer ]] && answer+=/\n"
    "        COMPREPLY+=(\"$answer\")\n"
    "    done < <(compgen ${files:--d} -- \"${word#\"$cut\"}\")\n"
    "    ((${#COMPREPLY[@]})) || return\n"
    "    [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *[:=/] ]] && compopt -o nospace "
    "2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(printf '%q\\n' \"${COMPREPLY[@]}\")\n"
    "}\n"
    "complete -F _loadline loadline\n";

static const char zsh_script[] =
    "#compdef loadline\n"
    "# zsh completion of loadline\n"
    "_loadline() {\n"
    "    local line files= ret=1\n"
    "    local -a answers\n"
    "    for line in \"${(@f)$(\"${(Q)words[1]}\" complete -- \"${(@Q)words[2,CURRENT]}\" "
    "2>/dev/null)}\"; do\n"
    "        case $line in\n"
    "        '') ;;\n"
    "        :files) files=_files ;;\n"
    "        :dirs) files='_files -/' ;;\n"
    "        *) answers+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( $#answers )) && _describe loadline answers && ret=0\n"
    "    [[ -n $files ]] && ${=files} && ret=0\n"
    "    return ret\n"
    "}\n"
    "if [ \"$funcstack[1]\" = _loadline ]; then\n"
    "    _loadline \"$@\"\n"
    "else\n"
    "    compdef _loadline loadline\n"
    "fi\n";

static const char fish_script[] =
    "# fish completion of loadline\n"
    "function __loadline_complete\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    for line in ($words[1] complete -- $words[2..] 2>/dev/null)\n"
    "        switch $line\n"
    "            case :files\n"
    "                __fish_complete_path (string replace -r '^--[^=]*=' '' -- $words[-1])\n"
    "            case :dirs\n"
    "                __fish_complete_directories (string replace -r '^--[^=]*=' '' -- $words[-1])\n"
    "            case '*'\n"
    "                printf '%s\\n' $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c loadline -f -a '(__loadline_complete)'\n";

static const struct {
    const char *shell;
    const char *script;
} known[] = {{"bash", bash_script}, {"zsh", zsh_script}, {"fish", fish_script}};

static int run(const struct command *self, int argc, char **argv)
{
    struct options_parsed parsed = {.n_args = 0};
    struct text text;
    int status = 0, rc = -1;
    if (!command_parse(self, argc, argv, &parsed, &status))
        return status;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(known[i].shell, parsed.args[0]) != 0)
            continue;
        text_init(&text);
        text_add(&text, known[i].script);
        rc = console_show(&text);
        text_fini(&text);
        return rc < 0 ? CLI_COULD_NOT_RUN : CLI_DONE;
    }
    console_error("completions %s: bash, zsh or fish", parsed.args[0]);
    return CLI_USAGE;
}

const struct command cmd_completions = {
    .name = "completions",
    .brief = "a script that lets a shell complete loadline's words",
    .summary = "Prints a script for the shell: commands, options and their words, files, targets, "
               "and the ids and labels of studies are completed then. `make install` puts it where "
               "the shells look for it.",
    .args = "bash|zsh|fish",
    .lacks = "the shell is missing: bash, zsh or fish",
    .args_min = 1,
    .args_max = 1,
    .example = {"loadline completions bash > loadline.bash && source loadline.bash",
                "loadline completions fish > ~/.config/fish/completions/loadline.fish"},
    .tables = tables,
    .run = run,
};
