/**
 * Dice without a state: a draw is a function of a key and the number of the draw. All arithmetic is on 32-bit
 * integers or exact in a double, so every engine throws the same.
 */

/** A key from a key and a number. */
export function mix(key: number, value: number): number {
  return scramble(key ^ Math.imul(value + 0x9e3779b9, 0x85ebca6b))
}

/** A key from a text. */
export function keyOf(text: string): number {
  let key = 0x811c9dc5
  for (let index = 0; index < text.length; index++) key = Math.imul(key ^ text.charCodeAt(index), 0x01000193)
  return scramble(key ^ text.length)
}

/** Powers of two: multiplying by them is exact, and faster than dividing. */
const TO_UNIT = 1 / 4_294_967_296
const TO_HALF_UNIT = 1 / 65_536

/** From 0 to just below 1. */
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

/** Every bit of the result depends on every bit of the input; different inputs stay different. */
function scramble(value: number): number {
  let bits = value | 0
  bits = Math.imul(bits ^ (bits >>> 16), 0x7feb352d)
  bits = Math.imul(bits ^ (bits >>> 15), 0x846ca68b)
  return bits ^ (bits >>> 16)
}
