import { createHash, randomBytes } from 'node:crypto'

/**
 * What this run's dice grow from. A test that throws them has it in its name. Without a word `npm test` is the same on
 * every run; `SEED=any` draws a new one, `SEED=…` repeats one, and `npm run soak` never plays the same twice.
 */
const given = process.env['SEED'] ?? 'plain'
export const seed = given === 'any' ? randomBytes(4).toString('hex') : given

/** Dice that the seed alone decides. */
export class Dice {
  #state: number

  constructor(...of: readonly (string | number)[]) {
    this.#state = createHash('sha256').update(of.join('/')).digest().readUInt32LE()
  }

  /** From 0 up to 1, which is not included. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  /** From `least` to `most`, both included. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.next() * (most - least + 1))
  }

  isLucky(share: number): boolean {
    return this.next() < share
  }

  pick<One>(from: readonly One[]): One {
    return from[this.whole(0, from.length - 1)]!
  }

  bytes(size: number): Buffer {
    return Buffer.alloc(size).map(() => this.whole(0, 255)) as Buffer
  }
}
