import type { AccountId, ActivityKind, ActivityPlace, Instant } from '@quipu/core'

/**
 * What an account's past is kept in, each part in the order in which it happened:
 *
 *   activity   what changed what it holds, one row each
 *   close      what it held at a regular close, where that is something else than at the one before
 *   movement   money and shares that its partner moved; journals stand with the partner too
 *   requests   what became of its requests for tokens; each stands with the issuer too
 *   keys       what a partner did under an idempotency key, found by the key alone
 *   updates    what happened to its orders, as many in a row as were written together
 */
export type HistoryPart = 'activity' | 'close' | 'movement' | 'requests' | 'keys' | 'updates'

export type HistoryKind =
  | ActivityKind
  | 'close'
  | 'updates'
  | 'transferIn'
  | 'transferOut'
  | 'cashJournaled'
  | 'sharesJournaled'
  | 'requestChanged'
  | 'keyed'

export type HistoryRow = {
  readonly accountId: AccountId
  readonly part: HistoryPart
  /** Its place, as text that sorts as places do; or its key. Updates have that of the last one in the row. */
  readonly id: string
  readonly kind: HistoryKind
  readonly record: string
}

/** Which rows of one part of an account's past. */
export type HistoryQuery = {
  readonly accountId: AccountId
  readonly part: HistoryPart
  readonly kinds?: readonly HistoryKind[]
  /** Both exclusive. */
  readonly after?: Instant
  readonly until?: Instant
  /** Exclusive, in the direction asked for. */
  readonly beyond?: ActivityPlace
  readonly direction: 'asc' | 'desc'
  /** All there are, unless said. */
  readonly limit?: number
}

/** Updates lie apart: what stands in a row of them depends on when it was written, and rows are compared. */
export const tableOf = (part: HistoryPart): 'history' | 'updates' =>
  part === 'updates' ? 'updates' : 'history'

const letters: Readonly<Record<HistoryPart, string>> = {
  activity: 'a',
  close: 'c',
  movement: 'm',
  requests: 'r',
  keys: 'k',
  updates: 'u',
}
/** Comes behind every digit of a place. */
const BEHIND = 'g'
const AT_MAX = 2n ** 63n - 1n

export function historyId(part: HistoryPart, { at, seq, n }: ActivityPlace): string {
  return timeId(part, at) + seq.toString(16).padStart(12, '0') + n.toString(16).padStart(2, '0')
}

/** Under which a key's row stands. */
export const keyId = (key: string): string => letters.keys + key

function timeId(part: HistoryPart, at: Instant): string {
  const within = at < 0n ? 0n : at > AT_MAX ? AT_MAX : at
  return letters[part] + within.toString(16).padStart(16, '0')
}

/** Between which ids the rows lie that a query asks for, both exclusive. */
export function boundsOf(query: HistoryQuery): { readonly above: string; readonly below: string } {
  const { part, after, until, beyond, direction } = query
  const above = [letters[part]]
  const below = [letters[part] + BEHIND]
  if (after !== undefined && after >= 0n) above.push(timeId(part, after) + BEHIND)
  if (until !== undefined) below.push(timeId(part, until))
  if (beyond !== undefined) (direction === 'asc' ? above : below).push(historyId(part, beyond))
  return { above: above.sort().at(-1)!, below: below.sort()[0]! }
}

/** The rows a query asks for, by plain looking. */
export function selectHistory(rows: Iterable<HistoryRow>, query: HistoryQuery): readonly HistoryRow[] {
  const { above, below } = boundsOf(query)
  const chosen = [...rows]
    .filter(({ id, kind }) => id > above && id < below && isWanted(kind, query))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  if (query.direction === 'desc') chosen.reverse()
  return query.limit === undefined ? chosen : chosen.slice(0, query.limit)
}

const isWanted = (kind: HistoryRow['kind'], { kinds }: HistoryQuery): boolean =>
  kinds === undefined || kinds.includes(kind as ActivityKind)
