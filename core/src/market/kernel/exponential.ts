const LN_2 = Math.LN2
const TERMS = 13
const LIMIT = 40

/**
 * e to the power of x by + − × ÷ alone, since `Math.exp` may differ between engines in the last bit. The power
 * is split into halvings and a rest of at most ln 2 / 2, whose series ends after 13 terms. Beyond ±40 it stays.
 */
export function exponential(x: number): number {
  const power = Math.max(-LIMIT, Math.min(LIMIT, x))
  const halvings = Math.floor(power / LN_2 + 0.5)
  const rest = power - halvings * LN_2
  let sum = 1
  for (let term = TERMS; term >= 1; term--) sum = 1 + (rest * sum) / term
  for (let step = 0; step < halvings; step++) sum *= 2
  for (let step = 0; step > halvings; step--) sum /= 2
  return sum
}
