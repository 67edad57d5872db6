import {
  type AnyShape,
  type GivenOf,
  type Problem,
  referable,
  type Shape,
  shape,
  type TypeOf,
  wrong,
} from './shape.ts'

/** A JSON array. */
export function array<T, Given>(
  item: Shape<T, Given>,
  rules: { readonly max?: number } = {},
): Shape<readonly T[], readonly Given[]> {
  const { max = 10_000 } = rules
  return shape({
    parse: (value, path, problems) =>
      Array.isArray(value) && value.length <= max
        ? each(item, value, path, problems)
        : wrong(problems, path, `a list of at most ${max}`, value),
    json: () => ({ type: 'array', items: referable(item) }),
  })
}

/** A list in a query: comma-separated, as repeated keys, or both. Empty parts are dropped. */
export function list<T, Given>(
  item: Shape<T, Given>,
  rules: { readonly max?: number } = {},
): Shape<readonly T[], readonly Given[] | Given> {
  const { max = 1000 } = rules
  return shape({
    parse: (value, path, problems) => {
      const parts = partsOf(value)
      return parts !== undefined && parts.length <= max
        ? each(item, parts, path, problems)
        : wrong(problems, path, `a comma-separated list of at most ${max}`, value)
    },
    json: () => ({ type: 'array', items: referable(item) }),
  })
}

function partsOf(value: unknown): string[] | undefined {
  const texts = Array.isArray(value) ? value : [value]
  const parts: string[] = []
  for (const text of texts) {
    if (typeof text !== 'string') return undefined
    for (const part of text.split(',')) {
      const word = part.trim()
      if (word !== '') parts.push(word)
    }
  }
  return parts
}

function each<T>(
  item: Shape<T, unknown>,
  values: readonly unknown[],
  path: string,
  problems: Problem[],
): readonly T[] {
  return values.map((value, index) => item.parse(value, `${path}[${index}]`, problems))
}

/** A record with free keys, all values of one shape. */
export function map<T, Given>(
  value: Shape<T, Given>,
): Shape<{ readonly [key: string]: T }, { readonly [key: string]: Given }> {
  return shape({
    parse: (given, path, problems) => {
      if (typeof given !== 'object' || given === null || Array.isArray(given)) {
        return wrong(problems, path, 'a record', given)
      }
      const entries = Object.entries(given)
      return Object.fromEntries(
        entries.map(([key, item]) => [
          key,
          value.parse(item, path === '' ? key : `${path}.${key}`, problems),
        ]),
      )
    },
    json: () => ({ type: 'object', additionalProperties: referable(value) }),
  })
}

/** The first of these shapes that fits. */
export function either<const S extends readonly AnyShape[]>(
  ...shapes: S
): Shape<TypeOf<S[number]>, GivenOf<S[number]>> {
  return shape({
    parse: (value, path, problems) => {
      for (const candidate of shapes) {
        const own: Problem[] = []
        const parsed = candidate.parse(value, path, own)
        if (own.length === 0) return parsed as TypeOf<S[number]>
      }
      return wrong(problems, path, `one of ${shapes.length} shapes`, value)
    },
    json: () => ({ anyOf: shapes.map(referable) }),
  })
}

/** A shape that names itself, such as an order whose legs are orders. */
export const later = <T, Given = T>(name: string, inner: () => Shape<T, Given>): Shape<T, Given> =>
  shape({
    parse: (value, path, problems) => inner().parse(value, path, problems),
    json: () => ({ component: name }),
  })

/** Any JSON value, handed on untouched. */
export const anything = (): Shape<unknown> =>
  shape({ parse: (value) => value, json: () => ({}), presence: 'optional' })

/** Text that the handler checks, if anyone does: whatever was sent is passed on. */
export const unchecked = (): Shape<unknown, string | null | undefined> =>
  shape({ parse: (value) => value, json: () => ({ type: 'string' }), presence: 'optional' })

/** No value: an empty answer. */
export const nothing = (): Shape<undefined> =>
  shape({ parse: () => undefined, json: () => ({}), presence: 'optional' })
