import type { Ticker } from '../../ids.ts'
import type { Hours } from '../../world.ts'
import { keyOf, mix } from './dice.ts'
import { makePath, marketFactor } from './path.ts'
import type { Profile } from './profile.ts'
import { recent } from './recent.ts'
import { makeRoots } from './roots.ts'
import type { Segment } from './segments.ts'
import { makeTape, type Tape } from './tape.ts'
import type { Tree } from './tree.ts'

/** Segments kept with their minutes, over all symbols: at most some 100 kB each. */
const TREES_KEPT = 64

/** The tapes of a market. The same seed, hours and profiles give the same tapes, whatever is asked and in which order. */
export function makeMarket(setup: {
  readonly seed: string
  readonly hours: Hours
  readonly profiles: readonly Profile[]
}): ReadonlyMap<Ticker, Tape> {
  const seed = keyOf(setup.seed)
  const marketKey = mix(seed, 0)
  const factor = marketFactor(marketKey)
  const trees = recent<string, Tree>(TREES_KEPT)
  return new Map(
    setup.profiles.map((profile) => {
      const key = mix(seed, keyOf(profile.symbol))
      const path = makePath(profile, key, factor)
      const roots = makeRoots(profile, path, key, marketKey)
      const treeOf = (segment: Segment): Tree =>
        trees.get(`${profile.symbol} ${segment.from}`, () => ({
          segment,
          profile,
          coupling: path.coupling,
          root: roots.root(segment),
        }))
      return [profile.symbol, makeTape(setup.hours, roots, treeOf)]
    }),
  )
}
