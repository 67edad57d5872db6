import { itemAt } from '@quipu/core/values'
/** A buffer of the last items, numbered from 1. */
export class Ring<Item> {
  readonly #size: number
  readonly #items: Item[] = []
  readonly #listeners = new Set<(number: number, item: Item) => void>()
  #last = 0

  constructor(size: number) {
    this.#size = size
  }

  /** The number of the newest item. */
  get last(): number {
    return this.#last
  }
  get first(): number {
    return Math.max(1, this.#last - this.#size + 1)
  }

  push(item: Item): void {
    this.#last += 1
    if (this.#size === 0) return
    this.#items[(this.#last - 1) % this.#size] = item
    for (const listener of this.#listeners) listener(this.#last, item)
  }

  /** The items after a number, oldest first. */
  *after(number: number): Generator<readonly [number: number, item: Item]> {
    for (let at = Math.max(number + 1, this.first); at <= this.#last; at++) yield [at, this.#at(at)]
  }

  /** The newest matching item. */
  findLast(fits: (item: Item) => boolean): readonly [number: number, item: Item] | undefined {
    for (let at = this.#last; at >= this.first && this.#size > 0; at--) {
      const item = this.#at(at)
      if (fits(item)) return [at, item]
    }
    return undefined
  }

  /** Replaces each item; a function that returns an item unchanged keeps it. */
  replace(change: (item: Item) => Item): void {
    for (const [index, item] of this.#items.entries()) this.#items[index] = change(item)
  }

  /** Calls the listener with each new item. Returns a function that removes it. */
  listen(listener: (number: number, item: Item) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #at(number: number): Item {
    return itemAt(this.#items, (number - 1) % this.#size)
  }
}
