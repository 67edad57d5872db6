import type { Brand } from './ids.ts'
import { fail, ok, type Result } from './result.ts'

/**
 * Money, prices and quantities are whole billionths in a bigint. Addition is exact; every division names its
 * rounding. Amounts are never a `number`.
 */
export type Money = Brand<bigint, 'Money'>
export type Price = Brand<bigint, 'Price'>
export type Quantity = Brand<bigint, 'Quantity'>
export type Rounding = 'up' | 'down' | 'nearest'

export const UNIT = 1_000_000_000n
export const CENT = 10_000_000n
const ALMOST_A_CENT = CENT - 1n
/** One cent in units of price times quantity. */
const CENT_PRODUCT = UNIT * CENT
/** Amounts as a count of billionths. */
export const toMoney = (billionths: bigint): Money => billionths as Money
export const toPrice = (billionths: bigint): Price => billionths as Price
export const toQuantity = (billionths: bigint): Quantity => billionths as Quantity
export const NO_MONEY = toMoney(0n)
export const NO_PRICE = toPrice(0n)
export const NO_QUANTITY = toQuantity(0n)

/** A plain decimal with at most nine places, e.g. `-12.5`. No exponent, no grouping, no surrounding space. */
export function parseDecimal(text: string): Result<bigint, 'notADecimal' | 'tooManyDecimals'> {
  // As a number, a short one is exact to less than half a billionth.
  if (SHORT.test(text)) return ok(BigInt(Math.round(Number(text) * 1e9)))
  const match = /^([+-]?)(\d{1,15})?(?:\.(\d*))?$/.exec(text)
  if (!match || (match[2] === undefined && !match[3])) return fail('notADecimal')
  const places = (match[3] ?? '').replace(/0+$/, '')
  if (places.length > 9) return fail('tooManyDecimals')
  const value = BigInt(match[2] ?? '0') * UNIT + BigInt(places.padEnd(9, '0'))
  return ok(match[1] === '-' ? -value : value)
}

const SHORT = /^\d{1,6}(?:\.\d{1,9})?$/

/** The shortest plain decimal: `1.50` is written `1.5`, a whole one without a point. */
export function format(amount: bigint): string {
  if (amount < 0n) return `-${format(-amount)}`
  if (amount > EXACT_MAX) return `${amount / UNIT}${decimals(Number(amount % UNIT))}`
  // Fast path: plain numbers are exact in this range, and faster to format.
  const billionths = Number(amount)
  const whole = Math.floor(billionths / 1e9)
  return whole + decimals(billionths - whole * 1e9)
}

const EXACT_MAX = BigInt(Number.MAX_SAFE_INTEGER)

/** The decimal point and decimals for a count of billionths; empty for zero. */
export function decimals(billionths: number): string {
  if (billionths === 0) return ''
  // Small integers divide faster.
  let digits = billionths | 0
  let places = 9
  // Most amounts are whole cents.
  if (digits % 10_000_000 === 0) {
    digits = (digits / 10_000_000) | 0
    places = 2
  }
  while (digits % 10 === 0) {
    digits = (digits / 10) | 0
    places -= 1
  }
  return `.${String(digits).padStart(places, '0')}`
}

/** The quotient of two amounts as a plain decimal: exact, or to the nearest of this many places. */
export function formatQuotient(value: bigint, by: bigint, places: number): string {
  const digits = divide(value * BigInt(`1${'0'.repeat(places)}`), by, 'nearest')
  const size = String(sizeOf(digits)).padStart(places + 1, '0')
  const fraction = size.slice(-places).replace(/0+$/, '')
  const whole = size.slice(0, -places)
  const plain = fraction === '' ? whole : `${whole}.${fraction}`
  return digits < 0n ? `-${plain}` : plain
}

/** Integer division with a named rounding; `up` is away from zero, `nearest` sends a half away from zero. */
export function divide(value: bigint, by: bigint, rounding: Rounding): bigint {
  if (value >= 0n && by > 0n) {
    // Fast path: avoids extra bigint allocations.
    if (rounding === 'down') return value / by
    return (value + (rounding === 'up' ? by - 1n : by / 2n)) / by
  }
  const negative = value < 0n !== by < 0n
  const size = sizeOf(value)
  const unit = sizeOf(by)
  const extra = rounding === 'up' ? unit - 1n : rounding === 'nearest' ? unit / 2n : 0n
  const quotient = (size + extra) / unit
  return negative ? -quotient : quotient
}

/**
 * Price times quantity in whole cents, the cash of a fill. Buys round up, sells round down. For whole shares
 * the product stays within 64 bits, which takes a tenth of the time.
 */
export function costInCents(price: Price, quantity: Quantity, rounding: Rounding): Money {
  if (quantity % UNIT === 0n) {
    const product = price * (quantity / UNIT)
    if (rounding === 'up' && product >= 0n) return toMoney(((product + ALMOST_A_CENT) / CENT) * CENT)
    return toMoney(divide(product, CENT, rounding) * CENT)
  }
  return toMoney(divide(price * quantity, CENT_PRODUCT, rounding) * CENT)
}

/** Price times quantity, exact to a billionth. */
export function worthOf(price: Price, quantity: Quantity, rounding: Rounding): Money {
  if (quantity % UNIT === 0n) return toMoney(price * (quantity / UNIT))
  return toMoney(divide(price * quantity, UNIT, rounding))
}

/** A share of an amount, e.g. `share(equity, 30n, 100n, 'up')` is 30 %. */
export function share(amount: Money, part: bigint, whole: bigint, rounding: Rounding): Money {
  return toMoney(divide(amount * part, whole, rounding))
}

export const max = <A extends bigint>(a: A, b: A): A => (a > b ? a : b)
export const min = <A extends bigint>(a: A, b: A): A => (a < b ? a : b)
const difference = (a: bigint, b: bigint): bigint => a - b
export const add = <A extends bigint>(a: A, b: A): A => (a + b) as A
export const subtract = <A extends bigint>(a: A, b: A): A => difference(a, b) as A
export const negate = <A extends bigint>(amount: A): A => difference(0n, amount) as A
export const times = <A extends bigint>(amount: A, factor: bigint): A => (amount * factor) as A
/** The size of an amount, without its sign. */
export const sizeOf = <A extends bigint>(amount: A): A => (amount < 0n ? negate(amount) : amount)
export const isWhole = (quantity: Quantity): boolean => quantity % UNIT === 0n
