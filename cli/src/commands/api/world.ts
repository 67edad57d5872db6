import { definedFields, entryIn } from '@quipu/core/values'
import { calling } from '../call.ts'
import { type CliCommand, type CommandContext, CommandFailed, UsageError } from '../command.ts'
import { counted, printRecord, printText, utc } from '../output.ts'
import { commaSeparated, namedSettings, wholeNumberValue } from '../values.ts'
import { replayCommand } from './replay.ts'
import { worldDifferenceCommand } from './world-difference.ts'
import { listWorldsCommand, worldTextCommands } from './world-tree.ts'

const nameArgument = {
  name: 'NAME',
  about: 'Name of the new world. Default: a generated name.',
  field: 'world',
  optional: true,
} as const

export const worldCommands: readonly CliCommand[] = [
  listWorldsCommand,
  calling('getWorld', {
    name: 'world show',
    about: 'Show one world.',
    arguments: [{ ...nameArgument, about: 'Name of the world. Default: the world of --world.' }],
    example: 'quipu world show friday',
  }),
  calling('getWorldSymbols', {
    name: 'world symbols',
    about: 'Show the symbols that a world listed on first use, and unknown symbols that clients named.',
    arguments: [{ ...nameArgument, about: 'Name of the world. Default: the world of --world.' }],
    example: 'quipu world symbols friday',
  }),
  calling('createWorld', {
    name: 'world create',
    about: 'Create a world with a frozen clock, in memory unless --durable is set, and show its keys.',
    arguments: [nameArgument],
    flags: {
      seed: { placeholder: 'TEXT', about: 'Seed of its market and its ids. Default: quipu.' },
      'market-seed': {
        placeholder: 'TEXT',
        about: 'Seed of its market: worlds with the same one have the same prices. Default: --seed.',
      },
      start: { placeholder: 'TIME', about: 'Time at which its clock starts. Default: 2026-01-05T15:00:00Z.' },
      hours: { placeholder: 'always|nyse', about: 'When orders trade. Default: always.' },
      symbols: {
        placeholder: 'A,B:14',
        about:
          'Symbols of the world; an unknown one is added, at its price if given. any: all, and others on first use. Default: all.',
        value: commaSeparated,
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
      venue: {
        placeholder: 'NAME=VALUE,…',
        about: 'Behaviour of the market: latency=50ms..2s,reject_share=0.05. Default: none.',
        value: namedSettings,
      },
      margin: {
        placeholder: 'NAME=VALUE,…',
        about: 'Margin: interest_rate=0.065,call_sessions=2. Default: no interest and no margin calls.',
        value: namedSettings,
      },
      cash: { placeholder: 'USD', about: 'Starting cash of each account. Default: 100000.' },
      accounts: { placeholder: 'N', about: 'Number of accounts. Default: 1.', value: wholeNumberValue },
      durable: { about: 'Keep the world across restarts of the server.' },
      clock: {
        placeholder: 'virtual|wall',
        about: 'wall: real time, needs --durable. Default: virtual, frozen.',
      },
      follows: {
        placeholder: 'WORLD',
        about: 'Durable world, or main, whose market it has and follows. Needs --durable.',
      },
    },
    otherFields: nameIsAnArgument,
    example: 'quipu world create friday --seed 42 --start 2026-01-30T14:00:00Z',
  }),
  {
    name: 'world fork',
    about:
      'Copy the world of --world, as it is now or was at a past instant, into a new world, and show its keys.',
    arguments: [nameArgument],
    flags: {
      at: { placeholder: 'TIME', about: 'Past instant of the world: 2026-11-02T15:00:00Z. Default: now.' },
      durable: { about: 'Keep the fork across restarts of the server.' },
      temporary: { about: 'Delete the fork after an hour of real time if nobody uses it.' },
      title: { placeholder: 'TEXT', about: 'Title of the fork. Default: none.' },
      note: { placeholder: 'TEXT', about: 'Note on the fork. Default: none.' },
    },
    operations: ['forkWorld'],
    example: 'quipu world fork what-if --world friday',
    run: async (context) => {
      const { args, config, operator } = context
      const call = {
        params: { world: config.world },
        body: definedFields({
          world: args.get('NAME'),
          at: args.get('at'),
          durable: args.has('durable'),
          temporary: args.has('temporary'),
          title: args.get('title'),
          note: args.get('note'),
        }),
      }
      return printRecord(context, await operator().forkWorld(call))
    },
  },
  calling('resetWorld', {
    name: 'world reset',
    about: 'Reset a world to its creation. Settings, accounts and keys stay; orders and positions do not.',
    arguments: [{ name: 'NAME', about: 'Name of the world.', field: 'world' }],
    example: 'quipu world reset friday',
  }),
  calling('deleteWorld', {
    name: 'world delete',
    about: 'Delete a world with everything in it. On a terminal it asks once.',
    arguments: [{ name: 'NAME', about: 'Name of the world.', field: 'world' }],
    flags: { yes: { about: 'Do not ask.', field: null } },
    otherFields: confirm,
    example: 'quipu world delete friday',
    print: (context) => {
      const world = context.args.get('NAME')
      return printText(context, { world, deleted: true }, `${world} is deleted`)
    },
  }),
  ...worldTextCommands,
  worldDifferenceCommand,
]

/** Else `--world friday` would create a world with a generated name. */
export async function nameIsAnArgument({ config: { world }, sources }: CommandContext) {
  if (sources.world.source !== '--world') return {}
  const command = `quipu world create ${world}`
  throw new UsageError(`--world selects an existing world; the name of a new one is an argument: ${command}`)
}

/** Asks before the deletion, except in a script, which cannot answer. */
async function confirm({ args, isTerminal, prompt, operator }: CommandContext) {
  if (!isTerminal || args.has('yes')) return {}
  const world = entryIn(args, 'NAME')
  const { seq, accounts } = await operator().getWorld({ params: { world } })
  const what = `${counted(accounts.length, 'account')} and ${counted(seq, 'event')}`
  const response = await prompt(`Delete the world ${world} with ${what}? [y/N] `)
  if (!/^y(es)?$/i.test(response.trim())) throw new CommandFailed('nothing was deleted')
  return {}
}

async function clockProgress(
  { operator, config: { world } }: CommandContext,
  seconds: number,
): Promise<string> {
  const { now } = await operator().getWorldClock({ params: { world } })
  return `${world} is at ${utc(now)} UTC … ${seconds} s`
}

export const clockCommands: readonly CliCommand[] = [
  replayCommand,
  calling('getWorldClock', {
    name: 'clock show',
    about: 'Show the clock of a world.',
    example: 'quipu clock show --world friday',
  }),
  calling('freezeClock', {
    name: 'clock freeze',
    about: 'Freeze the clock of a world.',
    example: 'quipu clock freeze --world friday',
  }),
  calling('stopClock', {
    name: 'clock stop',
    about: 'Stop the advances and the replay in progress in a world. A running clock keeps running.',
    example: 'quipu clock stop --world friday',
  }),
  calling('runClock', {
    name: 'clock run',
    about: 'Run the clock of a world at a speed; 1 = real time.',
    arguments: [{ name: 'SPEED', about: 'For example 60: an hour in a minute.' }],
    example: 'quipu clock run 60 --world friday',
  }),
  calling('setClock', {
    name: 'clock set',
    about: 'Set the clock of a world to a later time and freeze it. Everything due on the way happens.',
    arguments: [{ name: 'TIME', about: 'Time or date: 2026-02-02T14:30:00Z.', field: 'to' }],
    progress: clockProgress,
    alsoCalls: ['getWorldClock'],
    example: 'quipu clock set 2026-02-02T14:30:00Z --world friday',
  }),
  calling('advanceClock', {
    name: 'clock advance',
    about: 'Advance the clock of a world and show what happened. Give one of --by, --to and --until.',
    flags: {
      by: { placeholder: 'DURATION', about: 'For example 90s or 1h30m.' },
      to: { placeholder: 'TIME', about: 'Time or date: 2026-02-02T14:30:00Z.' },
      until: {
        placeholder: 'next_open|next_close|next_bar|next_event|order_end|idle',
        about:
          'Next regular open or close, minute bar, event, the end of --order, or until nothing is in progress.',
      },
      order: { placeholder: 'ID', about: 'The order of --until order_end.', field: 'order_id' },
      within: { placeholder: 'DURATION', about: 'Limit of next_event, order_end and idle. Default: 3660d.' },
    },
    otherFields: ({ args }) => {
      if (['by', 'to', 'until'].filter((flag) => args.has(flag)).length === 1) return {}
      throw new UsageError('clock advance: expected one of --by, --to and --until')
    },
    progress: clockProgress,
    alsoCalls: ['getWorldClock'],
    example: 'quipu clock advance --until next_open --world friday',
  }),
]
