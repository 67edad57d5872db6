import { type Ticker, tickerOf } from '../../ids.ts'
import { LruCache } from '../../lru-cache.ts'
import type { Hours } from '../../world.ts'
import { concerns, type MarketEvent } from '../market-event.ts'
import { dayBlocks, keptDays } from './days.ts'
import { followerPath } from './factors/follower-path.ts'
import { type Image, imageOf } from './factors/image.ts'
import { eventShifts, eventWindows, type FixedPrice } from './factors/market-events.ts'
import { tapeCalendarOf } from './factors/pace.ts'
import { makePath, type Path, type Shift } from './factors/path.ts'
import { type FactorsOf, sharedFactors } from './factors/shared-factors.ts'
import type { Follows, Profile, Profiles } from './profile.ts'
import { keyOf, mix } from './random.ts'
import { makeRoots, type Roots } from './roots.ts'
import { indexOf } from './segment-levels.ts'
import type { Segment } from './segments.ts'
import { makeTape, type Tape } from './tape.ts'
import type { Tree } from './tree.ts'
import type { KernelWindow } from './windows.ts'

/** Number of cached segments over all symbols: some 150 kB each, a closed date 600 kB. */
const TREES_KEPT = 64
const BITCOIN = tickerOf('BTC/USD')

/** A tape with one base price, and the market events that change it. */
export type MadePiece = { readonly tape: Tape; readonly windows: readonly KernelWindow[] }

/** The parts of a tape: daily path, segment roots and their trees. */
type Base = {
  readonly profile: Profile
  readonly path: Path
  readonly roots: Roots
  readonly marketKey: number
  /** Key of the draws that split its nodes. */
  readonly splitKey: number
  treeOf(segment: Segment): Tree
  readonly fixedPrice: FixedPrice
}

type Setup = {
  readonly seed: string
  readonly hours: Hours
  readonly profiles: Profiles
  readonly marketEvents: readonly MarketEvent[]
}

/** Creates tapes, each with one base price; `number` counts a symbol's base prices after corporate actions. */
export function makePieces(
  setup: Setup,
): (profile: Profile, number: number, events: readonly MarketEvent[]) => MadePiece {
  const { hours } = setup
  const blocks = dayBlocks()
  const makeBase = baseMaker(setup)
  return (profile, number, events) => {
    const base = makeBase(profile, number, events)
    const calendar = tapeCalendarOf(profile)
    const key = keyIn(setup.seed, profile.symbol)
    const days = keptDays(nameOf(profile, number), calendar.zone, blocks)
    return {
      tape: makeTape(hours, calendar, base.roots, base.treeOf, days, profile.inception),
      windows: eventWindows(events, calendar, key, base.fixedPrice),
    }
  }
}

const keyIn = (seed: string, symbol: Ticker): number => mix(keyOf(seed), keyOf(symbol))
const nameOf = ({ symbol }: Profile, number: number): string =>
  number === 0 ? symbol : `${symbol}#${number}`

/** The parts that the bases of all symbols share. */
type Shared = {
  readonly setup: Setup
  readonly seed: number
  readonly trees: LruCache<string, Tree>
  readonly factorsOf: FactorsOf
}

function baseMaker(setup: Setup): (profile: Profile, number: number, events: readonly MarketEvent[]) => Base {
  const { profiles, marketEvents } = setup
  const seed = keyOf(setup.seed)
  const leaders = new Map<Ticker, Base>()
  const factorsOf = sharedFactors(seed, () => {
    const coin = profiles.get(BITCOIN)
    return coin && pathOf(coin, factorsOf, keyIn(setup.seed, BITCOIN), [])
  })
  const shared: Shared = { setup, seed, trees: new LruCache(TREES_KEPT), factorsOf }
  /** A leader without its corporate actions, which do not affect its followers. */
  const leaderOf = ({ leader }: Follows): Base | undefined => {
    const profile = profiles.get(leader)
    if (!profile || leaders.has(leader)) return leaders.get(leader)
    const upwards = profile.follows ? [profile.follows.leader] : []
    const events = marketEvents.filter((each) => concerns(each, leader, upwards))
    const base = make(profile, 0, events)
    leaders.set(leader, base)
    return base
  }
  const make = (profile: Profile, number: number, events: readonly MarketEvent[]): Base =>
    baseOf(shared, profile, number, events, profile.follows && leaderOf(profile.follows))
  return make
}

function baseOf(
  { setup, seed, trees, factorsOf }: Shared,
  profile: Profile,
  number: number,
  events: readonly MarketEvent[],
  leader: Base | undefined,
): Base {
  const { hours } = setup
  const key = keyIn(setup.seed, profile.symbol)
  const isOwn = (each: MarketEvent): boolean => each.symbol === profile.symbol
  const shifts = eventShifts(leader ? events.filter(isOwn) : events, tapeCalendarOf(profile))
  const path = leader
    ? followerPath(profile, profile.follows!, leader.path, key, shifts)
    : pathOf(profile, factorsOf, key, shifts)
  const marketKey = leader?.marketKey ?? factorsOf(profile).shared[0].factor.key
  const image = leader && imageOf({ profile, path }, leader)
  const roots = makeRoots({
    profile,
    path,
    hours,
    keys: { seed, market: marketKey, own: key },
    follows: leader && { roots: leader.roots, image: image!, key: leader.splitKey },
  })
  const treeOf = (segment: Segment): Tree =>
    trees.getOrMake(`${nameOf(profile, number)} ${segment.from}`, () => ({
      segment,
      profile,
      hours,
      blend: path.blend(indexOf(segment)),
      own: key,
      ...rooted(segment, roots, leader, image),
    }))
  const fixedPrice: FixedPrice = (segment, each) =>
    !leader || isOwn(each) ? 0 : throughImage(image!(segment), leader.fixedPrice(segment, each))
  return { profile, path, roots, marketKey, splitKey: leader?.splitKey ?? key, treeOf, fixedPrice }
}

const throughImage = ({ at, by }: Image, price: number): number => at + by * price

function pathOf(profile: Profile, factorsOf: FactorsOf, key: number, shifts: readonly Shift[]): Path {
  const { shared, own } = factorsOf(profile)
  return makePath(profile, key, shared, own, shifts)
}

/** The root of a segment; a follower's root refers to the leader's tree. */
function rooted(
  segment: Segment,
  roots: Roots,
  leader: Base | undefined,
  image: ((segment: Segment) => Image) | undefined,
): Pick<Tree, 'root' | 'leader'> {
  if (!leader) return { root: roots.root(segment) }
  const tree = leader.treeOf(segment)
  const root = roots.root(segment)
  // Uses the leader's cached nodes, so that they are not split twice.
  const led = root?.leader && tree.root ? { ...root, leader: tree.root } : root
  return { root: led, leader: { tree, image: image!(segment) } }
}
