import { signal } from '@preact/signals'
import type { MarketMessage, Output } from '@quipu/sdk'
import { nowMs } from '../live/clock.ts'
import type { Connection } from '../session/connections.ts'
import type { ChartBar } from './bar.ts'
import { startOf, type Timeframe } from './timeframes.ts'

type Page = Pick<Output<'stockBars'>, 'bars' | 'next_page_token'>

const PAGE = 600
const FIRST_DAY = '1990-01-01'

/** The bars of a symbol: the newest page first, older ones on request, and the live one from the stream. */
export class BarSource {
  /** Oldest first; undefined until the first page is read. */
  readonly bars = signal<readonly ChartBar[] | undefined>(undefined)
  readonly problem = signal<Error | undefined>(undefined)

  readonly #connection: Connection
  readonly #symbol: string
  readonly #timeframe: Timeframe
  readonly #closing = new AbortController()
  #olderToken: string | null = null
  #readingOlder: Promise<void> | undefined
  #isReadingTail = false
  #tailAgain = false
  /** The bars that were read contain all trades up to this time of the world. */
  #readUntilMs = 0

  constructor(connection: Connection, symbol: string, timeframe: Timeframe) {
    this.#connection = connection
    this.#symbol = symbol
    this.#timeframe = timeframe
  }

  /** Reads the newest page. */
  async open(): Promise<void> {
    this.problem.value = undefined
    const untilMs = nowMs.peek() ?? 0
    try {
      const { bars, next } = await this.#read({ start: FIRST_DAY })
      this.#readUntilMs = untilMs
      this.#olderToken = next
      this.bars.value = bars
    } catch (error) {
      this.#fail(error)
    }
  }

  close(): void {
    this.#closing.abort()
  }

  /** Reads older pages until the bars begin before an instant. */
  async readBack(toMs: number): Promise<void> {
    for (;;) {
      const first = this.bars.peek()?.[0]
      if (!first || first.atMs <= toMs || this.#olderToken === null) return
      await this.readOlder()
      if (this.bars.peek()?.[0] === first) return
    }
  }

  /** Reads the page before the first bar, once at a time. */
  readOlder(): Promise<void> {
    this.#readingOlder ??= this.#readOlderPage().finally(() => {
      this.#readingOlder = undefined
    })
    return this.#readingOlder
  }

  async #readOlderPage(): Promise<void> {
    if (this.#olderToken === null) return
    try {
      const { bars, next } = await this.#read({ start: FIRST_DAY, page_token: this.#olderToken })
      this.#olderToken = next
      this.bars.value = [...bars, ...(this.bars.value ?? [])]
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Reads the bars since the last but one again. Calls during a read cause one more read. */
  async readTail(): Promise<void> {
    if (this.#isReadingTail) {
      this.#tailAgain = true
      return
    }
    this.#isReadingTail = true
    try {
      do {
        this.#tailAgain = false
        await this.#replaceTail()
      } while (this.#tailAgain && !this.#closing.signal.aborted)
    } catch (error) {
      this.#fail(error)
    } finally {
      this.#isReadingTail = false
    }
  }

  async #replaceTail(): Promise<void> {
    const known = this.bars.value
    const from = known?.at(-2) ?? known?.at(-1)
    if (!known || !from) return this.open()
    const start = new Date(from.atMs).toISOString()
    const untilMs = nowMs.peek() ?? 0
    let fresh: readonly ChartBar[] = []
    for (let token: string | null | undefined; token !== null; ) {
      const { bars, next } = await this.#read({ start, ...(token && { page_token: token }) })
      fresh = [...bars, ...fresh]
      token = next
    }
    this.#readUntilMs = untilMs
    this.bars.value = [...this.bars.value!.filter(({ atMs }) => atMs < from.atMs), ...fresh]
  }

  /** Takes the messages of the stream: a trade moves the live bar, the bar of a minute makes it exact. */
  take(messages: readonly MarketMessage[]): void {
    let bars = this.bars.value
    if (!bars) return
    let needsTail = false
    for (const message of messages) {
      if (message.S !== this.#symbol) continue
      // A stream that is late repeats trades that the read bars contain.
      if (message.T === 't' && Date.parse(message.t) <= this.#readUntilMs) continue
      if (message.T === 't') bars = this.#withTrade(bars, Date.parse(message.t), message.p, message.s)
      else if (message.T === 'b' || message.T === 'u') {
        if (this.#timeframe.seconds === 60) bars = withBar(bars, barOf(message))
        else needsTail = true
      }
    }
    this.bars.value = bars
    if (needsTail) void this.readTail()
  }

  #withTrade(bars: readonly ChartBar[], atMs: number, price: number, size: number): readonly ChartBar[] {
    const start = startOf(this.#timeframe, atMs, this.#symbol.includes('/'))
    const last = bars.at(-1)
    if (last && start < last.atMs) return bars
    if (!last || start > last.atMs) {
      const [open, high, low, close] = [price, price, price, price]
      return [...bars, { atMs: start, open, high, low, close, volume: size, vwap: price }]
    }
    const volume = last.volume + size
    const moved = {
      ...last,
      high: Math.max(last.high, price),
      low: Math.min(last.low, price),
      close: price,
      volume,
      vwap: volume > 0 ? (last.vwap * last.volume + price * size) / volume : price,
    }
    return [...bars.slice(0, -1), moved]
  }

  async #read(query: {
    readonly start: string
    readonly page_token?: string
  }): Promise<{ readonly bars: readonly ChartBar[]; readonly next: string | null }> {
    const { client } = this.#connection
    const asked = {
      symbols: [this.#symbol],
      timeframe: this.#timeframe.api,
      sort: 'desc' as const,
      limit: PAGE,
      ...query,
    }
    const options = { signal: this.#closing.signal }
    const page: Page = this.#symbol.includes('/')
      ? await client.cryptoBars({ params: { loc: 'us' }, query: asked }, options)
      : await client.stockBars({ query: { ...asked, adjustment: ['split'] } }, options)
    const bars = (page.bars[this.#symbol] ?? []).map(barOf).reverse()
    return { bars, next: page.next_page_token }
  }

  #fail(error: unknown): void {
    if (!this.#closing.signal.aborted) this.problem.value = error as Error
  }
}

type WireBar = Pick<Page['bars'][string][number], 't' | 'o' | 'h' | 'l' | 'c' | 'v'> & {
  readonly vw?: number
}

const barOf = ({ t, o, h, l, c, v, vw }: WireBar): ChartBar => ({
  atMs: Date.parse(t),
  open: o,
  high: h,
  low: l,
  close: c,
  volume: v,
  vwap: vw ?? c,
})

/** Adds a bar, or puts it in the place of the one with the same start. */
function withBar(bars: readonly ChartBar[], bar: ChartBar): readonly ChartBar[] {
  const at = bars.findLastIndex(({ atMs }) => atMs <= bar.atMs)
  if (at < 0) return bars
  const isSame = bars[at]!.atMs === bar.atMs
  return [...bars.slice(0, isSame ? at : at + 1), bar, ...bars.slice(at + 1)]
}
