import { operations } from '@quipu/contract'
import type { Command } from '../../server/src/cli/command.ts'
import { commandGroups, commands } from '../../server/src/cli/commands.ts'
import { usageOf } from '../../server/src/cli/help.ts'
import { settingNames } from '../../server/src/config/config.ts'
import { flagOf, type Setting, variableOf } from '../../server/src/config/setting.ts'
import { settings } from '../../server/src/config/settings.table.ts'

/** The page about the command line and the settings, made from the tables that run them. */
export function cliReference(): string {
  return `${[
    '# The command line',
    '',
    'The README says how a checkout gets `quipu` into the PATH. Every command takes `--help`, `--json`, `--url`, `--ca`,',
    '`--data` and `--world`. Exit codes: 0 done, 1 failed, 2 usage, 3 no server, 4 refused by the server.',
    '',
    'On a terminal, lists fit its width: texts are shortened, then the last columns are dropped. Files and pipes get every',
    'column, `--json` every field.',
    '',
    '`start`, `config show` and `completion` need no running server. `audit`, `store`, `import`, `export`, `env`, `data list`',
    'and `data delete` also work without one; all others talk to one. A command finds its server in this order:',
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
    'A flag wins over a variable, a variable over `quipu.json` in the working folder, that over the default. In',
    '`quipu.json` a setting stands under its own name: `{"port": 8080, "hours": "nyse"}`. A secret may also be given as',
    'the name of a file that holds it, by the variable with `_FILE` added. `quipu config show` shows each value and its',
    'source.',
    '',
    '| Setting | Flag | Variable | Default | What it is |',
    '|---|---|---|---|---|',
    ...settingNames.map((name) => settingLine(name, settings[name])),
  ].join('\n')}\n`
}

/** To the heading of a command, as renderers of Markdown name it. */
function linkTo(command: Command): string {
  const anchor = `quipu ${usageOf(command)}`
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')
  return `[${command.name}](#${anchor})`
}

function commandPart(command: Command): readonly string[] {
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

function settingLine(name: string, { about, defaultValue, secret }: Setting<unknown>): string {
  const told =
    defaultValue === undefined
      ? ''
      : typeof defaultValue === 'string'
        ? `\`${defaultValue}\``
        : defaultValue.text
  const variable = `\`${variableOf(name)}\`${secret ? ' (or `…_FILE`)' : ''}`
  return `| \`${name}\` | \`${flagOf(name)}\` | ${variable} | ${told} | ${about.replaceAll('|', '\\|')} |`
}
