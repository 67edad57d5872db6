import { computed, effect, signal } from '@preact/signals'
import type { Call, Order } from '@quipu/sdk'
import { current } from '../../live/current.ts'
import { hrefOf, place, setQuery } from '../../router.ts'

const PAGE = 100
/** Orders that new ones on top leave in the list. */
const KEPT_MAX = 5000

/** The filters of the list; they are part of the address. */
export type Filters = {
  readonly status: 'all' | 'open' | 'closed'
  readonly symbols: string | undefined
  readonly side: 'buy' | 'sell' | undefined
  readonly kind: 'us_equity' | 'crypto' | undefined
  readonly after: string | undefined
  readonly until: string | undefined
}

export const filters = computed<Filters>(() => {
  const { query } = place.value
  const of = (name: string) => query.get(name) ?? undefined
  return {
    status: (of('status') as Filters['status'] | undefined) ?? 'all',
    symbols: of('symbols'),
    side: of('side') as Filters['side'],
    kind: of('kind') as Filters['kind'],
    after: of('after'),
    until: of('until'),
  }
})

export const setFilters = (change: Partial<Filters>): void =>
  setQuery(change as Record<string, string | undefined>)

/** The address of an order, with the filters of the list. */
export const orderHref = (id: string): string =>
  hrefOf('orders', id, { ...filters.peek(), status: place.peek().query.get('status') ?? undefined })

/** The orders of the list, newest first. */
export const orders = signal<readonly Order[] | undefined>(undefined)
export const problem = signal<Error | undefined>(undefined)
/** New orders that wait above the list, while the viewer has scrolled down. */
export const waiting = signal<readonly Order[]>([])
export const isAtTop = signal(true)
let isComplete = false
let isReading = false
/** Updates were missed, so the next read begins at the top and replaces the list. */
let isStale = false
/** Orders that changed during a read, because the page may be older. */
let newer = new Map<string, Order>()

/** Follows the list while the screen is open. Returns a function that ends it. */
export function followList(): () => void {
  return effect(() => {
    const [live, wanted] = [current.value, JSON.stringify(filters.value)]
    void wanted
    orders.value = undefined
    waiting.value = []
    isComplete = false
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
}

/** Changes rows in place; new orders go on top, or wait if the viewer has scrolled down. */
function takeChanged(changed: ReadonlyMap<string, Order>): void {
  if (isReading) newer = new Map([...newer, ...changed])
  const known = orders.peek()
  if (known === undefined) return
  // The viewer reads orders before the last one by scrolling.
  const last = isComplete ? undefined : known.at(-1)
  const isKnown = new Set([...known, ...waiting.peek()].map(({ id }) => id))
  const fresh = [...changed.values()]
    .filter((order) => !isKnown.has(order.id) && fits(order) && !(last && isOlder(order, last)))
    .reverse()
  const latest = (order: Order) => changed.get(order.id) ?? order
  const kept = known.map(latest).filter(fits)
  const waits = [...fresh, ...waiting.peek().map(latest).filter(fits)]
  if (isAtTop.peek()) {
    show([...waits, ...kept])
    waiting.value = []
  } else {
    orders.value = kept
    waiting.value = waits.slice(0, KEPT_MAX)
  }
}

/** Shows the newest orders; the viewer reads older ones again by scrolling. */
function show(list: readonly Order[]): void {
  // An older order comes into the list when it ends, if the filter is for ended orders.
  const sorted = list.toSorted((a, b) => (isOlder(a, b) ? 1 : isOlder(b, a) ? -1 : 0))
  orders.value = sorted.slice(0, KEPT_MAX)
  if (list.length > KEPT_MAX) isComplete = false
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
export async function readMore(): Promise<void> {
  const live = current.peek()
  if (!live || isReading || (isComplete && !isStale)) return
  isReading = true
  newer = new Map()
  const wanted = filters.peek()
  const fromTop = isStale
  isStale = false
  let failed = false
  try {
    const last = fromTop ? undefined : orders.peek()?.at(-1)
    const page = await live.store.connection.client.listOrders({ query: queryOf(wanted, last) })
    if (filters.peek() !== wanted) return
    isComplete = page.length < PAGE
    if (fromTop) waiting.value = []
    const known = fromTop ? [] : (orders.peek() ?? [])
    const isKnown = new Set(known.map(({ id }) => id))
    orders.value = [...known, ...page.filter(({ id }) => !isKnown.has(id))]
    if (newer.size > 0) takeChanged(newer)
    problem.value = undefined
  } catch (error) {
    problem.value = error as Error
    failed = fromTop
  } finally {
    isReading = false
    const isMissing = isStale || filters.peek() !== wanted
    isStale ||= failed
    if (isMissing) void readMore()
  }
}

function queryOf(
  { status, symbols, side, kind, after, until }: Filters,
  last: Order | undefined,
): NonNullable<Call<'listOrders'>['query']> {
  const isTimed = after !== undefined || until !== undefined
  return {
    status,
    limit: PAGE,
    nested: false,
    ...(symbols !== undefined && { symbols: symbols.split(',') }),
    ...(side !== undefined && { side }),
    ...(kind !== undefined && { asset_class: [kind] }),
    ...(isTimed && { after, until: last?.submitted_at ?? until }),
    ...(!isTimed && last && { before_order_id: last.id }),
  } as NonNullable<Call<'listOrders'>['query']>
}
