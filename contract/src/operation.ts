import type { ErrorName } from './errors.table.ts'
import { type AnyShape, closedRecord, type Fields, type RecordShape } from './shape/index.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Each family has its own error for parameter problems; see `error-responses.ts`. */
export type Family = 'trading' | 'data' | 'broker' | 'oauth' | 'tokenization' | 'sim' | 'system'

/**
 * Who may call:
 * account: a trading key or an OAuth token of one account; partner: a broker credential of one world;
 * issuer: the credential of an external issuer, which is also that of a partner but has no other rights;
 * operator: the credential of the whole server; visitor: a caller without credentials, who uses `main`;
 * anyone: credentials are ignored.
 */
export type Who = 'account' | 'partner' | 'issuer' | 'operator' | 'visitor' | 'anyone'

/** The scope that an OAuth token needs. Every token has `read`; `never` refuses OAuth tokens. */
export type OperationScope = 'read' | 'account:write' | 'trading' | 'data' | 'tokenization' | 'never'

/** works: as the protocol specifies; empty: the right format, always without content; refused: always an error. */
export type OperationState = 'works' | 'empty' | 'refused'

type AnyRecord = AnyShape & { readonly fields: Fields }

/** One operation of the API. Its key in the table is its name. */
export type Operation = {
  readonly family: Family
  readonly method: Method
  /** `{name}` is one segment, `{name...}` the rest of the path; a colon is plain text. */
  readonly path: string
  readonly summary: string
  readonly who: readonly Who[]
  readonly scope: OperationScope
  readonly params?: AnyRecord
  readonly query?: AnyRecord
  /** Keys in lower case, as Node spells them. */
  readonly headers?: AnyRecord
  readonly body?: AnyShape
  /** The error for a body that is not JSON. Default: `bodyNotJson`. */
  readonly undecodable?: ErrorName
  /** The format of the body. Default: JSON. `bytes`: a file, with its own size limit. */
  readonly bodyKind?: 'json' | 'form' | 'bytes'
  /**
   * The limit of the body. small: 16 KiB, for orders and other requests of programs; default: 64 KiB; large: the setting
   * `body_max_bytes`, for lists of operators; run: the setting of run files.
   */
  readonly bodySize?: 'small' | 'large' | 'run'
  /** The shape of the response; absent if the response is empty or `raw`. */
  readonly output?: AnyShape
  readonly status: number
  /** The media type of a response that is not JSON; its handler returns text. */
  readonly raw?: string
  /** Other media types that `Accept` can request; `text/event-stream` continues with new entries. */
  readonly also?: readonly ('text/csv' | 'application/x-ndjson' | 'text/event-stream')[]
  readonly errors: readonly ErrorName[]
  /** A health check for monitoring: it has no rate limit. */
  readonly probe?: boolean
  readonly state: OperationState
  readonly deprecated?: boolean
  /** The path may contain a secret, so it is never logged. */
  readonly secretPath?: boolean
  /** A request that only reads, although its method is not GET. */
  readonly onlyReads?: boolean
  /** Controls worlds, clocks or prices: not served with the setting `sim` off. */
  readonly needsSim?: boolean
}

/** An auditor reads everything that a partner or an operator reads, and changes nothing. */
export const mayAudit = ({ method, who, onlyReads }: Operation): boolean =>
  (method === 'GET' || onlyReads === true) && (who.includes('partner') || who.includes('operator'))

/** A declaration, or the part of it that several operations share. */
type Declaration = Partial<Omit<Operation, 'method' | 'path'>>

type Declared<Route, Shared, Own> = Omit<Shared, keyof Own> &
  Own &
  Pick<Operation, 'status' | 'errors' | 'state'> &
  (Route extends `${infer M extends Method} ${infer P}` ? { readonly method: M; readonly path: P } : never)

/**
 * Declares an operation and keeps its literal types. `own` takes precedence over `shared`. Defaults: the state is
 * `works`, there are no errors, and the status is 200, or 204 if the response is empty.
 */
export function operation<
  const Route extends `${Method} /${string}`,
  const Shared extends Declaration,
  const Own extends Declaration,
>(route: Route, shared: Shared, own: Own): Declared<Route, Shared, Own> {
  const [method, path] = route.split(' ')
  const declared: Declaration = { ...shared, ...own }
  const isEmpty = declared.output === undefined && declared.raw === undefined
  const defaults = { status: isEmpty ? 204 : 200, errors: [], state: 'works' }
  const body = path!.startsWith(CONTROL) ? closedBody(declared.body) : declared.body
  return { ...defaults, ...declared, ...(body && { body }), method, path } as unknown as Declared<
    Route,
    Shared,
    Own
  >
}

/** The API of the protocol ignores unknown fields, as clients expect; the control API refuses them. */
const CONTROL = '/sim/v1/'

const closedBody = (body: AnyShape | undefined): AnyShape | undefined =>
  body && 'fields' in body && 'refine' in body ? closedRecord(body as RecordShape<Fields>) : body
