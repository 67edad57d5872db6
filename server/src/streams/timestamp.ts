import { formatInstant, type Instant } from '@quipu/core'

/** An instant on a data stream: text in JSON, the timestamp extension in MessagePack. */
export class Timestamp {
  readonly at: Instant

  constructor(at: Instant) {
    this.at = at
  }

  toJSON(): string {
    return formatInstant(this.at)
  }
}
