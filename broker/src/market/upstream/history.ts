import {
  type AuctionQuery,
  addDays,
  type Bar,
  type BarFrame,
  type BarQuery,
  type DailyAuctions,
  earlier,
  fieldsIn,
  formatInstant,
  type Instant,
  isPair,
  LruCache,
  later,
  type QuoteTick,
  type Ticker,
  type TickQuery,
  type Trade,
} from '@quipu/core'
import type { Query, UpstreamClient } from './client.ts'
import type { UpstreamTerms } from './terms.ts'
import {
  auctionsFrom,
  barFrom,
  instantIn,
  quoteFrom,
  recordIn,
  recordsIn,
  type Sent,
  tradeFrom,
} from './wire.ts'

/** The provider's maximum page size. */
const PAGE_MAX = 10_000
/** Corrections arrive within a day, so older data is final. */
const FINAL_AFTER_NS = 86_400_000_000_000n

type Kind = 'bars' | 'trades' | 'quotes' | 'auctions'
type Range = { readonly from: Instant; readonly to: Instant; readonly sort: 'asc' | 'desc' }

/** The provider's history, page by page. */
export class History {
  readonly #client: UpstreamClient
  readonly #terms: UpstreamTerms
  readonly #cache: PageCache

  constructor(client: UpstreamClient, terms: UpstreamTerms) {
    this.#client = client
    this.#terms = terms
    this.#cache = upstreamPageCache(terms.cacheRowsMax)
  }

  async bars({ symbol, frame, from, to, now, sort, limit, after }: BarQuery): Promise<readonly Bar[]> {
    const end = to < now ? to : now
    const range = after === undefined ? { from, to: end, sort } : beyond({ from, to: end, sort }, after)
    const extra = { timeframe: frameText(frame), adjustment: isPair(symbol) ? undefined : 'raw' }
    const bars: Bar[] = []
    for await (const sent of this.#rows('bars', symbol, { ...wireRange(range), ...extra }, limit, range))
      if (bars.push(barFrom(sent)) >= limit) break
    return bars
  }

  trades(query: TickQuery): Promise<readonly Trade[]> {
    return this.#ticks('trades', query, (sent) => tradeFrom(sent))
  }

  quotes(query: TickQuery): Promise<readonly QuoteTick[]> {
    return this.#ticks('quotes', query, quoteFrom)
  }

  async auctions({
    symbol,
    from,
    to,
    now,
    sort,
    limit,
    after,
  }: AuctionQuery): Promise<readonly DailyAuctions[]> {
    if (isPair(symbol)) return []
    const first = after !== undefined && sort === 'asc' ? addDays(after, 1) : from
    const last = after !== undefined && sort === 'desc' ? addDays(after, -1) : to
    const days: DailyAuctions[] = []
    if (first > last) return days
    const query = { start: first, end: last, sort, feed: 'sip' }
    for await (const sent of this.#rows('auctions', symbol, query, limit, { from: now, to: now, sort }))
      if (days.push(auctionsFrom(sent)) >= limit) break
    return days
  }

  /** A page may end within an instant; the next page starts with that instant and skips the sent ticks. */
  async #ticks<Tick extends { readonly at: Instant; readonly id: number }>(
    kind: 'trades' | 'quotes',
    { symbol, from, to, now, sort, limit, after }: TickQuery,
    read: (sent: Sent, ordinal: number) => Tick,
  ): Promise<readonly Tick[]> {
    const end = to < now ? to : now
    const range: Range =
      after === undefined
        ? { from, to: end, sort }
        : sort === 'asc'
          ? { from: after.at, to: end, sort }
          : { from, to: after.at, sort }
    const ticks: Tick[] = []
    let ordinal = 0
    let last: Instant | undefined
    let isPast = after === undefined
    for await (const sent of this.#rows(kind, symbol, wireRange(range), limit, range)) {
      const at = instantIn(sent, 't')
      ordinal = at === last ? ordinal + 1 : 0
      last = at
      const tick = read(sent, ordinal)
      if (isPast || tick.at !== after?.at) ticks.push(tick)
      else isPast = tick.id === after.id
      if (ticks.length >= limit) break
    }
    return ticks
  }

  /** Rows of one symbol, page by page, on demand. Final pages are cached. */
  async *#rows(
    kind: Kind,
    symbol: Ticker,
    query: Query,
    limit: number,
    { from, to }: Range,
  ): AsyncGenerator<Sent> {
    if (from > to || limit <= 0) return
    const isFinal = kind !== 'auctions' && to < wallClockNow() - FINAL_AFTER_NS
    const feed = isPair(symbol) ? undefined : this.#terms.feed
    let token: string | undefined
    let left = limit
    do {
      const pageQuery = {
        symbols: symbol,
        feed,
        ...query,
        limit: left > 0 ? Math.min(PAGE_MAX, left) : EXTRA_ROWS,
        page_token: token,
      }
      const page = await this.#page(kind, symbol, pageQuery, isFinal)
      yield* page.rows
      left -= page.rows.length
      // A repeated page token would cause an endless loop.
      token = page.next === token ? undefined : page.next
    } while (token !== undefined)
  }

  async #page(kind: Kind, symbol: Ticker, query: Query, isFinal: boolean): Promise<Page> {
    const path = isPair(symbol) ? `/v1beta3/crypto/${this.#terms.crypto}/${kind}` : `/v2/stocks/${kind}`
    const key = `${path} ${JSON.stringify(query)}`
    const cached = this.#cache.get(key)
    if (cached) return cached
    const body = await this.#client.get(path, query)
    const next = fieldsIn(body)['next_page_token']
    const page: Page = {
      rows: recordsIn(recordIn(body, kind), symbol),
      next: typeof next === 'string' && next !== '' ? next : undefined,
    }
    if (isFinal) this.#cache.set(key, page)
    return page
  }
}

type Page = { readonly rows: readonly Sent[]; readonly next: string | undefined }
type PageCache = LruCache<string, Page>

/** Extra rows to request when some of the received rows were already sent. */
const EXTRA_ROWS = 100

const wallClockNow = (): bigint => BigInt(Date.now()) * 1_000_000n

const wireRange = ({ from, to, sort }: Range): Query => ({
  start: formatInstant(from),
  end: formatInstant(to),
  sort,
})

/** The range after a bar, in the requested order. */
const beyond = ({ from, to, sort }: Range, after: Instant): Range =>
  sort === 'asc' ? { from: later(after, 1n), to, sort } : { from, to: earlier(after, 1n), sort }

const UNITS = { minute: 'Min', hour: 'Hour', day: 'Day', week: 'Week', month: 'Month' } as const
const frameText = ({ unit, count }: BarFrame): string => `${count}${UNITS[unit]}`

/** A cache of final pages, with a limit on the total number of rows. An empty page also counts. */
export const upstreamPageCache = (rowsMax: number): PageCache =>
  new LruCache(rowsMax, ({ rows }) => rows.length + 1)
