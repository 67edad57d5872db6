import type { ErrorName } from './errors.table.ts'
import type { AnyShape, Fields } from './shape/index.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Families answer parameter problems in their own way; see `answers.ts`. */
export type Family = 'trading' | 'data' | 'broker' | 'oauth' | 'tokenization' | 'sim' | 'system'

/**
 * Who may call:
 * account: a trading key or an OAuth token of one account; partner: a broker credential of one world;
 * operator: the credential of the whole process; visitor: whoever has none, who then enters `main`;
 * anyone: no credential is looked at.
 */
export type Who = 'account' | 'partner' | 'operator' | 'visitor' | 'anyone'

/** What an OAuth token must have been granted; `read` is granted with every token, `never` refuses tokens. */
export type Scope = 'read' | 'account:write' | 'trading' | 'data' | 'tokenization' | 'never'

/** works: as the protocol says; empty: the right shape, never with content; refused: always an error. */
export type State = 'works' | 'empty' | 'refused'

type AnyRecord = AnyShape & { readonly fields: Fields }

/** One operation of the platform. The key it stands under is its name. */
export type Operation = {
  readonly family: Family
  readonly method: Method
  /** `{name}` is one segment, `{name...}` the rest of the path; a colon is plain text. */
  readonly path: string
  readonly summary: string
  readonly who: readonly Who[]
  readonly scope: Scope
  readonly params?: AnyRecord
  readonly query?: AnyRecord
  /** Keys in lower case, as Node spells them. */
  readonly headers?: AnyRecord
  readonly body?: AnyShape
  /** The row that answers a body which is no JSON, where it is not the usual one. */
  readonly undecodable?: ErrorName
  /** How the body is written; JSON unless said. */
  readonly bodyKind?: 'json' | 'form'
  /** The shape of the answer; absent where the answer is empty or `raw`. */
  readonly output?: AnyShape
  readonly status: number
  /** The media type of an answer that is not JSON; its handler yields text. */
  readonly raw?: string
  /** Other media types in which the answer can be asked for; `text/event-stream` goes on as things happen. */
  readonly also?: readonly ('text/csv' | 'application/x-ndjson' | 'text/event-stream')[]
  readonly errors: readonly ErrorName[]
  /** For programs that watch the server: it has no rate limit. */
  readonly probe?: boolean
  readonly state: State
  readonly deprecated?: boolean
  /** A secret may stand in its path, which is then written down nowhere. */
  readonly secretPath?: boolean
  /** Controls worlds, clocks or prices: not served with the setting `sim` off. */
  readonly needsSim?: boolean
}

/** Declares an operation; the type keeps every literal. */
export const operation = <const D extends Operation>(declared: D): D => declared
