import { settingNames } from '../config/config.ts'
import { flagOf, type Setting, variableOf } from '../config/setting.ts'
import { settings } from '../config/settings.table.ts'
import type { Command } from './command.ts'
import { everywhere } from './command-line.ts'
import { columns } from './output.ts'

type Row = readonly [string, string]

/** What `--help` prints: about everything (''), a noun, or one command. */
export function helpText(about: string, commands: readonly Command[]): string {
  const one = commands.find(({ name }) => name === about)
  if (one) return commandHelp(one)
  const listed = about === '' ? commands : commands.filter(({ name }) => name.startsWith(`${about} `))
  return [
    `Usage: quipu ${about === '' ? 'COMMAND' : `${about} VERB`} [--json] [--url URL] [--data FOLDER] [--world NAME]`,
    '',
    ...indented(listed.map((command): Row => [usageOf(command), command.about])),
    '',
    `\`quipu ${listed[0]!.name} --help\` tells more about one of them.`,
    ...(about === '' ? ['Exit codes: 0 done, 1 failed, 2 usage, 3 no server, 4 refused by the server.'] : []),
  ].join('\n')
}

function commandHelp(command: Command): string {
  return [
    `Usage: quipu ${usageOf(command)} [flags]`,
    '',
    command.about,
    '',
    ...indented(inputRows(command)),
    '',
    'Example:',
    `  ${command.example}`,
  ].join('\n')
}

export const usageOf = ({ name, arguments: expected = [] }: Command): string =>
  [name, ...expected.map((one) => (one.optional ? `[${one.name}]` : one.name + (one.many ? '…' : '')))].join(
    ' ',
  )

/** Everything that may be typed after a command. */
export function inputRows(command: Command): readonly Row[] {
  const shown =
    command.settings === 'all' ? settingNames : settingNames.filter((name) => everywhere.includes(name))
  return [
    ...(command.arguments ?? []).map(({ name, about }): Row => [name, about]),
    ...Object.entries(command.flags ?? {}).map(
      ([name, { placeholder, about }]): Row => [`--${name}${placeholder ? ` ${placeholder}` : ''}`, about],
    ),
    ['--json', 'One JSON line instead of text.'],
    ...shown.map((name): Row => settingRow(name, settings[name])),
  ]
}

function settingRow(name: string, { placeholder, about }: Setting<unknown>): Row {
  return [`${flagOf(name)} ${placeholder}`, `${about} [${variableOf(name)}]`]
}

const indented = (rows: readonly Row[]): readonly string[] => columns(rows).map((line) => `  ${line}`)
