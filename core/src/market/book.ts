import type { Profile } from './kernel/profile.ts'
import type { QuoteUpdate } from './kernel/quotes.ts'
import { mix, uniform } from './kernel/random.ts'

/** A price in ticks and the size there in lots. */
export type TickLevel = { readonly price: number; readonly size: number }

const LEVELS = 10

/** The order book of a quote: its two sides, and deeper levels that become sparser and larger. */
export function bookOf(
  profile: Profile,
  quote: QuoteUpdate,
): { readonly bids: readonly TickLevel[]; readonly asks: readonly TickLevel[] } {
  const key = mix(mix(quote.at, quote.price), quote.number)
  const gap = Math.max(1, quote.ask - quote.bid)
  return {
    bids: levels(profile, mix(key, 1), { price: quote.bid, size: quote.bidSize }, -gap),
    asks: levels(profile, mix(key, 2), { price: quote.ask, size: quote.askSize }, gap),
  }
}

function levels({ depth, roundLot = 100 }: Profile, key: number, top: TickLevel, gap: number): TickLevel[] {
  const found = [top]
  let { price } = top
  for (let level = 1; level < LEVELS; level++) {
    const step = Math.max(1, Math.ceil(Math.abs(gap) * (0.2 + uniform(key, level)) * (1 + level / 5)))
    price += gap > 0 ? step : -step
    if (price <= 0) break
    const drawn = uniform(key, 20 + level)
    found.push({ price, size: roundLot * (1 + Math.floor(depth * drawn * drawn * (1 + level / 3))) })
  }
  return found
}
