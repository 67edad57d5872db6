import {
  type Account,
  type Command,
  type Decision,
  definedFields,
  type Instant,
  type Money,
  type PlaceOrder,
  type Price,
  parseDecimal,
  parseInstant,
  type Quantity,
  type Ticker,
  type WorldId,
  type WorldSettings,
} from '@quipu/core'
import { seedWorld } from '../../access/issue-keys.ts'
import { VirtualClock } from '../../clock/virtual.ts'
import type { Journal } from '../../journal/journal.ts'
import { openMemoryJournal } from '../../journal/memory.ts'
import { syntheticMarket } from '../../market/synthetic/synthetic.ts'
import { openMemoryQueryTables } from '../../query-tables/memory.ts'
import { openWorld, type World, type WorldParts } from '../world.ts'

/** Monday, 10:00 in New York. */
export const MONDAY = instant('2026-01-05T15:00:00Z')

export function instant(text: string): Instant {
  const parsed = parseInstant(text)
  if (!parsed.ok) throw new Error(`not an instant: ${text}`)
  return parsed.value
}

export function amount<Kind extends bigint>(text: string): Kind {
  const parsed = parseDecimal(text)
  if (!parsed.ok) throw new Error(`not a decimal: ${text}`)
  return parsed.value as Kind
}

export const plainSettings: WorldSettings = {
  seed: 'spec',
  hours: 'always',
  fillSize: 'unlimited',
  latencyNs: 0n,
  startingCash: amount<Money>('100000'),
}

export type TestWorld = {
  readonly world: World
  readonly clock: VirtualClock
  readonly account: Account
  /** Background failures. A spec that expects none checks that this is empty. */
  readonly failures: unknown[]
}

/** A virtual world with one account, built as in production. */
export async function openTestWorld(
  options: {
    readonly settings?: Partial<WorldSettings>
    readonly start?: Instant
    readonly journal?: () => Promise<Journal>
    readonly parts?: Partial<WorldParts>
  } = {},
): Promise<TestWorld> {
  const failures: unknown[] = []
  const failed = (error: unknown) => void failures.push(error)
  const settings = { ...plainSettings, ...options.settings }
  let opened: World | undefined
  const clock = new VirtualClock(options.start ?? MONDAY, async () => opened?.commands.quiet(), failed)
  const world = await openWorld({
    id: 'spec' as WorldId,
    code: '00',
    settings,
    clock,
    openJournal: options.journal ?? (async () => openMemoryJournal()),
    openQueryTables: openMemoryQueryTables,
    snapshot: async () => undefined,
    market: syntheticMarket,
    runJob: async () => undefined,
    queueMax: 10_000,
    queryTablesLagMax: 100_000,
    queryTablesWaitMs: 1_000,
    failed,
    ...options.parts,
  })
  opened = world
  const [existing] = world.view.accounts.values()
  const account =
    existing ??
    (await seedWorld(world, { accounts: ['paper'], cash: settings.startingCash })).accounts[0]!.account
  return { world, clock, account, failures }
}

export const buy = (account: Account, symbol: string, quantity: string, limit?: string): PlaceOrder => ({
  kind: 'placeOrder',
  accountId: account.id,
  symbol: symbol as Ticker,
  side: 'buy',
  type: limit === undefined ? 'market' : 'limit',
  timeInForce: 'day',
  extendedHours: false,
  quantity: amount<Quantity>(quantity),
  ...definedFields({ limit: limit === undefined ? undefined : amount<Price>(limit) }),
})

/** Submits a command and returns the decision once it is durable. */
export async function decided(world: World, command: Command): Promise<Decision> {
  return (await world.commands.submit(command, (_, decision) => decision)).value
}
