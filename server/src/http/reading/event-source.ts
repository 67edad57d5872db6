import type { World } from '../../world/world.ts'
import type { Source } from './follow.ts'
import { type Filter, isWanted, mayBeWanted, type Seen, seenCommitted, seenEntry } from './seen.ts'

/** The wanted events of a world after a number: from the journal, then as they become durable. */
export const eventSource = (world: World, after: number, filter: Filter): Source<Seen, number> => ({
  placeOf: ({ seq }) => seq,
  after,
  async *past(last) {
    let upTo = last
    for await (const entries of world.journal.read(last)) {
      const first = upTo + 1
      upTo += entries.length
      const seen = entries.flatMap((entry, index) =>
        mayBeWanted(entry, filter) ? [seenEntry(first + index, entry)] : [],
      )
      yield seen.filter((one) => isWanted(one, filter))
    }
  },
  listen: (heard) =>
    world.listen((events) => heard(events.map(seenCommitted).filter((one) => isWanted(one, filter)))),
  // A controlled clock does not wait for readers of the journal.
  attach: ({ closed: ended }) => world.attach({ flushed: async () => undefined, closed: ended }),
})
