import type { Instant } from '@quipu/core'

const INSTANT_MIN = -(2n ** 63n)
const INSTANT_MAX = 2n ** 63n - 1n

/** Clamps an instant to 64 bits, the range of the databases. No stored instant is outside this range. */
export function storable(at: Instant): bigint {
  if (at < INSTANT_MIN) return INSTANT_MIN
  return at > INSTANT_MAX ? INSTANT_MAX : at
}
