import { tradingDayAt } from '../../calendar.ts'
import type { Pace, Profile } from '../profile.ts'
import { keyOf, mix } from '../random.ts'
import { type Factor, makeFactor } from './factor.ts'
import { tapeCalendarOf } from './pace.ts'
import { partsOf, volatilityOf } from './parts.ts'
import { type Loaded, type Path, pathWeekday } from './path.ts'

/** The factor loads of a profile, market first, and the symbol's own volatility. */
export type FactorsOf = (profile: Profile) => {
  readonly shared: readonly [Loaded, ...Loaded[]]
  readonly own: number
}

/** Compensates for the volatility that capping the steps removes. */
const UNCAPPED = 1.05

/** Keys derived from the seed for the market of each pace. */
const MARKET_KEYS: Record<Pace, number> = { newYork: 0, roundTheClock: 1 }

/**
 * Factors shared by symbols: a market for each pace, sectors and themes. `bitcoin` returns the path of that
 * coin.
 */
export function sharedFactors(seed: number, bitcoin: () => Path | undefined): FactorsOf {
  const factors = new Map<string, Factor>()
  const kept = (name: string, make: () => Factor): Factor => {
    const known = factors.get(name) ?? make()
    factors.set(name, known)
    return known
  }
  const marketOf = (profile: Profile): Factor => {
    const { pace = 'newYork' } = profile
    const { marketVolatility, year } = tapeCalendarOf(profile)
    return kept(`market of ${pace}`, () =>
      makeFactor({
        kind: pace === 'newYork' ? 'market' : 'crypto',
        key: mix(seed, MARKET_KEYS[pace]),
        daily: (UNCAPPED * marketVolatility) / Math.sqrt(year),
        weekday: pathWeekday(profile),
      }),
    )
  }
  return (profile) => {
    const market = marketOf(profile)
    const { loads, own } = partsOf(profile)
    const { year } = tapeCalendarOf(profile)
    const others = loads.map(({ name, load }) => ({
      load,
      factor: kept(name, () => {
        const path = name === 'bitcoin' ? bitcoin() : undefined
        const key = mix(market.key, keyOf(name))
        if (path) return coinFactor(path, key)
        return makeFactor({ kind: 'shared', key, daily: volatilityOf(name) / Math.sqrt(year), market })
      }),
    }))
    return { shared: [{ factor: market, load: profile.beta }, ...others], own }
  }
}

/** A crypto path sampled at New York trading days, each ending with the UTC day. */
function coinFactor(path: Path, key: number): Factor {
  // Before the first trading day the path has its start.
  const dayOf = (index: number): number => tradingDayAt(index) ?? Math.max(-1, index)
  return {
    key,
    stateVariance: 0,
    at: (index) => path.level(dayOf(index)),
    state: (index) => path.state(dayOf(index)),
    deviation(index) {
      let variance = 0
      for (let day = dayOf(index - 1) + 1; day <= dayOf(index); day++)
        variance += path.deviation(day) * path.deviation(day)
      return Math.sqrt(variance)
    },
  }
}
