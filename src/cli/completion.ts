import { UsageError } from './client.ts';
import { actionsIn, optionsIn } from './help-parts.ts';
import { operationNames } from './operations.ts';
import { optionNames, optionsWithValue } from './options.ts';

/** Options that each command takes, beside those of its help. */
const GENERAL = ['help', 'output', 'field', 'quiet'];

/** `words`: operations or actions, which follow the command. */
type Row = { name: string; words: readonly string[]; options: readonly string[] };

const rowsOf = (helps: ReadonlyMap<string, string>): Row[] =>
  [...helps].map(([name, help]) => ({
    name,
    words:
      name === 'submit' || name === 'query' ? operationNames(name) : name === 'help' ? [...helps.keys()] : actionsIn(name, help),
    options: [...new Set([...optionsIn(help), ...GENERAL])].filter((option) => optionNames.includes(option)).sort(),
  }));

const dashed = (options: readonly string[]): string => options.map((option) => `--${option}`).join(' ');

/** Words before the cursor are searched for the command. The value of an option is no command. A file follows an option, or `@`. */
function bash(rows: readonly Row[]): string {
  const cases = rows.map(({ name, words, options }) => `    ${name}) words='${words.join(' ')}' options='${dashed(options)}' ;;`);
  return `_countersign() {
  local cur=\${COMP_WORDS[COMP_CWORD]} command= words= options= skip= given=0 i word
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [ -n "$skip" ]; then skip=; continue; fi
    case " ${dashed(optionsWithValue)} " in *" $word "*) skip=1; continue ;; esac
    case $word in -*) continue ;; esac
    if [ -z "$command" ]; then command=$word; else given=1; fi
  done
  COMPREPLY=()
  [ -n "$skip" ] && return
  case $command in
    '') words='${rows.map(({ name }) => name).join(' ')}' options='${dashed(['credentials', 'url', 'organization', 'profile', 'help', 'version'])}' ;;
${cases.join('\n')}
  esac
  case $cur in
    -*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
    @*) COMPREPLY=($(compgen -P @ -f -- "\${cur#@}")) ;;
    *) [ "$given" = 0 ] && COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
  esac
  return 0
}
complete -o default -F _countersign countersign
`;
}

const zsh = (rows: readonly Row[]): string => `autoload -U +X compinit bashcompinit && compinit && bashcompinit\n${bash(rows)}`;

function fish(rows: readonly Row[]): string {
  const lines = rows.flatMap(({ name, words, options }) => {
    const seen = `complete -c countersign -n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c countersign -n __fish_use_subcommand -f -a ${name}`,
      ...(words.length === 0 ? [] : [`${seen} -a '${words.join(' ')}'`]),
      ...options.map((option) => `${seen} -l ${option}${optionsWithValue.includes(option) ? ' -r' : ''}`),
    ];
  });
  return `${lines.join('\n')}\n`;
}

const SHELLS: Readonly<Record<string, (rows: readonly Row[]) => string>> = { bash, zsh, fish };

/** `countersign completion bash|zsh|fish`: the script that the shell reads. `helps`: of each command. */
export function completionCommand(shell: string, helps: ReadonlyMap<string, string>): { text: string } {
  if (!Object.hasOwn(SHELLS, shell))
    throw new UsageError(`there is no completion for "${shell}": name ${Object.keys(SHELLS).join(', ')}`);
  return { text: SHELLS[shell]!(rowsOf(helps)) };
}
