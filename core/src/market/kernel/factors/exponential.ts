const LIMIT = 40
/** 1/n! for n from 13 down to 0. */
const SERIES = Array.from({ length: 14 }, (_, index) => 1 / factorial(13 - index))
const PER_LN_2 = 1 / Math.LN2
const POWERS = powersOfTwo(64)

/**
 * e^x with basic arithmetic only, because the last bit of `Math.exp` differs between engines. x is split into
 * halvings and a rest of at most ln 2 / 2, whose series converges within 13 terms. Clamped beyond ±40.
 */
export function exponential(x: number): number {
  const power = x > LIMIT ? LIMIT : x < -LIMIT ? -LIMIT : x
  const halvings = Math.floor(power * PER_LN_2 + 0.5)
  const rest = power - halvings * Math.LN2
  let sum = SERIES[0]!
  for (let term = 1; term <= 13; term++) sum = sum * rest + SERIES[term]!
  return sum * POWERS[halvings + 64]!
}

/** Natural logarithm of a positive number: doublings, then the series of (x − 1)/(x + 1). */
export function logarithm(x: number): number {
  let rest = x
  let doublings = 0
  for (; rest > SQRT_2; rest *= 0.5) doublings++
  for (; rest < SQRT_HALF; rest *= 2) doublings--
  const ratio = (rest - 1) / (rest + 1)
  const square = ratio * ratio
  let sum = 0
  for (let term = LOG_TERMS; term >= 1; term -= 2) sum = sum * square + 1 / term
  return 2 * ratio * sum + doublings * Math.LN2
}
const SQRT_2 = Math.sqrt(2)
const SQRT_HALF = Math.sqrt(0.5)
/** The ratio is at most 0.172; its 19th power is below the last bit. */
const LOG_TERMS = 19

function factorial(number: number): number {
  return number < 2 ? 1 : number * factorial(number - 1)
}

/** 2^-n to 2^n. */
function powersOfTwo(n: number): Float64Array {
  const powers = new Float64Array(2 * n + 1).fill(1)
  for (let index = 1; index <= n; index++) {
    powers[n + index] = powers[n + index - 1]! * 2
    powers[n - index] = powers[n - index + 1]! / 2
  }
  return powers
}
