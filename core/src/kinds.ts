/** A union of records, declared by the value of their field `kind`. */
export type ByKind<Kinds> = { [Kind in keyof Kinds]: WithKind<Kind, Kinds[Kind]> }[keyof Kinds]

type WithKind<Kind, Fields> = Flat<{ readonly kind: Kind } & Fields>
type Flat<Value> = { [Name in keyof Value]: Value[Name] }

/** The members of a union that have this kind. */
export type OfKind<Union, Kind> = Extract<Union, { readonly kind: Kind }>
