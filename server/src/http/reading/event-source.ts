import type { World } from '@quipu/broker/world/world.ts'
import {
  type Filter,
  isWanted,
  mayBeWanted,
  type NumberedEvent,
  numberedCommitted,
  numberedEntry,
} from '../../wire/numbered-event.ts'
import type { ReadingSource } from './follow.ts'

/** The events of a world after a number that match a filter: from the journal, then as they become durable. */
export const eventSource = (
  world: World,
  after: number,
  filter: Filter,
): ReadingSource<NumberedEvent, number> => ({
  positionOf: ({ seq }) => seq,
  after,
  async *past(last) {
    let upTo = last
    const isCandidate = mayBeWanted(filter)
    for await (const entries of world.storage.journal.read(last)) {
      const first = upTo + 1
      upTo += entries.length
      const events = entries.flatMap((entry, index) =>
        isCandidate(entry) ? [numberedEntry(first + index, entry)] : [],
      )
      yield events.filter((event) => isWanted(event, filter))
    }
  },
  listen: (receive) =>
    world.publisher.listen((events) =>
      receive(events.map(numberedCommitted).filter((event) => isWanted(event, filter))),
    ),
  // A virtual clock does not wait for readers of the journal.
  attach: ({ closed: ended }) => world.publisher.attach({ flushed: async () => undefined, closed: ended }),
})
