/** A union of records, declared by the value of their field `kind`. */
export type ByKind<Kinds> = { [Kind in keyof Kinds]: WithKind<Kind, Kinds[Kind]> }[keyof Kinds]

type WithKind<Kind, Fields> = Flat<{ readonly kind: Kind } & Fields>
type Flat<Value> = { [Name in keyof Value]: Value[Name] }

/** The members of a union that have this kind. */
export type OfKind<Union, Kind> = Extract<Union, { readonly kind: Kind }>

/** Whether a value has one of the kinds of a declaration. A switch over such a value names them all. */
export const isOneOf = <Kind extends string, Value extends { readonly kind: string }>(
  kinds: Readonly<Record<Kind, unknown>>,
  value: Value,
): value is OfKind<Value, Kind> => value.kind in kinds
