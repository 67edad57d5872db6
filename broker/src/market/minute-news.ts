import type { Bar, Instant, Ticker } from '@quipu/core'
import { earlier, later, MINUTE } from '@quipu/core/values'
import type { FeedMarket } from './feed-market.ts'
import { feedDay, feedMinute } from './feed-minutes.ts'
import type { Interest } from './interest.ts'
import type { News } from './news.ts'
import { inSlices } from './slices.ts'

/** Minute marks from `due`, the next one, to `until`, which is excluded. */
export type MinuteMarks = { readonly due: Instant; readonly until: Instant; readonly max: number }
/** What is published at a minute mark. */
export type MinuteNews = { readonly at: Instant; readonly news: readonly News[] }

type MinuteParts = {
  readonly market: () => FeedMarket
  readonly delayNs: bigint
  readonly bars: Interest<unknown>
  readonly dailyBars: Interest<unknown>
}

/** The bars that a feed publishes at minute marks. */
export class MinuteBars {
  readonly #parts: MinuteParts
  /** Minutes that were requested in advance, with the edition of their market. */
  readonly #foreseen = new Map<Instant, readonly News[]>()
  #edition: number | undefined
  /** How often the subscriptions changed. */
  #changes = 0

  constructor(parts: MinuteParts) {
    this.#parts = parts
  }

  /** The symbols with listeners, sorted. */
  symbols(): readonly Ticker[] {
    const { market, bars, dailyBars } = this.#parts
    const existing = market().assets()
    return [...new Set([...bars.symbols(existing), ...dailyBars.symbols(existing)])].sort()
  }

  /** The subscriptions have changed. */
  forget(): void {
    this.#changes += 1
    this.#foreseen.clear()
  }

  /** Up to the first minute without news. `at` returns the same news later, if market and subscriptions stay. */
  async ahead({ due, until, max }: MinuteMarks): Promise<readonly MinuteNews[]> {
    const found: MinuteNews[] = []
    if (this.#parts.market().history.edition === undefined) return found
    for (let mark = due; mark < until && found.length < max; mark = later(mark, MINUTE)) {
      const changes = this.#changes
      const news = await this.at(mark)
      if (news.length === 0 || changes !== this.#changes) break
      this.#foreseen.set(mark, news)
      found.push({ at: mark, news })
    }
    return found
  }

  /** The news of the minute that ends at a mark. */
  async at(mark: Instant): Promise<readonly News[]> {
    const { edition } = this.#parts.market().history
    if (edition !== this.#edition) this.#foreseen.clear()
    this.#edition = edition
    const foreseen = this.#foreseen.get(mark)
    this.#foreseen.delete(mark)
    return foreseen ?? this.#make(mark)
  }

  async #make(mark: Instant): Promise<readonly News[]> {
    const { delayNs, dailyBars } = this.#parts
    const market = this.#parts.market()
    const now = earlier(mark, delayNs)
    const symbols = this.symbols()
    const made = await inSlices(symbols, (symbol) => feedMinute(market, symbol, now))
    const traded = symbols.filter((_, index) => made[index])
    const days = await inSlices(traded, async (symbol) =>
      dailyBars.wants(symbol) ? feedDay(market, symbol, now) : undefined,
    )
    return [
      ...symbols.flatMap((symbol, index) => newsOf('bars', symbol, made[index])),
      ...traded.flatMap((symbol, index) => newsOf('dailyBars', symbol, days[index])),
    ]
  }
}

const newsOf = (channel: 'bars' | 'dailyBars', symbol: Ticker, bar: Bar | undefined): readonly News[] =>
  bar ? [{ channel, symbol, bar }] : []
