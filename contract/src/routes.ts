import type { Method, Operation } from './operation.ts'
import { type OperationName, operations } from './operations.ts'
import type { Schema } from './shape/shape.ts'

/** How a client sends a call: method, path, and the location of each input. */
export type ClientRoute = {
  readonly method: Method
  readonly path: string
  readonly params: readonly string[]
  readonly query: readonly string[]
  readonly headers: readonly string[]
  /**
   * Fields of the query and of the body that are days in New York, at any depth. If an instant has the same name, the name
   * of the enclosing field is before it: `fees.from`.
   */
  readonly days: readonly string[]
  readonly body: 'json' | 'form' | 'bytes' | undefined
  /** The response: JSON, no body, other text, or the bytes of an image or a file. */
  readonly response: 'json' | 'empty' | 'text' | 'bytes'
}

const fieldNames = (part: Operation['query']): readonly string[] =>
  part === undefined ? [] : Object.keys(part.fields)

const routeOf = (declared: Operation): ClientRoute => ({
  method: declared.method,
  path: declared.path,
  params: fieldNames(declared.params),
  query: fieldNames(declared.query),
  headers: fieldNames(declared.headers),
  days: daysOf(declared),
  body: declared.body === undefined ? undefined : (declared.bodyKind ?? 'json'),
  response: responseOf(declared),
})

type Time = { readonly parent: string; readonly name: string; readonly isDay: boolean }

/** The fields of a schema that are times. A time that may have an offset is an instant, not a day. */
function timesIn(
  { schema, format, properties = {}, items, anyOf = [] }: Schema,
  name = '',
  parent = '',
): readonly Time[] {
  if (format === 'date') return [{ parent, name, isDay: true }]
  if (format === 'date-time' || anyOf.some((one) => one['format'] === 'date-time'))
    return [{ parent, name, isDay: false }]
  const inner = [schema, items, ...anyOf].filter((one) => one !== undefined)
  return [
    ...inner.flatMap((one) => timesIn(one, name, parent)),
    ...Object.entries(properties).flatMap(([field, one]) => timesIn(one, field, name)),
  ]
}

function daysOf({ query, body }: Operation): readonly string[] {
  const times = [query, body].flatMap((part) => (part === undefined ? [] : timesIn(part.json())))
  const instants = new Set(times.filter(({ isDay }) => !isDay).map(({ name }) => name))
  const days = times.filter(({ isDay }) => isDay)
  return [...new Set(days.map(({ parent, name }) => (instants.has(name) ? `${parent}.${name}` : name)))]
}

function responseOf({ output, raw }: Operation): ClientRoute['response'] {
  if (output !== undefined) return 'json'
  if (raw === undefined) return 'empty'
  return raw.startsWith('image/') || raw === 'application/octet-stream' ? 'bytes' : 'text'
}

/** The route of every operation, derived from its declaration. */
export const routes = Object.fromEntries(
  Object.entries<Operation>(operations).map(([name, declared]) => [name, routeOf(declared)]),
) as { readonly [Name in OperationName]: ClientRoute }
