import { pause } from '../../process/long-work.ts'
import type { World } from '../../world/world.ts'
import { type Filter, isWanted, mayBeWanted, type Seen, seenEntry } from './seen.ts'

export type Scanned = {
  readonly found: readonly Seen[]
  /** The last event that was looked at. */
  readonly upTo: number
  /** All that is durable was looked at. */
  readonly isEnd: boolean
}

/** How many entries are looked at before others have their turn. */
const STRETCH = 2_000

/**
 * Looks through the journal after a number: until so many are found, so many were looked at, or its end. Only what is
 * durable is seen.
 */
export async function scan(
  world: World,
  {
    after,
    limit,
    scanMax,
    filter,
  }: {
    readonly after: number
    readonly limit: number
    readonly scanMax: number
    readonly filter: Filter
  },
): Promise<Scanned> {
  const { journal } = world
  const found: Seen[] = []
  let upTo = after
  await pause()
  for await (const entries of journal.read(after)) {
    for (const entry of entries) {
      upTo += 1
      if (mayBeWanted(entry, filter)) {
        const seen = seenEntry(upTo, entry)
        if (isWanted(seen, filter)) found.push(seen)
      }
      if (found.length >= limit || upTo - after >= scanMax)
        return { found, upTo, isEnd: upTo >= journal.head().seq }
      if (upTo % STRETCH === 0) await pause()
    }
  }
  return { found, upTo, isEnd: true }
}
