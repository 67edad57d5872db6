/** A response up to this size is small: the last part of the limit is kept for small ones. */
const SMALL_BYTES = 65_536
const LARGE_SHARE = 7 / 8

/**
 * The bytes of all responses that are written and that the network has not taken yet. Clients that do not read make it
 * grow. Large responses are refused first, so that orders of other clients still get theirs.
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

  /** No request may begin. */
  get isFull(): boolean {
    return this.#bytes >= this.#maxBytes
  }

  hasRoomFor(bytes: number): boolean {
    return bytes <= SMALL_BYTES || this.#bytes + bytes <= this.#maxBytes * LARGE_SHARE
  }
}
