import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { type Caller, isRefusedIssuer } from '@quipu/broker/access/caller.ts'
import { findCaller } from '@quipu/broker/access/failed-attempts.ts'
import { onBehalfOf } from '@quipu/broker/journal/cause.ts'
import { mayAudit, type Operation, type OperationName, operations, type Who } from '@quipu/contract'
import type { Flavour } from '@quipu/core'
import { type Refused, refuse } from '../wire/refusal.ts'
import { clientAddress } from './connection/client-address.ts'
import { flavourOf } from './connection/host.ts'
import { Context } from './context.ts'
import type { Exchange } from './exchange.ts'
import { assertHeld } from './forwarding/held-world.ts'
import { forwardedOf, hasClusterToken } from './forwarding/peer.ts'
import { callerFromPeer } from './forwarding/peer-caller.ts'
import { isKnownReader } from './metrics/metrics-readers.ts'
import type { CallerIndex, Services } from './services.ts'

/**
 * The caller that the headers name, in this order:
 *   a key pair   APCA-API-KEY-ID and APCA-API-SECRET-KEY
 *   Basic        the same pair in one header; together with a key pair it must name the same key
 *   Bearer       a token; refused together with a key pair
 */
export function requestCaller(
  headers: IncomingHttpHeaders,
  credentials: CallerIndex,
  flavour: Flavour,
): Caller | undefined {
  const keyId = headers['apca-api-key-id']
  const { authorization } = headers
  if (authorization === undefined) return byPair(credentials, keyId, headers['apca-api-secret-key'])
  const space = authorization.indexOf(' ')
  const scheme = authorization.slice(0, space).toLowerCase()
  const credential = authorization.slice(space + 1).trim()
  if (scheme === 'bearer')
    return keyId === undefined && credential !== '' ? credentials.byToken?.(credential, flavour) : undefined
  if (scheme !== 'basic') return undefined
  const [id, secret] = pairOf(credential)
  if (keyId !== undefined && keyId !== id) return undefined
  if (keyId !== undefined && headers['apca-api-secret-key'] !== secret) return undefined
  return byPair(credentials, id, secret)
}

/** The key id in the headers, valid or not; for hints in the log, never for responses. */
export function namedKey(headers: IncomingHttpHeaders): string | undefined {
  const keyId = headers['apca-api-key-id']
  if (keyId !== undefined) return String(keyId)
  const { authorization } = headers
  return authorization?.toLowerCase().startsWith('basic ')
    ? pairOf(authorization.slice(6).trim())[0]
    : undefined
}

function byPair(
  credentials: CallerIndex,
  id: string | string[] | undefined,
  secret: string | string[] | undefined,
): Caller | undefined {
  return typeof id === 'string' && typeof secret === 'string' ? credentials.byKey(id, secret) : undefined
}

function pairOf(encoded: string): readonly [string | undefined, string | undefined] {
  const pair = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  return colon < 0 ? [undefined, undefined] : [pair.slice(0, colon), pair.slice(colon + 1)]
}

const CHALLENGE = ['WWW-Authenticate', 'Bearer, Basic realm="alpaca.markets"'] as const
/** RFC 6750 requires an error code if the request has a token, and none otherwise. */
export const TOKEN_CHALLENGE = ['WWW-Authenticate', 'Bearer error="invalid_token"'] as const
const SCOPE_CHALLENGE = ['WWW-Authenticate', 'Bearer error="insufficient_scope"'] as const

/** The token in the headers. */
export const bearerIn = ({ authorization = '' }: IncomingHttpHeaders): string | undefined =>
  /^bearer +(.+)$/i.exec(authorization)?.[1]?.trim()

export const isBearer = ({ authorization = '' }: IncomingHttpHeaders): boolean =>
  /^bearer( |$)/i.test(authorization)

export const unauthorized = ({ family }: Operation, headers: IncomingHttpHeaders): Refused =>
  refuse(
    { code: family === 'tokenization' ? 'unauthorizedTokenization' : 'unauthorized' },
    isBearer(headers) ? TOKEN_CHALLENGE : CHALLENGE,
  )

