import type { Ticker } from '../../ids.ts'
import type { Hours } from '../../world.ts'
import { concerns, type Weather } from '../weather.ts'
import { midnightIn } from '../zone.ts'
import { closeBefore, type Issue, profileAfter } from './changes.ts'
import { climateOf } from './climate.ts'
import { dayBlocks, keptDays } from './days.ts'
import { keyOf, mix } from './dice.ts'
import { overlay } from './overlay.ts'
import { type Course, courseOf } from './pace.ts'
import { type Factor, makePath, marketFactor, sectorFactor } from './path.ts'
import type { Pace, Profile } from './profile.ts'
import { recent } from './recent.ts'
import { makeRoots } from './roots.ts'
import type { Segment } from './segments.ts'
import { type Stitched, stitch } from './stitch.ts'
import { makeTape, type Tape } from './tape.ts'
import type { Tree } from './tree.ts'
import type { Window } from './windows.ts'

/** Segments kept with their minutes, over all symbols: at most some 100 kB each. */
const TREES_KEPT = 64

/** The tapes of a market, each made when it is first asked for. */
export type Tapes = { get(symbol: Ticker): Tape | undefined }

/** The same seed, hours, profiles, weather and issues give the same tapes, whatever is asked and in which order. */
export function makeMarket(setup: {
  readonly seed: string
  readonly hours: Hours
  readonly profiles: readonly Profile[]
  readonly weather?: readonly Weather[] | undefined
  /** Symbols that were split, paid a dividend, changed their name or ended. */
  readonly issues?: ReadonlyMap<Ticker, Issue> | undefined
}): Tapes {
  const { weather = [], issues } = setup
  const profiles = bySymbol(setup.profiles)
  const makePiece = pieceMaker(setup.hours, keyOf(setup.seed))
  const make = (profile: Profile, issue: Issue | undefined): Tape => {
    const names = issue?.names ?? [profile.symbol]
    const its = weather.filter((each) => names.some((name) => concerns(each, name)))
    const course = courseOf(profile)
    const piece = (of: Profile, number: number) => makePiece(of, number, its)
    const { tape, windows } = piece(profile, 0)
    if (!issue) return over(tape, course, windows)
    const later = laterPieces(profile, issue, {
      told: (pieces) => over(stitch(tape, pieces), course, windows),
      makeTape: (of, number) => piece(of, number).tape,
    })
    const end = issue.endDay === undefined ? [] : [endOf(midnightIn(course.zone, issue.endDay))]
    return over(stitch(tape, later), course, [...windows, ...end])
  }
  const made = new Map<Ticker, Tape>()
  return {
    get(symbol) {
      const known = made.get(symbol)
      if (known) return known
      const issue = issues?.get(symbol)
      const profile = profiles.get(issue?.origin ?? symbol)
      if (!profile) return undefined
      const tape = make(profile, issue)
      made.set(symbol, tape)
      return tape
    },
  }
}

const over = (tape: Tape, course: Course, windows: readonly Window[]): Tape =>
  windows.length === 0 ? tape : overlay(tape, course, windows)

/** From here on nothing trades. */
const endOf = (from: number): Window => ({ from, to: Number.POSITIVE_INFINITY, isDark: true })

/** A tape for each change, around the price that the one before led to. */
function laterPieces(
  profile: Profile,
  { changes }: Issue,
  {
    told,
    makeTape: makeTapeOf,
  }: {
    readonly told: (pieces: readonly Stitched[]) => Tape
    readonly makeTape: (profile: Profile, number: number) => Tape
  },
): readonly Stitched[] {
  const later: Stitched[] = []
  let latest = profile
  for (const change of changes) {
    const close = closeBefore(told(later), change.day)
    if (close === undefined) continue
    latest = profileAfter(latest, change, close)
    later.push({ day: change.day, tape: makeTapeOf(latest, later.length + 1) })
  }
  return later
}

type MadePiece = { readonly tape: Tape; readonly windows: readonly Window[] }

/** Makes a tape around one price, and says what the weather lays over it. */
function pieceMaker(
  hours: Hours,
  seed: number,
): (profile: Profile, number: number, weather: readonly Weather[]) => MadePiece {
  const factorsOf = sharedFactors(seed)
  const trees = recent<string, Tree>(TREES_KEPT)
  const blocks = dayBlocks()
  return (profile, number, weather) => {
    const key = mix(seed, keyOf(profile.symbol))
    const { marketKey, market, sector } = factorsOf(profile)
    const course = courseOf(profile)
    const { windows, shifts } = climateOf(weather, course, key)
    const path = makePath(profile, key, market, sector, shifts)
    const roots = makeRoots(profile, path, key, marketKey)
    const name = number === 0 ? profile.symbol : `${profile.symbol}#${number}`
    const treeOf = (segment: Segment): Tree =>
      trees.get(`${name} ${segment.from}`, () => ({
        segment,
        profile,
        coupling: path.coupling,
        root: roots.root(segment),
      }))
    return { tape: makeTape(hours, course, roots, treeOf, keptDays(name, course.zone, blocks)), windows }
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
