import { type Problem, type Shape, shape, wrong } from './shape.ts'

type TextRules = {
  readonly min?: number
  readonly max?: number
  readonly pattern?: RegExp
  /** What an error says was expected. Default: derived from the lengths. */
  readonly expected?: string
  readonly example?: string
  /** The error message if the value is missing. */
  readonly missing?: string
}

/** Text with length limits and an optional pattern. */
export function text(rules: TextRules = {}): Shape<string> {
  const { min = 0, max = 4096, pattern, example, missing } = rules
  const expected =
    rules.expected ?? (min > 0 ? `text of ${min} to ${max} characters` : `text of at most ${max} characters`)
  return shape({
    parse: (value, path, problems) =>
      typeof value === 'string' &&
      value.length >= min &&
      value.length <= max &&
      (pattern === undefined || pattern.test(value))
        ? value
        : value === undefined && missing !== undefined
          ? addProblem(problems, path, missing)
          : wrong(problems, path, expected, value),
    json: () => ({
      type: 'string',
      minLength: rules.min,
      maxLength: rules.max,
      pattern: pattern?.source,
      examples: example === undefined ? undefined : [example],
    }),
  })
}

/** The bytes of a file. */
export const bytes = (): Shape<Uint8Array> =>
  shape({
    parse: (value, path, problems) =>
      value instanceof Uint8Array ? value : wrong(problems, path, 'a file', value),
    json: () => ({ type: 'string', format: 'binary' }),
  })

function addProblem(problems: Problem[], field: string, message: string): never {
  problems.push({ field, message })
  return undefined as never
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const isUuid = (value: string): boolean => value.length === 36 && uuidPattern.test(value)

/** A UUID with hyphens, case-insensitive, returned in lower case. */
export const uuid = (): Shape<string> =>
  shape({
    parse: (value, path, problems) =>
      typeof value === 'string' && isUuid(value)
        ? value.toLowerCase()
        : wrong(problems, path, 'a UUID', value),
    json: () => ({ type: 'string', format: 'uuid', examples: ['0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11'] }),
  })

/** One of these texts. */
export function oneOf<const V extends readonly string[]>(...values: V): Shape<V[number]> {
  // Returns the declared text, because V8 compares and looks up a freshly parsed text more slowly.
  const known: ReadonlyMap<unknown, string> = new Map(values.map((value) => [value, value]))
  const expected = `one of ${values.map((value) => value || '""').join(', ')}`
  return shape({
    parse: (value, path, problems) => known.get(value) ?? wrong(problems, path, expected, value),
    json: () => ({ type: 'string', enum: values }),
  })
}

/** Exactly this text; distinguishes the members of a union. */
export const literal = <const V extends string>(value: V): Shape<V> =>
  shape({
    parse: (received, path, problems) =>
      received === value ? value : wrong(problems, path, `"${value}"`, received),
    json: () => ({ type: 'string', const: value }),
  })

/** A JSON boolean, or its text in a query (`true`, `True`). */
export const bool = (): Shape<boolean, boolean | string> =>
  shape({
    parse: (value, path, problems) => {
      if (value === true || value === 'true' || value === 'True') return true
      if (value === false || value === 'false' || value === 'False') return false
      return wrong(problems, path, 'true or false', value)
    },
    json: () => ({ type: 'boolean' }),
  })

const integerPattern = /^-?\d{1,15}$/

/** A whole number, from JSON or from the text of a query. */
export function integer(
  rules: { readonly min?: number; readonly max?: number } = {},
): Shape<number, number | string> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = rules
  const expected = expectedInteger(rules.min, rules.max)
  return shape({
    parse: (value, path, problems) => {
      const number = typeof value === 'string' && integerPattern.test(value) ? Number(value) : value
      return typeof number === 'number' && Number.isInteger(number) && number >= min && number <= max
        ? number
        : wrong(problems, path, expected, value)
    },
    json: () => ({ type: 'integer', minimum: rules.min, maximum: rules.max }),
  })
}

function expectedInteger(min: number | undefined, max: number | undefined): string {
  if (min !== undefined && max !== undefined) return `a whole number from ${min} to ${max}`
  if (min !== undefined) return `a whole number of at least ${min}`
  if (max !== undefined) return `a whole number of at most ${max}`
  return 'a whole number'
}

/** A JSON number. Money is never a number, except in market data. */
export const number = (): Shape<number> =>
  shape({
    parse: (value, path, problems) =>
      typeof value === 'number' && Number.isFinite(value) ? value : wrong(problems, path, 'a number', value),
    json: () => ({ type: 'number' }),
  })
