import assert from 'node:assert/strict'
import type { Order, Prices } from '@quipu/core'

// Rules for prices, intents and trading hours, implemented without code of the core.

const NANO = 1_000_000_000n
const CENT = 10_000_000n

const up = (value: bigint, by: bigint): bigint => (value + by - 1n) / by

/** The value of shares in whole cents: a buy is rounded up, a sale down. */
export const cents = (price: bigint, quantity: bigint, side: 'buy' | 'sell'): bigint =>
  (side === 'buy' ? up(price * quantity, NANO * CENT) : (price * quantity) / (NANO * CENT)) * CENT

export const isCrypto = (symbol: string): boolean => symbol.includes('/')
export const opens = (intent: string): boolean => intent.endsWith('ToOpen')
export const size = (quantity: bigint): bigint => (quantity < 0n ? -quantity : quantity)

/** A sale closes a long position, a buy closes a short one; crypto is never short. */
export function intentOf({ symbol, side }: Order, owned: bigint): string {
  if (side === 'buy') return owned < 0n ? 'buyToClose' : 'buyToOpen'
  return owned > 0n || isCrypto(symbol) ? 'sellToClose' : 'sellToOpen'
}

/**
 * The reserved price of a share of an opening order: for a buy its limit, or else the ask; for a short its limit or three
 * percent above the ask, whichever is higher.
 */
export function reservedAt(order: Order, session: string | undefined, prices: Prices): bigint | undefined {
  const { side, limit, symbol, trigger, kind } = order
  const quote = prices.quote(symbol)
  const orderPrice = limit ?? (kind === 'stop' ? trigger?.stop : undefined)
  // Without a quote, as in the night after a split, the last trade is used.
  const last = prices.trade(symbol)?.price
  if (side === 'sell') {
    const ask = quote?.ask ?? last
    const raised = ask === undefined ? undefined : up(ask * 103n, 100n)
    return raised === undefined || (orderPrice !== undefined && orderPrice > raised) ? orderPrice : raised
  }
  if (limit !== undefined) return limit
  if (kind === 'stop') return maxStopPrice(trigger!.stop)
  if (kind === 'trailingStop') return trigger!.stop
  if (session === 'closed' || !quote) return last
  return session === 'extended' ? up(quote.bid + quote.ask, 2n) : quote.ask
}

/** The maximum price of an elected buy stop, in whole cents from one dollar. */
export function maxStopPrice(stop: bigint): bigint {
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

/** Date, weekday and minute of the day in New York. */
export function newYorkClock(at: bigint): {
  readonly date: string
  readonly weekday: string
  readonly minute: number
} {
  const parts = newYork.formatToParts(Number(at / 1_000_000n))
  const fields = Object.fromEntries(parts.map(({ type, value }) => [type, value]))
  return {
    date: `${fields['year']}-${fields['month']}-${fields['day']}`,
    weekday: fields['weekday']!,
    minute: Number(fields['hour']) * 60 + Number(fields['minute']),
  }
}

/** In New York hours nothing trades outside these minutes, nor on a weekend. */
export function assertTradingTime(at: bigint, isExtended: boolean): void {
  const { weekday, minute } = newYorkClock(at)
  const [open, close] = isExtended ? [4 * 60, 20 * 60] : [9 * 60 + 30, 16 * 60]
  assert(!/^S/.test(weekday) && minute >= open && minute < close, `a fill on ${weekday}, minute ${minute}`)
}

export function assertHours(hours: 'nyse' | 'always', at: bigint, { symbol, extendedHours }: Order): void {
  if (hours === 'nyse' && !isCrypto(symbol)) assertTradingTime(at, extendedHours)
}
