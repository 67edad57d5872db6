import type { Instant } from './time.ts'

/**
 * Declarations of stored records. A record is declared once, as a value: its type, its stored bytes and its
 * columns are derived from that. The order of fields, words and variants is part of the stored format: add new
 * ones at the end, and new fields as optional ones.
 */
export type Schema<Value = unknown> = Description & { readonly [VALUE]?: Value }
declare const VALUE: unique symbol

export type Description =
  | {
      readonly type: 'text' | 'id' | 'hex' | 'amount' | 'instant' | 'date' | 'integer' | 'number' | 'boolean'
    }
  | { readonly type: 'pattern'; readonly patterns: readonly string[] }
  | { readonly type: 'oneOf'; readonly values: readonly Literal[]; readonly other?: Schema }
  | { readonly type: 'nullable'; readonly of: Schema }
  | { readonly type: 'list'; readonly of: Schema }
  | { readonly type: 'tuple'; readonly of: readonly Schema[] }
  | { readonly type: 'map'; readonly key: Schema; readonly value: Schema }
  | { readonly type: 'record'; readonly fields: Fields; readonly constant?: Constant }
  | {
      readonly type: 'union'
      readonly tag: string
      readonly variants: Readonly<Record<string, RecordSchema>>
    }

type Literal = string | number | boolean
/** A field with the same value in every record of a schema, which is not stored. */
type Constant = { readonly name: string; readonly value: string }

export type RecordSchema<Value = unknown> = Extract<Description, { type: 'record' }> & Schema<Value>

export type Optional<Value = unknown> = { readonly optional: Schema<Value> }
export type Fields = Readonly<Record<string, Schema | Optional>>

/** The type of the values that a schema declares. */
export type ValueOf<Declared> = Declared extends { readonly [VALUE]?: infer Value } ? Value : never

type OptionalNames<F> = { [Name in keyof F]: F[Name] extends Optional ? Name : never }[keyof F]
type FieldValue<F> = F extends { readonly optional: infer Of } ? ValueOf<Of> : ValueOf<F>
type Flat<Value> = { [Name in keyof Value]: Value[Name] }

/** The type of a record with these fields. */
export type RecordOf<F> = Flat<
  { readonly [Name in keyof F as Name extends OptionalNames<F> ? never : Name]: FieldValue<F[Name]> } & {
    readonly [Name in keyof F as Name extends OptionalNames<F> ? Name : never]?: FieldValue<F[Name]>
  }
>

export const text = <Value extends string = string>(): Schema<Value> => ({ type: 'text' })
/** A text that is often a UUID, or that often repeats within a record. */
export const id = <Value extends string = string>(): Schema<Value> => ({ type: 'id' })
/** Bytes as lower-case hexadecimal digits. */
export const hex = <Value extends string = string>(): Schema<Value> => ({ type: 'hex' })
/** An integer of any size: money, prices and quantities, in billionths. */
export const amount = <Value extends bigint = bigint>(): Schema<Value> => ({ type: 'amount' })
/** Nanoseconds since 1970. */
export const instant = <Value extends bigint = bigint>(): Schema<Value> => ({ type: 'instant' })
/** A day, `2026-11-02`. */
export const date = <Value extends string = string>(): Schema<Value> => ({ type: 'date' })
/** A safe integer. */
export const integer = (): Schema<number> => ({ type: 'integer' })
/** A floating-point number. */
export const number = (): Schema<number> => ({ type: 'number' })
export const boolean = (): Schema<boolean> => ({ type: 'boolean' })

/** One of these texts. At most one `*` in a text stands for an id. */
export const pattern = <Value extends string>(...patterns: readonly string[]): Schema<Value> => ({
  type: 'pattern',
  patterns,
})

export const oneOf = <const Values extends readonly Literal[]>(
  ...values: Values
): Schema<Values[number]> => ({ type: 'oneOf', values })

/** One of these words, or another value that is not a text. */
export const oneOfOr = <const Values extends readonly string[], Other>(
  values: Values,
  other: Schema<Other>,
): Schema<Values[number] | Other> => ({ type: 'oneOf', values, other })

export const nullable = <Value>(of: Schema<Value>): Schema<Value | null> => ({ type: 'nullable', of })

export const list = <Value>(of: Schema<Value>): Schema<readonly Value[]> => ({ type: 'list', of })

export const tuple = <const Of extends readonly Schema[]>(
  ...of: Of
): Schema<{ readonly [At in keyof Of]: ValueOf<Of[At]> }> => ({ type: 'tuple', of })

export const map = <Key, Value>(key: Schema<Key>, value: Schema<Value>): Schema<ReadonlyMap<Key, Value>> => ({
  type: 'map',
  key,
  value,
})

export const optional = <Value>(schema: Schema<Value>): Optional<Value> => ({ optional: schema })

export const record = <const F extends Fields>(
  fields: F,
): RecordSchema<RecordOf<F>> & { readonly fields: F } => ({
  type: 'record',
  fields,
})

/** The same fields, all optional. */
export const partial = <const F extends Fields>(
  fields: F,
): { readonly [Name in keyof F]: Optional<FieldValue<F[Name]>> } =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, 'optional' in field ? field : optional(field)]),
  ) as never

/** One of several records, distinguished by the field `tag`. */
export const union = <const Tag extends string, const Variants extends Readonly<Record<string, Fields>>>(
  tag: Tag,
  variants: Variants,
): Schema<
  {
    [Name in keyof Variants & string]: Flat<{ readonly [Of in Tag]: Name } & RecordOf<Variants[Name]>>
  }[keyof Variants & string]
> => ({
  type: 'union',
  tag,
  variants: Object.fromEntries(
    Object.entries(variants).map(([value, fields]) => [
      value,
      { type: 'record', fields, constant: { name: tag, value } },
    ]),
  ),
})

export type EventSchema<Kind extends string = string, F extends Fields = Fields> = {
  readonly type: 'record'
  readonly fields: F & typeof ofEvent
  readonly constant: { readonly name: 'kind'; readonly value: Kind }
  readonly [VALUE]?: Flat<{ readonly kind: Kind } & RecordOf<typeof ofEvent & F>>
}

/** The first field of every event. */
const ofEvent = { at: instant<Instant>() }

/**
 * Events by kind. The field `sealed`, if any, holds values that are random even in a seeded world; it is stored
 * outside the hashed part.
 */
export const events = <const Kinds extends Readonly<Record<string, Fields>>>(
  kinds: Kinds,
): { readonly [Kind in keyof Kinds & string]: EventSchema<Kind, Kinds[Kind]> } =>
  Object.fromEntries(
    Object.entries(kinds).map(([kind, fields]) => [
      kind,
      { ...record({ ...ofEvent, ...fields }), constant: { name: 'kind', value: kind } },
    ]),
  ) as never

/** The events of a declaration. */
export type EventIn<Kinds> = ValueOf<Kinds[keyof Kinds]>
