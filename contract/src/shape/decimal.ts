import { type Shape, shape, wrong } from './shape.ts'

// No amount reaches a quadrillion. The limits keep the parsing of long texts cheap. Python writes a float as a Decimal
// with 50 decimals and more.
const wholeDigitsMax = 15
const textMax = 128
const exponentMax = 40

const canonical = /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/
const anyDecimal = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/

type Rules = {
  /** Maximum number of decimals. Default: 9. */
  readonly decimals?: number
  /** More decimals are refused (default), cut off, or kept for a later rule. */
  readonly excess?: 'refused' | 'cut' | 'kept'
}

/** A decimal as text or JSON number, returned as plain text: `1.0` is `1`, `1e-7` is `0.0000001`. */
export function decimal(rules: Rules = {}): Shape<string, string | number> {
  const { decimals = 9, excess = 'refused' } = rules
  const expected = `at most ${decimals} decimals`
  return shape({
    parse: (value, path, problems) => {
      const plain = plainDecimal(value)
      if (plain === undefined) return wrong(problems, path, 'a decimal', value)
      if (excess === 'kept' || decimalsOf(plain) <= decimals) return plain
      return excess === 'cut' ? cut(plain, decimals) : wrong(problems, path, expected, value)
    },
    json: () => ({
      title: 'decimal',
      type: ['string', 'number'],
      pattern: '^[+-]?(\\d+(\\.\\d*)?|\\.\\d+)([eE][+-]?\\d+)?$',
      examples: ['12.5'],
    }),
  })
}

/** A decimal in a response: always text, never with an exponent. */
export const decimalText = (): Shape<string> =>
  shape({
    parse: (value, path, problems) =>
      typeof value === 'string' && canonical.test(value) && value !== '-0'
        ? value
        : wrong(problems, path, 'a decimal as text', value),
    json: () => ({ title: 'decimal', type: 'string', pattern: canonical.source, examples: ['12.5'] }),
  })

/** The plain text of a decimal, or undefined if the value is not a decimal. */
export function plainDecimal(value: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? normalised(String(value)) : undefined
  if (typeof value !== 'string' || value.length > textMax) return undefined
  if (value.length <= wholeDigitsMax && canonical.test(value) && value !== '-0') return value
  return normalised(value)
}

function normalised(text: string): string | undefined {
  const match = anyDecimal.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', exponentText = '0'] = match
  const exponent = Number(exponentText)
  if (whole === '' && fraction === '') return undefined
  if (exponent > exponentMax || exponent < -exponentMax) return undefined
  const digits = whole + fraction
  const point = whole.length + exponent
  const left = trimLeft(point <= 0 ? '' : digits.slice(0, point).padEnd(point, '0'))
  const right = trimRight(point < 0 ? '0'.repeat(-point) + digits : digits.slice(point))
  if (left.length > wholeDigitsMax) return undefined
  const plain = right === '' ? left || '0' : `${left || '0'}.${right}`
  return sign === '-' && plain !== '0' ? `-${plain}` : plain
}

const trimLeft = (digits: string): string => digits.replace(/^0+/, '')

// A loop, because /0+$/ is quadratic on long runs of zeros.
function trimRight(digits: string): string {
  let end = digits.length
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end -= 1
  return digits.slice(0, end)
}

/** Rounds toward zero to a number of decimals. */
function cut(plain: string, decimals: number): string {
  return normalised(plain.slice(0, plain.indexOf('.') + 1 + decimals))!
}

function decimalsOf(plain: string): number {
  const dot = plain.indexOf('.')
  return dot < 0 ? 0 : plain.length - dot - 1
}

/** Rules for parsed decimals: the argument must be plain text. */
export const isPositive = (plain: string): boolean => plain !== '0' && !plain.startsWith('-')
export const isAtLeastOne = (plain: string): boolean => !plain.startsWith('-') && !plain.startsWith('0')
