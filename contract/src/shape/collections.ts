import {
  type AnyShape,
  type Problem,
  referable,
  type Shape,
  shape,
  type TypeOf,
  type WireOf,
  wrong,
} from './shape.ts'

/** A JSON array. */
export function array<T, Wire>(
  item: Shape<T, Wire>,
  rules: { readonly max?: number } = {},
): Shape<readonly T[], readonly Wire[]> {
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
export function list<T, Wire>(
  item: Shape<T, Wire>,
  rules: { readonly max?: number } = {},
): Shape<readonly T[], readonly Wire[] | Wire> {
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
export function map<T, Wire>(
  value: Shape<T, Wire>,
): Shape<{ readonly [key: string]: T }, { readonly [key: string]: Wire }> {
  return shape({
    parse: (source, path, problems) => {
      if (typeof source !== 'object' || source === null || Array.isArray(source)) {
        return wrong(problems, path, 'a record', source)
      }
      const entries = Object.entries(source)
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

/** The first of these shapes that parses the value. */
export function either<const S extends readonly AnyShape[]>(
  ...shapes: S
): Shape<TypeOf<S[number]>, WireOf<S[number]>> {
  return shape({
    parse: (value, path, problems) => {
      for (const candidate of shapes) {
        const candidateProblems: Problem[] = []
        const parsed = candidate.parse(value, path, candidateProblems)
        if (candidateProblems.length === 0) return parsed as TypeOf<S[number]>
      }
      return wrong(problems, path, `one of ${shapes.length} shapes`, value)
    },
    json: () => ({ anyOf: shapes.map(referable) }),
  })
}

/** A recursive shape, such as an order with orders as legs. */
export const lazy = <T, Wire = T>(name: string, inner: () => Shape<T, Wire>): Shape<T, Wire> =>
  shape({
    parse: (value, path, problems) => inner().parse(value, path, problems),
    json: () => ({ component: name }),
  })

/** Any JSON value, unchanged. */
export const anything = (): Shape<unknown> =>
  shape({ parse: (value) => value, json: () => ({}), presence: 'optional' })

/** Text that the handler checks: any value is passed on unchanged. */
export const unchecked = (): Shape<unknown, string | null | undefined> =>
  shape({ parse: (value) => value, json: () => ({ type: 'string' }), presence: 'optional' })

/** No value: an empty response. */
export const nothing = (): Shape<undefined> =>
  shape({ parse: () => undefined, json: () => ({}), presence: 'optional' })
