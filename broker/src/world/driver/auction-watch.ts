import {
  AUCTION_GRACE_NS,
  type Auction,
  type Instant,
  later,
  newYorkDate,
  SECOND,
  type Ticker,
} from '@quipu/core'
import type { MarketWatchParts } from './market-watch.ts'

/** The pause before the next query when a live market has no print yet. */
const RETRY_NS = SECOND

/**
 * Runs the auctions that opening and closing orders wait for. When an auction is due, it reads the official print from
 * the market and passes the print to the engine. Auctions that took place while the broker was down are skipped.
 */
export class AuctionWatch {
  readonly #parts: MarketWatchParts
  readonly #due = new Map<Ticker, Map<Instant, () => void>>()

  constructor(parts: MarketWatchParts) {
    this.#parts = parts
  }

  isUpToDate(symbol: Ticker): boolean {
    const { auctions } = this.#parts.engine.view
    if (auctions.size === 0 && this.#due.size === 0) return true
    const waiting = auctions.get(symbol)
    return (waiting?.size ?? 0) === (this.#due.get(symbol)?.size ?? 0)
  }

  plan(symbol: Ticker): void {
    const { engine } = this.#parts
    const { auctions } = engine.view
    if (auctions.size === 0 && this.#due.size === 0) return
    const waiting = auctions.get(symbol)
    if (!waiting && !this.#due.has(symbol)) return
    const planned = this.#due.get(symbol) ?? new Map<Instant, () => void>()
    for (const [due, cancel] of planned)
      if (!waiting?.has(due)) {
        cancel()
        planned.delete(due)
      }
    for (const due of waiting?.keys() ?? [])
      if (due > engine.now && !planned.has(due)) planned.set(due, this.#queryAt(due, symbol, due))
    if (planned.size > 0) this.#due.set(symbol, planned)
    else this.#due.delete(symbol)
  }

  stop(): void {
    for (const planned of this.#due.values()) for (const cancel of planned.values()) cancel()
    this.#due.clear()
  }

  #queryAt(at: Instant, symbol: Ticker, due: Instant): () => void {
    return this.#parts.clock.timer(at, 'auction', () => this.#query(symbol, due))
  }

  #query(symbol: Ticker, due: Instant): void {
    const { clock, engine, failed, market, track } = this.#parts
    const search = this.#findPrint(symbol, due)
      .then((print) => {
        const planned = this.#due.get(symbol)
        if (!planned?.has(due)) return
        if (print && print.at <= engine.now) this.#hold(symbol, due, print)
        else if (print)
          planned.set(
            due,
            clock.timer(print.at, 'auction', () => this.#hold(symbol, due, print)),
          )
        else if (market.live && engine.now < due + AUCTION_GRACE_NS) {
          planned.set(due, this.#queryAt(later(engine.now, RETRY_NS), symbol, due))
        }
      })
      .catch(failed)
    track(search)
  }

  /** A market that can be computed ahead is queried up to the end of the grace period; a live market up to now. */
  async #findPrint(symbol: Ticker, due: Instant): Promise<Auction | undefined> {
    const { engine, market } = this.#parts
    const date = newYorkDate(due)
    const now = market.live ? engine.now : later(due, AUCTION_GRACE_NS - 1n)
    const [day] = await market.history.auctions({ symbol, from: date, to: date, now, sort: 'asc', limit: 1 })
    return [...(day?.open ?? []), ...(day?.close ?? [])].find(
      ({ at, condition }) =>
        (condition === 'Q' || condition === 'M') && at >= due && at < due + AUCTION_GRACE_NS,
    )
  }

  #hold(symbol: Ticker, due: Instant, { at, price, size }: Auction): void {
    this.#parts.decide({ kind: 'holdAuction', symbol, due, print: { at, price, size } })
    this.#parts.replan(symbol)
  }
}
