import { type Config, type Sources, settingNames } from '../config/config.ts'
import { flagOf, type Setting, variableOf } from '../config/setting.ts'
import { settings } from '../config/settings.table.ts'
import type { Command } from './command.ts'
import { columns } from './output.ts'

export const configCommands: readonly Command[] = [
  {
    name: 'config show',
    about: 'Lists every setting with its value and its source; secrets are not shown.',
    settings: 'all',
    ownFolder: true,
    example: 'QUIPU_PORT=8080 quipu config show',
    run: async ({ sources, json, say }) => {
      const rows = settingNames.map((name) => rowOf(name, sources))
      if (json) say(JSON.stringify(rows))
      else say(columns(rows.map(({ name, value, source }) => [name, value ?? '-', source])).join('\n'))
      return 0
    },
  },
]

function rowOf(name: keyof Config, sources: Sources) {
  const { text, source } = sources[name]
  const { secret, shown = () => '********' } = settings[name] as Setting<unknown>
  const value = text === undefined ? undefined : secret ? shown(text) : text
  return { name, value, source, flag: flagOf(name), variable: variableOf(name) }
}
