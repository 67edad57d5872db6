import {
  compare,
  type Decimal,
  decimal,
  multiply,
  quotient,
  signOf,
  textOf,
  truncate,
  ZERO,
} from '../format/decimal.ts'
import type { SizeUnit } from './ticket-fields.ts'

/** What a percentage is of. */
export type Sizing = {
  readonly buyingPower: Decimal | undefined
  /** Shares that no open order holds. */
  readonly free: Decimal
  /** The limit price, otherwise the quote. */
  readonly price: Decimal | undefined
  readonly isCrypto: boolean
}

const HUNDRED = decimal('100')
/** Places of a quantity: stocks are whole shares, unless it would be none. */
const CRYPTO_PLACES = 6
const FRACTION_PLACES = 4

/** The number of shares of a percentage; undefined while it is not known. */
export function sharesOf(percent: Decimal, side: 'buy' | 'sell', known: Sizing): Decimal | undefined {
  const { buyingPower, free, price, isCrypto } = known
  if (side === 'sell') {
    if (compare(percent, HUNDRED) === 0) return free
    return cut(quotient(multiply(free, percent), HUNDRED, 9)!, isCrypto)
  }
  if (buyingPower === undefined || price === undefined) return undefined
  const shares = quotient(multiply(positive(buyingPower), percent), multiply(price, HUNDRED), 9)
  return shares && cut(shares, isCrypto)
}

const positive = (value: Decimal): Decimal => (signOf(value) < 0 ? ZERO : value)

function cut(shares: Decimal, isCrypto: boolean): Decimal {
  if (isCrypto) return truncate(shares, CRYPTO_PLACES)
  const whole = truncate(shares, 0)
  return signOf(whole) === 0 ? truncate(shares, FRACTION_PLACES) : whole
}

/** A percentage as the text of the size field, in the unit of the field. */
export function sizeTextOf(
  percent: Decimal,
  unit: SizeUnit,
  side: 'buy' | 'sell',
  known: Sizing,
): string | undefined {
  if (unit === 'percent') return textOf(percent)
  if (unit === 'shares') return textOrNone(sharesOf(percent, side, known))
  const total = side === 'buy' ? known.buyingPower : known.price && multiply(known.free, known.price)
  return textOrNone(total && quotient(multiply(positive(total), percent), HUNDRED, 2))
}

export const textOrNone = (value: Decimal | undefined): string | undefined =>
  value === undefined || signOf(value) === 0
    ? undefined
    : textOf(value)
        .replace(/\.(\d*?)0+$/, '.$1')
        .replace(/\.$/, '')
