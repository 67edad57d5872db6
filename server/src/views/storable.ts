import type { Instant } from '@quipu/core'

const INSTANT_MIN = -(2n ** 63n)
const INSTANT_MAX = 2n ** 63n - 1n

/** Databases hold 64 bits; nothing in the tables lies beyond, so neither need a bound. */
export function storable(at: Instant): bigint {
  if (at < INSTANT_MIN) return INSTANT_MIN
  return at > INSTANT_MAX ? INSTANT_MAX : at
}
