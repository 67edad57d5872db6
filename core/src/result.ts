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

/** The last of a list that is not empty. */
export function lastOf<Item>(list: ArrayLike<Item>): Item {
  const item = list[list.length - 1]
  if (item === undefined) throw new Error('bug: a list is empty')
  return item
}
