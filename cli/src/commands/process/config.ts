import { type Config, type Sources, settingNames } from '@quipu/server/config/config.ts'
import { flagOf, variableOf } from '@quipu/server/config/setting.ts'
import { settings } from '@quipu/server/config/settings.table.ts'
import type { CliCommand } from '../command.ts'
import { type Column, printList } from '../output.ts'

export const configCommands: readonly CliCommand[] = [
  {
    name: 'config show',
    about: 'Show every setting with its value and its source. Secrets are not shown.',
    settings: 'all',
    usesDataFolder: true,
    example: 'QUIPU_PORT=8080 quipu config show',
    run: async (context) => {
      const rows = settingNames.map((name) => rowOf(name, context.sources))
      return printList(context, rows, settingTable, '')
    },
  },
]

const settingTable: readonly Column<ReturnType<typeof rowOf>>[] = [
  ['SETTING', ({ name }) => name],
  ['SOURCE', ({ source }) => source],
  ['VALUE', ({ value }) => value, 10],
]

function rowOf(name: keyof Config, sources: Sources) {
  const { text, source } = sources[name]
  const { secret, hasNoFlag, redact = () => '********' } = settings[name]
  const value = text === undefined ? undefined : secret ? redact(text) : text
  return { name, value, source, ...(!hasNoFlag && { flag: flagOf(name) }), variable: variableOf(name) }
}
