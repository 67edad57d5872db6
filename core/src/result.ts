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
