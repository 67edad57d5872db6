import { version } from '@quipu/broker/data-folder/version.ts'
import { entryIn } from '@quipu/core/values'
import { flagNames } from '@quipu/server/config/config.ts'
import { flagOf, type Setting } from '@quipu/server/config/setting.ts'
import { settings } from '@quipu/server/config/settings.table.ts'
import { type CliCommand, UsageError } from './command.ts'
import { commonSettings, flagsOf } from './command-line.ts'
import { printText } from './output.ts'

export const openapiCommand: CliCommand = {
  name: 'openapi',
  about: 'Print the OpenAPI document of the running server.',
  operations: ['getOpenApi'],
  example: 'quipu openapi > openapi.json',
  run: async (context) => {
    const document = await context.anonymous().getOpenApi()
    return printText(context, JSON.parse(document), document.trimEnd())
  },
}

export const versionCommand: CliCommand = {
  name: 'version',
  about: 'Print the version of this program, like `quipu --version`.',
  usesDataFolder: true,
  example: 'quipu version',
  run: async (context) => printText(context, { version }, version),
}

const shells = ['bash', 'zsh', 'fish'] as const

/** Needs the list of all commands, which includes this one. */
export const completionCommand = (commands: () => readonly CliCommand[]): CliCommand => ({
  name: 'completion',
  about: 'Print a script that completes commands and flags in a shell.',
  usesDataFolder: true,
  arguments: [{ name: 'SHELL', about: 'bash, zsh or fish.' }],
  example: 'eval "$(quipu completion bash)"',
  run: async (context) => {
    const shell = entryIn(context.args, 'SHELL') as keyof typeof scripts
    if (!Object.hasOwn(scripts, shell))
      throw new UsageError(`SHELL: expected ${shells.join(', ')}, received ${JSON.stringify(shell)}`)
    const script = scripts[shell](commands())
    return printText(context, { shell, script }, script)
  },
})

const scripts: Readonly<Record<(typeof shells)[number], (commands: readonly CliCommand[]) => string>> = {
  bash: (commands) => `${bashFunction(commands)}\ncomplete -o default -F _quipu quipu`,
  zsh: (commands) =>
    [
      '(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }',
      'autoload -Uz bashcompinit && bashcompinit',
      bashFunction(commands),
      'complete -o default -F _quipu quipu',
    ].join('\n'),
  fish: fishLines,
}

/** Words that may follow nothing, a noun, or a whole command. */
function nextWords(commands: readonly CliCommand[]): ReadonlyMap<string, readonly string[]> {
  const next = new Map<string, string[]>([['', ['help']]])
  for (const { name } of commands) {
    const [first = '', verb] = name.split(' ')
    if (!entryIn(next, '').includes(first)) entryIn(next, '').push(first)
    if (verb !== undefined) next.set(first, [...(next.get(first) ?? []), verb])
  }
  return next
}

function bashFunction(commands: readonly CliCommand[]): string {
  const words = [...nextWords(commands)].map(
    ([before, next]) => `    '${before}') words='${next.join(' ')}' ;;`,
  )
  const flags = commands.map((command) => `    '${command.name}') flags='${flagsOf(command).join(' ')}' ;;`)
  return [
    '_quipu() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" first="" both="" words="" flags="" word`,
    '  local index',
    '  for ((index = 1; index < COMP_CWORD; index++)); do',
    `    word="\${COMP_WORDS[index]}"`,
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

function fishLines(commands: readonly CliCommand[]): string {
  const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
  const next = nextWords(commands)
  const first = entryIn(next, '')
  const lines = [`complete -c quipu -n '__fish_seen_subcommand_from help' -f -a ${quoted(first.join(' '))}`]
  for (const [before, words] of next) {
    const condition =
      before === ''
        ? '__fish_use_subcommand'
        : `__fish_seen_subcommand_from ${before}; and not __fish_seen_subcommand_from ${words.join(' ')}`
    lines.push(`complete -c quipu -n ${quoted(condition)} -f -a ${quoted(words.join(' '))}`)
  }
  const flag = (name: string, about: string, placeholder: string | undefined, condition?: string): string =>
    `complete -c quipu${condition ? ` -n ${quoted(condition)}` : ''} -l ${name}${placeholder ? ' -r' : ''} -d ${quoted(about)}`
  for (const { name, flags = {} } of commands) {
    const words = name.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`)
    for (const [flagName, { about, placeholder }] of Object.entries(flags))
      lines.push(flag(flagName, about, placeholder, words.join('; and ')))
  }
  for (const name of flagNames) {
    const { about, placeholder }: Setting<unknown> = settings[name]
    const condition = commonSettings.includes(name) ? undefined : '__fish_seen_subcommand_from start config'
    lines.push(flag(flagOf(name).slice(2), about, placeholder, condition))
  }
  lines.push(
    flag('json', 'One JSON line with all fields instead of text.', undefined),
    flag('help', 'Show help.', undefined),
  )
  return lines.join('\n')
}