/** The reason why the caller may not call the operation; undefined if it may. */
export function refusalFor(
  name: OperationName,
  caller: Caller,
  headers: IncomingHttpHeaders,
): Refused | undefined {
  const operation: Operation = operations[name]
  if (caller.kind === 'partner' && caller.auditor)
    return mayAudit(operation) ? undefined : refuse({ code: 'auditorReadsOnly' })
  if (isRefusedIssuer(caller, operation.who)) return refuse({ code: 'issuerCallbacksOnly' })
  if (!operation.who.some((who) => isWho(who, caller))) return wrongKind(operation, headers)
  if (caller.readOnly && operation.method !== 'GET') return refuse({ code: 'readOnlyToken' })
  if (caller.kind !== 'account' || caller.scopes === undefined) return undefined
  if (operation.scope === 'read' || caller.scopes.has(operation.scope)) return undefined
  // No scope allows the operation, so the response names none.
  if (operation.scope === 'never') return refuse({ code: 'forbidden' })
  const code = operation.family === 'tokenization' ? 'forbidden' : 'insufficientScope'
  return refuse({ code }, SCOPE_CHALLENGE)
}

/** The Broker API does not reveal which apps exist: a caller without access gets the error of missing credentials. */
const wrongKind = (operation: Operation, headers: IncomingHttpHeaders): Refused =>
  operation.family === 'broker' ? unauthorized(operation, headers) : refuse({ code: 'forbidden' })

export function isWho(who: Who, caller: Caller): boolean {
  switch (who) {
    case 'anyone':
      return true
    case 'operator':
      return caller.kind === 'partner' && caller.operator
    case 'issuer':
      return caller.kind === 'partner' && caller.isIssuer === true
    case 'partner':
      return caller.kind === 'partner' && !caller.auditor && !caller.isIssuer
    case 'account':
    case 'visitor':
      return caller.kind === who
  }
}

type Declared = Exchange & {
  readonly declared: Operation
  lookedUp?: { readonly caller: Caller | undefined }
}

/** The caller of a request, if its credentials are right. They are checked once. */
export function callerOfRequest(services: Services, exchange: Declared): Caller | undefined {
  const { who } = exchange.declared
  // An open operation with a second kind of caller checks credentials but does not require them.
  if (who.length === 1 && who[0] === 'anyone') return undefined
  exchange.lookedUp ??= { caller: authenticate(services, exchange) }
  return exchange.lookedUp.caller
}

/** Wrong credentials beyond the limits of failed attempts get 429. */
function authenticate(services: Services, exchange: Exchange): Caller | undefined {
  const { request, requestId, operation } = exchange
  const flavour = flavourOf(request.headers.host)
  const forwarded = forwardedOf(request)
  const fromPeer = forwarded && callerFromPeer(services, forwarded)
  if (fromPeer) return fromPeer
  if (!hasCredentials(request) || hasClusterToken(services, request)) return undefined
  const { failedAttempts, credentials } = services.security
  if (operation === 'getMetrics' && isKnownReader(services, request)) return undefined
  const caller = requestCaller(request.headers, credentials, flavour)
  const chosenKey = credentials.chosenKey(namedKey(request.headers))
  if (caller !== undefined && chosenKey === undefined) return caller
  if (caller === undefined) assertHeld(services, request)
  const { cause } = new Context({ services, request, requestId, operation, caller })
  const address = clientAddress(request, services.settings.trustProxy)
  const find = () => findCaller(failedAttempts, address, chosenKey, () => caller)
  const found = onBehalfOf(cause, find)
  if (found.waitSeconds > 0)
    throw refuse({ code: 'tooManyFailedAttempts' }, ['Retry-After', String(found.waitSeconds)])
  return found.caller
}

/** Whether the headers have a credential, right or wrong. */
export const hasCredentials = ({ headers }: IncomingMessage): boolean =>
  headers.authorization !== undefined || headers['apca-api-key-id'] !== undefined
