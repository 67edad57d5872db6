import { hash, randomBytes, randomUUID } from 'node:crypto'
import type { Handler, InputOf, OutputOf } from '@quipu/contract'
import type { Decision, ExchangeCode, RefreshToken, Token, View } from '@quipu/core'
import { digestOf } from '../credentials.ts'
import type { World } from '../world.ts'
import type { Context } from './context.ts'
import {
  type Client,
  clientOf,
  clientRefused,
  keepNowhere,
  needed,
  refusedAs,
  worldFor,
} from './oauth-client.ts'
import { present } from './present.ts'

type Body = InputOf<'exchangeOAuthCode'>['body']
type Told = OutputOf<'exchangeOAuthCode'>

/** An app gets a token, for a code or for a refresh token. Neither serves twice. */
export const exchangeOAuthCode: Handler<'exchangeOAuthCode', Context> = ({ body }, context) => {
  keepNowhere(context)
  const grantType = needed('grant_type', body.grant_type)
  if (grantType === 'authorization_code') return byCode(body, context)
  if (grantType === 'refresh_token') return byRefresh(body, context)
  throw refusedAs('unsupported_grant_type')
}

function byCode(body: Body, context: Context): Promise<Told> {
  const code = needed('code', body.code)
  const redirectUri = needed('redirect_uri', body.redirect_uri)
  const client = clientOf(body, context)
  const issued = made()
  const verifier = body.code_verifier
  const world = worldFor(context, client, context.services.worlds.credentials.worldOfCode(code))
  return got(world, context, client, issued, {
    kind: 'exchangeCode',
    ...client.ask,
    redirectUri,
    code: digestOf(code),
    ...present({ challenge: verifier === undefined ? undefined : hash('sha256', verifier, 'base64url') }),
    token: digestOf(issued.token),
    refresh: digestOf(issued.refresh),
  })
}

function byRefresh(body: Body, context: Context): Promise<Told> {
  const given = needed('refresh_token', body.refresh_token)
  const client = clientOf(body, context)
  const issued = made()
  const world = worldFor(context, client, context.services.worlds.credentials.worldOfToken(given))
  return got(world, context, client, issued, {
    kind: 'refreshToken',
    ...client.ask,
    given: digestOf(given),
    ...present({ scope: body.scope }),
    token: digestOf(issued.token),
    refresh: digestOf(issued.refresh),
  })
}

/** Told once, and known to the world by their digests alone. */
type Made = { readonly token: string; readonly refresh: string }
const made = (): Made => ({ token: randomUUID(), refresh: randomBytes(32).toString('base64url') })

async function got(
  world: World,
  context: Context,
  { tried }: Client,
  made: Made,
  command: ExchangeCode | RefreshToken,
): Promise<Told> {
  const { refusal, issued } = await context.saw(
    world,
    world.submit(command, (view, decision) => ({
      refusal: decision.ok ? undefined : decision.reason.code,
      issued: issuedBy(view, decision),
    })),
  )
  if (refusal === 'oauthClientRefused') throw clientRefused(context, tried)
  tried.right()
  if (refusal === 'oauthScopeInvalid') throw refusedAs('invalid_scope')
  // What came a second time has led to an event, and to no token.
  if (!issued) throw refusedAs('invalid_grant', command.kind === 'refreshToken' ? REFRESH_INVALID : undefined)
  const { token, scope, hasRefresh } = issued
  return {
    access_token: made.token,
    token_type: 'bearer',
    scope,
    ...present({
      expires_in: secondsOf(token),
      refresh_token: hasRefresh ? made.refresh : undefined,
    }),
  }
}

const REFRESH_INVALID = 'the refresh token is invalid, expired, used, or was issued to another client'

const secondsOf = ({ createdAt, expiresAt }: Token): number | undefined =>
  expiresAt === undefined ? undefined : Number((expiresAt - createdAt) / 1_000_000_000n)

type Issued = { readonly token: Token; readonly scope: string; readonly hasRefresh: boolean }

function issuedBy(view: View, decision: Decision): Issued | undefined {
  const [event] = decision.ok ? decision.value : []
  if (event?.kind !== 'codeExchanged' && event?.kind !== 'tokenRefreshed') return undefined
  const token = view.tokens.get(event.tokenId)
  const scope = token?.narrowed?.scopeText ?? view.grants.get(event.grantId)?.scopeText
  return token && scope !== undefined
    ? { token, scope, hasRefresh: event.refreshId !== undefined }
    : undefined
}
