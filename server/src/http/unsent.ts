import { type Refused, refuse } from '../wire/refusal.ts'

/** The refusal when unread responses use all memory that they may use. */
export const unreadResponses = (): Refused => refuse({ code: 'responsesUnread' }, ['Retry-After', '1'])

/** A response up to this size is small; the last eighth of the limit is reserved for small responses. */
const SMALL_BYTES = 65_536
const LARGE_SHARE = 7 / 8

/**
 * The bytes of all responses that are written and not yet sent; they grow when clients do not read. Large responses are
 * refused first, so that orders of other clients still get their response.
 */
export class Unsent {
  readonly #maxBytes: number
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  add(bytes: number): void {
    this.#bytes += bytes
  }

  /** Whether all new requests are refused. */
  get isFull(): boolean {
    return this.#bytes >= this.#maxBytes
  }

  hasRoomFor(bytes: number): boolean {
    return bytes <= SMALL_BYTES || this.#bytes + bytes <= this.#maxBytes * LARGE_SHARE
  }
}
