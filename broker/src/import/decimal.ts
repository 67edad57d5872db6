/** A number of a file: the nearest double, and the digits if a double is not exact. */
export type ScaledDecimal = { readonly value: number; readonly exact: string }

const NUMBER = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/
const NOTHING = new Set(['', 'nan', 'null', 'none', 'na', 'n/a', 'nil', '-'])

/** A decimal number, `absent` for the usual markers of a missing value, undefined for anything else. */
export function readDecimal(text: string): ScaledDecimal | 'absent' | undefined {
  const trimmed = text.trim()
  if (NOTHING.has(trimmed.toLowerCase())) return 'absent'
  const digits = plainDecimalText(trimmed)
  if (digits === undefined) return undefined
  const value = Number(trimmed)
  if (!Number.isFinite(value)) return undefined
  return { value, exact: plainDecimalText(String(value)) === digits ? '' : digits }
}

/** Digits without exponent, leading or trailing zeros; one text for each number. Undefined for other text. */
export function plainDecimalText(text: string): string | undefined {
  const match = NUMBER.exec(text)
  if (!match || (match[2] === '' && !match[3])) return undefined
  const [, sign, whole = '', part = '', exponent = '0'] = match
  const shift = Number(exponent)
  const digits = whole + part
  const point = whole.length + shift
  const left = point > 0 ? digits.slice(0, point).padEnd(point, '0') : ''
  const right = point >= 0 ? digits.slice(point) : '0'.repeat(-point) + digits
  const [front, back] = [left.replace(/^0+(?=\d)/, '') || '0', right.replace(/0+$/, '')]
  const size = back === '' ? front : `${front}.${back}`
  return sign === '-' && size !== '0' ? `-${size}` : size
}
