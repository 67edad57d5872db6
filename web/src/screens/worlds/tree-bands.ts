import { eventTitle, type MarketEvent, spanOf } from '../../live/market-events.ts'
import type { Lane } from './tree-lanes.ts'

/** A crash or a gap, as a band over the time of a tree. */
export type TreeBand = {
  readonly label: string
  readonly fromMs: number
  readonly toMs: number
  /** The line that it is on; undefined: the root has it, and so have all its branches. */
  readonly row: number | undefined
}

/** What moves all prices. Other events affect one symbol for a while. */
const isShown = ({ kind }: MarketEvent): boolean => kind === 'crash' || kind === 'gap'

/** The crashes and gaps of a tree. A branch has those of its parent, so each is drawn where it began. */
export function bandsOf(lanes: readonly Lane[]): readonly TreeBand[] {
  return lanes.flatMap(({ world, parent }, row) => {
    const known = new Set(lanes[parent ?? -1]?.world.market_events?.map((event) => keyOf(event)))
    return (world.market_events ?? [])
      .filter((event) => isShown(event) && !known.has(keyOf(event)))
      .flatMap((event) => {
        const span = spanOf(event)
        if (!span) return []
        const { fromMs, toMs = fromMs } = span
        return [{ label: eventTitle(event), fromMs, toMs, row: row === 0 ? undefined : row }]
      })
  })
}

const keyOf = (event: MarketEvent): string => `${eventTitle(event)} ${spanOf(event)?.fromMs}`
