/** An exact decimal number: `units` of 10^-`places`. Amounts are never floating-point numbers. */
export type Decimal = { readonly units: bigint; readonly places: number }

export const ZERO: Decimal = { units: 0n, places: 0 }

/** Reads the text of the API. Throws on anything else than a decimal number. */
export function decimal(text: string): Decimal {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined) throw new TypeError(`expected a decimal number, received ${JSON.stringify(text)}`)
  const units = BigInt(whole + fraction)
  return { units: sign === '-' ? -units : units, places: fraction.length }
}

const unitsAt = ({ units, places }: Decimal, at: number): bigint => units * 10n ** BigInt(at - places)

export function add(a: Decimal, b: Decimal): Decimal {
  const places = Math.max(a.places, b.places)
  return { units: unitsAt(a, places) + unitsAt(b, places), places }
}

export const negate = ({ units, places }: Decimal): Decimal => ({ units: -units, places })
export const subtract = (a: Decimal, b: Decimal): Decimal => add(a, negate(b))
export const multiply = (a: Decimal, b: Decimal): Decimal => ({
  units: a.units * b.units,
  places: a.places + b.places,
})

/** -1, 0 or 1. */
export function compare(a: Decimal, b: Decimal): number {
  const places = Math.max(a.places, b.places)
  const [left, right] = [unitsAt(a, places), unitsAt(b, places)]
  return left < right ? -1 : left > right ? 1 : 0
}

export const signOf = ({ units }: Decimal): number => (units < 0n ? -1 : units > 0n ? 1 : 0)
export const sum = (all: Iterable<Decimal>): Decimal => [...all].reduce(add, ZERO)

/** Rounds half away from zero. */
export function round({ units, places }: Decimal, to: number): Decimal {
  if (places <= to) return { units: unitsAt({ units, places }, to), places: to }
  const factor = 10n ** BigInt(places - to)
  const half = units < 0n ? -factor / 2n : factor / 2n
  return { units: (units + half) / factor, places: to }
}

/** `a / b` cut off after some places; undefined if `b` is zero. */
export function quotient(a: Decimal, b: Decimal, places: number): Decimal | undefined {
  if (b.units === 0n) return undefined
  const same = Math.max(a.places, b.places)
  return { units: (unitsAt(a, same) * 10n ** BigInt(places)) / unitsAt(b, same), places }
}

/** Cuts off places; the rest is dropped. */
export const truncate = ({ units, places }: Decimal, to: number): Decimal =>
  places <= to ? { units, places } : { units: units / 10n ** BigInt(places - to), places: to }

/** `a / b` in per cent, rounded once, to these places; undefined if `b` is zero. */
export function percentOf(a: Decimal, b: Decimal, to = 2): Decimal | undefined {
  if (b.units === 0n) return undefined
  const places = Math.max(a.places, b.places)
  const [over, under] = [unitsAt(a, places) * 1_000_000n, unitsAt(b, places)]
  return round({ units: over / (under < 0n ? -under : under), places: 4 }, to)
}

/** Plain text, as the API accepts it. */
export function textOf({ units, places }: Decimal): string {
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const fraction = digits.slice(digits.length - places)
  return `${units < 0n ? '-' : ''}${whole}${places > 0 ? `.${fraction}` : ''}`
}

/** A number of market data, which the API sends as a JSON number, as an exact decimal. */
export const decimalOfNumber = (value: number): Decimal => decimal(value.toFixed(9).replace(/\.?0+$/, ''))

/** For drawing only. */
export const numberOf = (value: Decimal): number => Number(textOf(value))
