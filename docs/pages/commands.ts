import { operations } from '@quipu/contract'
import type { CliCommand } from '../../cli/src/commands/command.ts'
import { commandGroups, commands } from '../../cli/src/commands/commands.ts'
import { usageOf } from '../../cli/src/commands/help.ts'
import { settingNames } from '../../server/src/config/config.ts'
import { flagOf, type Setting, variableOf } from '../../server/src/config/setting.ts'
import { settings } from '../../server/src/config/settings.table.ts'

/** The page of the command line and the settings, generated from their tables. */
export function cliReference(): string {
  return `${[
    '# The command line',
    '',
    'The README shows how to add `quipu` of a checkout to the PATH. Every command takes `--help`, `--json`, `--url`, `--ca`,',
    '`--data` and `--world`. Exit codes: 0 success, 1 failure, 2 usage error, 3 no server, 4 refused by the server.',
    '',
    'On a terminal, lists fit its width: texts are shortened, then the last columns are dropped. Files and pipes get all',
    'columns, `--json` all fields.',
    '',
    '`start`, `config show`, `completion` and `contract diff` need no running server. `audit`, `store`, `import`, `export`, `env`, `data list`',
    'and `data delete` also work without a server. All other commands need one. A command finds its server in this order:',
    '',
    '1. `--url`; then `--data`, for the server that runs on this data folder.',
    '2. `QUIPU_URL`; then `QUIPU_DATA`.',
    '3. `url`, then `data`, in `quipu.json`.',
    '4. `./.quipu`, if that folder exists.',
    '5. The only server that this user runs on this machine. With several, the command lists them and ends with exit code',
    '   3; `quipu status` lists them and ends with 0.',
    '',
    'Running servers with a data folder are registered in `$XDG_STATE_HOME/quipu/servers` (`~/.local/state/quipu/servers`).',
    '',
    ...commandGroups.map(([heading, some]) => `- ${heading}: ${some.map(linkTo).join(', ')}`),
    '',
    ...commands.flatMap(commandPart),
    '## Settings',
    '',
    'Flags override variables, variables override `quipu.json` in the working folder, and `quipu.json` overrides the',
    'defaults. The keys of `quipu.json` are the names of the settings: `{"port": 8080, "hours": "nyse"}`. To read a secret',
    'from a file, add `_FILE` to the variable and set it to the path. `quipu config show` shows each value and its source.',
    '',
    '| Setting | Flag | Variable | Default | Description |',
    '|---|---|---|---|---|',
    ...settingNames.map((name) => settingLine(name, settings[name])),
  ].join('\n')}\n`
}

/** A link to the heading of a command, with the anchor that Markdown renderers generate. */
function linkTo(command: CliCommand): string {
  const anchor = `quipu ${usageOf(command)}`
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
  return `[${command.name}](#${anchor})`
}

function commandPart(command: CliCommand): readonly string[] {
  const flags = Object.entries(command.flags ?? {}).map(
    ([name, { placeholder, about }]) => `- \`--${name}${placeholder ? ` ${placeholder}` : ''}\` ${about}`,
  )
  const calls = (command.operations ?? []).map(
    (name) => `\`${operations[name].method} ${operations[name].path}\``,
  )
  return [
    `## quipu ${usageOf(command)}`,
    '',
    command.about + (command.settings === 'all' ? ' Takes every setting as a flag.' : ''),
    ...(calls.length > 0 ? ['', `Calls ${calls.join(', ')}.`] : []),
    '',
    ...(command.arguments ?? []).map(({ name, about }) => `- \`${name}\` ${about}`),
    ...flags,
    ...(flags.length + (command.arguments ?? []).length > 0 ? [''] : []),
    '```',
    command.example,
    '```',
    '',
  ]
}

function settingLine(name: string, { about, defaultValue, secret, hasNoFlag }: Setting<unknown>): string {
  const defaultText =
    defaultValue === undefined
      ? ''
      : typeof defaultValue === 'string'
        ? `\`${defaultValue}\``
        : defaultValue.text
  const variable = `\`${variableOf(name)}\`${secret ? ' (or `…_FILE`)' : ''}`
  const flag = hasNoFlag ? '' : `\`${flagOf(name)}\``
  return `| \`${name}\` | ${flag} | ${variable} | ${defaultText} | ${about.replaceAll('|', '\\|')} |`
}
