import type { AccountId, ClientOrderId, Order, OrderId } from '@quipu/core'
import type { Journal } from '../journal/journal.ts'
import { selectOrders } from './order-list.ts'
import { Progress } from './progress.ts'
import { Projection } from './projection.ts'
import type { OrdersQuery, Views } from './views.ts'

/** Views in memory, for worlds that live there: the twin the real ones are held against. */
export async function openMemoryViews(journal: Journal): Promise<Views> {
  const views = new MemoryViews(journal)
  views.follow(journal.head().seq)
  await views.reached(journal.head().seq)
  return views
}

class MemoryViews implements Views {
  readonly #journal: Journal
  readonly #projection = new Projection()
  readonly #progress = new Progress(0)
  readonly #orders = new Map<AccountId, Map<OrderId, Order>>()
  readonly #byClientId = new Map<string, Order['id']>()
  #target = 0
  #reading: Promise<void> | undefined
  #closed = false

  constructor(journal: Journal) {
    this.#journal = journal
  }

  position(): number {
    return this.#progress.position
  }

  follow(seq: number): void {
    this.#target = Math.max(this.#target, seq)
    this.#reading ??= this.#read()
      .catch((error) => this.#progress.fail(error))
      .finally(() => {
        this.#reading = undefined
      })
  }

  reached(seq: number): Promise<void> {
    return this.#progress.reached(seq)
  }

  async orders(query: OrdersQuery): Promise<readonly Order[]> {
    return selectOrders(this.#orders.get(query.accountId)?.values() ?? [], query)
  }

  async order(accountId: AccountId, orderId: OrderId): Promise<Order | undefined> {
    return this.#orders.get(accountId)?.get(orderId)
  }

  async orderByClientId(accountId: AccountId, clientOrderId: ClientOrderId): Promise<Order | undefined> {
    const orderId = this.#byClientId.get(`${accountId}/${clientOrderId}`)
    return orderId && this.#orders.get(accountId)?.get(orderId)
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#reading
  }

  async #read(): Promise<void> {
    while (!this.#closed && this.position() < this.#target)
      for await (const entries of this.#journal.read(this.position())) {
        const { seq, orders } = this.#projection.take(entries)
        for (const order of orders) this.#keep(order)
        this.#progress.advance(seq)
      }
  }

  #keep(order: Order): void {
    let mine = this.#orders.get(order.accountId)
    if (!mine) this.#orders.set(order.accountId, (mine = new Map()))
    mine.set(order.id, order)
    this.#byClientId.set(`${order.accountId}/${order.clientOrderId}`, order.id)
  }
}
