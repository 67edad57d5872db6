import { hash, randomFillSync } from 'node:crypto'
import type { Digest } from '@quipu/core'

export const digestOf = (secret: string): Digest => hash('sha256', secret, 'hex') as Digest

/** Longer secrets are digested every time. */
const LENGTH_MAX = 128
const KEPT_MAX = 10_000

/** Four weights of a text and its length. */
class Weight {
  first = 0
  second = 0
  third = 0
  fourth = 0
  length = 0
}

type Kept = { readonly weight: Weight; readonly digest: Digest }

/**
 * Digests of secrets that were right not long ago, found without digesting again and without keeping the secrets.
 *
 * A secret is weighed four times: each character times a random number of its place, summed up modulo 2^32. The numbers
 * are drawn at start and known to nobody. Two texts of one length differ somewhere, by less than 2^16, so that they weigh
 * the same with a chance of at most 2^-17 each time, 2^-68 in all, however one of them was made up. What a digest is good for
 * is not known here: it is looked up or compared anew for every request, so that what is revoked ends at once.
 */
export class KeptDigests {
  readonly #digest: (secret: string) => Digest
  readonly #factors = randomFillSync(new Int32Array(4 * LENGTH_MAX))
  /** By the first weight. */
  readonly #kept = new Map<number, Kept>()
  /** Of the text that was asked for last. */
  readonly #weight = new Weight()
  #fresh: Digest | undefined

  constructor(digest = digestOf) {
    this.#digest = digest
  }

  of(text: string): Digest {
    this.#fresh = undefined
    if (text.length > LENGTH_MAX) return this.#digest(text)
    this.#weigh(text)
    const kept = this.#kept.get(this.#weight.first)
    if (kept && isSame(kept.weight, this.#weight)) return kept.digest
    this.#fresh = this.#digest(text)
    return this.#fresh
  }

  /** What was asked for last was right. Of what is wrong nothing is kept: no guess drives out what is in use. */
  wasRight(): void {
    if (this.#fresh === undefined) return
    if (this.#kept.size >= KEPT_MAX) this.#kept.clear()
    this.#kept.set(this.#weight.first, { weight: { ...this.#weight }, digest: this.#fresh })
    this.#fresh = undefined
  }

  #weigh(text: string): void {
    const factors = this.#factors
    let [first, second, third, fourth] = [0, 0, 0, 0]
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      first = (first + Math.imul(factors[4 * at]!, code)) | 0
      second = (second + Math.imul(factors[4 * at + 1]!, code)) | 0
      third = (third + Math.imul(factors[4 * at + 2]!, code)) | 0
      fourth = (fourth + Math.imul(factors[4 * at + 3]!, code)) | 0
    }
    const weight = this.#weight
    weight.first = first
    weight.second = second
    weight.third = third
    weight.fourth = fourth
    weight.length = text.length
  }
}

/** All at once: the time it takes does not tell where they differ. */
const isSame = (a: Weight, b: Weight): boolean =>
  ((a.first ^ b.first) |
    (a.second ^ b.second) |
    (a.third ^ b.third) |
    (a.fourth ^ b.fourth) |
    (a.length ^ b.length)) ===
  0
