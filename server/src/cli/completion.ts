import { settingNames } from '../config/config.ts'
import { flagOf } from '../config/setting.ts'
import { type Command, UsageError } from './command.ts'
import { flagsOf } from './command-line.ts'

const shells = ['bash', 'zsh', 'fish'] as const

/** Needs the table of all commands, which has this one in it. */
export const completionCommand = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  about: 'Print a script that completes commands and flags in a shell.',
  ownFolder: true,
  arguments: [{ name: 'SHELL', about: 'bash, zsh or fish.' }],
  example: 'eval "$(quipu completion bash)"',
  run: async ({ given, json, say }) => {
    const shell = given.get('SHELL')! as keyof typeof scripts
    if (!Object.hasOwn(scripts, shell))
      throw new UsageError(`SHELL: expected ${shells.join(', ')}, received ${JSON.stringify(shell)}`)
    const script = scripts[shell](commands())
    say(json ? JSON.stringify({ shell, script }) : script)
    return 0
  },
})

const scripts: Readonly<Record<(typeof shells)[number], (commands: readonly Command[]) => string>> = {
  bash: (commands) => `${bashFunction(commands)}\ncomplete -o default -F _quipu quipu`,
  zsh: (commands) =>
    `autoload -Uz bashcompinit && bashcompinit\n${bashFunction(commands)}\ncomplete -o default -F _quipu quipu`,
  fish: fishLines,
}

/** Words that may follow other words: nothing, a noun, or a whole command. */
function nextWords(commands: readonly Command[]): ReadonlyMap<string, readonly string[]> {
  const next = new Map<string, string[]>([['', ['help']]])
  for (const { name } of commands) {
    const [first = '', verb] = name.split(' ')
    if (!next.get('')!.includes(first)) next.get('')!.push(first)
    if (verb !== undefined) next.set(first, [...(next.get(first) ?? []), verb])
  }
  return next
}

function bashFunction(commands: readonly Command[]): string {
  const words = [...nextWords(commands)].map(
    ([before, next]) => `    '${before}') words='${next.join(' ')}' ;;`,
  )
  const flags = commands.map((command) => `    '${command.name}') flags='${flagsOf(command).join(' ')}' ;;`)
  return [
    '_quipu() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" first="" both="" words="" flags="" word`,
    `  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do`,
    '    [[ $word == -* || $word == help ]] && continue',
    '    if [[ -z $first ]]; then first="$word"; elif [[ -z $both ]]; then both="$first $word"; fi',
    '  done',
    '  case "$first" in',
    ...words,
    '  esac',
    '  [[ -n $both ]] && words=""',
    '  case "$first" in',
    ...flags.filter((line) => !line.split("'")[1]!.includes(' ')),
    '  esac',
    '  case "$both" in',
    ...flags.filter((line) => line.split("'")[1]!.includes(' ')),
    '  esac',
    '  if [[ $current == -* ]]; then COMPREPLY=($(compgen -W "$flags" -- "$current"))',
    '  else COMPREPLY=($(compgen -W "$words" -- "$current")); fi',
    '}',
  ].join('\n')
}

function fishLines(commands: readonly Command[]): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const lines = ['complete -c quipu -f']
  for (const [before, next] of nextWords(commands)) {
    const condition =
      before === ''
        ? '__fish_use_subcommand'
        : `__fish_seen_subcommand_from ${before}; and not __fish_seen_subcommand_from ${next.join(' ')}`
    lines.push(`complete -c quipu -n ${quoted(condition)} -a ${quoted(next.join(' '))}`)
  }
  for (const { name, flags = {} } of commands) {
    const condition = name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ')
    for (const [flag, { about, placeholder }] of Object.entries(flags))
      lines.push(
        `complete -c quipu -n ${quoted(condition)} -l ${flag}${placeholder ? ' -r' : ''} -d ${quoted(about)}`,
      )
  }
  for (const name of settingNames)
    lines.push(
      `complete -c quipu -n ${quoted('__fish_seen_subcommand_from start')} -l ${flagOf(name).slice(2)} -r`,
    )
  return lines.join('\n')
}
