import type { Command } from './command.ts'
import { present } from './given.ts'
import { recordLines } from './output.ts'

export const clockCommands: readonly Command[] = [
  {
    name: 'clock show',
    about: 'Show the clock of a world.',
    operations: ['getWorldClock'],
    example: 'quipu clock show --world friday',
    run: async ({ operator, config: { world }, json, say }) => {
      const clock = await operator().getWorldClock({ params: { world } })
      say(json ? JSON.stringify(clock) : recordLines(clock).join('\n'))
      return 0
    },
  },
  {
    name: 'clock freeze',
    about: 'Freeze the clock of a world.',
    operations: ['freezeClock'],
    example: 'quipu clock freeze --world friday',
    run: async ({ operator, config: { world }, json, say }) => {
      const clock = await operator().freezeClock({ params: { world } })
      say(json ? JSON.stringify(clock) : recordLines(clock).join('\n'))
      return 0
    },
  },
  {
    name: 'clock run',
    about: 'Run the clock of a world at a speed; 1 = real time.',
    arguments: [{ name: 'SPEED', about: 'For example 60: an hour in a minute.' }],
    operations: ['runClock'],
    example: 'quipu clock run 60 --world friday',
    run: async ({ operator, config: { world }, given, json, say }) => {
      const clock = await operator().runClock({ params: { world }, body: { speed: given.get('SPEED')! } })
      say(json ? JSON.stringify(clock) : recordLines(clock).join('\n'))
      return 0
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
    run: async ({ operator, config: { world }, given, json, say }) => {
      const until = given.get('until') as 'next_open' | 'next_close' | undefined
      const body = present({ by: given.get('by'), to: given.get('to'), until })
      const advanced = await operator().advanceClock({ params: { world }, body })
      say(json ? JSON.stringify(advanced) : recordLines(advanced).join('\n'))
      return 0
    },
  },
]
