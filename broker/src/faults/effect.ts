import type { FaultEffectOf, FaultEvent, FaultKindName, faultKinds } from '@quipu/contract'

// The kinds and their fields derive from `faultKinds` of the contract. Only the names differ: `call_failed` is `callFailed`.
export type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name
type CamelFields<Wire> = { readonly [Field in keyof Wire as CamelCase<Field & string>]: Wire[Field] }

type EffectsByKind = {
  readonly [Name in FaultKindName as CamelCase<Name>]: { readonly kind: CamelCase<Name> } & CamelFields<
    Omit<FaultEffectOf<Name>, 'kind' | 'on'>
  >
}

export type { FaultEvent }
export type EffectKind = keyof EffectsByKind
export type Effect<One extends EffectKind = EffectKind> = EffectsByKind[One]

/** The kinds that are matched against an event. */
export type KindOf<Event extends FaultEvent> = CamelCase<
  { [Name in FaultKindName]: (typeof faultKinds)[Name]['on'] extends Event ? Name : never }[FaultKindName]
>

/** The kinds on connections that a rule can also match against a message. */
export type KindOnMessage = CamelCase<
  {
    [Name in FaultKindName]: 'on' extends (typeof faultKinds)[Name]['fields'][number] ? Name : never
  }[FaultKindName]
>

/** The effects by what they are matched against. */
export type Effects = {
  readonly [Event in FaultEvent]: Effect<KindOf<Event> | (Event extends 'message' ? KindOnMessage : never)>
}

/** The words of a client order id after the kind: `quipu-fault:status-504-applied`. */
export type IdWords = {
  readonly detail: string
  readonly isApplied: boolean
  /** The statuses that a rule can send. */
  readonly statuses: readonly number[]
}

/** The name in code of a name on the wire. */
export const camelCase = <Name extends string>(name: Name): CamelCase<Name> =>
  name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()) as CamelCase<Name>

/** A delay: fixed, just over the timeout of the client, or drawn between two bounds. */
export type DelayEffect = {
  readonly ms?: number
  readonly clientTimeoutMs?: number
  readonly minMs?: number
  readonly maxMs?: number
  readonly distribution?: 'uniform' | 'long_tail'
}

/** How much longer than the timeout of the client a delay is, so that the client certainly gives up first. */
const OVER_TIMEOUT_MS = 500

/** The milliseconds of a delay; `draw` is between 0 and 1. */
export function delayMs(
  { ms, clientTimeoutMs, minMs = 0, maxMs = minMs, distribution }: DelayEffect,
  draw: number,
): number {
  if (ms !== undefined) return ms
  if (clientTimeoutMs !== undefined) return clientTimeoutMs + OVER_TIMEOUT_MS
  // The fourth power: half of the delays are in the first sixteenth of the range.
  const part = distribution === 'long_tail' ? draw * draw * draw * draw : draw
  return minMs + Math.round((maxMs - minMs) * part)
}
