/**
 * What is wrong with one field. `message` is the whole sentence an error body carries; `error` names a row of
 * the catalogue where the family's usual one would be wrong.
 */
export type Problem = { readonly field: string; readonly message: string; readonly error?: string }

/** The text for whatever is wrong with a value, perhaps made from the value. */
export type Saying = string | ((value: unknown, path: string) => string)

/** A JSON Schema (2020-12). */
export type Schema = { readonly [key: string]: unknown }

/** How a record treats a field that is not there. */
export type Presence = 'required' | 'optional' | 'defaulted'

/**
 * What a value must look like on the wire. `T` is what parsing yields, `Given` is what a caller may write.
 * Parsing never throws: it adds to `problems`, and what it returns then means nothing.
 */
export type Shape<T, Given = T> = {
  readonly parse: (value: unknown, path: string, problems: Problem[]) => T
  readonly json: () => Schema
  readonly presence: Presence
  /** Named shapes become components of the OpenAPI document. */
  readonly name: string | undefined
  /** The same shape, with this text for whatever is wrong. */
  readonly message: (text: Saying) => Shape<T, Given>
  /** The same shape, whose problems are answered with this row of the catalogue. */
  readonly refusedAs: (error: string) => Shape<T, Given>
  /** The same shape, with one more rule and the text for breaking it. */
  readonly where: (holds: (value: T) => boolean, text: string) => Shape<T, Given>
  /** The same shape, with a description for the reference. */
  readonly about: (text: string) => Shape<T, Given>
  /** Only a type, for callers; never set. */
  readonly given?: Given
}

export type AnyShape = Shape<unknown, unknown>
export type TypeOf<S> = S extends { readonly parse: (...given: never[]) => infer T } ? T : never
export type GivenOf<S> = S extends { readonly given?: infer Given } ? Given : never

type Parts<T> = {
  readonly parse: Shape<T>['parse']
  readonly json: () => Schema
  readonly presence?: Presence
  readonly name?: string | undefined
}

export function shape<T, Given = T>(parts: Parts<T>): Shape<T, Given> {
  const { parse, json, presence = 'required', name } = parts
  return {
    parse,
    json,
    presence,
    name,
    message: (text) => shape({ ...parts, parse: rewording(parse, reworded(text)) }),
    refusedAs: (error) => shape({ ...parts, parse: rewording(parse, (problem) => ({ ...problem, error })) }),
    where: (holds, text) => shape({ ...parts, parse: holding(parse, holds, text) }),
    about: (text) => shape({ ...parts, name: undefined, json: () => described(name, json(), text) }),
  }
}

const described = (name: string | undefined, schema: Schema, description: string): Schema =>
  name === undefined ? { ...schema, description } : { component: name, schema, description }

type Rewording = (problem: Problem, value: unknown, path: string) => Problem

const reworded =
  (text: Saying): Rewording =>
  (problem, value, path) => ({
    ...problem,
    field: path,
    message: typeof text === 'string' ? text : text(value, path),
  })

function rewording<T>(parse: Shape<T>['parse'], reword: Rewording): Shape<T>['parse'] {
  return (value, path, problems) => {
    const before = problems.length
    const parsed = parse(value, path, problems)
    const first = problems[before]
    if (first !== undefined) {
      problems.length = before
      problems.push(reword(first, value, path))
    }
    return parsed
  }
}

function holding<T>(parse: Shape<T>['parse'], holds: (value: T) => boolean, text: string): Shape<T>['parse'] {
  return (value, path, problems) => {
    const before = problems.length
    const parsed = parse(value, path, problems)
    if (problems.length === before && !holds(parsed)) problems.push({ field: path, message: text })
    return parsed
  }
}

/** Notes what was expected and what came, and stands in for the value that could not be read. */
export function wrong(problems: Problem[], path: string, expected: string, value: unknown): never {
  problems.push({ field: path, message: `${path || 'body'}: expected ${expected}, received ${shown(value)}` })
  return undefined as never
}

const shownMax = 60

/** A value as a message may repeat it: short, and never a reason to fail. */
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
 * May be absent. Null counts as absent, and so does empty text that the field cannot hold: some clients send every
 * field, with these for unset ones.
 */
export function optional<T, Given>(inner: Shape<T, Given>): Shape<T | undefined, Given | null | undefined> {
  return shape({
    parse: (value, path, problems) =>
      value === undefined || value === null
        ? undefined
        : value === ''
          ? heldBlank(inner, path)
          : inner.parse(value, path, problems),
    json: () => referable(inner),
    presence: 'optional',
  })
}

/** May be absent, and is never read as absent when it is there: for headers. */
export function strictlyOptional<T, Given>(
  inner: Shape<T, Given>,
): Shape<T | undefined, Given | null | undefined> {
  return shape({
    parse: (value, path, problems) =>
      value === undefined || value === null ? undefined : inner.parse(value, path, problems),
    json: () => referable(inner),
    presence: 'optional',
  })
}

/** Empty text as a field holds it, or undefined where the field cannot hold it. */
function heldBlank<T, Given>(inner: Shape<T, Given>, path: string): T | undefined {
  const problems: Problem[] = []
  const parsed = inner.parse('', path, problems)
  return problems.length === 0 ? parsed : undefined
}

/** Always there, and may be null. */
export function nullable<T, Given>(inner: Shape<T, Given>): Shape<T | null, Given | null> {
  return shape({
    parse: (value, path, problems) => (value === null ? null : inner.parse(value, path, problems)),
    json: () => orNull(referable(inner)),
  })
}

/** May be absent, as an optional field may be; null takes away what was there. */
export function clearable<T, Given>(
  inner: Shape<T, Given>,
): Shape<T | null | undefined, Given | null | undefined> {
  const present = optional(inner)
  return shape({
    parse: (value, path, problems) => (value === null ? null : present.parse(value, path, problems)),
    json: () => orNull(referable(inner)),
    presence: 'optional',
  })
}

/** May be absent, as an optional field may be, and then has this value. */
export function withDefault<T, Given>(inner: Shape<T, Given>, value: T): Shape<T, Given | null | undefined> {
  const present = optional(inner)
  return shape({
    parse: (given, path, problems) => present.parse(given, path, problems) ?? value,
    json: () => ({ ...referable(inner), default: value }),
    presence: 'defaulted',
  })
}

/** What does not fit counts as absent: for fields whose check must come later, in an order of its own. */
export function forgiving<T, Given>(inner: Shape<T, Given>): Shape<T | undefined, Given> {
  return shape({
    parse: (value, path) => {
      const own: Problem[] = []
      const parsed = inner.parse(value, path, own)
      return own.length === 0 ? parsed : undefined
    },
    json: () => referable(inner),
  })
}

/** The same shape under a name: a component of the OpenAPI document. */
export const named = <T, Given>(name: string, inner: Shape<T, Given>): Shape<T, Given> =>
  shape({ parse: inner.parse, json: inner.json, presence: inner.presence, name })

/** The schema of a shape inside another one; a named one becomes a reference when the document is made. */
export const referable = (inner: AnyShape): Schema =>
  inner.name === undefined ? inner.json() : { component: inner.name, schema: inner.json() }

const orNull = (schema: Schema): Schema =>
  typeof schema['type'] === 'string' && schema['enum'] === undefined
    ? { ...schema, type: [schema['type'], 'null'] }
    : { anyOf: [schema, { type: 'null' }] }
