import { computed, effect, signal } from '@preact/signals'
import { isFinal, type Order } from '@quipu/sdk'
import { useEffect, useMemo } from 'preact/hooks'
import { dayKey, newYorkMs } from '../../../format/times.ts'
import type { AccountStore } from '../../../live/account-store.ts'
import { nowMs } from '../../../live/clock.ts'
import { current } from '../../../live/current.ts'
import { oneAtATime } from '../../../live/one-at-a-time.ts'

const PAGE = 500
/** More orders than these are read on the screen Orders. */
const READ_MAX = 20 * PAGE

type Orders = ReadonlyMap<string, Order>

/** The orders of the blotter: all open ones, of which the store has the newest, and those that ended today. */
export class OrderRows {
  readonly problem = signal<Error | undefined>(undefined)
  /** Whether the list has every open order. */
  readonly isComplete = computed(() => this.#isRead.value || !this.#isPartial.value)
  readonly open = computed(() => this.#openNow())
  readonly ended = computed(() => this.#endedNow())
  /** Open orders before those of the store. */
  readonly #older = signal<Orders>(new Map())
  /** Those that ended last are at the end. */
  readonly #ended = signal<Orders | undefined>(undefined)
  readonly #today = computed(() => (nowMs.value === undefined ? undefined : dayKey(nowMs.value)))
  readonly #isRead = signal(false)
  readonly #isPartial = computed(
    () => Number(this.#store.openCount.value) > (this.#store.openOrders.value?.size ?? 0),
  )
  readonly #store: AccountStore
  #reading: Promise<void> | undefined

  constructor(store: AccountStore) {
    this.#store = store
  }

  /** Follows the orders. Returns a function that ends it. */
  follow(): () => void {
    const again = oneAtATime(() => this.#readEnded())
    const endStream = this.#store.orderStream.follow({
      take: (updates) => this.#take(updates.map(({ order }) => order)),
      readAgain: () => {
        this.#older.value = new Map()
        this.#isRead.value = false
        if (this.#ended.peek() !== undefined) again()
      },
    })
    let before: Orders | undefined
    const endEffect = effect(() => {
      const now = this.#store.openOrders.value
      if (before && now) this.#keepOlder(before, now)
      before = now
    })
    return () => {
      endStream()
      endEffect()
    }
  }

  /** Reads the next page of open orders. */
  readMore(): Promise<void> {
    this.#reading ??= this.#readPage().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  /** Reads the open orders that are missing. */
  async readAll(): Promise<void> {
    this.problem.value = undefined
    while (
      !this.isComplete.peek() &&
      this.problem.peek() === undefined &&
      this.open.peek()!.length < READ_MAX
    )
      await this.readMore()
  }

  readEnded(): void {
    if (this.#ended.peek() === undefined) void this.#readEnded()
  }

  #openNow(): readonly Order[] | undefined {
    const [newest, older] = [this.#store.openOrders.value, this.#older.value]
    if (newest === undefined) return undefined
    return [...newest.values(), ...[...older.values()].filter(({ id }) => !newest.has(id))]
  }

  #endedNow(): readonly Order[] | undefined {
    const [ended, today] = [this.#ended.value, this.#today.value]
    if (ended === undefined || today === undefined) return ended && []
    const startMs = newYorkMs(today, '00:00')
    return [...ended.values()].filter((order) => Date.parse(endOf(order)) >= startMs)
  }

  #take(orders: readonly Order[]): void {
    const older = new Map(this.#older.peek())
    for (const order of orders)
      if (isFinal(order)) older.delete(order.id)
      else if (older.has(order.id)) older.set(order.id, order)
    if (this.#older.peek().size > 0) this.#older.value = older
    const ended = this.#ended.peek()
    if (ended !== undefined) this.#ended.value = newest([...ended, ...keyed(orders.filter(isFinal))])
  }

  /** A new read of the store begins later, so open orders before it would be lost. */
  #keepOlder(before: Orders, now: Orders): void {
    if (!this.#isPartial.peek()) return
    const first = [...now.values()].reduce((a, b) => (b.created_at < a.created_at ? b : a))
    const lost = [...before.values()].filter(
      ({ id, created_at: at }) => !now.has(id) && at < first.created_at,
    )
    if (lost.length > 0)
      this.#older.value = new Map([...this.#older.peek(), ...lost.map((order) => [order.id, order] as const)])
  }

  async #readPage(): Promise<void> {
    const known = this.open.peek()
    if (known === undefined || this.isComplete.peek()) return
    const last = known.reduce((a, b) => (b.created_at < a.created_at ? b : a))
    const query = { status: 'open', limit: PAGE, nested: false, before_order_id: last.id } as const
    try {
      const page = await this.#store.connection.client.listOrders({ query })
      this.#older.value = new Map([...this.#older.peek(), ...page.map((order) => [order.id, order] as const)])
      this.#isRead.value = page.length < PAGE
      this.problem.value = undefined
    } catch (error) {
      this.problem.value = error as Error
    }
  }

  /** Orders are listed by their submission, so the read ends with a page in which none ended today. */
  async #readEnded(): Promise<void> {
    const today = dayKey(nowMs.peek() ?? Date.now())
    const found = new Map<string, Order>()
    this.#ended.value ??= new Map()
    try {
      let last: string | undefined
      for (let read = 0; read < READ_MAX; read += PAGE) {
        const query = { status: 'closed', limit: PAGE, nested: false, before_order_id: last } as const
        const page = await this.#store.connection.client.listOrders({ query })
        const ofToday = page.filter((order) => dayKey(endOf(order)) === today)
        for (const order of ofToday) found.set(order.id, order)
        last = page.at(-1)?.id
        if (page.length < PAGE || ofToday.length === 0) break
      }
      this.#ended.value = newest([...[...found].reverse(), ...this.#ended.peek()!])
      this.problem.value = undefined
    } catch (error) {
      this.problem.value = error as Error
    }
  }
}

const keyed = (orders: readonly Order[]): readonly (readonly [string, Order])[] =>
  orders.map((order) => [order.id, order])

/** A busy program ends more orders a day than a page can hold. */
const newest = (orders: readonly (readonly [string, Order])[]): Orders => new Map(orders.slice(-READ_MAX))

const endOf = (order: Order): string =>
  order.filled_at ??
  order.canceled_at ??
  order.expired_at ??
  order.replaced_at ??
  order.updated_at ??
  order.created_at

/** The orders of the account on screen. */
export function useOrderRows(): OrderRows | undefined {
  const store = current.value?.store
  const rows = useMemo(() => store && new OrderRows(store), [store])
  useEffect(() => rows?.follow(), [rows])
  return rows
}
