import {
  type AnyShape,
  type GivenOf,
  type Problem,
  referable,
  type Schema,
  type Shape,
  shape,
  type TypeOf,
  wrong,
} from './shape.ts'

export type Fields = { readonly [key: string]: AnyShape }

type OptionalKeys<F> = { [K in keyof F]: undefined extends TypeOf<F[K]> ? K : never }[keyof F]
type GivenOptionalKeys<F> = { [K in keyof F]: undefined extends GivenOf<F[K]> ? K : never }[keyof F]
type Flat<T> = { readonly [K in keyof T]: T[K] }

export type RecordOf<F> = Flat<
  { [K in Exclude<keyof F, OptionalKeys<F>>]: TypeOf<F[K]> } & {
    [K in OptionalKeys<F>]?: TypeOf<F[K]>
  }
>
export type GivenRecordOf<F> = Flat<
  { [K in Exclude<keyof F, GivenOptionalKeys<F>>]: GivenOf<F[K]> } & {
    [K in GivenOptionalKeys<F>]?: GivenOf<F[K]>
  }
>

/** A rule over a whole record: nothing when it holds, else what is wrong. */
export type Rule<T> = (value: T) => Problem | undefined

export type RecordShape<F extends Fields> = Shape<RecordOf<F>, GivenRecordOf<F>> & {
  readonly fields: F
  /** The same record with one more rule, looked at once every field is right. */
  readonly refine: (rule: Rule<RecordOf<F>>) => RecordShape<F>
  /** The same record under a name, a component of the OpenAPI document. */
  readonly named: (name: string) => RecordShape<F>
}

/** A record of these fields; other keys are ignored. */
export const record = <const F extends Fields>(fields: F): RecordShape<F> => made(fields, [], undefined)

function made<F extends Fields>(
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
    const parsed = fieldsOf(entriesFor(source, entries, plans), source, path, problems) as RecordOf<F>
    if (problems.length === before) check(rules, parsed, problems)
    return parsed
  }
  const base = shape<RecordOf<F>, GivenRecordOf<F>>({ parse, json: () => schemaOf(entries), name })
  return {
    ...base,
    fields,
    refine: (rule) => made(fields, [...rules, rule], name),
    named: (given) => made(fields, rules, given),
  }
}

type Entry = readonly [key: string, field: AnyShape]

/** For a source of these keys in this order: the fields that are worth a look, in their own order. */
type Plan = { readonly keys: readonly string[]; readonly entries: readonly Entry[] }

/** Callers spell a record in few ways, and most fields of a long one are not there: these are found once. */
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
  const there = new Set(keys)
  const plan = {
    keys,
    entries: entries.filter(([key, { presence }]) => presence !== 'optional' || there.has(key)),
  }
  plans.push(plan)
  return plan.entries
}

function hasKeys(source: Record<string, unknown>, keys: readonly string[]): boolean {
  let at = 0
  for (const key in source) if (key !== keys[at++]) return false
  return at === keys.length
}

function fieldsOf(
  entries: readonly Entry[],
  source: Record<string, unknown>,
  path: string,
  problems: Problem[],
): Record<string, unknown> {
  const parsed: Record<string, unknown> = {}
  for (let at = 0; at < entries.length; at++) {
    const [key, field] = entries[at]!
    const given = source[key]
    if (given === undefined && field.presence === 'optional') continue
    const value = field.parse(given, path === '' ? key : `${path}.${key}`, problems)
    if (value !== undefined) parsed[key] = value
  }
  return parsed
}

function check<T>(rules: readonly Rule<T>[], value: T, problems: Problem[]): void {
  for (const rule of rules) {
    const problem = rule(value)
    if (problem !== undefined) problems.push(problem)
  }
}

function schemaOf(entries: readonly Entry[]): Schema {
  const required = entries.filter(([, field]) => field.presence === 'required').map(([key]) => key)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, field]) => [key, referable(field)])),
    ...(required.length === 0 ? {} : { required }),
  }
}
