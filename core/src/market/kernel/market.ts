import type { Ticker } from '../../ids.ts'
import type { Hours } from '../../world.ts'
import { concerns, type Weather } from '../weather.ts'
import { climateOf } from './climate.ts'
import { dayBlocks, keptDays } from './days.ts'
import { keyOf, mix } from './dice.ts'
import { overlay } from './overlay.ts'
import { courseOf } from './pace.ts'
import { type Factor, makePath, marketFactor, sectorFactor } from './path.ts'
import type { Pace, Profile } from './profile.ts'
import { recent } from './recent.ts'
import { makeRoots } from './roots.ts'
import type { Segment } from './segments.ts'
import { makeTape, type Tape } from './tape.ts'
import type { Tree } from './tree.ts'

/** Segments kept with their minutes, over all symbols: at most some 100 kB each. */
const TREES_KEPT = 64

/** The tapes of a market, each made when it is first asked for. */
export type Tapes = { get(symbol: Ticker): Tape | undefined }

/** The same seed, hours, profiles and weather give the same tapes, whatever is asked and in which order. */
export function makeMarket(setup: {
  readonly seed: string
  readonly hours: Hours
  readonly profiles: readonly Profile[]
  readonly weather?: readonly Weather[] | undefined
}): Tapes {
  const { weather = [] } = setup
  const seed = keyOf(setup.seed)
  const factorsOf = sharedFactors(seed)
  const trees = recent<string, Tree>(TREES_KEPT)
  const blocks = dayBlocks()
  const profiles = bySymbol(setup.profiles)
  const make = (profile: Profile): Tape => {
    const key = mix(seed, keyOf(profile.symbol))
    const { marketKey, market, sector } = factorsOf(profile)
    const course = courseOf(profile)
    const climate = climateOf(
      weather.filter((each) => concerns(each, profile.symbol)),
      course,
      key,
    )
    const path = makePath(profile, key, market, sector, climate.shifts)
    const roots = makeRoots(profile, path, key, marketKey)
    const treeOf = (segment: Segment): Tree =>
      trees.get(`${profile.symbol} ${segment.from}`, () => ({
        segment,
        profile,
        coupling: path.coupling,
        root: roots.root(segment),
      }))
    const tape = makeTape(setup.hours, course, roots, treeOf, keptDays(profile.symbol, course.zone, blocks))
    return climate.windows.length === 0 ? tape : overlay(tape, course, climate.windows)
  }
  const made = new Map<Ticker, Tape>()
  return {
    get(symbol) {
      const known = made.get(symbol)
      const profile = profiles.get(symbol)
      if (known || !profile) return known
      const tape = make(profile)
      made.set(symbol, tape)
      return tape
    },
  }
}

/** The same list is looked into by every world that has it. */
const indexes = new WeakMap<readonly Profile[], ReadonlyMap<Ticker, Profile>>()

function bySymbol(profiles: readonly Profile[]): ReadonlyMap<Ticker, Profile> {
  const known = indexes.get(profiles)
  if (known) return known
  const index = new Map(profiles.map((profile) => [profile.symbol, profile]))
  indexes.set(profiles, index)
  return index
}

type Shared = { readonly marketKey: number; readonly market: Factor; readonly sector: Factor | undefined }

/** Which keys are made of the seed for the market of each pace; stocks have had theirs from the start. */
const MARKET_KEYS: Record<Pace, number> = { newYork: 0, roundTheClock: 1 }

/** What symbols have in common: one path for all of a pace, and one for each sector. */
function sharedFactors(seed: number): (profile: Profile) => Shared {
  const markets = new Map<Pace, Factor>()
  const sectors = new Map<string, Factor>()
  return (profile) => {
    const { pace = 'newYork', sector } = profile
    const course = courseOf(profile)
    const marketKey = mix(seed, MARKET_KEYS[pace])
    const market = kept(markets, pace, () => marketFactor(marketKey, course))
    if (sector === undefined) return { marketKey, market, sector: undefined }
    const ofSector = kept(sectors, sector, () => sectorFactor(mix(marketKey, keyOf(sector)), course))
    return { marketKey, market, sector: ofSector }
  }
}

function kept<Key, Value>(values: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = values.get(key)
  if (known !== undefined) return known
  const value = make()
  values.set(key, value)
  return value
}
