import { flagOf, type Group, type Setting, variableOf } from '../../server/src/config/setting.ts'
import { settings } from '../../server/src/config/settings.table.ts'
import { table } from './table.ts'

const headings: Readonly<Record<Group, string>> = {
  server: 'The server',
  world: 'The world `main` of a new data folder',
  upstream: 'Upstream market data for `main`',
  chain: 'A real chain for the tokens of `main`',
  credentials: 'Credentials',
  limits: 'Limits',
  client: 'Client commands',
}

/** Every setting with its flag, variable, key in `quipu.json` and default. */
export function settingsPage(): string {
  const parts = (Object.keys(headings) as Group[]).map((group) => {
    const rows = Object.entries<Setting<unknown>>(settings)
      .filter(([, setting]) => setting.group === group)
      .map(([name, setting]) => [
        setting.hasNoFlag ? '—' : `\`${flagOf(name)}\``,
        `\`${variableOf(name)}\`${setting.secret ? ', also `…_FILE`' : ''}`,
        `\`${name}\``,
        defaultOf(setting),
        setting.about,
      ])
    return `## ${headings[group]}\n\n${table(['Flag', 'Variable', 'quipu.json', 'Default', 'Description'], rows)}`
  })
  return `# Settings

Flags override variables, variables override \`quipu.json\` in the working folder, and \`quipu.json\` overrides the defaults.
\`quipu config show\` shows each value and its source. Unknown flags, variables and keys are errors; the message suggests the nearest
name. This page is generated from \`server/src/config/settings.table.ts\`.

${parts.join('\n\n')}
`
}

function defaultOf({ defaultValue }: Setting<unknown>): string {
  if (defaultValue === undefined) return '—'
  return typeof defaultValue === 'string' ? `\`${defaultValue}\`` : defaultValue.text
}
