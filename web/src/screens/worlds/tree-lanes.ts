import type { Output } from '@quipu/sdk'
import { dayKey, newYorkMs } from '../../format/times.ts'

type World = Output<'listWorlds'>[number]

/** A world of a tree on its own line. */
export type Lane = {
  readonly world: World
  readonly depth: number
  /** The line of its parent; undefined for the root. */
  readonly parent: number | undefined
  /** Forks, at any depth, that are not shown. */
  readonly hidden: number
}

/** More lines collapse: the forks of the deepest worlds are counted on the line of their parent. */
export const LANES_MAX = 12

/** The worlds without a parent in the list: each begins a tree. */
export function rootsOf(worlds: readonly World[]): readonly World[] {
  const names = new Set(worlds.map(({ world }) => world))
  return worlds.filter(({ parent }) => parent === undefined || !names.has(parent))
}

export const forksOf = (worlds: readonly World[], name: string): readonly World[] =>
  worlds.filter(({ parent }) => parent === name)

/** The root of the tree that a world is in. */
export function rootOf(worlds: readonly World[], world: World): World {
  const parent = worlds.find((one) => one.world === world.parent)
  return parent === undefined ? world : rootOf(worlds, parent)
}

/** All worlds of a tree, parents before their forks, in the order of the list. */
function branchesOf(
  worlds: readonly World[],
  root: World,
  depth = 0,
): readonly Pick<Lane, 'world' | 'depth'>[] {
  const forks = forksOf(worlds, root.world)
  return [{ world: root, depth }, ...forks.flatMap((fork) => branchesOf(worlds, fork, depth + 1))]
}

/** The lines of a tree. A tree with too many shows fewer depths, then the newest worlds. */
export function lanesOf(worlds: readonly World[], root: World, max: number): readonly Lane[] {
  const all = branchesOf(worlds, root)
  let shown = all
  for (let depth = Math.max(...all.map((one) => one.depth)); depth > 1 && shown.length > max; depth--)
    shown = shown.filter((one) => one.depth < depth)
  if (shown.length > max)
    shown = [
      root,
      ...shown
        .slice(1)
        .slice(1 - max)
        .map(({ world }) => world),
    ].map((world) => all.find((one) => one.world === world)!)
  const at = new Map(shown.map(({ world }, index) => [world.world, index]))
  return shown.map(({ world, depth }) => {
    const below = branchesOf(worlds, world).slice(1)
    return {
      world,
      depth,
      parent: world.parent === undefined ? undefined : at.get(world.parent),
      hidden: below.filter((one) => !at.has(one.world.world)).length,
    }
  })
}

/** The time that a tree shows: from the first fork, or the open before it, to a while after the last clock. */
export function timesOf(
  worlds: readonly Pick<World, 'forked_at' | 'hours'>[],
  nows: readonly number[],
): { readonly fromMs: number; readonly toMs: number } {
  const forks = worlds.flatMap(({ forked_at: at }) => (at === undefined ? [] : [Date.parse(at)]))
  const [first, last] = [Math.min(...forks, ...nows), Math.max(...nows)]
  const open = newYorkMs(dayKey(first), '09:30')
  const isSession = worlds[0]?.hours === 'nyse' && open < first
  const fromMs = isSession ? open : first - Math.max((last - first) * 0.08, 300_000)
  return { fromMs, toMs: last + Math.max((last - fromMs) * 0.3, 300_000) }
}
