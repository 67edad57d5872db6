import { compare, type Decimal, decimal, decimalOfNumber, round, signOf, textOf } from './decimal.ts'

/** Shown where no value is known. */
export const UNKNOWN = '–'
/** The minus sign has the width of a digit. */
const MINUS = '−'

type Amount = string | Decimal

const decimalOf = (amount: Amount): Decimal => (typeof amount === 'string' ? decimal(amount) : amount)

function grouped(value: Decimal): string {
  const [whole = '', fraction] = textOf(value).replace('-', '').split('.')
  const text = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? text : `${text}.${fraction}`
}

const withSign = (value: Decimal, plus: string): string =>
  `${signOf(value) < 0 ? MINUS : signOf(value) > 0 ? plus : ''}${grouped(value)}`

/** `17,117.38` */
export const moneyText = (amount: Amount): string => withSign(round(decimalOf(amount), 2), '')

/** `+1,101.27`: gains and losses always have a sign. */
export const gainText = (amount: Amount): string => withSign(round(decimalOf(amount), 2), '+')

/** `+0.99 %` */
export const percentText = (amount: Amount): string => `${withSign(round(decimalOf(amount), 2), '+')} %`

/** Averages have more places than prices; the fifth one helps nobody. */
const PRICE_PLACES_MAX = 4

/** A price with the places that it has, from two to four; below 1 all of them. */
export function priceText(amount: Amount): string {
  const exact = decimalOf(amount)
  const isSmall = compare(exact, { units: 1n, places: 0 }) < 0
  const value = exact.places > PRICE_PLACES_MAX && !isSmall ? round(exact, PRICE_PLACES_MAX) : exact
  return withSign(value.places < 2 ? round(value, 2) : trimmed(value, 2), '')
}

/** A quantity without zeros at its end. */
export const quantityText = (amount: Amount): string => withSign(trimmed(decimalOf(amount), 0), '')

function trimmed(value: Decimal, placesMin: number): Decimal {
  let { units, places } = value
  while (places > placesMin && units % 10n === 0n) {
    units /= 10n
    places -= 1
  }
  return { units, places }
}

/** The places after the decimal point, to align a column. */
export const fractionLength = (text: string): number => text.split('.')[1]?.length ?? 0

/** `28.26 M`; small volumes in full. */
export const volumeText = (volume: number): string =>
  volume >= 1e9
    ? `${(volume / 1e9).toFixed(2)} B`
    : volume >= 1e6
      ? `${(volume / 1e6).toFixed(2)} M`
      : quantityText(decimalOfNumber(Number(volume.toFixed(4))))
