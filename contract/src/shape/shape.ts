/** A problem of one field. `message` is the message of the error body; `error` replaces the default error of the family. */
export type Problem = { readonly field: string; readonly message: string; readonly error?: string }

/** The error message of a shape, fixed or derived from the value. */
export type MessageText = string | ((value: unknown, path: string) => string)

/** A JSON Schema (2020-12). JSON omits fields that are undefined. */
export type Schema = {
  readonly [keyword: string]: unknown
  /** The name of a part that OpenAPI has once, and its schema where the name is first used. */
  readonly component?: string
  readonly schema?: Schema
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[] | undefined
  readonly additionalProperties?: Schema | boolean
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly (string | number)[]
}

/** The keys of a record that has no other keys. */
export const namesIn = <Names extends object>(names: Names): readonly (keyof Names & string)[] =>
  Object.keys(names) as (keyof Names & string)[]

/** How a record treats an absent field. */
export type Presence = 'required' | 'optional' | 'defaulted'

/** A text or number of one kind, such as an account id. The core names the same kinds. */
export type Named<Base, Name extends string> = Base & { readonly __name: Name }

/**
 * The format of a value on the wire. `T` is the parsed type, `Wire` the type that a client may send.
 * Parsing never throws: it adds to `problems`, and the caller must then ignore the returned value.
 */
export type Shape<T, Wire = T> = {
  readonly parse: (value: unknown, path: string, problems: Problem[]) => T
  readonly json: () => Schema
  readonly presence: Presence
  /** Named shapes become components of the OpenAPI document. */
  readonly name: string | undefined
  /** The same shape with this message for every problem. */
  readonly message: (text: MessageText) => Shape<T, Wire>
  /** The same shape with this error for every problem. */
  readonly refusedAs: (error: string) => Shape<T, Wire>
  /** The same shape with one more rule and its error message. */
  readonly where: (holds: (value: T) => boolean, text: string) => Shape<T, Wire>
  /** The same shape with a description for the reference. */
  readonly about: (text: string) => Shape<T, Wire>
  /** Exists only as a type; never set. */
  readonly wire?: Wire
}

export type AnyShape = Shape<unknown, unknown>
export type TypeOf<S> = S extends { readonly parse: (...args: never[]) => infer T } ? T : never
export type WireOf<S> = S extends { readonly wire?: infer Wire } ? Wire : never

type ShapeParts<T> = {
  readonly parse: Shape<T>['parse']
  readonly json: () => Schema
  readonly presence?: Presence
  readonly name?: string | undefined
}

export function shape<T, Wire = T>(parts: ShapeParts<T>): Shape<T, Wire> {
  const { parse, json, presence = 'required', name } = parts
  return {
    parse,
    json,
    presence,
    name,
    message: (text) => shape({ ...parts, parse: mapProblem(parse, withMessage(text)) }),
    refusedAs: (error) => shape({ ...parts, parse: mapProblem(parse, (problem) => ({ ...problem, error })) }),
    where: (holds, text) => shape({ ...parts, parse: withRule(parse, holds, text) }),
    about: (text) => shape({ ...parts, name: undefined, json: () => withDescription(name, json(), text) }),
  }
}

const withDescription = (name: string | undefined, schema: Schema, description: string): Schema =>
  name === undefined ? { ...schema, description } : { component: name, schema, description }

type ProblemMap = (problem: Problem, value: unknown, path: string) => Problem

const withMessage =
  (text: MessageText): ProblemMap =>
  (problem, value, path) => ({
    ...problem,
    field: path,
    message: typeof text === 'string' ? text : text(value, path),
  })

function mapProblem<T>(parse: Shape<T>['parse'], map: ProblemMap): Shape<T>['parse'] {
  return (value, path, problems) => {
    const before = problems.length
    const parsed = parse(value, path, problems)
    const first = problems[before]
    if (first !== undefined) {
      problems.length = before
      problems.push(map(first, value, path))
    }
    return parsed
  }
}

