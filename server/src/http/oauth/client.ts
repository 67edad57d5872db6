import { digestOf } from '@quipu/broker/access/credentials.ts'
import { MAIN } from '@quipu/broker/registry/worlds.ts'
import type { World } from '@quipu/broker/world/world.ts'
import { type OAuthErrorName, oauthErrorResponse } from '@quipu/contract'
import { type AppRequest, appByClientId, clientIdOf } from '@quipu/core'
import { RefusedAs } from '../../wire/refusal.ts'
import { type Attempt, attempt } from '../attempt.ts'
import type { Context } from '../context.ts'

/** The form fields that identify an app. */
export type ClientFields = {
  readonly client_id?: string | undefined
  readonly client_secret?: string | undefined
}

/** The app that calls: its id, the digest of its secret if it sent one, and the counted attempt. */
export type AuthenticatedClient = {
  readonly credentials: Pick<AppRequest, 'clientId' | 'secret'>
  readonly tried: Attempt
}

/** The app that calls, from the form or from Basic authentication. If both are sent, they must agree. */
export function clientOf(
  { client_id: id, client_secret: secret }: ClientFields,
  context: Context,
): AuthenticatedClient {
  const header = context.request.headers.authorization
  if (header === undefined) return clientWith(id, secret, context)
  const basic = basicOf(header)
  if (basic === undefined) throw clientRefused(context, attempt(context))
  const agree =
    (id === undefined || clientIdOf(id) === clientIdOf(basic.id)) &&
    (secret === undefined || secret === basic.secret)
  if (!agree) throw clientRefused(context, attempt(context))
  return clientWith(basic.id, basic.secret, context)
}

/** The id and the secret in a header of Basic authentication. */
export function basicOf(header: string): { readonly id: string; readonly secret: string } | undefined {
  const [scheme = '', encoded = ''] = header.split(' ')
  const pair = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  if (scheme.toLowerCase() !== 'basic' || colon < 0) return undefined
  return { id: unescaped(pair.slice(0, colon)), secret: unescaped(pair.slice(colon + 1)) }
}

/** An empty secret counts as no secret. A request without a client id counts as no attempt. */
function clientWith(
  clientId: string | undefined,
  secret: string | undefined,
  context: Context,
): AuthenticatedClient {
  if (clientId === undefined) return { credentials: {}, tried: noAttempt }
  const tried = attempt(context, { kind: 'app', clientId })
  // Set before the secret is checked, because a refused app causes no events.
  context.cause.setActor({ kind: 'app', app: clientIdOf(clientId) })
  return { credentials: secret ? { clientId, secret: digestOf(secret) } : { clientId }, tried }
}

const noAttempt: Attempt = { right() {}, wrong() {} }

/** RFC 6749: both parts of Basic authentication are form-encoded. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/**
 * The world of the code or token, if it has the app; otherwise the world where the app is registered. `main` refuses an
 * unknown app, and so does a node that does not hold `main`.
 */
export function worldOfClient(
  context: Context,
  { credentials: { clientId }, tried }: AuthenticatedClient,
  issuingWorld: World | undefined,
): World {
  const { worlds } = context.services
  if (issuingWorld && appByClientId(issuingWorld.view, clientId)) return issuingWorld
  const registered = clientId === undefined ? undefined : worlds.access.credentials.worlds.ofApp(clientId)
  const world = registered ?? worlds.get(MAIN)
  if (!world) throw clientRefused(context, tried)
  return world
}

/** Responses with tokens must not be cached, also by HTTP/1.0 caches. */
export function preventCaching(context: Context): void {
  context.header('Pragma', 'no-cache')
}

/** An error response in the format of RFC 6749. */
export function oauthError(
  error: OAuthErrorName,
  description?: string,
  headers: readonly string[] = [],
): RefusedAs {
  const { status, body } = oauthErrorResponse(error, description)
  return new RefusedAs(status, body, headers)
}

export const CLIENT_CHALLENGE = ['WWW-Authenticate', 'Basic realm="oauth"'] as const

/** Removes the world headers, so that a refused app does not learn in which world it is registered. */
export function clientRefused(
  context: Context,
  tried: Attempt,
  challenge: readonly string[] = CLIENT_CHALLENGE,
): RefusedAs {
  tried.wrong()
  context.state.world = undefined
  context.state.seq = undefined
  return oauthError('invalid_client', undefined, challenge)
}

/** Returns a required form field, or throws invalid_request. */
export function requireField(name: string, value: string | undefined): string {
  if (value === undefined) throw oauthError('invalid_request', `${name} is missing`)
  return value
}
