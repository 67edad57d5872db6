import assert from 'node:assert/strict'
import type { Order, Prices } from '@quipu/core'

// What the checker knows of the broker's rules, in its own words and arithmetic.

const NANO = 1_000_000_000n
const CENT = 10_000_000n

const up = (value: bigint, by: bigint): bigint => (value + by - 1n) / by

/** Whole cents that so many shares cost or bring. */
export const cents = (price: bigint, quantity: bigint, side: 'buy' | 'sell'): bigint =>
  (side === 'buy' ? up(price * quantity, NANO * CENT) : (price * quantity) / (NANO * CENT)) * CENT

export const isCoin = (symbol: string): boolean => symbol.includes('/')
export const opens = (intent: string): boolean => intent.endsWith('ToOpen')
export const size = (quantity: bigint): bigint => (quantity < 0n ? -quantity : quantity)

/** A sell closes what is long, a buy what is short; coins are never short. */
export function intentOf({ symbol, side }: Order, owned: bigint): string {
  if (side === 'buy') return owned < 0n ? 'buyToClose' : 'buyToOpen'
  return owned > 0n || isCoin(symbol) ? 'sellToClose' : 'sellToOpen'
}

/**
 * What a share of an opening order is reserved at: a buy at its limit, or what the market asks; a short at its limit or
 * three percent above the ask, whichever is more.
 */
export function reservedAt(order: Order, session: string | undefined, prices: Prices): bigint | undefined {
  const { side, limit, symbol, trigger, kind } = order
  const quote = prices.quote(symbol)
  const named = limit ?? (kind === 'stop' ? trigger?.stop : undefined)
  // Where nobody quotes, as in the night after a split, the last trade is all there is.
  const last = prices.trade(symbol)?.price
  if (side === 'sell') {
    const ask = quote?.ask ?? last
    const guarded = ask === undefined ? undefined : up(ask * 103n, 100n)
    return guarded === undefined || (named !== undefined && named > guarded) ? named : guarded
  }
  if (limit !== undefined) return limit
  if (kind === 'stop') return mostOf(trigger!.stop)
  if (kind === 'trailingStop') return trigger!.stop
  if (session === 'closed' || !quote) return last
  return session === 'extended' ? up(quote.bid + quote.ask, 2n) : quote.ask
}

/** The most that a buy stop pays once it is elected, in whole cents where it is a dollar or more. */
export function mostOf(stop: bigint): bigint {
  const most = (stop * (stop < 50n * NANO ? 1040n : 1025n)) / 1000n
  return stop < NANO ? most : (most / CENT) * CENT
}

const newYork = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  weekday: 'short',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** What a clock on a wall in New York shows. */
export function clockInNewYork(at: bigint): {
  readonly date: string
  readonly weekday: string
  readonly minute: number
} {
  const parts = newYork.formatToParts(Number(at / 1_000_000n))
  const of = Object.fromEntries(parts.map(({ type, value }) => [type, value]))
  return {
    date: `${of['year']}-${of['month']}-${of['day']}`,
    weekday: of['weekday']!,
    minute: Number(of['hour']) * 60 + Number(of['minute']),
  }
}

/** In New York hours nothing trades outside these minutes, nor on a weekend. */
export function assertTradingTime(at: bigint, isExtended: boolean): void {
  const { weekday, minute } = clockInNewYork(at)
  const [open, close] = isExtended ? [4 * 60, 20 * 60] : [9 * 60 + 30, 16 * 60]
  assert(!/^S/.test(weekday) && minute >= open && minute < close, `a fill on ${weekday}, minute ${minute}`)
}
