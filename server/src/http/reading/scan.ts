import { pause } from '../../process/long-work.ts'
import {
  type Filter,
  isWanted,
  mayBeWanted,
  type NumberedEvent,
  numberedEntry,
} from '../../wire/numbered-event.ts'
import type { World } from '../../world/world.ts'
import type { Context } from '../context.ts'

export type Scanned = {
  readonly found: readonly NumberedEvent[]
  /** The last scanned event. */
  readonly upTo: number
  /** Whether all durable events are scanned. */
  readonly isEnd: boolean
}

type PageQuery = { readonly after: number; readonly limit: number; readonly filter: Filter }

/** Entries per batch, skipped or read; other requests run between batches. */
const SKIPPED_MAX = 2_000
const READ_MAX = 20

/**
 * Scans the journal after a number until `limit` events are found, `scanMax` events are scanned, or the journal ends.
 * Scans only durable events.
 */
export async function scan(
  world: World,
  { after, limit, scanMax, filter }: PageQuery & { readonly scanMax: number },
): Promise<Scanned> {
  const { journal } = world
  const found: NumberedEvent[] = []
  const isCandidate = mayBeWanted(filter)
  let upTo = after
  let cost = 0
  await pause()
  for await (const entries of journal.read(after)) {
    for (const entry of entries) {
      upTo += 1
      cost += 1 / SKIPPED_MAX
      if (isCandidate(entry)) {
        cost += 1 / READ_MAX
        const event = numberedEntry(upTo, entry)
        if (isWanted(event, filter)) found.push(event)
      }
      if (found.length >= limit || upTo - after >= scanMax)
        return { found, upTo, isEnd: upTo >= journal.head().seq }
      if (cost < 1) continue
      cost = 0
      await pause()
    }
  }
  return { found, upTo, isEnd: true }
}

/** A page of matching events, and the cursor of the next page. */
export async function scanPage(world: World, context: Context, query: PageQuery) {
  const { scanMax } = context.services.limits
  const { found, upTo, isEnd } = await scan(world, { ...query, scanMax })
  context.seq = upTo
  return { found, next: isEnd ? null : `${upTo}` }
}
