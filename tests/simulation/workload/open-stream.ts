import assert from 'node:assert/strict'
import type { Entry } from '../../../broker/src/journal/journal.ts'
import { entryOf } from '../../../broker/src/journal/stored-event.ts'
import type { World } from '../../../broker/src/world/world.ts'

/** A stream of all events of a world that stays open, also while the world is rebuilt. */
export class OpenStream {
  /** The number of the last event that the stream has sent. */
  #upTo: number

  /** `show` gets each event as it was sent. */
  constructor(world: World, show: (seq: number, entry: Entry) => void) {
    this.#upTo = world.engine.durable
    world.listen((events) => {
      for (const { seq, event } of events) {
        assert.equal(seq, this.#upTo + 1, 'a stream skipped or repeated an event')
        this.#upTo = seq
        show(seq, entryOf(event))
      }
    })
  }

  /** All events up to a number have been sent. */
  assertSent(seq: number): void {
    assert(this.#upTo >= seq, `a stream ended at event ${this.#upTo}, the journal has ${seq}`)
  }
}
