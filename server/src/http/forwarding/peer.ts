import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { PartnerId } from '@quipu/core'
import type { Actor } from '../../journal/cause.ts'
import { refuse } from '../../wire/refusal.ts'

/** An operator whose credential belongs to another world, authenticated by the node that holds that world. */
export type ForwardedOperator = {
  readonly partnerId: PartnerId
  readonly credentialId: string
  readonly readOnly?: boolean | undefined
  /** For the audit log. */
  readonly actor: Actor
}

/** What a node says about a request that it forwards. */
export type Forwarded = {
  /** The world that the request is for. */
  readonly world: string
  readonly address: string
  readonly scheme: 'http' | 'https'
  readonly operator?: ForwardedOperator | undefined
  /** Only of a stream: the journal number of the last update that its client has received. */
  readonly stream?: { readonly after?: number | undefined } | undefined
}

const SECRET = 'quipu-cluster-secret'
const FORWARDED = 'quipu-cluster-forwarded'

/** The prefix of headers between nodes. A client's headers of this kind are not forwarded. */
export const PEER_PREFIX = 'quipu-cluster-'

/** The header of an answer that the node does not hold the world. Nothing was applied. */
export const NOT_HELD = 'quipu-cluster-not-held'

/** The headers that a node adds to a request that it forwards, flat. */
export const peerHeaders = (secret: string, forwarded: Forwarded): readonly string[] => [
  SECRET,
  secret,
  FORWARDED,
  Buffer.from(JSON.stringify(forwarded)).toString('base64url'),
]

const forwardedRequests = new WeakMap<IncomingMessage, Forwarded>()

/** What the node that forwarded this request says about it. Only after `readPeer`. */
export const forwardedOf = (request: IncomingMessage): Forwarded | undefined => forwardedRequests.get(request)

/** Reads the headers of another node; refuses a request with a wrong secret. */
export function readPeer(request: IncomingMessage, secret: string): Forwarded | undefined {
  const { [SECRET]: received, [FORWARDED]: text } = request.headers
  if (received === undefined && text === undefined) return undefined
  if (typeof received !== 'string' || typeof text !== 'string' || !isSame(received, secret))
    throw refuse({ code: 'forbidden' })
  const forwarded = JSON.parse(Buffer.from(text, 'base64url').toString()) as Forwarded
  forwardedRequests.set(request, forwarded)
  return forwarded
}

/** Compares digests, which have the same length for any secret. */
const isSame = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'))
