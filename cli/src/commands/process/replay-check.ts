import { entryIn, errorCode, errorMessage } from '@quipu/core/values'
import { type CliCommand, CommandFailed } from '../command.ts'
import { counted, printText } from '../output.ts'
import { operatedBroker } from './memory-broker.ts'

export const replayCheckCommand: CliCommand = {
  name: 'replay-check',
  about:
    'Play the requests of a recording (quipu run --record) against a new world, and list differences in status, fields, ' +
    'order of events, and for a replay (--from) also in values. Exit code 1 if there are some.',
  arguments: [{ name: 'FILE', about: 'The recording.' }],
  settings: 'all',
  shownSettings: [],
  usesDataFolder: true,
  operations: ['createWorld', 'replayClock'],
  example: 'quipu replay-check bot.ndjson',
  run: async (context) => {
    const [{ NotARecording, readRecording }, { checkRecording }] = await Promise.all([
      import('../../run/record/recording.ts'),
      import('../../run/record/check.ts'),
    ])
    const recording = attempt(() => readRecording(entryIn(context.args, 'FILE')), NotARecording)
    const broker = await operatedBroker(context)
    try {
      const checked = await checkRecording(broker, recording)
      const { requests, events, differences } = checked
      const lines = differences.map(
        ({ request, what, expected, received }) =>
          `${request === undefined ? '' : `request ${request}: `}${what}: expected ${expected}, received ${received}`,
      )
      const end = `${counted(requests, 'request')}, ${counted(events, 'event')}, ${counted(differences.length, 'difference')}`
      printText(context, checked, [...lines, end].join('\n'))
      return differences.length === 0 ? 0 : 1
    } finally {
      await broker.close()
    }
  },
}

function attempt<Value>(read: () => Value, expected: new (message: string) => Error): Value {
  try {
    return read()
  } catch (error) {
    if (error instanceof expected || errorCode(error) !== undefined)
      throw new CommandFailed(errorMessage(error))
    throw error
  }
}
