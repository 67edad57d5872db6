import type { WorldRecord } from '@quipu/contract'
import { definedFields } from '@quipu/core/values'
import { type Command, type Context, Failed, UsageError, wholeNumberIn } from '../command.ts'
import { type Column, counted, printList, printRecord, utc } from '../output.ts'

const nameArgument = {
  name: 'NAME',
  about: 'Name of the new world. Default: a generated name.',
  optional: true,
} as const

export const worldCommands: readonly Command[] = [
  {
    name: 'world list',
    about: 'List all worlds.',
    operations: ['listWorlds'],
    example: 'quipu world list',
    run: async (context) =>
      printList(context, await context.operator().listWorlds(), worldTable, 'no worlds'),
  },
  {
    name: 'world show',
    about: 'Show one world.',
    arguments: [{ name: 'NAME', about: 'Name of the world. Default: the world of --world.', optional: true }],
    operations: ['getWorld'],
    example: 'quipu world show friday',
    run: async (context) => {
      const world = context.args.get('NAME') ?? context.config.world
      return printRecord(context, await context.operator().getWorld({ params: { world } }))
    },
  },
  {
    name: 'world create',
    about: 'Create a world in memory with a frozen clock, and show its keys.',
    arguments: [nameArgument],
    flags: {
      seed: { placeholder: 'TEXT', about: 'Seed of its market and its ids. Default: quipu.' },
      start: { placeholder: 'TIME', about: 'Time at which its clock starts. Default: 2026-01-05T15:00:00Z.' },
      hours: { placeholder: 'always|nyse', about: 'When orders trade. Default: always.' },
      symbols: {
        placeholder: 'A,B:14',
        about: 'Symbols of the world; an unknown one is added, at its price if given. Default: all.',
      },
      market: {
        placeholder: 'synthetic|replay',
        about: 'Source of prices; replay uses imported data alone. Default: synthetic.',
      },
      'fill-size': {
        placeholder: 'unlimited|displayed',
        about: 'How much of an order one quote fills. Default: unlimited.',
      },
      fees: {
        placeholder: 'us|none',
        about: 'Fees of fills; the HTTP API also takes a custom table. Default: us.',
      },
      latency: {
        placeholder: 'DURATION',
        about: 'Time until an order reaches the market: 20ms. Default: 0.',
      },
      cash: { placeholder: 'USD', about: 'Starting cash of each account. Default: 100000.' },
      accounts: { placeholder: 'N', about: 'Number of accounts. Default: 1.' },
    },
    operations: ['createWorld'],
    example: 'quipu world create friday --seed 42 --start 2026-01-30T14:00:00Z',
    run: async (context) =>
      printRecord(context, await context.operator().createWorld({ body: newWorld(context) })),
  },
  {
    name: 'world fork',
    about: 'Copy the world of --world, as it is now, into a new world, and show its keys.',
    arguments: [nameArgument],
    operations: ['forkWorld'],
    example: 'quipu world fork what-if --world friday',
    run: async (context) => {
      const { args, config, operator } = context
      const call = { params: { world: config.world }, body: definedFields({ world: args.get('NAME') }) }
      return printRecord(context, await operator().forkWorld(call))
    },
  },
  {
    name: 'world delete',
    about: 'Delete a world with everything in it. On a terminal it asks once.',
    arguments: [{ name: 'NAME', about: 'Name of the world.' }],
    flags: { yes: { about: 'Do not ask.' } },
    operations: ['deleteWorld'],
    example: 'quipu world delete friday',
    run: async (context) => {
      const { args, operator, json, print } = context
      const world = args.get('NAME')!
      await confirm(context, world)
      await operator().deleteWorld({ params: { world } })
      print(json ? JSON.stringify({ world, deleted: true }) : `${world} is deleted`)
      return 0
    },
  },
]

/** A script cannot answer a question. */
async function confirm({ args, isTerminal, prompt, operator }: Context, world: string): Promise<void> {
  if (!isTerminal || args.has('yes')) return
  const { seq, accounts } = await operator().getWorld({ params: { world } })
  const what = `${counted(accounts.length, 'account')} and ${counted(seq, 'event')}`
  const answer = await prompt(`Delete the world ${world} with ${what}? [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new Failed('nothing was deleted')
}

const worldTable: readonly Column<WorldRecord>[] = [
  ['WORLD', ({ world }) => world],
  ['CLOCK', ({ clock, frozen }) => `${clock}${frozen ? ', frozen' : ''}`],
  ['NOW (UTC)', ({ now }) => utc(now)],
  ['EVENTS', ({ seq }) => seq, 'right'],
  ['ACCOUNTS', ({ accounts }) => accounts.length, 'right'],
]

function newWorld(context: Context) {
  const text = (name: string): string | undefined => context.args.get(name)
  return definedFields({
    world: text('NAME'),
    seed: text('seed'),
    start: text('start'),
    hours: text('hours') as 'always' | 'nyse' | undefined,
    symbols: text('symbols')?.split(','),
    market: text('market') as 'synthetic' | 'replay' | undefined,
    fill_size: text('fill-size') as 'unlimited' | 'displayed' | undefined,
    fees: text('fees') as 'us' | 'none' | undefined,
    latency: text('latency'),
    cash: text('cash'),
    accounts: wholeNumberIn(context, 'accounts'),
  })
}

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
