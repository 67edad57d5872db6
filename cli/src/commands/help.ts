import { textBefore } from '@quipu/core/values'
import { flagNames } from '@quipu/server/config/config.ts'
import { flagOf, type SettingGroup, variableOf } from '@quipu/server/config/setting.ts'
import { settings } from '@quipu/server/config/settings.table.ts'
import type { CliCommand } from './command.ts'
import { commonSettings } from './command-line.ts'

type Row = readonly [string, string]

/** Commands under a heading, in the order of help. */
export type CommandGroup = readonly [heading: string, commands: readonly CliCommand[]]

const WIDTH = 80

/** The text of `--help`: for everything (''), a noun, or one command. */
export function helpText(about: string, groups: readonly CommandGroup[]): string {
  const commands = groups.flatMap(([, some]) => some)
  const one = commands.find(({ name }) => name === about)
  if (one) return commandHelp(one)
  return about === '' ? allHelp(groups) : nounHelp(about, commands)
}

function allHelp(groups: readonly CommandGroup[]): string {
  const rows = groups.map(([heading, commands]) => [heading, topRows(commands)] as const)
  const width = Math.max(...rows.flatMap(([, some]) => some.map(([name]) => name.length)))
  return [
    'Usage: quipu COMMAND [flags]',
    ...rows.flatMap(([heading, some]) => ['', heading, ...indented(some, width)]),
    '',
    '`quipu help COMMAND` shows one command with its flags and an example.',
    'Exit codes: 0 done, 1 failed, 2 usage, 3 no server, 4 refused by the server.',
  ].join('\n')
}

/** A verb with its description; a noun with its verbs. */
function topRows(commands: readonly CliCommand[]): readonly Row[] {
  const verbsOf = (noun: string): string =>
    commands
      .flatMap(({ name }) => (name.startsWith(`${noun} `) ? [name.slice(noun.length + 1)] : []))
      .join(', ')
  const nouns = [...new Set(commands.map(({ name }) => textBefore(name, ' ')))]
  return nouns.map((noun): Row => {
    const command = commands.find(({ name }) => name === noun)
    const verbs = verbsOf(noun)
    if (!command) return [`${noun} …`, verbs]
    return [noun, firstSentence(command.about) + (verbs === '' ? '' : ` Also: ${verbs}.`)]
  })
}

const firstSentence = (text: string): string => text.replace(/\. [A-Z][\s\S]*$/, '.')

function nounHelp(noun: string, commands: readonly CliCommand[]): string {
  const listed = commands.filter(({ name }) => name === noun || name.startsWith(`${noun} `))
  return [
    `Usage: quipu ${noun} VERB [flags]`,
    '',
    ...indented(listed.map((command): Row => [usageOf(command), firstSentence(command.about)])),
    '',
    `\`quipu help ${listed[0]!.name}\` shows one command with its flags and an example.`,
  ].join('\n')
}

function commandHelp(command: CliCommand): string {
  const ownFlags = Object.entries(command.flags ?? {}).map(
    ([name, { placeholder, about }]): Row => [`--${name}${placeholder ? ` ${placeholder}` : ''}`, about],
  )
  const expected = (command.arguments ?? []).map(({ name, about }): Row => [name, about])
  const sections: readonly (readonly [string, readonly Row[]])[] = [
    ['Arguments', expected],
    ['Flags', [...ownFlags, ...(command.alsoSettings ?? []).map(settingRow)]],
    ...settingSections(command),
    [
      'Common flags',
      [['--json', 'One JSON line with all fields instead of text.'], ...common.map(settingRow)],
    ],
  ]
  return [
    `Usage: quipu ${flagsIn(command)}`,
    '',
    ...wrap(command.about, WIDTH),
    ...sections.flatMap(([title, rows]) => (rows.length === 0 ? [] : ['', `${title}:`, ...indented(rows)])),
    ...(command.shownSettings ? ['', 'All settings of `quipu start --help` are accepted.'] : []),
    '',
    'Example:',
    `  ${command.example}`,
  ].join('\n')
}

const common = flagNames.filter((name) => commonSettings.includes(name))

const headings: Readonly<Record<Exclude<SettingGroup, 'client'>, string>> = {
  server: 'Settings of the server',
  world: 'Settings of a new data folder',
  upstream: 'Settings of upstream market data',
  chain: 'Settings of the chain',
  credentials: 'Credentials',
  limits: 'Limits',
}

function settingSections(command: CliCommand): readonly (readonly [string, readonly Row[]])[] {
  const { settings: all, shownSettings: shown } = command
  if (all !== 'all') return []
  const listed = Object.entries(headings).filter(([group]) => !shown || shown.includes(group as SettingGroup))
  return listed.map(([group, heading]) => {
    const names = flagNames.filter((name) => settings[name].group === group && !commonSettings.includes(name))
    return [heading, names.map(settingRow)]
  })
}

/** The command and its arguments. */
export const usageOf = ({ name, runsProgram, arguments: expected = [] }: CliCommand): string => {
  const words = expected.map(({ name: word, many, optional }) => {
    const text = word + (many ? '…' : '')
    return optional ? `[${text}]` : text
  })
  return [name, ...(runsProgram ? ['--'] : []), ...words].join(' ')
}

const flagsIn = (command: CliCommand): string =>
  command.runsProgram ? usageOf(command).replace('--', '[flags] --') : `${usageOf(command)} [flags]`

function settingRow(name: (typeof flagNames)[number]): Row {
  const { placeholder, about, defaultValue } = settings[name]
  const usual = typeof defaultValue === 'object' ? defaultValue.text : defaultValue
  const suffix = usual === undefined ? '' : ` Default: ${usual}.`
  return [`${flagOf(name)} ${placeholder}`, `${about}${suffix} [${variableOf(name)}]`]
}

/** Two columns; the second is wrapped. A name that is too long gets its own line. */
function indented(rows: readonly Row[], wanted?: number): readonly string[] {
  const width = wanted ?? Math.min(30, Math.max(...rows.map(([name]) => name.length)))
  return rows.flatMap(([name, about]) => {
    const lines = wrap(about, WIDTH - width - 4)
    if (name.length <= width)
      return lines.map((line, index) => `  ${(index === 0 ? name : '').padEnd(width)}  ${line}`)
    return [`  ${name}`, ...lines.map((line) => `  ${' '.repeat(width)}  ${line}`)]
  })
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
