/**
 * Stateless random numbers: a draw is a function of a key and the number of the draw. All arithmetic uses
 * 32-bit integers or is exact in a double, so every engine returns the same values.
 */

/** Derives a key from a key and a number. */
export function mix(key: number, value: number): number {
  return scramble(key ^ Math.imul(value + 0x9e3779b9, 0x85ebca6b))
}

/** Derives a key from text. */
export function keyOf(text: string): number {
  let key = 0x811c9dc5
  for (let index = 0; index < text.length; index++) key = Math.imul(key ^ text.charCodeAt(index), 0x01000193)
  return scramble(key ^ text.length)
}

/** Powers of two: multiplication by them is exact, and faster than division. */
const TO_UNIT = 1 / 4_294_967_296
const TO_HALF_UNIT = 1 / 65_536

/** In [0, 1). */
export function uniform(key: number, draw: number): number {
  return (scramble(key + Math.imul(draw, 0x9e3779b9)) >>> 0) * TO_UNIT
}

const SQRT_3 = Math.sqrt(3)

/** Mean 0, variance 1, bell-shaped within ±3.47: the sum of four uniform draws of 16 bits. */
export function normal(key: number, draw: number): number {
  const first = scramble(key + Math.imul(draw, 0x9e3779b9))
  const second = scramble(first ^ 0x5bd1e995)
  const sum = (first >>> 16) + (first & 0xffff) + (second >>> 16) + (second & 0xffff)
  return ((sum + 2) * TO_HALF_UNIT - 2) * SQRT_3
}

/** Every output bit depends on every input bit; the function is injective. */
function scramble(value: number): number {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d)
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b)
  return bits ^ (bits >>> 16)
}