function withRule<T>(
  parse: Shape<T>['parse'],
  holds: (value: T) => boolean,
  text: string,
): Shape<T>['parse'] {
  return (value, path, problems) => {
    const before = problems.length
    const parsed = parse(value, path, problems)
    if (problems.length === before && !holds(parsed)) problems.push({ field: path, message: text })
    return parsed
  }
}

/** Adds a problem with the expected and the received value; returned in place of the parsed value. */
export function wrong(problems: Problem[], path: string, expected: string, value: unknown): never {
  problems.push({ field: path, message: `${path || 'body'}: expected ${expected}, received ${shown(value)}` })
  return undefined as never
}

const shownMax = 60

/** A value shortened for an error message. */
export const brief = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, shownMax) : shown(value)

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'object' && value !== null) return 'a record'
  const text = JSON.stringify(value) ?? String(value)
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text
}

/**
 * May be absent. null counts as absent, and so does empty text if it is not valid for the field: some clients send
 * every field and use null or empty text for unset ones.
 */
export function optional<T, Wire>(inner: Shape<T, Wire>): Shape<T | undefined, Wire | null | undefined> {
  return shape({
    parse: (value, path, problems) =>
      value === undefined || value === null
        ? undefined
        : value === ''
          ? parseEmptyText(inner, path)
          : inner.parse(value, path, problems),
    json: () => referable(inner),
    presence: 'optional',
  })
}

/** May be absent, but empty text does not count as absent: for headers. */
export function strictlyOptional<T, Wire>(
  inner: Shape<T, Wire>,
): Shape<T | undefined, Wire | null | undefined> {
  return shape({
    parse: (value, path, problems) =>
      value === undefined || value === null ? undefined : inner.parse(value, path, problems),
    json: () => referable(inner),
    presence: 'optional',
  })
}

/** Empty text if it is valid for the field, otherwise undefined. */
function parseEmptyText<T, Wire>(inner: Shape<T, Wire>, path: string): T | undefined {
  const problems: Problem[] = []
  const parsed = inner.parse('', path, problems)
  return problems.length === 0 ? parsed : undefined
}

/** Always present, may be null. */
export function nullable<T, Wire>(inner: Shape<T, Wire>): Shape<T | null, Wire | null> {
  return shape({
    parse: (value, path, problems) => (value === null ? null : inner.parse(value, path, problems)),
    json: () => orNull(referable(inner)),
  })
}

/** May be absent, like an optional field; null clears the stored value. */
export function clearable<T, Wire>(
  inner: Shape<T, Wire>,
): Shape<T | null | undefined, Wire | null | undefined> {
  const optionalInner = optional(inner)
  return shape({
    parse: (value, path, problems) => (value === null ? null : optionalInner.parse(value, path, problems)),
    json: () => orNull(referable(inner)),
    presence: 'optional',
  })
}

/** May be absent, like an optional field, and then has this value. */
export function withDefault<T, Wire>(inner: Shape<T, Wire>, value: T): Shape<T, Wire | null | undefined> {
  const optionalInner = optional(inner)
  return shape({
    parse: (received, path, problems) => optionalInner.parse(received, path, problems) ?? value,
    json: () => ({ ...referable(inner), default: value }),
    presence: 'defaulted',
  })
}

/** An invalid value counts as absent: for fields that the handler checks later. */
export function lenient<T, Wire>(inner: Shape<T, Wire>): Shape<T | undefined, Wire> {
  return shape({
    parse: (value, path) => {
      const problems: Problem[] = []
      const parsed = inner.parse(value, path, problems)
      return problems.length === 0 ? parsed : undefined
    },
    json: () => referable(inner),
  })
}

/** The same shape as a named component of the OpenAPI document. */
export const named = <T, Wire>(name: string, inner: Shape<T, Wire>): Shape<T, Wire> =>
  shape({ parse: inner.parse, json: inner.json, presence: inner.presence, name })

/** The schema of a shape inside another one. A named shape becomes a reference in the document. */
export const referable = (inner: AnyShape): Schema =>
  inner.name === undefined ? inner.json() : { component: inner.name, schema: inner.json() }

const orNull = (schema: Schema): Schema =>
  typeof schema['type'] === 'string' && schema['enum'] === undefined
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] }
