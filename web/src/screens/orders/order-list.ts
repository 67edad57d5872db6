import { computed, effect, signal } from '@preact/signals'
import type { Call, WireOrder as Order } from '@quipu/sdk'
import { current } from '../../live/current.ts'
import { hrefOf, place, setQuery } from '../../router.ts'

const PAGE = 100
/** The limit of the operation. */
const PAGE_MAX = 500
/** Older orders than these are found with the filters. */
export const LIST_MAX = 10_000

/** The filters of the list; they are part of the address. */
export type Filters = {
  readonly status: 'all' | 'open' | 'closed'
  readonly symbols: string | undefined
  readonly side: 'buy' | 'sell' | undefined
  readonly kind: 'us_equity' | 'crypto' | undefined
  readonly after: string | undefined
  readonly until: string | undefined
}

export const filters = computed<Filters>((): Filters => {
  const { query } = place.value
  const of = (name: string) => query.get(name) ?? undefined
  const next: Filters = {
    status: (of('status') as Filters['status'] | undefined) ?? 'all',
    symbols: of('symbols'),
    side: of('side') as Filters['side'],
    kind: of('kind') as Filters['kind'],
    after: of('after'),
    until: of('until'),
  }
  // To open an order changes the address, not the filters: the list stays.
  if (JSON.stringify(next) !== JSON.stringify(latest)) latest = next
  return latest ?? next
})
let latest: Filters | undefined

export const setFilters = (change: Partial<Filters>): void =>
  setQuery(change as Record<string, string | undefined>)

/** The address of an order, with the filters of the list. */
export const orderHref = (id: string): string =>
  hrefOf('orders', id, { ...filters.value, status: place.value.query.get('status') ?? undefined })

/** The orders of the list, newest first. */
export const orders = signal<readonly Order[] | undefined>(undefined)
export const problem = signal<Error | undefined>(undefined)
/** New orders that wait above the list, while the viewer has scrolled down. */
export const waiting = signal<readonly Order[]>([])
export const isAtTop = signal(true)
/** Whether the list has every order of the filters. */
export const isWhole = signal(false)
let isOpen = false
let reading: Promise<void> | undefined
/** Updates were missed, so the next read begins at the top and replaces the list. */
let isStale = false
/** Orders that changed during a read, because the page may be older. */
let newer = new Map<string, Order>()

/** Follows the list while the screen is open. Returns a function that ends it. */
export function followList(): () => void {
  isOpen = true
  const end = effect(() => {
    const live = current.value
    void filters.value
    orders.value = undefined
    waiting.value = []
    isWhole.value = false
    if (!live) return undefined
    void readMore()
    return live.store.orderStream.follow({
      take: (updates) => takeChanged(new Map(updates.map(({ order }) => [order.id, order]))),
      readAgain: () => {
        isStale = true
        void readMore()
      },
    })
  })
  return () => {
    end()
    isOpen = false
    // The next time the screen opens, the filters may be others.
    orders.value = undefined
  }
}

/** Changes rows in place; new orders go on top, or wait if the viewer has scrolled down. */
function takeChanged(changed: ReadonlyMap<string, Order>): void {
  if (reading) newer = new Map([...newer, ...changed])
  const known = orders.peek()
  if (known === undefined) return
  // The viewer reads orders before the last one by scrolling.
  const last = isWhole.peek() ? undefined : known.at(-1)
  const isKnown = new Set([...known, ...waiting.peek()].map(({ id }) => id))
  const fresh = [...changed.values()]
    .filter((order) => !isKnown.has(order.id) && fits(order) && !(last && isOlder(order, last)))
    .reverse()
  const newest = (order: Order) => changed.get(order.id) ?? order
  const kept = known.map(newest).filter(fits)
  const waits = [...fresh, ...waiting.peek().map(newest).filter(fits)]
  if (isAtTop.peek()) {
    show([...waits, ...kept])
    waiting.value = []
  } else {
    orders.value = kept
    waiting.value = waits.slice(0, LIST_MAX)
  }
}

