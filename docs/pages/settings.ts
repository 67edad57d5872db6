import { flagOf, type Group, type Setting, variableOf } from '../../server/src/config/setting.ts'
import { settings } from '../../server/src/config/settings.table.ts'
import { table } from './table.ts'

const headings: Readonly<Record<Group, string>> = {
  server: 'The server',
  world: 'The world `main` of a new folder',
  upstream: 'Prices of a provider, for `main`',
  chain: 'A real chain, for the tokens of `main`',
  credentials: 'Credentials',
  limits: 'Limits, by name',
  client: 'For the other commands',
}

/** Every setting from the one table: flag, variable, key in `quipu.json`, default. */
export function settingsPage(): string {
  const parts = (Object.keys(headings) as Group[]).map((group) => {
    const rows = Object.entries<Setting<unknown>>(settings)
      .filter(([, setting]) => setting.group === group)
      .map(([name, setting]) => [
        `\`${flagOf(name)}\``,
        `\`${variableOf(name)}\`${setting.secret ? ', also `…_FILE`' : ''}`,
        `\`${name}\``,
        defaultOf(setting),
        setting.about,
      ])
    return `## ${headings[group]}\n\n${table(['Flag', 'Variable', 'quipu.json', 'Default', 'What it is'], rows)}`
  })
  return `# Settings

Flags win over variables, variables over \`quipu.json\` in the working folder, and that over the defaults. \`quipu config show\`
names each value and where it came from. Unknown flags, variables and keys are refused, with the nearest name. This page is made
from the table in \`server/src/config/settings.table.ts\`.

${parts.join('\n\n')}
`
}

function defaultOf({ defaultValue }: Setting<unknown>): string {
  if (defaultValue === undefined) return '—'
  return typeof defaultValue === 'string' ? `\`${defaultValue}\`` : defaultValue.text
}
