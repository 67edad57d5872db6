/** The result of a step that may be refused. A refusal is a value, never an exception. */
export type Result<Value, Reason> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly reason: Reason }

export const ok = <Value>(value: Value): Result<Value, never> => ({ ok: true, value })
export const fail = <const Reason>(reason: Reason): Result<never, Reason> => ({ ok: false, reason })

/** Ends every switch over a union: a missing case fails the build. */
export function unreachable(value: never): never {
  throw new Error(`bug: no case for ${String(value)}`)
}

/** For values that the state must contain; a missing one is a broken invariant, not a refusal. */
export function found<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) throw new Error(`bug: ${name} is not in the state`)
  return value
}

/** The value of a key that a map must have. */
export function entryIn<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = map.get(key)
  if (value === undefined) throw new Error(`bug: no entry of ${String(key)}`)
  return value
}

/** The value under an id that a client sent, if there is one. */
export const lookUp = <Id extends string, Value>(
  map: ReadonlyMap<Id, Value>,
  id: string | undefined,
): Value | undefined => map.get(id as Id)

/** Whether there is a value under an id that a client sent. */
export const hasId = <Id extends string>(map: ReadonlyMap<Id, unknown>, id: string | undefined): boolean =>
  map.has(id as Id)

/** The item at an index that a list must have. */
export function itemAt<Item>(list: ArrayLike<Item>, index: number): Item {
  const item = list[index]
  if (item === undefined) throw new Error(`bug: no item ${index} in a list of ${list.length}`)
  return item
}

/** The first of a list that is not empty. */
export const firstOf = <Item>(list: ArrayLike<Item>): Item => itemAt(list, 0)

/** The last of a list that is not empty. */
export const lastOf = <Item>(list: ArrayLike<Item>): Item => itemAt(list, list.length - 1)

/** For a part that must exist here: `part ?? missing('the part')`. */
export function missing(name: string): never {
  throw new Error(`bug: ${name} is missing`)
}
