import { type OAuthErrorName, oauthErrorAnswer } from '@quipu/contract'
import { type AppRequest, appByClientId, clientIdOf } from '@quipu/core'
import { digestOf } from '../../access/credentials.ts'
import { RefusedAs } from '../../wire/refusal.ts'
import type { World } from '../../world/world.ts'
import { type Attempt, attempt } from '../attempt.ts'
import type { Context } from '../context.ts'

/** What an app says of itself in a form. */
export type ClientFields = {
  readonly client_id?: string | undefined
  readonly client_secret?: string | undefined
}

/** An app as it calls: its id, the digest of its secret if it showed one, and the attempt that it makes with them. */
export type Client = { readonly ask: Pick<AppRequest, 'clientId' | 'secret'>; readonly tried: Attempt }

/** The app that calls, from the form or by Basic. Given both ways they must agree. */
export function clientOf({ client_id: id, client_secret: secret }: ClientFields, context: Context): Client {
  const header = context.request.headers.authorization
  if (header === undefined) return calling(id, secret, context)
  const [scheme = '', encoded = ''] = header.split(' ')
  const pair = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  if (scheme.toLowerCase() !== 'basic' || colon < 0) throw clientRefused(context, attempt(context))
  const basic = { id: unescaped(pair.slice(0, colon)), secret: unescaped(pair.slice(colon + 1)) }
  const agree =
    (id === undefined || clientIdOf(id) === clientIdOf(basic.id)) &&
    (secret === undefined || secret === basic.secret)
  if (!agree) throw clientRefused(context, attempt(context))
  return calling(basic.id, basic.secret, context)
}

/** A secret of no letters is none. A request without an app counts for no app. */
function calling(clientId: string | undefined, secret: string | undefined, context: Context): Client {
  if (clientId === undefined) return { ask: {}, tried: noAttempt }
  const tried = attempt(context, { kind: 'app', clientId })
  // Before its secret is checked: an app that is refused causes no events.
  context.cause.setActor({ kind: 'app', app: clientIdOf(clientId) })
  return { ask: secret ? { clientId, secret: digestOf(secret) } : { clientId }, tried }
}

const noAttempt: Attempt = { right() {}, wrong() {} }

/** In this place the standard has both halves written as in a form. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

/** An app is no caller of ours: what it brings says which world is meant, where that has the app; else the app itself. */
export function worldFor(
  { services: { worlds } }: Context,
  { ask: { clientId } }: Client,
  brought: World | undefined,
): World {
  if (brought && appByClientId(brought.view, clientId)) return brought
  return (clientId === undefined ? undefined : worlds.credentials.worldOfApp(clientId)) ?? worlds.main
}

/** Answers of this kind are nobody's to keep. */
export function keepNowhere(context: Context): void {
  context.header('Pragma', 'no-cache')
}

/** In the form of RFC 6749. */
export function refusedAs(
  error: OAuthErrorName,
  description?: string,
  headers: readonly string[] = [],
): RefusedAs {
  const { status, body } = oauthErrorAnswer(error, description)
  return new RefusedAs(status, body, headers)
}

/** A refused app is told nothing of the world it may be registered in. */
export function clientRefused(
  context: Context,
  tried: Attempt,
  challenge: readonly string[] = ['WWW-Authenticate', 'Basic realm="oauth"'],
): RefusedAs {
  tried.wrong()
  context.world = undefined
  context.seq = undefined
  return refusedAs('invalid_client', undefined, challenge)
}

/** What a form must have. */
export function needed(name: string, value: string | undefined): string {
  if (value === undefined) throw refusedAs('invalid_request', `${name} is missing`)
  return value
}
