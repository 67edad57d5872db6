import { delayMs, type Effect, type IdWords, type KindOf } from './effect.ts'

export type RequestFaultKind = KindOf<'request'>

/** The connection ends without a response. */
export class ConnectionLost extends Error {
  readonly withReset: boolean

  constructor(withReset = false) {
    super('a fault rule closes the connection')
    this.name = 'ConnectionLost'
    this.withReset = withReset
  }
}

/** The error of the protocol for a status. */
type StatusError = (effect: Effect<'status'>) => Error

type RequestEffect<One extends RequestFaultKind> = {
  /** Whether the request is applied before the effect. */
  readonly isAfter: (effect: Effect<One>) => boolean
  /** The error that replaces the response. */
  readonly error?: (effect: Effect<One>, statusError: StatusError) => Error
  readonly waitMs?: (effect: Effect<One>, draw: number) => number
  /** Only half of the body is sent. */
  readonly truncates?: true
  /** Whether the request is late in the network: it is applied although its client may have given up. */
  readonly isLate?: (effect: Effect<One>) => boolean
  /** The effect of a client order id; undefined if its words do not fit. */
  readonly ofId: ((words: IdWords) => Effect<One> | undefined) | undefined
  /** The effect of the symbol `FAULT.<word>`. */
  readonly ofSymbol: ((word: string, statuses: readonly number[]) => Effect<One> | undefined) | undefined
}

type RequestEffects = { readonly [One in RequestFaultKind]: RequestEffect<One> }

const DELAY_MAX_MS = 600_000

/** The effects on a request of the HTTP API. */
export const requestEffects = {
  status: {
    isAfter: ({ applied }) => applied,
    error: (effect, statusError) => statusError(effect),
    ofId: ({ detail, isApplied, statuses }) =>
      statuses.includes(Number(detail)) && (!isApplied || Number(detail) >= 500)
        ? statusEffect(Number(detail), isApplied)
        : undefined,
    ofSymbol: (word, statuses) => (statuses.includes(Number(word)) ? statusEffect(Number(word)) : undefined),
  },
  delay: {
    isAfter: ({ applied }) => applied,
    waitMs: delayMs,
    isLate: ({ applied }) => !applied,
    ofId({ detail, isApplied }) {
      const ms = Number(detail)
      return ms > 0 && ms <= DELAY_MAX_MS ? { kind: 'delay', ms, applied: isApplied } : undefined
    },
    ofSymbol: undefined,
  },
  requestLost: {
    isAfter: () => false,
    error: () => new ConnectionLost(),
    ofId: ({ detail }) => (detail === '' ? { kind: 'requestLost' } : undefined),
    ofSymbol: (word) => (word === 'LOST' ? { kind: 'requestLost' } : undefined),
  },
  answerLost: {
    isAfter: () => true,
    error: () => new ConnectionLost(),
    ofId: ({ detail }) => (detail === '' ? { kind: 'answerLost' } : undefined),
    ofSymbol: undefined,
  },
  reset: {
    isAfter: ({ applied }) => applied,
    error: () => new ConnectionLost(true),
    ofId: ({ detail, isApplied }) => (detail === '' ? { kind: 'reset', applied: isApplied } : undefined),
    ofSymbol: (word) => (word === 'RESET' ? { kind: 'reset', applied: false } : undefined),
  },
  truncated: {
    isAfter: () => true,
    truncates: true,
    ofId: ({ detail }) => (detail === '' ? { kind: 'truncated' } : undefined),
    ofSymbol: undefined,
  },
} satisfies RequestEffects

/** An error status before the request is applied, or after it. */
export const statusEffect = (status: number, applied = false): Effect<'status'> => ({
  kind: 'status',
  status,
  applied,
  retryAfterSeconds: 1,
})

/** What an effect does to a request. */
export type RequestPlan = {
  readonly isAfter: boolean
  readonly isLate: boolean
  readonly truncates: boolean
  readonly waitMs: number | undefined
  readonly error: (statusError: StatusError) => Error | undefined
}

export const planOf = (effect: Effect<RequestFaultKind>, draw: number): RequestPlan =>
  planOfKind(effect.kind, effect, draw)

function planOfKind<One extends RequestFaultKind>(kind: One, effect: Effect<One>, draw: number): RequestPlan {
  const effects: RequestEffects = requestEffects
  const row = effects[kind]
  return {
    isAfter: row.isAfter(effect),
    isLate: row.isLate?.(effect) === true,
    truncates: row.truncates === true,
    waitMs: row.waitMs?.(effect, draw),
    error: (statusError) => row.error?.(effect, statusError),
  }
}
