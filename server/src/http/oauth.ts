import { randomUUID } from 'node:crypto'
import type { Handlers, OAuthClientRecord, OAuthTokenRequestRecord } from '@quipu/contract'
import {
  type App,
  type AuthorizeApp,
  type BrokerEvent,
  type Decision,
  found,
  type Grant,
  type IssueToken,
  type PartnerAsk,
  showApp,
  type View,
} from '@quipu/core'
import { digestOf } from '../credentials.ts'
import type { Context } from './context.ts'
import { present } from './present.ts'
import { refuse } from './refusal.ts'

type Names = 'getOAuthClient' | 'authorizeOAuthToken' | 'issueOAuthToken'

/** Codes and tokens are made here, told once, and known to the world by their digests alone. */
export const oauthHandlers: Handlers<Context, Names> = {
  getOAuthClient: async ({ params }, context) => {
    const { world, partnerId } = context.partner
    const shown = await context.saw(
      world,
      world.read((view) => showApp(view, { clientId: params.client_id, partnerId })),
    )
    if (!shown.ok) throw refuse(shown.reason)
    return appToWire(shown.value)
  },

  authorizeOAuthToken: async ({ body }, context) => {
    const code = randomUUID()
    const command = { kind: 'authorizeApp', ...askOf(body, context), code: digestOf(code) } as const
    const { app, grant, redirectUri } = await granted(command, context)
    return { code, client_id: app.clientId, redirect_uri: redirectUri, scope: grant.scopeText }
  },

  issueOAuthToken: async ({ body }, context) => {
    const token = randomUUID()
    const command = { kind: 'issueToken', ...askOf(body, context), token: digestOf(token) } as const
    const { grant } = await granted(command, context)
    return { access_token: token, token_type: 'Bearer', scope: grant.scopeText }
  },
}

/** As it came: what is missing or wrong is told by the core, after every doubt about the app. */
function askOf(body: OAuthTokenRequestRecord, { partner }: Context): PartnerAsk {
  const { client_id: clientId, client_secret: secret, redirect_uri, scope, account_id } = body
  return {
    partnerId: partner.partnerId,
    ...present({
      clientId,
      secret: secret === undefined ? undefined : digestOf(secret),
      redirectUri: redirect_uri,
      scope,
      accountId: account_id,
    }),
  }
}

type Granted = { readonly app: App; readonly grant: Grant; readonly redirectUri: string }

async function granted(command: AuthorizeApp | IssueToken, context: Context): Promise<Granted> {
  context.header('Cache-Control', 'no-store')
  const { world } = context.partner
  const { decision, app } = await context.saw(
    world,
    world.submit(command, (view, decided) => ({ decision: decided, app: appOf(view, decided) })),
  )
  if (!decision.ok) throw refuse(decision.reason)
  const { grant } = found(decision.value.find(isGrant), 'the grant')
  return { app: found(app, grant.appId), grant, redirectUri: command.redirectUri ?? '' }
}

type GrantEvent = Extract<BrokerEvent, { kind: 'codeIssued' | 'tokenIssued' }>
const isGrant = (event: BrokerEvent): event is GrantEvent =>
  event.kind === 'codeIssued' || event.kind === 'tokenIssued'

function appOf(view: View, decision: Decision): App | undefined {
  const event = decision.ok ? decision.value.find(isGrant) : undefined
  return event && view.apps.get(event.grant.appId)
}

const appToWire = (app: App): OAuthClientRecord => ({
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
