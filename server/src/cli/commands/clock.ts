import { definedFields } from '@quipu/core/values'
import { type Command, UsageError } from '../command.ts'
import { printRecord } from '../output.ts'

export const clockCommands: readonly Command[] = [
  {
    name: 'clock show',
    about: 'Show the clock of a world.',
    operations: ['getWorldClock'],
    example: 'quipu clock show --world friday',
    run: async (context) => {
      const params = { world: context.config.world }
      return printRecord(context, await context.operator().getWorldClock({ params }))
    },
  },
  {
    name: 'clock freeze',
    about: 'Freeze the clock of a world.',
    operations: ['freezeClock'],
    example: 'quipu clock freeze --world friday',
    run: async (context) => {
      const params = { world: context.config.world }
      return printRecord(context, await context.operator().freezeClock({ params }))
    },
  },
  {
    name: 'clock run',
    about: 'Run the clock of a world at a speed; 1 = real time.',
    arguments: [{ name: 'SPEED', about: 'For example 60: an hour in a minute.' }],
    operations: ['runClock'],
    example: 'quipu clock run 60 --world friday',
    run: async (context) => {
      const params = { world: context.config.world }
      const body = { speed: context.args.get('SPEED')! }
      return printRecord(context, await context.operator().runClock({ params, body }))
    },
  },
  {
    name: 'clock advance',
    about: 'Advance the clock of a world and show what happened. Give one of --by, --to and --until.',
    flags: {
      by: { placeholder: 'DURATION', about: 'For example 90s or 1h30m.' },
      to: { placeholder: 'TIME', about: 'Time or date: 2026-02-02T14:30:00Z.' },
      until: { placeholder: 'next_open|next_close', about: 'Next regular open or close.' },
    },
    operations: ['advanceClock'],
    example: 'quipu clock advance --until next_open --world friday',
    run: async (context) => {
      const { operator, config, args } = context
      const until = args.get('until') as 'next_open' | 'next_close' | undefined
      const body = definedFields({ by: args.get('by'), to: args.get('to'), until })
      if (Object.keys(body).length !== 1)
        throw new UsageError('clock advance: expected one of --by, --to and --until')
      return printRecord(context, await operator().advanceClock({ params: { world: config.world }, body }))
    },
  },
]
