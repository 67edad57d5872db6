import { percentileOf, sortedOf } from './numbers.ts'

/** A figure, with the interval that has it with a probability of 95 %. */
export type Estimate = { readonly value: number; readonly low: number; readonly high: number }

const RESAMPLES = 1000
const [LOW, HIGH] = [0.025, 0.975]

/**
 * A figure of values, with its interval from 1,000 samples of the same length, drawn from them with replacement. Blocks of
 * neighbours stay together, so that what depends on the day before still does. The same values have the same interval.
 */
export function estimateOf<Item>(
  items: readonly Item[],
  figure: (items: readonly Item[]) => number,
  block = 1,
): Estimate {
  const next = randomOf(items.length)
  const samples = Array.from({ length: RESAMPLES }, () => figure(sampleOf(items, block, next)))
  const sorted = sortedOf(samples.filter((sample) => !Number.isNaN(sample)))
  return { value: figure(items), low: percentileOf(sorted, LOW), high: percentileOf(sorted, HIGH) }
}

/** Returns of neighbouring days are drawn together in blocks of the third root of their number. */
export const blockOf = (days: number): number => Math.max(1, Math.round(days ** (1 / 3)))

/** Blocks go on at the start when they reach the end, so that each item is drawn as often. */
function sampleOf<Item>(items: readonly Item[], block: number, next: () => number): readonly Item[] {
  const { length } = items
  const sample: Item[] = []
  let at = 0
  while (sample.length < length) {
    at = sample.length % block === 0 ? Math.floor(next() * length) : (at + 1) % length
    sample.push(items[at] as Item)
  }
  return sample
}

/** Numbers from 0 to 1: the generator of Park and Miller. */
function randomOf(seed: number): () => number {
  const modulus = 2 ** 31 - 1
  let state = 1 + (seed % (modulus - 1))
  return () => {
    state = (state * 48_271) % modulus
    return (state - 1) / (modulus - 1)
  }
}
