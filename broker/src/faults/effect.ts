/** A delay: fixed, drawn between two bounds, or just over the timeout of the client. */
export type Delay =
  | { readonly ms: number }
  | { readonly minMs: number; readonly maxMs: number; readonly distribution: 'uniform' | 'long_tail' }
  | { readonly clientTimeoutMs: number }

/** On a request of the HTTP API. */
export type RequestEffect =
  | {
      readonly kind: 'status'
      readonly status: number
      /** The request is applied before the error is sent. */
      readonly applied: boolean
      readonly retryAfterSeconds: number
      readonly message?: string
    }
  | (Delay & { readonly kind: 'delay'; readonly applied: boolean })
  | { readonly kind: 'requestLost' | 'answerLost' | 'truncated' }
  | { readonly kind: 'reset'; readonly applied: boolean }

/** On a connection of a stream, from some moment on. */
export type ConnectionEffect =
  | { readonly kind: 'close'; readonly code: number; readonly message: string }
  | { readonly kind: 'silence'; readonly ms?: number }
  | { readonly kind: 'halfOpen' }
  | (Delay & { readonly kind: 'slow' })

/** On one message of a stream. */
export type MessageEffect =
  | { readonly kind: 'duplicate' | 'drop' }
  | { readonly kind: 'reorder'; readonly by: number; readonly ms: number }

export type SubscriptionEffect = { readonly kind: 'lostSubscription'; readonly acknowledged: boolean }

export type AuthenticationEffect = {
  readonly kind: 'refusedAuthentication'
  readonly as: 'wrong_credentials' | 'connection_limit'
}

export type MarketEffect =
  | { readonly kind: 'outage'; readonly status: number }
  | { readonly kind: 'staleQuotes' }

/** On a call to an issuer or a chain. */
export type CallEffect =
  | { readonly kind: 'callRefused' | 'callFailed'; readonly message: string }
  | (Delay & { readonly kind: 'callDelayed' })
  | { readonly kind: 'callAnswerLost' }

/** The effects by what they are matched against. */
export type Effects = {
  readonly request: RequestEffect
  readonly connection: ConnectionEffect
  readonly message: MessageEffect | ConnectionEffect
  readonly subscription: SubscriptionEffect
  readonly authentication: AuthenticationEffect
  readonly market: MarketEffect
  readonly call: CallEffect
}

export type FaultEvent = keyof Effects
export type Effect = Effects[FaultEvent]

/** How much longer than the timeout of the client a delay is, so that the client certainly gives up first. */
const OVER_TIMEOUT_MS = 500

/** The milliseconds of a delay; `draw` is between 0 and 1. */
export function delayMs(delay: Delay, draw: number): number {
  if ('ms' in delay) return delay.ms
  if ('clientTimeoutMs' in delay) return delay.clientTimeoutMs + OVER_TIMEOUT_MS
  const { minMs, maxMs, distribution } = delay
  // The fourth power: half of the delays are in the first sixteenth of the range.
  const part = distribution === 'uniform' ? draw : draw * draw * draw * draw
  return minMs + Math.round((maxMs - minMs) * part)
}
