import { createHash, randomBytes } from 'node:crypto'

/**
 * The seed of all random numbers of this run. A random test has the seed in its name. Without `SEED` every `npm test`
 * uses the same seed; `SEED=any` draws a new one, `SEED=…` repeats one. `npm run soak` uses a new seed in each run.
 */
const setting = process.env['SEED'] ?? 'plain'
export const seed = setting === 'any' ? randomBytes(4).toString('hex') : setting

/** Random numbers that depend only on the seed. */
export class Random {
  #state: number

  constructor(...seeds: readonly (string | number)[]) {
    this.#state = createHash('sha256').update(seeds.join('/')).digest().readUInt32LE()
  }

  /** From 0 (included) to 1 (excluded). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** From `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  /** True with this probability. */
  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.integer(0, items.length - 1)]!
  }

  bytes(size: number): Buffer {
    return Buffer.alloc(size).map(() => this.integer(0, 255)) as Buffer
  }
}
