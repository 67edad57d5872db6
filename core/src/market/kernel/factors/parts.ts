import type { Profile, Theme } from '../profile.ts'
import { tapeCalendarOf } from './pace.ts'

/** A symbol's load on each shared factor beside the market, and its own yearly volatility. */
export type FactorParts = {
  readonly loads: readonly { readonly name: string; readonly load: number }[]
  readonly own: number
}

/** Yearly volatility of sectors and themes, in addition to the market's. */
const VOLATILITIES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    tech: 0.12,
    fin: 0.08,
    hlth: 0.105,
    enrg: 0.145,
    indu: 0.08,
    disc: 0.1,
    stap: 0.105,
    util: 0.115,
    matl: 0.085,
    real: 0.1,
    comm: 0.1,
    semi: 0.145,
    bank: 0.13,
    gold: 0.155,
    oil: 0.27,
    rates: 0.125,
    china: 0.24,
    air: 0.2,
    abroad: 0.09,
    emerging: 0.1,
    small: 0.08,
    bitcoin: 0.5,
  }),
)
export const volatilityOf = (name: string): number => VOLATILITIES.get(name) ?? 0.1

/** Minimum idiosyncratic part of a symbol's variance. */
const COMPANY_OWN = 0.2
const FUND_OWN = 0.0015
/** Maximum load of a fund on its last factor. */
const FILL_MAX = 1.35

export function partsOf(profile: Profile): FactorParts {
  const { beta, volatility, isFund = false } = profile
  const total = volatility * volatility
  const ofMarket = beta * tapeCalendarOf(profile).marketVolatility
  const left = total - ofMarket * ofMarket
  const loads = isFund
    ? fundLoads(profile, left - FUND_OWN * total)
    : companyLoads(profile, left - COMPANY_OWN * total)
  const least = (isFund ? FUND_OWN : COMPANY_OWN) * total
  return { loads, own: Math.sqrt(Math.max(least, left - varianceOf(loads))) }
}

const varianceOf = (loads: FactorParts['loads']): number =>
  loads.reduce((sum, { name, load }) => sum + load * volatilityOf(name) * (load * volatilityOf(name)), 0)

const factorsIn = ({ sector, themes = [] }: Profile): readonly Theme[] =>
  sector === undefined ? themes : [{ name: sector }, ...themes]

const withLoad = ({ name, load = 1 }: Theme): FactorParts['loads'][number] => ({ name, load })

/** A company's loads are reduced if they leave too little idiosyncratic variance. */
function companyLoads(profile: Profile, variance: number): FactorParts['loads'] {
  const loads = factorsIn(profile).map(withLoad)
  const shared = varianceOf(loads)
  const scale = shared > variance ? Math.sqrt(Math.max(0, variance) / shared) : 1
  return scale === 1 ? loads : loads.map(({ name, load }) => ({ name, load: load * scale }))
}

/** A fund without an explicit load gets the load on its last factor that explains its volatility. */
function fundLoads(profile: Profile, variance: number): FactorParts['loads'] {
  const named = factorsIn(profile)
  const last = named.at(-1)
  if (!last || last.load !== undefined) return named.map(withLoad)
  const before = named.slice(0, -1).map(withLoad)
  const rest = Math.max(0, variance - varianceOf(before))
  return [...before, { name: last.name, load: Math.min(FILL_MAX, Math.sqrt(rest) / volatilityOf(last.name)) }]
}
