import { hash } from 'node:crypto'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import { newCredential } from '@quipu/broker/access/world-code.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { Handler, InputOf, OutputOf } from '@quipu/contract'
import {
  appByClientId,
  type Bearer,
  type Decision,
  definedFields,
  type ExchangeCode,
  type RefreshToken,
  rightsOf,
  scopeTextOf,
  type Token,
  type View,
} from '@quipu/core'
import type { Context } from '../context.ts'
import {
  type AuthenticatedClient,
  clientOf,
  clientRefused,
  oauthError,
  preventCaching,
  requireField,
  worldOfClient,
} from './client.ts'

type Body = InputOf<'exchangeOAuthCode'>['body']
type TokenResponse = OutputOf<'exchangeOAuthCode'>

/** Exchanges a code or a refresh token for an access token. Each can be used once. */
export const exchangeOAuthCode: Handler<'exchangeOAuthCode', Context> = ({ body }, context) => {
  preventCaching(context)
  const grantType = requireField('grant_type', body.grant_type)
  if (grantType === 'authorization_code') return byCode(body, context)
  if (grantType === 'refresh_token') return byRefresh(body, context)
  throw oauthError('unsupported_grant_type')
}

function byCode(body: Body, context: Context): Promise<TokenResponse> {
  const code = requireField('code', body.code)
  const redirectUri = requireField('redirect_uri', body.redirect_uri)
  const client = clientOf(body, context)
  const digest = digestOf(code)
  const world = worldOfClient(
    context,
    client,
    context.services.worlds.access.credentials.worlds.ofCode(digest),
  )
  // Most access tokens do not expire and need no refresh token.
  const isLasting = appByClientId(world.view, client.credentials.clientId)?.tokenSeconds === undefined
  const token = newCredential(world.access.code, 'uuid')
  const refresh = isLasting ? undefined : newRefreshToken(world)
  const verifier = body.code_verifier
  return issueTokens(
    world,
    context,
    client,
    { token, refresh },
    {
      kind: 'exchangeCode',
      ...client.credentials,
      redirectUri,
      code: digest,
      token: digestOf(token),
      ...definedFields({
        challenge: verifier === undefined ? undefined : hash('sha256', verifier, 'base64url'),
        refresh: refresh === undefined ? undefined : digestOf(refresh),
      }),
    },
  )
}

function byRefresh(body: Body, context: Context): Promise<TokenResponse> {
  const text = requireField('refresh_token', body.refresh_token)
  const client = clientOf(body, context)
  const current = digestOf(text)
  const world = worldOfClient(
    context,
    client,
    context.services.worlds.access.credentials.worlds.ofToken(current),
  )
  const [token, refresh] = [newCredential(world.access.code, 'uuid'), newRefreshToken(world)]
  return issueTokens(
    world,
    context,
    client,
    { token, refresh },
    {
      kind: 'refreshToken',
      ...client.credentials,
      current,
      ...definedFields({ scope: body.scope }),
      token: digestOf(token),
      refresh: digestOf(refresh),
    },
  )
}

/** The texts of new tokens; the world stores only their digests. */
type NewTokens = { readonly token: string; readonly refresh: string | undefined }
const newRefreshToken = ({ access }: World): string => newCredential(access.code, 'base64url')

async function issueTokens(
  world: World,
  context: Context,
  { tried }: AuthenticatedClient,
  texts: NewTokens,
  command: ExchangeCode | RefreshToken,
): Promise<TokenResponse> {
  const { refusal, issued } = await context.state.submit(world, command, (view, decision) => ({
    refusal: decision.ok ? undefined : decision.reason.code,
    issued: issuedBy(view, decision),
  }))
  if (refusal === 'oauthClientRefused') throw clientRefused(context, tried)
  tried.right()
  if (refusal === 'oauthScopeInvalid') throw oauthError('invalid_scope')
  const { people } = context.services.worlds.access.credentials
  if (issued) await people.prepareGrant(world.view, issued.grant)
  // A code or refresh token that is used again records an event but issues no token.
  if (!issued || !people.allows(world.view, issued.grant))
    throw oauthError('invalid_grant', command.kind === 'refreshToken' ? REFRESH_INVALID : undefined)
  const { token, scope, hasRefresh } = issued
  return {
    access_token: texts.token,
    token_type: 'bearer',
    scope,
    expires_in: secondsOf(token),
    refresh_token: hasRefresh ? texts.refresh : undefined,
  }
}

const REFRESH_INVALID = 'the refresh token is invalid, expired, used, or was issued to another client'

const secondsOf = ({ createdAt, expiresAt }: Token): number | undefined =>
  expiresAt === undefined ? undefined : Number((expiresAt - createdAt) / 1_000_000_000n)

type Issued = Pick<Bearer, 'token' | 'grant'> & { readonly scope: string; readonly hasRefresh: boolean }

function issuedBy(view: View, decision: Decision): Issued | undefined {
  const [event] = decision.ok ? decision.value : []
  if (event?.kind !== 'codeExchanged' && event?.kind !== 'tokenRefreshed') return undefined
  const token = view.tokens.get(event.tokenId)
  const rights = token && rightsOf(view, token)
  const { refreshId } = event
  return (
    rights && { token, grant: rights.grant, scope: scopeTextOf(rights), hasRefresh: refreshId !== undefined }
  )
}
