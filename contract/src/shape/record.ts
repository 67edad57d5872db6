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
  const plans: Plan[] = []
  const parse = (value: unknown, path: string, problems: Problem[]): RecordOf<F> => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return wrong(problems, path, 'a record', value)
    }
    const before = problems.length
    const source = value as Record<string, unknown>
    const parsed = parseFields(entriesFor(source, entries, plans), source, path, problems) as RecordOf<F>
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

/** For a source with these keys in this sequence: the fields to parse, in declared sequence. */
type Plan = { readonly keys: readonly string[]; readonly entries: readonly Entry[] }

/** Clients send a record with few different key lists and omit most fields; a plan skips the omitted ones. */
const PLANS_MAX = 8
const PLANNED_KEYS_MAX = 64

function entriesFor(
  source: Record<string, unknown>,
  entries: readonly Entry[],
  plans: Plan[],
): readonly Entry[] {
  for (const plan of plans) if (hasKeys(source, plan.keys)) return plan.entries
  if (plans.length === PLANS_MAX) return entries
  const keys: string[] = []
  for (const key in source) if (keys.push(key) > PLANNED_KEYS_MAX) return entries
  const sent = new Set(keys)
  const plan = {
    keys,
    entries: entries.filter(([key, { presence }]) => presence !== 'optional' || sent.has(key)),
  }
  plans.push(plan)
  return plan.entries
}

function hasKeys(source: Record<string, unknown>, keys: readonly string[]): boolean {
  let at = 0
  for (const key in source) if (key !== keys[at++]) return false
  return at === keys.length
}

function parseFields(
  entries: readonly Entry[],
  source: Record<string, unknown>,
  path: string,
  problems: Problem[],
): Record<string, unknown> {
  const parsed: Record<string, unknown> = {}
  for (let at = 0; at < entries.length; at++) {
    const [key, field] = entries[at]!
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
