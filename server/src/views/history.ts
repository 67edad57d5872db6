import {
  type AccountId,
  type ActivityKind,
  type ActivityPosition,
  decode,
  encode,
  found,
  type Instant,
  type State,
  type TokenizationRequest,
} from '@quipu/core'

/**
 * The parts of an account's history, each in chronological order. Order updates are stored separately.
 *
 *   activity   changes of its holdings, one row each
 *   close      holdings at a regular close, if they differ from the previous close
 *   movement   money and shares that its partner moved; journals are also listed with the partner
 *   requests   changes of its tokenization requests; also listed with the issuer
 *   keys       results of calls with an idempotency key, found by the key
 */
export type HistoryPart = 'activity' | 'close' | 'movement' | 'requests' | 'keys'
type Part = HistoryPart | 'updates'

export type HistoryKind =
  | ActivityKind
  | 'close'
  | 'transferIn'
  | 'transferOut'
  | 'cashJournaled'
  | 'sharesJournaled'
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
const AT_MAX = 2n ** 63n - 1n

export function historyId(part: Part, { at, seq, n }: ActivityPosition): string {
  return timeId(part, at) + seq.toString(16).padStart(12, '0') + n.toString(16).padStart(2, '0')
}

/** The row id of an idempotency key. */
export const keyId = (key: string): string => letters.keys + key

function timeId(part: Part, at: Instant): string {
  const within = at < 0n ? 0n : at > AT_MAX ? AT_MAX : at
  return letters[part] + within.toString(16).padStart(16, '0')
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
  return { above: above.sort().at(-1)!, below: below.sort()[0]! }
}

/** The rows that a query selects, by a plain scan. */
export function selectHistory(rows: Iterable<HistoryRow>, query: HistoryQuery): readonly HistoryRow[] {
  const { above, below } = boundsOf(query)
  const chosen = [...rows]
    .filter(({ id, kind }) => id > above && id < below && matchesKind(kind, query))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  if (query.direction === 'desc') chosen.reverse()
  return query.limit === undefined ? chosen : chosen.slice(0, query.limit)
}

const matchesKind = (kind: HistoryRow['kind'], { kinds }: HistoryQuery): boolean =>
  kinds === undefined || kinds.includes(kind as ActivityKind)

/** A request after a change, with the number of the event. */
export type RequestChange = { readonly seq: number; readonly request: TokenizationRequest }

/** A change has a row for the participant and one for the issuer. */
export function requestChangeRows(
  { seq, issuers }: Pick<State, 'seq' | 'issuers'>,
  request: TokenizationRequest,
): readonly HistoryRow[] {
  const id = historyId('requests', { at: request.updatedAt, seq, n: 0 })
  const record = encode({ seq, request } satisfies RequestChange)
  const { accountId: issuerAccountId } = found(issuers.get(request.issuer), request.issuer)
  return [request.accountId, issuerAccountId].map((accountId: AccountId) => ({
    accountId,
    part: 'requests',
    id,
    kind: 'requestChanged',
    record,
  }))
}

export const readRequestChange = (record: string): RequestChange => decode(record) as RequestChange
