import type { WorldRecord } from '@quipu/contract'
import type { Command, Context } from './command.ts'
import { present } from './given.ts'
import { columns, counted, recordLines } from './output.ts'

const nameArgument = {
  name: 'NAME',
  about: 'The name of the new world; made up when left out.',
  optional: true,
} as const

export const worldCommands: readonly Command[] = [
  {
    name: 'world list',
    about: 'Lists all worlds.',
    operations: ['listWorlds'],
    example: 'quipu world list',
    run: async ({ operator, json, say }) => {
      const worlds = await operator().listWorlds()
      say(json ? JSON.stringify(worlds) : columns(worlds.map(worldRow)).join('\n'))
      return 0
    },
  },
  {
    name: 'world show',
    about: 'Shows one world.',
    arguments: [{ name: 'NAME', about: 'Which one; that of --world when left out.', optional: true }],
    operations: ['getWorld'],
    example: 'quipu world show friday',
    run: async (context) => {
      const world = context.given.get('NAME') ?? context.config.world
      return shown(context, await context.operator().getWorld({ params: { world } }))
    },
  },
  {
    name: 'world create',
    about: 'Makes a world in memory, whose clock stands still, and shows its keys.',
    arguments: [nameArgument],
    flags: {
      seed: { placeholder: 'TEXT', about: 'What its market and ids grow from.' },
      start: { placeholder: 'TIME', about: 'The instant its clock begins at.' },
      hours: { placeholder: 'always|nyse', about: 'When orders trade.' },
      symbols: {
        placeholder: 'A,B:14',
        about: 'Only these; what the market lacks is made, at a price if one is given.',
      },
      market: { placeholder: 'synthetic|replay', about: 'replay: imported data alone, as it was.' },
      'fill-size': { placeholder: 'unlimited|displayed', about: 'How much a quote fills.' },
      fees: { placeholder: 'us|none', about: 'What fills cost; a table of its own is for the API.' },
      latency: { placeholder: 'DURATION', about: 'Until the market has an order, e.g. 20ms.' },
      cash: { placeholder: 'USD', about: 'What each account begins with.' },
      accounts: { placeholder: 'N', about: 'How many accounts.' },
    },
    operations: ['createWorld'],
    example: 'quipu world create friday --seed 42 --start 2026-01-30T14:00:00Z',
    run: async (context) => shown(context, await context.operator().createWorld({ body: newWorld(context) })),
  },
  {
    name: 'world fork',
    about: 'Makes a world that begins as the one of --world is now, and shows its keys.',
    arguments: [nameArgument],
    operations: ['forkWorld'],
    example: 'quipu world fork what-if --world friday',
    run: async (context) => {
      const { given, config, operator } = context
      const call = { params: { world: config.world }, body: present({ world: given.get('NAME') }) }
      return shown(context, await operator().forkWorld(call))
    },
  },
  {
    name: 'world delete',
    about: 'Throws a world away.',
    arguments: [{ name: 'NAME', about: 'Which one.' }],
    operations: ['deleteWorld'],
    example: 'quipu world delete friday',
    run: async ({ given, operator, json, say }) => {
      const world = given.get('NAME')!
      await operator().deleteWorld({ params: { world } })
      say(json ? JSON.stringify({ world, deleted: true }) : `${world} is gone`)
      return 0
    },
  },
]

const worldRow = ({ world, clock, frozen, now, seq, accounts }: WorldRecord): readonly string[] => [
  world,
  `${clock} clock${frozen ? ', frozen' : ''}`,
  now,
  counted(seq, 'event'),
  counted(accounts.length, 'account'),
]

function newWorld({ given }: Context) {
  const text = (name: string): string | undefined => given.get(name)
  const count = (name: string): number | undefined => (given.has(name) ? Number(given.get(name)) : undefined)
  return present({
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
    accounts: count('accounts'),
  })
}

function shown({ json, say }: Context, world: object): 0 {
  say(json ? JSON.stringify(world) : recordLines(world as Record<string, unknown>).join('\n'))
  return 0
}
