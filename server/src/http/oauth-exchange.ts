import { randomUUID } from 'node:crypto'
import { type Handler, type InputOf, type OAuthErrorName, oauthErrorAnswer } from '@quipu/contract'
import { clientIdOf, type Decision, type View } from '@quipu/core'
import { digestOf } from '../credentials.ts'
import type { World } from '../world.ts'
import type { Context } from './context.ts'
import { present } from './present.ts'
import { RefusedAs } from './refusal.ts'

/** An app turns its code into a token. It is no caller of ours, so code and client id say which world is meant. */
export const exchangeOAuthCode: Handler<'exchangeOAuthCode', Context> = async ({ body }, context) => {
  context.header('Cache-Control', 'no-store')
  context.header('Pragma', 'no-cache')
  const { code, redirect_uri: redirectUri } = body
  if (body.grant_type !== undefined && body.grant_type !== 'authorization_code')
    throw refusedAs('unsupported_grant_type')
  if (body.grant_type === undefined || code === undefined || redirectUri === undefined)
    throw refusedAs('invalid_request')
  const client = clientOf(body, context.request.headers.authorization)
  if (!client) throw refusedAs('invalid_client', context)
  const world = worldOf(context, client, code)
  const token = randomUUID()
  const command = {
    kind: 'exchangeCode',
    ...present({
      clientId: client.id,
      secret: client.secret ? digestOf(client.secret) : undefined,
      redirectUri,
    }),
    code: digestOf(code),
    token: digestOf(token),
  } as const
  const { decision, scope } = await context.saw(
    world,
    world.submit(command, (view, decided) => ({ decision: decided, scope: scopeOf(view, decided) })),
  )
  if (!decision.ok && decision.reason.code === 'oauthClientRefused')
    throw refusedAs('invalid_client', context)
  // A code that came again has led to an event, and to no token.
  if (scope === undefined) throw refusedAs('invalid_grant')
  return { access_token: token, token_type: 'bearer', scope }
}

type Body = InputOf<'exchangeOAuthCode'>['body']
type Client = { readonly id: string | undefined; readonly secret: string | undefined }

/** The app's own id and secret, from the form or by Basic. Given both ways they must agree. */
function clientOf({ client_id: id, client_secret: secret }: Body, header?: string): Client | undefined {
  if (header === undefined) return { id, secret }
  const [scheme = '', encoded = ''] = header.split(' ')
  const pair = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  if (scheme.toLowerCase() !== 'basic' || colon < 0) return undefined
  const basic = { id: unescaped(pair.slice(0, colon)), secret: unescaped(pair.slice(colon + 1)) }
  if (id !== undefined && clientIdOf(id) !== clientIdOf(basic.id)) return undefined
  return secret === undefined || secret === basic.secret ? basic : undefined
}

/** In this place the standard has both halves written as in a form. */
function unescaped(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}

function worldOf({ services: { worlds } }: Context, { id }: Client, code: string): World {
  const ofApp = id === undefined ? undefined : worlds.credentials.worldOfApp(id)
  return worlds.credentials.worldOfCode(code) ?? ofApp ?? worlds.main
}

function scopeOf(view: View, decision: Decision): string | undefined {
  const exchanged = decision.ok ? decision.value.find(({ kind }) => kind === 'codeExchanged') : undefined
  return exchanged?.kind === 'codeExchanged' ? view.grants.get(exchanged.grantId)?.scopeText : undefined
}

/** In the form of RFC 6749. A refused app is told nothing of the world it may be registered in. */
function refusedAs(error: OAuthErrorName, refused?: Context): RefusedAs {
  const { status, body } = oauthErrorAnswer(error)
  const challenge = refused ? ['WWW-Authenticate', 'Basic realm="oauth"'] : []
  if (refused) {
    refused.world = undefined
    refused.seq = undefined
  }
  return new RefusedAs(status, body, challenge)
}
