/** A cache with a limit on the total size of its entries. Drops the least recently used entries first. */
export class LruCache<Key, Value extends object> {
  readonly #limit: number
  readonly #sizeOf: (value: Value, key: Key) => number
  /** The least recently used entry comes first. */
  readonly #entries = new Map<Key, Value>()
  #size = 0

  /** Without `sizeOf`, the limit is a number of entries. */
  constructor(limit: number, sizeOf: (value: Value, key: Key) => number = () => 1) {
    this.#limit = limit
    this.#sizeOf = sizeOf
  }

  get size(): number {
    return this.#size
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  /** Does not store an entry that is larger than the limit. */
  set(key: Key, value: Value): void {
    const size = this.#sizeOf(value, key)
    if (size > this.#limit) return
    this.#drop(key)
    this.#entries.set(key, value)
    this.#size += size
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.#limit) return
      this.#drop(oldest)
    }
  }

  getOrMake(key: Key, make: () => Value): Value {
    const known = this.get(key)
    if (known !== undefined) return known
    const value = make()
    this.set(key, value)
    return value
  }

  #drop(key: Key): void {
    const value = this.#entries.get(key)
    if (value === undefined) return
    this.#entries.delete(key)
    this.#size -= this.#sizeOf(value, key)
  }
}
