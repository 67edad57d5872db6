import assert from 'node:assert/strict'
import type { OrderFilled, Prices, WorldSettings } from '@quipu/core'
import type { TrackedOrder } from './orders.ts'
import { isCrypto, maxStopPrice } from './rules.ts'

// Price and size of fills by the venue settings, implemented without code of the core.

const MINUTE = 60_000_000_000n
const DOLLAR = 1_000_000_000n

/** Checks the price of a fill: the far side of the quote, moved against the order by the impact. */
export function assertFillPrice(
  { venue }: Pick<WorldSettings, 'venue'>,
  { accepted, stop }: TrackedOrder,
  { price, quantity, quote, auction }: OrderFilled,
): void {
  const { side, limit, kind, symbol, notional } = accepted
  const [far, displayed] = side === 'buy' ? [quote.ask, quote.askSize] : [quote.bid, quote.bidSize]
  const points = venue?.impactBasisPoints
  if (points === undefined || auction !== undefined) {
    assert.equal(price, far, 'the far side of the quote')
    return
  }
  const product = far * BigInt(points) * quantity
  const whole = 10_000n * (displayed > 0n ? displayed : 1n)
  const share = (product + whole - 1n) / whole
  const move = share < far / 10n ? share : far / 10n
  const moved = side === 'buy' ? far + move : far - move
  const step = isCrypto(symbol) ? 1n : moved >= DOLLAR ? 10_000_000n : 100_000n
  const rounded = side === 'buy' ? ((moved + step - 1n) / step) * step : (moved / step) * step
  const worst = limit ?? (kind === 'stop' && side === 'buy' ? maxStopPrice(stop!) : undefined)
  const isBeyond = worst !== undefined && (side === 'buy' ? rounded > worst : rounded < worst)
  // An amount of dollars buys a little less than the quantity that moved the price.
  if (notional !== undefined) assert(side === 'buy' ? price >= far : price <= far, 'no better than the quote')
  else assert.equal(price, isBeyond ? worst : rounded, 'the far side of the quote, with its impact')
}

/** The fills of each minute, which together are at most a share of its volume. */
export class CheckerVolume {
  readonly #filled = new Map<string, bigint>()

  take(
    { venue }: Pick<WorldSettings, 'venue'>,
    { at, symbol, quantity, auction }: OrderFilled,
    prices: Prices,
  ): void {
    if (venue?.participation === undefined || auction !== undefined) return
    const volume = prices.volume?.(symbol)
    assert(volume !== undefined, 'the volume of a generated market is known')
    const key = `${symbol}/${at / MINUTE}`
    const filled = (this.#filled.get(key) ?? 0n) + quantity
    this.#filled.set(key, filled)
    assert(filled * 1_000_000n <= volume * BigInt(venue.participation), 'at most a share of the volume')
  }
}
