import {
  type AccountId,
  type Instant,
  isOpen,
  type Order,
  type OrderFilled,
  type OrderId,
  type Side,
  type View,
} from '@quipu/core'
import type { Journal } from '../../journal/journal.ts'
import { eventOf } from '../../journal/stored-event.ts'
import { pause } from '../../process/long-work.ts'
import type { World } from '../../world/world.ts'
import { orderOf, type Seen, seenEntry } from './seen.ts'

/** An order's events, and what others took of the quotes that filled it. */
export type OrderEvents = {
  readonly order: Order
  readonly own: readonly Seen[]
  /** By the number of a fill: what orders of its side had taken of the same quote by then. */
  readonly ahead: ReadonlyMap<number, bigint>
  /** The last event that was looked at. */
  readonly upTo: number
}

/** Where an order is: in memory while it is open or young, else in the views, under whichever account it is. */
export async function findOrder(
  world: World,
  orderId: OrderId,
  accountId?: AccountId,
): Promise<Order | undefined> {
  const { value: known } = await world.read((view) => view.orders.get(orderId))
  if (known) return accountId === undefined || known.accountId === accountId ? known : undefined
  const { views, view } = world
  await views.reached(world.engine.durable)
  const accounts = accountId === undefined ? view.accountsWithDroppedOrders : [accountId]
  for (const account of accounts) {
    const order = await views.order(account, orderId)
    if (order) return order
  }
  return undefined
}

/** All that happened to an order, from the journal itself. */
export async function eventsOfOrder(
  world: World,
  orderId: OrderId,
  accountId?: AccountId,
): Promise<OrderEvents | undefined> {
  const order = await findOrder(world, orderId, accountId)
  if (!order) return undefined
  const end = endOf(world.view, order)
  const own: Seen[] = []
  const ahead = new Map<number, bigint>()
  const queue = new Queue()
  let seq = await placeBefore(world.journal, order.createdAt)
  for await (const entries of world.journal.read(seq)) {
    for (const entry of entries) {
      seq += 1
      if (!concerns(entry.open, order)) continue
      const seen = seenEntry(seq, entry)
      const { event } = seen
      const isOwn = orderOf(event) === orderId
      if (isOwn) own.push(seen)
      if (event.kind !== 'orderFilled' || event.symbol !== order.symbol) continue
      if (isOwn) ahead.set(seq, queue.takenOf(event))
      else queue.take(event)
    }
    const last = entries.at(-1)
    if (end !== undefined && last && eventOf(last).at > end) break
    await pause()
  }
  return { order, own, ahead, upTo: seq }
}

const concerns = (open: string, { id, symbol }: Order): boolean =>
  open.includes(id) || (open.includes('"orderFilled"') && open.includes(`"${symbol}"`))

/** After this instant nothing more happened to it; undefined while more may. */
function endOf({ orders }: View, { id, updatedAt }: Order): Instant | undefined {
  const order = orders.get(id)
  return order && isOpen(order) ? undefined : updatedAt
}

/** Events of a segment of the journal, where reading may begin without reading what comes before. */
const SEGMENT = 65_536

/** A number before the first event at an instant: time only rises, so halving finds it, a segment at a time. */
export async function placeBefore(journal: Journal, at: Instant): Promise<number> {
  let [from, to] = [0, Math.floor(journal.head().seq / SEGMENT)]
  while (from < to) {
    const middle = Math.ceil((from + to) / 2)
    const first = await firstAfter(journal, middle * SEGMENT)
    if (first !== undefined && first < at) from = middle
    else to = middle - 1
  }
  return from * SEGMENT
}

async function firstAfter(journal: Journal, seq: number): Promise<Instant | undefined> {
  for await (const [entry] of journal.read(seq)) return entry && eventOf(entry).at
  return undefined
}

/** What orders have taken of the newest quote of a symbol, side by side; a quote is given away once. */
export class Queue {
  #quoteAt: Instant | undefined
  #taken: Record<Side, bigint> = { buy: 0n, sell: 0n }

  take(fill: OrderFilled): void {
    if (fill.quote.at !== this.#quoteAt) {
      this.#quoteAt = fill.quote.at
      this.#taken = { buy: 0n, sell: 0n }
    }
    this.#taken[sideOf(fill)] += fill.quantity
  }

  takenOf(fill: OrderFilled): bigint {
    return fill.quote.at === this.#quoteAt ? this.#taken[sideOf(fill)] : 0n
  }
}

/** Whoever gets the shares bought. */
function sideOf({ posting, symbol, accountId }: OrderFilled): Side {
  const mine = posting.find(
    ({ account, asset }) => account.includes(accountId) && asset === (symbol as string),
  )
  return (mine?.amount ?? 0n) > 0n ? 'buy' : 'sell'
}