/** Shows the newest orders; the viewer reads older ones again by scrolling. */
function show(list: readonly Order[]): void {
  // An older order comes into the list when it ends, if the filter is for ended orders.
  const sorted = list.toSorted((a, b) => (isOlder(a, b) ? 1 : isOlder(b, a) ? -1 : 0))
  orders.value = sorted.slice(0, LIST_MAX)
  if (list.length > LIST_MAX) isWhole.value = false
}

/** Instants have up to nine decimals and a final Z, which sorts after a point. */
const isOlder = (a: Order, b: Order): boolean => a.created_at.slice(0, -1) < b.created_at.slice(0, -1)

/** Puts the waiting orders on top. */
export function showWaiting(): void {
  show([...waiting.peek(), ...(orders.peek() ?? [])])
  waiting.value = []
}

const ended = new Set(['filled', 'canceled', 'expired', 'rejected', 'replaced'])

function fits(order: Order): boolean {
  const { status, symbols, side, kind } = filters.peek()
  if (status !== 'all' && ended.has(order.status) !== (status === 'closed')) return false
  if (symbols !== undefined && !symbols.split(',').includes(order.symbol)) return false
  if (kind !== undefined && order.asset_class !== kind) return false
  return side === undefined || order.side === side
}

/** Reads the next page. */
export function readMore(count = PAGE): Promise<void> {
  const isDone = isWhole.peek() || (orders.peek()?.length ?? 0) >= LIST_MAX
  if (!isOpen || (!reading && isDone && !isStale)) return Promise.resolve()
  reading ??= readPage(count).then((isMissing) => {
    reading = undefined
    return isMissing ? readMore() : undefined
  })
  return reading
}

/** Reads all orders of the filters. */
export async function readAll(): Promise<readonly Order[]> {
  while (!isWhole.peek() && (orders.peek()?.length ?? 0) < LIST_MAX) {
    await readMore(PAGE_MAX)
    if (problem.peek()) throw problem.peek()
    if (!current.peek() || !isOpen) break
  }
  if (!isWhole.peek())
    throw new Error(`there are more than ${LIST_MAX} orders; choose fewer with the filters`)
  return orders.peek() ?? []
}

/** Returns whether the list has to be read again, because the filters changed or updates were missed meanwhile. */
async function readPage(count: number): Promise<boolean> {
  const live = current.peek()
  if (!live) return false
  newer = new Map()
  const wanted = filters.peek()
  const fromTop = isStale
  isStale = false
  let failed = false
  try {
    const last = fromTop ? undefined : orders.peek()?.at(-1)
    const page = await live.store.connection.client.listOrders({ query: queryOf(wanted, last, count) })
    if (!isOpen || filters.peek() !== wanted) return true
    isWhole.value = page.length < count
    if (fromTop) waiting.value = []
    const known = fromTop ? [] : (orders.peek() ?? [])
    const isKnown = new Set(known.map(({ id }) => id))
    orders.value = [...known, ...page.filter(({ id }) => !isKnown.has(id))]
    if (newer.size > 0) takeChanged(newer)
    problem.value = undefined
  } catch (error) {
    problem.value = error as Error
    failed = fromTop
  }
  const isMissing = isStale || filters.peek() !== wanted
  isStale ||= failed
  return isMissing
}

function queryOf(
  { status, symbols, side, kind, after, until }: Filters,
  last: Order | undefined,
  limit: number,
): NonNullable<Call<'listOrders'>['query']> {
  const isTimed = after !== undefined || until !== undefined
  return {
    status,
    limit,
    nested: false,
    ...(symbols !== undefined && { symbols: symbols.split(',') }),
    ...(side !== undefined && { side }),
    ...(kind !== undefined && { asset_class: [kind] }),
    ...(isTimed && { after, until: last?.submitted_at ?? until }),
    ...(!isTimed && last && { before_order_id: last.id }),
  } as NonNullable<Call<'listOrders'>['query']>
}
