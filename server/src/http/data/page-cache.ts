/** A cache of pages that never change. Drops the least recently used pages over the limit. */
export class PageCache {
  readonly #maxBytes: number
  readonly #pages = new Map<string, Uint8Array>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get bytes(): number {
    return this.#bytes
  }

  get(key: string): Uint8Array | undefined {
    const page = this.#pages.get(key)
    if (page === undefined) return undefined
    this.#pages.delete(key)
    this.#pages.set(key, page)
    return page
  }

  put(key: string, page: Uint8Array): void {
    const size = sizeOf(key, page)
    if (size > this.#maxBytes) return
    this.#drop(key)
    this.#pages.set(key, page)
    this.#bytes += size
    for (const oldest of this.#pages.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.#drop(oldest)
    }
  }

  #drop(key: string): void {
    const page = this.#pages.get(key)
    if (page === undefined) return
    this.#pages.delete(key)
    this.#bytes -= sizeOf(key, page)
  }
}

/** The memory of an entry besides its page and key: the string and array headers and the map slot. */
const ENTRY_BYTES = 300
const sizeOf = (key: string, page: Uint8Array): number => page.length + key.length + ENTRY_BYTES
