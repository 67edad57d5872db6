import { NotApplied } from '@quipu/broker/journal/not-applied.ts'
import type { WorldEntry } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { DIFFERENCE_FILLS_MAX, DIFFERENCE_ORDERS_MAX } from '@quipu/contract'
import {
  type AccountId,
  encode,
  type Instant,
  later,
  type MarketEvent,
  marketEventStatus,
  markOf,
  openOrdersOf,
  type Price,
  remainingMarketEvents,
  settingsOf,
  type Ticker,
  type View,
  type WorldId,
} from '@quipu/core'
import { refuse } from '../../../wire/refusal.ts'
import { customersOf } from '../../sim/world/world-wire.ts'
import { currentBalances } from '../../trading/account.ts'
import { pricedHoldings } from '../../trading/holdings.ts'
import { BranchOrders, type ChangedOrder } from './branch-orders.ts'

// A comparison asks each of its two worlds the same three questions, wherever the world is: where its tip is, what its
// journal had as hash at some events, and the state of an account at an instant with the orders since the common past.
// The answers are plain data, because another node of a cluster may give them.

export type Tip = {
  readonly world: WorldId
  readonly now: Instant
  /** The last durable event, and the hash of its journal there. */
  readonly seq: number
  readonly hash: string
  readonly forkedSeq: number | undefined
  /** Accounts of customers, oldest first. */
  readonly accounts: readonly AccountId[]
  /** Its prices are those of now only. */
  readonly isLive: boolean
}

export type BranchState = {
  readonly seq: number
  /** The time of the last common event. */
  readonly commonAt: Instant
  readonly equity: bigint
  readonly cash: bigint
  readonly orders: readonly ChangedOrder[]
  /** Prices of the symbols that are held or were traded. */
  readonly marks: readonly (readonly [Ticker, Price])[]
  /** The market events that have begun, each as text. */
  readonly marketEvents: readonly string[]
}

export type StateQuestion = {
  readonly accountId: AccountId
  /** The last event of the common past. */
  readonly common: number
  readonly at: Instant
  /** The tip that was read before. */
  readonly tip: Pick<Tip, 'seq' | 'hash'>
}

/** A world as a comparison reads it. */
export type Branch = {
  tip(): Promise<Tip>
  hashes(seqs: readonly number[]): Promise<readonly string[]>
  state(question: StateQuestion): Promise<BranchState>
}

/** What a comparison reads of one world at most. */
type Limits = { readonly orders: number; readonly fills: number }

const most: Limits = { orders: DIFFERENCE_ORDERS_MAX, fills: DIFFERENCE_FILLS_MAX }

/** A world of this process. */
export const branchHere = (entry: WorldEntry, limits = most): Branch => ({
  tip: () => tipOf(entry),
  hashes: (seqs) => hashesOf(entry.world, seqs),
  state: (question) => stateOf(entry.world, question, limits),
})

async function tipOf({ world, origin, parent }: WorldEntry): Promise<Tip> {
  const now = world.engine.latest
  await world.engine.untilDurable(world.view.seq)
  return {
    world: world.id,
    now,
    ...world.storage.journal.head(),
    forkedSeq: parent && (origin?.fork?.seq ?? origin?.loaded),
    accounts: customersOf(world).map(({ id }) => id),
    isLive: world.market.live !== undefined,
  }
}

async function hashesOf({ storage }: World, seqs: readonly number[]): Promise<readonly string[]> {
  const hashes: string[] = []
  for (const seq of seqs) hashes.push(await storage.journal.hashAt(seq))
  return hashes
}

const MILLISECOND = 1_000_000n

/** The millisecond of an instant. A frozen clock stands still, and each event is a nanosecond later than the one before. */
export const millisecondOf = (at: Instant): bigint => at / MILLISECOND

async function stateOf(
  world: World,
  { accountId, common, at, tip }: StateQuestion,
  limits: Limits,
): Promise<BranchState> {
  await checkJournal(world, tip)
  const orders = new BranchOrders(accountId)
  let commonAt = at
  const view = await world.storage.replayAfter(common, {
    begun: (before) => {
      commonAt = before.lastAt
      for (const order of openOrdersOf(before, accountId)) orders.begin(order)
    },
    isIncluded: (event) => millisecondOf(event.at) <= millisecondOf(at),
    applied: (event, order) => {
      orders.apply(event, order)
      checkCounts(world, orders, limits)
    },
  })
  if (!view.accounts.has(accountId)) throw refuse({ code: 'accountNotFound' })
  const balances = currentBalances(world, view, accountId, at)
  return {
    seq: view.seq,
    commonAt,
    equity: balances.equity,
    cash: balances.cash,
    orders: orders.changed(),
    marks: marksOf(world, view, { accountId, at, traded: orders.traded }),
    marketEvents: marketEventsAt(view, at),
  }
}

function checkCounts({ id }: World, { count, fills }: BranchOrders, limits: Limits): void {
  const found =
    count > limits.orders ? `${limits.orders} orders` : fills > limits.fills && `${limits.fills} fills`
  if (!found) return
  const problem = `time: expected an earlier instant; at this one ${id} has more than ${found} since the common past`
  throw refuse({ code: 'invalidParameter', problem })
}

/** A world of another node may have been reset since its tip was read: then its numbers are of another journal. */
async function checkJournal(
  { storage: { journal } }: World,
  { seq, hash }: StateQuestion['tip'],
): Promise<void> {
  if (journal.head().seq < seq || (await journal.hashAt(seq)) !== hash)
    throw new NotApplied('worldRestarting')
}

type Marked = { readonly accountId: AccountId; readonly at: Instant; readonly traded: ReadonlySet<Ticker> }

function marksOf(world: World, view: View, { accountId, at, traded }: Marked): BranchState['marks'] {
  const held = pricedHoldings(view, { world, accountId }, at).map(({ position }) => position.symbol)
  const prices = world.market.pricesAt(at)
  return [...new Set([...held, ...traded])].flatMap((symbol) => {
    const mark = markOf(prices, symbol)
    return mark === undefined ? [] : [[symbol, mark] as const]
  })
}

const marketEventsAt = (view: View, at: Instant): readonly string[] =>
  remainingMarketEvents(settingsOf(view).marketEvents, view)
    .map(({ event }) => event)
    .filter((event: MarketEvent) => marketEventStatus(event, later(at, 1n)) !== 'pending')
    .map(encode)
