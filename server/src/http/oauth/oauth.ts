import { digestOf } from '@quipu/broker/access/credentials.ts'
import { newCredential } from '@quipu/broker/access/world-code.ts'
import type { InputOf, OAuthClientRecord, OAuthTokenRequestRecord } from '@quipu/contract'
import {
  type App,
  type AuthorizeApp,
  type BrokerEvent,
  type Decision,
  definedFields,
  found,
  type IssueToken,
  matchesRedirectUri,
  type PartnerRequest,
  requestedScopes,
  SECOND,
  showApp,
  type TokenId,
  type View,
} from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import { attempt } from '../attempt.ts'
import type { Context, SomeHandlers } from '../context.ts'

/** Codes and tokens are generated here and returned once; the world stores only their digests. */
export const oauthHandlers = {
  getOAuthClient: async ({ params, query }, context) => {
    const { world, partnerId } = context.partner
    const shown = await context.state.read(world, (view) =>
      showApp(view, { clientId: params.client_id, partnerId }),
    )
    if (!shown.ok) throw refuse(shown.reason)
    if (context.services.settings.strictClientLookup) checkLookup(shown.value, query)
    return appToWire(shown.value)
  },

  authorizeOAuthToken: async ({ body }, context) => {
    const code = newCredential(context.partner.world.access.code, 'uuid')
    const request = { ...requestFrom(body, context), ...challengeOf(body) }
    const { app, event } = await submitGrant(
      { kind: 'authorizeApp', ...request, code: digestOf(code) },
      context,
    )
    const { scopeText: scope } = event.grant
    return { code, client_id: app.clientId, redirect_uri: request.redirectUri ?? '', scope }
  },

  issueOAuthToken: async ({ body }, context) => {
    const token = newCredential(context.partner.world.access.code, 'uuid')
    const command = { kind: 'issueToken', ...requestFrom(body, context), token: digestOf(token) } as const
    const { event } = await submitGrant(command, context)
    const { scopeText: scope } = event.grant
    return { access_token: token, token_type: 'Bearer', scope, expires_in: secondsLeft(event) }
  },

  deleteOAuthToken: async ({ params }, context) => {
    const { world, partnerId } = context.partner
    const tokenId = world.view.tokenDigests.get(digestOf(params.token_id)) ?? (params.token_id as TokenId)
    await context.state.submit(world, { kind: 'revokeToken', partnerId, tokenId })
  },
} satisfies SomeHandlers

/** Refuses the parameters that a later step would refuse. Off by default, because the protocol has only 200 and 401. */
function checkLookup(app: App, query: InputOf<'getOAuthClient'>['query']): void {
  const { redirect_uri: uri, scope, response_type: type } = query
  if (uri !== undefined && !(typeof uri === 'string' && matchesRedirectUri(app, uri)))
    throw refuse({ code: 'oauthRedirectUriInvalid' })
  if (scope !== undefined && !(typeof scope === 'string' && requestedScopes(app, scope)))
    throw refuse({ code: 'oauthScopeInvalid' })
  if (type !== undefined && type !== 'code' && type !== 'token')
    throw refuse({ code: 'invalidParameter', problem: 'response_type: expected code or token' })
}

/** Unchecked: the core reports missing and wrong fields, after it has authenticated the app. */
function requestFrom(body: OAuthTokenRequestRecord, { partner }: Context): PartnerRequest {
  const { client_id: clientId, client_secret: secret, redirect_uri, scope, account_id } = body
  return {
    partnerId: partner.partnerId,
    // Hashed also when missing, so that a missing secret takes as long as a wrong one.
    secret: digestOf(secret ?? ''),
    ...definedFields({ clientId, redirectUri: redirect_uri, scope, accountId: account_id }),
  }
}

/** Only S256 is supported. Any other challenge becomes an empty one, which the core refuses. */
function challengeOf(body: OAuthTokenRequestRecord): { readonly challenge?: string } {
  const { code_challenge: challenge, code_challenge_method: method } = body
  if (isAbsent(challenge) && isAbsent(method)) return {}
  return { challenge: typeof challenge === 'string' && method === 'S256' ? challenge : '' }
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null

type Granted = { readonly app: App; readonly event: GrantEvent }

async function submitGrant(command: AuthorizeApp | IssueToken, context: Context): Promise<Granted> {
  const { world } = context.partner
  const { clientId } = command
  const tried = attempt(context, clientId === undefined ? undefined : { kind: 'app', clientId })
  const { decision, app } = await context.state.submit(world, command, (view, decided) => ({
    decision: decided,
    app: appOf(view, decided),
  }))
  if (!decision.ok && decision.reason.code === 'oauthClientRefused') tried.wrong()
  else tried.right()
  if (!decision.ok) throw refuse(decision.reason)
  const event = found(decision.value.find(isGrant), 'the grant')
  return { app: found(app, event.grant.appId), event }
}

/** Undefined if the token is valid until it is revoked. */
const secondsLeft = ({ at, expiresAt }: GrantEvent): number | undefined =>
  expiresAt === undefined ? undefined : Number((expiresAt - at) / SECOND)

type GrantEvent = Extract<BrokerEvent, { kind: 'codeIssued' | 'tokenIssued' }>
const isGrant = (event: BrokerEvent): event is GrantEvent =>
  event.kind === 'codeIssued' || event.kind === 'tokenIssued'

function appOf(view: View, decision: Decision): App | undefined {
  const event = decision.ok ? decision.value.find(isGrant) : undefined
  return event && view.apps.get(event.grant.appId)
}

export const appToWire = (app: App): OAuthClientRecord => ({
  client_id: app.clientId,
  name: app.name,
  description: app.description,
  url: app.url,
  terms_of_use: app.termsOfUse,
  privacy_policy: app.privacyPolicy,
  status: app.status === 'active' ? 'ACTIVE' : 'DISABLED',
  redirect_uri: [...app.redirectUris],
  live_trading_approved: app.liveTradingApproved,
})
