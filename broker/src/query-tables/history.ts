import type { AccountId, ActivityKind, ActivityPosition, Instant } from '@quipu/core'

/**
 * The parts of an account's history, each in chronological order. Order updates are stored separately.
 *
 *   activity   changes of its holdings, one row each
 *   close      holdings at a regular close, if they differ from the previous close
 *   movement   money and shares that its partner moved; book transfers are also listed with the partner
 *   requests   changes of its tokenization requests; also listed with the issuer
 *   keys       responses to calls with an idempotency key, of a credential, found by the key; responses and results of
 *              book transfers between two worlds, found by their id
 */
export type HistoryPart = 'activity' | 'close' | 'movement' | 'requests' | 'keys'
type Part = HistoryPart | 'updates'

export type HistoryKind =
  | ActivityKind
  | 'close'
  | 'transferIn'
  | 'transferOut'
  | 'cashBookTransfer'
  | 'shareBookTransfer'
  | 'requestChanged'
  | 'keyed'

export type HistoryRow = {
  readonly accountId: AccountId
  readonly part: HistoryPart
  /** Its position as sortable text, or its key. */
  readonly id: string
  readonly kind: HistoryKind
  readonly record: string
}

/** Order updates of an account that were written together. Comparisons skip them, because that depends on timing. */
export type UpdatesRow = {
  readonly accountId: AccountId
  /** The position of the last update as sortable text. */
  readonly id: string
  readonly record: Buffer
}

/** Selects rows of one part of an account's history. */
export type HistoryQuery = UpdatesQuery & {
  readonly part: HistoryPart
  readonly kinds?: readonly HistoryKind[]
}

/** Selects rows of an account's order updates. */
export type UpdatesQuery = {
  readonly accountId: AccountId
  /** Both exclusive. */
  readonly after?: Instant
  readonly until?: Instant
  /** Exclusive cursor in the requested direction. */
  readonly beyond?: ActivityPosition
  readonly direction: 'asc' | 'desc'
  /** Default: all rows. */
  readonly limit?: number
}

const letters: Readonly<Record<Part, string>> = {
  activity: 'a',
  close: 'c',
  movement: 'm',
  requests: 'r',
  keys: 'k',
  updates: 'u',
}
/** Sorts after every digit of a position. */
const AFTER_DIGITS = 'g'
const INSTANT_MIN = -(2n ** 63n)
const INSTANT_MAX = 2n ** 63n - 1n

export function historyId(part: Part, { at, seq, n }: ActivityPosition): string {
  return timeId(part, at) + seq.toString(16).padStart(12, '0') + n.toString(16).padStart(2, '0')
}

/** The row id of an idempotency key. */
export const keyId = (key: string): string => letters.keys + key

function timeId(part: Part, at: Instant): string {
  const within = at < 0n ? 0n : at > INSTANT_MAX ? INSTANT_MAX : at
  return letters[part] + within.toString(16).padStart(16, '0')
}

/** Clamps an instant to 64 bits, the range of the databases. No stored instant is outside this range. */
export function storable(at: Instant): bigint {
  if (at < INSTANT_MIN) return INSTANT_MIN
  return at > INSTANT_MAX ? INSTANT_MAX : at
}

/** The exclusive bounds of the row ids that a query selects. */
export function boundsOf(query: UpdatesQuery & { readonly part: Part }): {
  readonly above: string
  readonly below: string
} {
  const { part, after, until, beyond, direction } = query
  const above = [letters[part]]
  const below = [letters[part] + AFTER_DIGITS]
  if (after !== undefined && after >= 0n) above.push(timeId(part, after) + AFTER_DIGITS)
  if (until !== undefined) below.push(timeId(part, until))
  if (beyond !== undefined) (direction === 'asc' ? above : below).push(historyId(part, beyond))
  return {
    above: above.reduce((a, b) => (a > b ? a : b)),
    below: below.reduce((a, b) => (a < b ? a : b)),
  }
}
