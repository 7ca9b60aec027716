import type { Command } from 'commander'
import { exitCodes } from '#src/core/errors/error-catalogue.ts'
import { completionWords, type CommandWords, type FlagWords, type Value } from './completion-words.ts'

/** `rungs completion SHELL`: prints a script that the shell reads once and that completes without starting the program. */
export function completion(shell: 'bash' | 'zsh' | 'fish', _flags: object, { parent }: Command): number {
  if (parent === null) throw new Error('completion is a command of the program')
  const commands = completionWords(parent)
  process.stdout.write(shell === 'fish' ? fishText(commands) : caseText(commands, dialects[shell]))
  return exitCodes.ok
}

/** The names that the bot of a folder has written there, by their suffix: bash and zsh read the same pattern. */
const namesText = `_rungs_names() {
  local folder="\${RUNGS_STATE_DIR:-.rungs}" word before=
  for word in "\${words[@]}"; do
    [[ "$before" == --state-dir ]] && folder="\${word/#\\~\\//$HOME/}"
    before="$word"
  done
  command grep -rh --include=names -- "$1\\$" "$folder" 2>/dev/null
}`

/** How a shell completes one kind of word. */
type Dialect = {
  begin: string
  words: (words: readonly string[]) => string
  offer: Record<string, string>
  end: string
}

const dialects: Readonly<Record<'bash' | 'zsh', Dialect>> = {
  bash: {
    begin: `# eval "$(npx rungs completion bash)"
${namesText}
# Offers the names of the file without shell expansion.
_rungs_offer() {
  local name
  while IFS= read -r name; do [[ "$name" == "$current"* ]] && COMPREPLY+=("$name"); done
}
_rungs() {
  local words=("\${COMP_WORDS[@]}") at=$COMP_CWORD
  local current="\${words[at]}" before="\${words[at-1]}" first=1
  COMPREPLY=()
  # After npx, complete only rungs and its arguments.
  if [[ "\${words[0]##*/}" == npx ]]; then
    [[ "\${words[1]}" == rungs ]] || return 0
    first=2
  fi
`,
    words: (words) => `mapfile -t COMPREPLY < <(compgen -W '${words.join(' ')}' -- "$current")`,
    offer: {
      file: 'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$current")',
      folder: 'compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -d -- "$current")',
      strategy:
        'compopt -o filenames 2>/dev/null; ' +
        'mapfile -t COMPREPLY < <(compgen -f -X \'!*.yaml\' -- "$current"; compgen -d -- "$current")',
      name: '_rungs_offer < <(_rungs_names "[^.]")',
      rung: 'compopt -o nospace 2>/dev/null; _rungs_offer < <(_rungs_names "[.]")',
    },
    end: `
}
complete -F _rungs rungs
# An existing completion of npx stays.
complete -p npx >/dev/null 2>&1 || complete -o default -F _rungs npx
`,
  },
  zsh: {
    begin: `#compdef rungs
# eval "$(npx rungs completion zsh)"
${namesText}
_rungs() {
  local at=$CURRENT first=2
  local current="\${words[at]}" before="\${words[at-1]}"
`,
    words: (words) => `compadd -- ${words.join(' ')}`,
    offer: {
      file: '_files',
      folder: '_files -/',
      strategy: "_files -g '*.yaml'",
      name: 'compadd -- ${(f)"$(_rungs_names "[^.]")"}',
      rung: 'compadd -S "" -- ${(f)"$(_rungs_names "[.]")"}',
    },
    end: `
}
compdef _rungs rungs
`,
  },
}

function caseText(commands: readonly CommandWords[], dialect: Dialect): string {
  const single = commands.filter(({ name }) => !name.includes(' '))
  const lines = [
    '  if (( at <= first )); then',
    `    ${offer([...single.map(({ name }) => name), '--help', '--version'], dialect)}`,
    '    return 0',
    '  fi',
    '  local command="${words[first]}"',
    '  if [[ "$command" == api ]] && (( at > first + 1 )); then command="api ${words[first+1]}"; fi',
    '  case "$command $before" in',
    ...commands.flatMap((command) => command.flags.flatMap((flag) => flagCase(command, flag, dialect))),
    '  esac',
    '  case "$command" in',
    ...commands.map((command) => commandCase(command, dialect)),
    '  esac',
  ]
  return dialect.begin + lines.join('\n') + dialect.end
}

/** What follows a flag with a value. Without completions, nothing is printed. */
function flagCase(
  { name: command, values }: CommandWords,
  { names, value }: FlagWords,
  dialect: Dialect,
): string[] {
  if (value === undefined || (value === 'anything' && values.length === 0)) return []
  return [
    `    ${names.map((name) => `"${command} ${name}"`).join('|')}) ${offer(value, dialect)}; return 0 ;;`,
  ]
}

/** Flags if the word begins like one, otherwise positional arguments. */
function commandCase({ name, flags, values }: CommandWords, dialect: Dialect): string {
  const own = offer([...flags.flatMap(({ names }) => names), '--help'], dialect)
  const value = values.at(-1) ?? 'anything'
  const first = values[0] ?? 'anything'
  const plain =
    values.length > 1
      ? `if (( at == first + 1 )); then ${offer(first, dialect)}; else ${offer(value, dialect)}; fi`
      : offer(value, dialect)
  return `    "${name}") if [[ "$current" == -* ]]; then ${own}; else ${plain}; fi ;;`
}

function offer(value: Value, { words, offer: places }: Dialect): string {
  return typeof value === 'string' ? (places[value] ?? ':') : words(value)
}

const fishNames = [
  'function __rungs_names',
  '  set -l folder .rungs',
  '  set -q RUNGS_STATE_DIR; and set folder $RUNGS_STATE_DIR',
  '  set -l before ""',
  '  for word in (commandline -opc)',
  '    test "$before" = --state-dir; and set folder (string replace -r "^~/" "$HOME/" -- $word)',
  '    set before $word',
  '  end',
  '  command grep -- "$argv[1]\\$" $folder/names 2>/dev/null',
  'end',
]

function fishText(commands: readonly CommandWords[]): string {
  const single = commands.filter(({ name }) => !name.includes(' '))
  return [
    '# npx rungs completion fish | source',
    ...fishNames,
    'complete -c rungs -f',
    ...single.map(
      ({ name, about }) => `complete -c rungs -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`,
    ),
    ...commands.flatMap(({ name, flags, values }) => {
      const seen = name.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`)
      const begin = `complete -c rungs -n '${seen.join('; and ')}'`
      const value = values.at(-1)
      return [
        ...(value === undefined ? [] : [`${begin} ${fishOffer(value)}`]),
        ...flags.map((flag) => `${begin} ${fishFlag(flag)}`),
      ]
    }),
    '',
  ].join('\n')
}

function fishFlag({ names, about, value }: FlagWords): string {
  const spelled = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
  // Without -x, fish also offers files.
  const taken = value === undefined ? [] : [value === 'file' ? '-r' : '-x', fishOffer(value)]
  return [...spelled, ...taken, `-d ${quoted(about)}`].filter((part) => part !== '').join(' ')
}

function fishOffer(value: Value): string {
  if (typeof value !== 'string') return `-a ${quoted(value.join(' '))}`
  if (value === 'folder') return "-a '(__fish_complete_directories)'"
  if (value === 'strategy') return "-a '(__fish_complete_suffix .yaml)'"
  if (value === 'name') return "-a '(__rungs_names [^.])'"
  if (value === 'rung') return "-a '(__rungs_names [.])'"
  return value === 'file' ? '-F' : ''
}

/** Quoted for fish. */
function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`
}
