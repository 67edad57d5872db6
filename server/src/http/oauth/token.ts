import { hash, randomBytes, randomUUID } from 'node:crypto'
import type { Handler, InputOf, OutputOf } from '@quipu/contract'
import {
  appByClientId,
  type Decision,
  type ExchangeCode,
  type RefreshToken,
  rightsOf,
  scopeTextOf,
  type Token,
  type View,
} from '@quipu/core'
import { digestOf } from '../../access/credentials.ts'
import type { World } from '../../world/world.ts'
import type { Context } from '../context.ts'
import { type Client, clientOf, clientRefused, keepNowhere, needed, refusedAs, worldFor } from './client.ts'

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
  const digest = digestOf(code)
  const world = worldFor(context, client, context.services.worlds.credentials.worldOfCode(code, digest))
  // Most tokens last: what would refresh them is not even made.
  const isLasting = appByClientId(world.view, client.ask.clientId)?.tokenSeconds === undefined
  const token = randomUUID()
  const refresh = isLasting ? undefined : newRefreshToken()
  const verifier = body.code_verifier
  return got(
    world,
    context,
    client,
    { token, refresh },
    {
      kind: 'exchangeCode',
      ...client.ask,
      redirectUri,
      code: digest,
      ...(verifier === undefined ? {} : { challenge: hash('sha256', verifier, 'base64url') }),
      token: digestOf(token),
      ...(refresh === undefined ? {} : { refresh: digestOf(refresh) }),
    },
  )
}

function byRefresh(body: Body, context: Context): Promise<Told> {
  const text = needed('refresh_token', body.refresh_token)
  const client = clientOf(body, context)
  const given = digestOf(text)
  const world = worldFor(context, client, context.services.worlds.credentials.worldOfToken(text, given))
  const [token, refresh] = [randomUUID(), newRefreshToken()]
  return got(
    world,
    context,
    client,
    { token, refresh },
    {
      kind: 'refreshToken',
      ...client.ask,
      current: given,
      ...(body.scope === undefined ? {} : { scope: body.scope }),
      token: digestOf(token),
      refresh: digestOf(refresh),
    },
  )
}

/** Told once, and known to the world by their digests alone. */
type Made = { readonly token: string; readonly refresh: string | undefined }
const newRefreshToken = (): string => randomBytes(32).toString('base64url')

async function got(
  world: World,
  context: Context,
  { tried }: Client,
  made: Made,
  command: ExchangeCode | RefreshToken,
): Promise<Told> {
  const { refusal, issued } = await context.resultOf(
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
    expires_in: secondsOf(token),
    refresh_token: hasRefresh ? made.refresh : undefined,
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
  const power = token && rightsOf(view, token)
  return power && { token, scope: scopeTextOf(power), hasRefresh: event.refreshId !== undefined }
}
