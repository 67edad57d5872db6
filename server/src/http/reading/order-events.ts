import { pauseWork } from '@quipu/broker/clock/long-work.ts'
import type { Entry, Journal } from '@quipu/broker/journal/journal.ts'
import { bytesOfId, eventOf, mentions, storedKind } from '@quipu/broker/journal/stored-event.ts'
import type { World } from '@quipu/broker/world/world.ts'
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
import { type NumberedEvent, numberedEntry, orderOf } from '../../wire/numbered-event.ts'

/** The events of an order, and the quantities that other orders took from the quotes of its fills. */
export type OrderEvents = {
  readonly order: Order
  readonly own: readonly NumberedEvent[]
  /** By the number of a fill: the quantity that earlier orders of its side took from the same quote. */
  readonly ahead: ReadonlyMap<number, bigint>
  /** The last scanned event. */
  readonly upTo: number
}

/** Finds an order in memory while it is open or recent, else in the query tables of any account. */
export async function findOrder(
  world: World,
  orderId: OrderId,
  accountId?: AccountId,
): Promise<Order | undefined> {
  const { value: known } = await world.engine.read((view) => view.orders.get(orderId))
  if (known) return accountId === undefined || known.accountId === accountId ? known : undefined
  const { view, storage } = world
  await storage.untilQueryTables(world.engine.durable)
  const accounts = accountId === undefined ? view.accountsWithDroppedOrders : [accountId]
  for (const account of accounts) {
    const order = await storage.queryTables.order(account, orderId)
    if (order) return order
  }
  return undefined
}

/** The events of an order, from the journal. */
export async function eventsOfOrder(
  world: World,
  orderId: OrderId,
  accountId?: AccountId,
): Promise<OrderEvents | undefined> {
  const order = await findOrder(world, orderId, accountId)
  if (!order) return undefined
  const end = endOf(world.view, order)
  const own: NumberedEvent[] = []
  const ahead = new Map<number, bigint>()
  const queue = new Queue()
  const concerns = mayConcern(order)
  let seq = await positionBefore(world.storage.journal, order.createdAt)
  for await (const entries of world.storage.journal.read(seq)) {
    for (const entry of entries) {
      seq += 1
      if (!concerns(entry)) continue
      const numbered = numberedEntry(seq, entry)
      const { event } = numbered
      const isOwn = orderOf(event) === orderId
      if (isOwn) own.push(numbered)
      if (event.kind !== 'orderFilled' || event.symbol !== order.symbol) continue
      if (isOwn) ahead.set(seq, queue.takenOf(event))
      else queue.take(event)
    }
    const last = entries.at(-1)
    if (end !== undefined && last && eventOf(last).at > end) break
    await pauseWork()
  }
  return { order, own, ahead, upTo: seq }
}

/** Whether an event is one of the order, or a fill of its symbol. */
function mayConcern({ id, symbol }: Order): (entry: Entry) => boolean {
  const [idBytes, symbolBytes] = [bytesOfId(id), Buffer.from(symbol)]
  return (entry) =>
    mentions(entry.open, idBytes) ||
    (storedKind(entry) === 'orderFilled' && mentions(entry.open, symbolBytes))
}

/** The instant of the last event of an order; undefined while the order is open. */
function endOf({ orders }: View, { id, updatedAt }: Order): Instant | undefined {
  const order = orders.get(id)
  return order && isOpen(order) ? undefined : updatedAt
}

/** Events per segment of the journal; reading can begin at each segment. */
const SEGMENT = 65_536

/** A number before the first event at an instant, by binary search over segments, since time only increases. */
export async function positionBefore(journal: Journal, at: Instant): Promise<number> {
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

/** The quantities that orders have taken from the latest quote of a symbol, by side. */
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

/** The account that receives the shares is the buyer. */
function sideOf({ posting, symbol, accountId }: OrderFilled): Side {
  const mine = posting.find(
    ({ account, asset }) => account.includes(accountId) && asset === (symbol as string),
  )
  return (mine?.amount ?? 0n) > 0n ? 'buy' : 'sell'
}
