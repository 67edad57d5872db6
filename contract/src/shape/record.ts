import {
  type AnyShape,
  type Problem,
  referable,
  type Schema,
  type Shape,
  shape,
  type TypeOf,
  type WireOf,
  wrong,
} from './shape.ts'

export type Fields = { readonly [key: string]: AnyShape }

type OptionalKeys<F> = { [K in keyof F]: undefined extends TypeOf<F[K]> ? K : never }[keyof F]
type WireOptionalKeys<F> = { [K in keyof F]: undefined extends WireOf<F[K]> ? K : never }[keyof F]
type Flat<T> = { readonly [K in keyof T]: T[K] }

export type RecordOf<F> = Flat<
  { [K in Exclude<keyof F, OptionalKeys<F>>]: TypeOf<F[K]> } & {
    [K in OptionalKeys<F>]?: TypeOf<F[K]>
  }
>
export type WireRecordOf<F> = Flat<
  { [K in Exclude<keyof F, WireOptionalKeys<F>>]: WireOf<F[K]> } & {
    [K in WireOptionalKeys<F>]?: WireOf<F[K]>
  }
>

/** A rule over a whole record. Returns a problem, or undefined if the rule holds. */
export type Rule<T> = (value: T) => Problem | undefined

export type RecordShape<F extends Fields> = Shape<RecordOf<F>, WireRecordOf<F>> & {
  readonly fields: F
  /** The same record with one more rule, checked only if all fields are valid. */
  readonly refine: (rule: Rule<RecordOf<F>>) => RecordShape<F>
  /** The same record as a named component of the OpenAPI document. */
  readonly named: (name: string) => RecordShape<F>
}

/** A record of these fields; other keys are ignored. */
export const record = <const F extends Fields>(fields: F): RecordShape<F> => makeRecord(fields, [], undefined)

function makeRecord<F extends Fields>(
  fields: F,
  rules: readonly Rule<RecordOf<F>>[],
  name: string | undefined,
): RecordShape<F> {
  const entries = Object.entries(fields)
  const parse = (value: unknown, path: string, problems: Problem[]): RecordOf<F> => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return wrong(problems, path, 'a record', value)
    }
    const before = problems.length
    const source = value as Record<string, unknown>
    const parsed = parseFields(entries, source, path, problems) as RecordOf<F>
    if (problems.length === before) check(rules, parsed, path, problems)
    return parsed
  }
  const base = shape<RecordOf<F>, WireRecordOf<F>>({ parse, json: () => schemaOf(entries), name })
  return {
    ...base,
    fields,
    refine: (rule) => makeRecord(fields, [...rules, rule], name),
    named: (newName) => makeRecord(fields, rules, newName),
  }
}

type Entry = readonly [key: string, field: AnyShape]

function parseFields(
  entries: readonly Entry[],
  source: Record<string, unknown>,
  path: string,
  problems: Problem[],
): Record<string, unknown> {
  const parsed: Record<string, unknown> = {}
  for (const [key, field] of entries) {
    const received = source[key]
    if (received === undefined && field.presence === 'optional') continue
    const value = field.parse(received, path === '' ? key : `${path}.${key}`, problems)
    if (value !== undefined) parsed[key] = value
  }
  return parsed
}

function check<T>(rules: readonly Rule<T>[], value: T, path: string, problems: Problem[]): void {
  for (const rule of rules) {
    const problem = rule(value)
    if (problem !== undefined)
      problems.push(path === '' ? problem : { ...problem, field: `${path}.${problem.field}` })
  }
}

function schemaOf(entries: readonly Entry[]): Schema {
  const required = entries.filter(([, field]) => field.presence === 'required').map(([key]) => key)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, field]) => [key, referable(field)])),
    required: required.length === 0 ? undefined : required,
  }
}

/** A record that refuses unknown fields: a misspelt field would otherwise change the meaning of the record. */
export function closedRecord<F extends Fields>(
  inner: RecordShape<F>,
): Shape<RecordOf<F>, WireRecordOf<F>> & { readonly fields: F } {
  const names = Object.keys(inner.fields)
  const closed = shape<RecordOf<F>, WireRecordOf<F>>({
    parse: (value, path, problems) => {
      const unknown = Object.keys(value ?? {}).find((name) => !Object.hasOwn(inner.fields, name))
      if (unknown === undefined || typeof value !== 'object') return inner.parse(value, path, problems)
      const field = path === '' ? unknown.slice(0, SHOWN_MAX) : `${path}.${unknown.slice(0, SHOWN_MAX)}`
      problems.push({ field, message: `${field}: unknown field; expected ${names.join(', ')}` })
      return undefined as never
    },
    json: () => ({ ...inner.json(), additionalProperties: false }),
    name: inner.name,
  })
  return { ...closed, fields: inner.fields }
}

const SHOWN_MAX = 60

type Others = { readonly [key: string]: unknown }

/** Maximum nesting of lists and records: JSON.stringify fails on very deep values. */
const DEPTH_MAX = 32

/** A record that keeps unknown fields unchanged. A field with empty text counts as absent. */
export function openRecord<F extends Fields>(
  inner: RecordShape<F>,
): Shape<RecordOf<F> & Others, WireRecordOf<F> & Others> & { readonly fields: F } {
  const open = shape<RecordOf<F> & Others, WireRecordOf<F> & Others>({
    parse: (value, path, problems) => {
      const before = problems.length
      const parsed = inner.parse(value, path, problems)
      if (problems.length > before) return parsed as RecordOf<F> & Others
      if (!isShallow(value)) return wrong(problems, path, `a record at most ${DEPTH_MAX} deep`, value)
      const others = Object.entries(value as Others).filter(([key]) => !Object.hasOwn(inner.fields, key))
      const kept = [...others, ...Object.entries(parsed)].filter(([, one]) => one !== '')
      return Object.fromEntries(kept) as RecordOf<F> & Others
    },
    json: () => ({ ...inner.json(), additionalProperties: true }),
    name: inner.name,
  })
  return { ...open, fields: inner.fields }
}

/** Not recursive, because recursion fails on the values that must be refused. */
function isShallow(value: unknown): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; depth <= DEPTH_MAX; depth++) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    if (level.length === 0) return true
  }
  return false
}
