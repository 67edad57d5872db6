import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { SECRET_HEADER } from '@quipu/broker/cluster/ask-node.ts'
import type { Actor } from '@quipu/broker/journal/cause.ts'
import type { AccountId, PartnerId } from '@quipu/core'
import { itemAt } from '@quipu/core/values'
import { type Refused, refuse } from '../../wire/refusal.ts'

/** An operator or auditor whose credential belongs to another world, authenticated by the node that holds that world. */
export type ForwardedOperator = {
  readonly partnerId: PartnerId
  readonly credentialId: string
  readonly auditor: boolean
  readonly readOnly?: boolean | undefined
  /** For the audit log. */
  readonly actor: Actor
}

/** An account that the operator of another world opens, authenticated in the same way. */
export type ForwardedAccount = Omit<ForwardedOperator, 'partnerId' | 'auditor'> & {
  readonly accountId: AccountId
}

/** What a node says about a request that it forwards. */
export type Forwarded = {
  /** The world that the request is for. */
  readonly world: string
  readonly address: string
  readonly scheme: 'http' | 'https'
  readonly operator?: ForwardedOperator | undefined
  readonly account?: ForwardedAccount | undefined
  /** The node has seen that the request comes from its own machine: see `from-machine.ts`. */
  readonly isFromMachine?: boolean | undefined
  /** For the stream of worlds only: leaves out worlds on other nodes. */
  readonly localWorlds?: true | undefined
  /** Only of a stream: the journal number of the last update that its client has received. */
  readonly stream?: { readonly after?: number | undefined } | undefined
}

/** The caller that the node has authenticated, if the credential belongs to another world. */
export type ForwardedCaller = Pick<Forwarded, 'operator' | 'account'>

const FORWARDED = 'quipu-cluster-forwarded'

/** The prefix of headers between nodes. A client's headers of this kind are not forwarded. */
export const PEER_PREFIX = 'quipu-cluster-'

/** The header of a response that the node does not hold the world. Nothing was applied. */
export const NOT_HELD = 'quipu-cluster-not-held'
/** Its value if the world is being moved from or to this node. */
export const MOVING = 'moving'

/** Another node sends the request to the next holder of the world. */
export const shuttingDown = ({ headers }: IncomingMessage): Refused =>
  refuse({ code: 'shuttingDown' }, ['Retry-After', '1', ...(SECRET_HEADER in headers ? [NOT_HELD, '1'] : [])])

/** The headers that a node adds to a request that it forwards, flat. */
export const peerHeaders = (secret: string, forwarded: Forwarded): readonly string[] => [
  SECRET_HEADER,
  secret,
  FORWARDED,
  Buffer.from(JSON.stringify(forwarded)).toString('base64url'),
]

/** The headers of a forwarded request may be longer by this than those of the client. */
export const PEER_HEADERS_BYTES = 8_192

/** Refuses a request of a client whose headers are longer than those of a client may be. */
export function checkHeaderBytes({ url = '', rawHeaders, headers }: IncomingMessage, maxBytes: number): void {
  if (SECRET_HEADER in headers) return
  let bytes = url.length
  for (const text of rawHeaders) bytes += text.length
  if (bytes >= maxBytes) throw refuse({ code: 'headersTooLarge' }, ['Connection', 'close'])
}

const forwardedRequests = new WeakMap<IncomingMessage, Forwarded>()

/** What the node that forwarded this request says about it. Only after `readPeer`. */
export const forwardedOf = (request: IncomingMessage): Forwarded | undefined => forwardedRequests.get(request)

/** Reads the headers of another node; refuses a request with a wrong secret or unreadable headers. */
export function readPeer(request: IncomingMessage, secret: string): Forwarded | undefined {
  const { [SECRET_HEADER]: received, [FORWARDED]: text } = request.headers
  if (received === undefined && text === undefined) return undefined
  checkSecret(received, secret)
  const forwarded = typeof text === 'string' ? forwardedIn(text) : undefined
  if (!forwarded) throw refuse({ code: 'forbidden' })
  forwardedRequests.set(request, forwarded)
  return forwarded
}

/** What a header says; undefined if it is unreadable. */
function forwardedIn(text: string): Forwarded | undefined {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Forwarded
  } catch {
    return undefined
  }
}

/** Refuses a request of a node with a wrong secret. */
export function checkSecret(received: unknown, secret: string): void {
  if (!isSecret(received, secret)) throw refuse({ code: 'forbidden' })
}

/** Whether the bearer token of a request is the secret of the cluster, which every node knows. */
export const hasClusterToken = (
  { cluster }: { readonly cluster?: { readonly secret: string } | undefined },
  { headers: { authorization = '' } }: IncomingMessage,
): boolean => cluster !== undefined && isSecret(/^bearer +(.*)$/i.exec(authorization)?.[1], cluster.secret)

/** Compares digests, which have the same length for any secret. */
export const isSecret = (received: unknown, secret: string): boolean =>
  typeof received === 'string' &&
  timingSafeEqual(hash('sha256', received, 'buffer'), hash('sha256', secret, 'buffer'))

/** Headers as a record, from a list of names and values. */
export function headerRecord(flat: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {}
  for (let at = 0; at < flat.length; at += 2) headers[itemAt(flat, at)] = itemAt(flat, at + 1)
  return headers
}
