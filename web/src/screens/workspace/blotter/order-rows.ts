import { computed, signal } from '@preact/signals'
import { isFinal, type WireOrder as Order } from '@quipu/sdk'
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
  /** Orders that changed while a page was read: the page may have them as they were. */
  readonly #newer = new Map<string, Order>()
  /** The open orders of the store before the last change. */
  #before: Orders | undefined

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
        this.#before = this.#store.openOrders.peek()
        if (this.#ended.peek() !== undefined) again()
      },
    })
    this.#before = this.#store.openOrders.peek()
    return endStream
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
    const others = [...older.values()]
    return [...newest.values(), ...others.filter(({ id }) => !newest.has(id))]
  }

  #endedNow(): readonly Order[] | undefined {
    const [ended, today] = [this.#ended.value, this.#today.value]
    if (ended === undefined || today === undefined) return ended && []
    // Texts of instants are compared, because that is cheap. A full second has no point and no decimals.
    const start = new Date(newYorkMs(today, '00:00')).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)
    return [...ended.values()].filter((order) => endOf(order) >= start)
  }

  #take(orders: readonly Order[]): void {
    if (this.#reading) for (const order of orders) this.#newer.set(order.id, order)
    const now = this.#store.openOrders.peek()
    const older = this.#older.peek()
    const changed = orders.filter(({ id }) => older.has(id))
    const pushedOut = this.#pushedOut(now, orders)
    this.#before = now
    if (changed.length > 0 || pushedOut.length > 0)
      this.#older.value = withOrders(older, [...pushedOut, ...changed])
    const [ended, final] = [this.#ended.peek(), orders.filter(isFinal)]
    if (ended !== undefined && final.length > 0) this.#ended.value = newest([...ended, ...keyed(final)])
  }

  /** The orders that the store does not have any more because of newer ones, and that have not ended. */
  #pushedOut(now: Orders | undefined, changed: readonly Order[]): readonly Order[] {
    if (!this.#before || !now || now.size === 0 || !this.#isPartial.peek()) return []
    const first = oldestOf([...now.values()])
    const isFinalNow = new Set(changed.filter(isFinal).map(({ id }) => id))
    return [...this.#before.values()].filter(
      (order) => !now.has(order.id) && !isFinalNow.has(order.id) && isOlder(order, first),
    )
  }

  async #readPage(): Promise<void> {
    const known = this.open.peek()
    if (known === undefined || known.length === 0 || this.isComplete.peek()) return
    const query = { status: 'open', limit: PAGE, nested: false, before_order_id: oldestOf(known).id } as const
    this.#newer.clear()
    try {
      const page = await this.#store.connection.client.listOrders({ query })
      const latest = page.map((order) => this.#newer.get(order.id) ?? order)
      this.#older.value = withOrders(this.#older.peek(), latest)
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

/** Instants have up to nine decimals and a final Z, which sorts after a point. */
const isOlder = (a: Order, b: Order): boolean => a.created_at.slice(0, -1) < b.created_at.slice(0, -1)

const oldestOf = (orders: readonly Order[]): Order => orders.reduce((a, b) => (isOlder(b, a) ? b : a))

/** Orders with others that are new or have changed, without those that have ended. */
function withOrders(known: Orders, orders: readonly Order[]): Orders {
  const next = new Map(known)
  for (const order of orders)
    if (isFinal(order)) next.delete(order.id)
    else next.set(order.id, order)
  return next
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
