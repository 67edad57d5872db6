import { randomBytes } from 'node:crypto'
import { digestOf } from '@quipu/broker/access/credentials.ts'
import { newClientId } from '@quipu/broker/access/issue-keys.ts'
import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf, OAuthClientChangesRecord, OutputOf } from '@quipu/contract'
import {
  type App,
  type AppSecret,
  appByClientId,
  appOfOwner,
  type Command,
  definedFields,
  formatInstant,
  found,
  imitatesQuipu,
  isRedirectUri,
  later,
  type RegisterApp,
  SECOND,
  showApp,
  type UserId,
  userFor,
  type View,
} from '@quipu/core'
import { refuse } from '../../wire/refusal.ts'
import { type PartnerAccess, withAccess } from '../broker/partner-access.ts'
import { isOnPagesHost } from '../connection/host.ts'
import type { Context } from '../context.ts'
import { appDetails, changesFrom, settingsToWire } from './app-wire.ts'

/** Operations on apps by the partner that owns them. An operator has the rights of every owner. */
export const oauthClientHandlers = withAccess({
  listOAuthClients: async ({ access: { world, limitedTo }, query }, context) => {
    const apps = await context.state.read(world, (view) => [...view.apps.values()].reverse())
    const usable = apps.filter(({ partners }) => limitedTo === undefined || partners.includes(limitedTo))
    return pageOf(usable, query, ({ clientId }) => clientId).map(settingsToWire)
  },

  createOAuthClient: async ({ access, body }, context) => {
    if (body.live_trading_approved) checkApproval(access)
    checkName(body.name)
    checkRedirects(context, body.redirect_uri)
    const secret = body.public ? undefined : newClientSecret()
    const command: RegisterApp = {
      kind: 'registerApp',
      clientId: newClientId(access.world.access.code),
      owner: access.partnerId,
      ...appDetails({ ...body, ...developerFrom(access, body) }),
      ...definedFields({ secret: secret === undefined ? undefined : digestOf(secret) }),
    }
    const app = await submitApp(context, access, command)
    return { ...settingsToWire(app), client_secret: secret }
  },

  getOAuthClientSettings: async ({ access, params }, context) => {
    const shown = await context.state.read(access.world, (view) =>
      showApp(view, ownerOf(view, access, params.client_id)),
    )
    if (!shown.ok) throw refuse(shown.reason)
    return settingsToWire(shown.value)
  },

  updateOAuthClient: async ({ access, params, body }, context) => {
    const { view } = access.world
    const owner = ownerOf(view, access, params.client_id)
    const app = appByClientId(view, params.client_id)
    // Checked first, so that the errors of the other fields reveal nothing about the app of another partner.
    if (!app || app.owner !== owner.partnerId) throw refuse({ code: 'oauthClientRefused' })
    if ((body.live_trading_approved ?? app.liveTradingApproved) !== app.liveTradingApproved)
      checkApproval(access)
    if (body.name !== app.name) checkName(body.name)
    checkRedirects(context, body.redirect_uri)
    const change = changesFrom(app, { ...body, ...developerFrom(access, body, app.developer) })
    return settingsToWire(await submitApp(context, access, { kind: 'changeApp', ...owner, change }))
  },

  deleteOAuthClient: async ({ access, params }, context) => {
    const { world } = access
    const command = { kind: 'deleteApp', ...ownerOf(world.view, access, params.client_id) } as const
    await context.state.execute(world, command)
  },
})

export const newClientSecret = (): string => randomBytes(20).toString('hex')

/** The partner in whose name an app is used; for an operator, the owner of the app. */
export function ownerOf(view: View, { partnerId, limitedTo }: PartnerAccess, clientId: string) {
  const owner = limitedTo === undefined ? appByClientId(view, clientId)?.owner : limitedTo
  return { partnerId: owner ?? partnerId, clientId }
}

/** Submits a command and returns the changed app; throws the refusal of the core. */
export async function submitApp(
  context: Context,
  { world }: PartnerAccess,
  command: Extract<Command, { readonly clientId: string }>,
): Promise<App> {
  const app = await context.state.execute(world, command, (view) => appByClientId(view, command.clientId))
  return found(app, 'the app')
}

/** Only an operator may approve an app for live accounts. */
function checkApproval({ limitedTo }: PartnerAccess): void {
  if (limitedTo !== undefined) throw refuse({ code: 'oauthApprovalForbidden' })
}

type DeveloperField = Pick<InputOf<'createOAuthClient'>['body'] | OAuthClientChangesRecord, 'developer'>

/** Refuses names that users could mistake for Quipu on the consent page. */
function checkName(name = ''): void {
  if (!imitatesQuipu(name)) return
  const problem = 'name: expected a name that cannot be taken for Quipu'
  throw refuse({ code: 'invalidParameter', problem })
}

function checkRedirects({ services }: Context, uris: readonly string[] = []): void {
  const refusal = (index: number, problem: string) =>
    refuse({ code: 'invalidParameter', problem: `redirect_uri[${index}]: ${problem}` })
  for (const [index, uri] of uris.entries()) {
    if (!isRedirectUri(uri)) throw refusal(index, REDIRECT_URI_RULE)
    if (!URL.canParse(uri)) throw refusal(index, 'expected a valid URL')
    if (isOnPagesHost(uri, services))
      throw refusal(index, 'expected a host name other than that of the Quipu pages')
  }
}

const REDIRECT_URI_RULE =
  'expected https, http on localhost, 127.0.0.1 or [::1], or a scheme such as com.example.app:/callback; without a fragment, * or ,'

/** Finds the user that is named as developer; the contract cannot check the name. */
function developerFrom(access: PartnerAccess, { developer }: DeveloperField, current?: UserId) {
  // An unchanged developer is not checked, because a partner may not be allowed to name that user.
  if (typeof developer !== 'string' || developer === current) return {}
  const user = userFor(access.world.view, developer, access.limitedTo)
  if (user) return { developer: user.id }
  throw refuse({ code: 'invalidParameter', problem: 'developer: expected the name or id of a user' })
}

/** An app may have several secrets, so that a secret can be replaced without downtime. */
export const oauthSecretHandlers = withAccess({
  listOAuthClientSecrets: async ({ access, params }, context) => {
    const { world } = access
    const app = await context.state.read(world, (view) =>
      appOfOwner(view, ownerOf(view, access, params.client_id)),
    )
    if (!app.ok) throw refuse(app.reason)
    return validSecrets(app.value, world).map(secretToWire)
  },

  createOAuthClientSecret: async ({ access, params, body }, context) => {
    const { world } = access
    const secret = newClientSecret()
    const seconds = body.others_expire_in
    const othersUntil = seconds === undefined ? undefined : later(world.engine.now, BigInt(seconds) * SECOND)
    const app = await submitApp(context, access, {
      kind: 'addAppSecret',
      ...ownerOf(world.view, access, params.client_id),
      secret: digestOf(secret),
      ...definedFields({ othersUntil }),
    })
    const added = found(
      app.secrets.find(({ digest }) => digest === digestOf(secret)),
      'the secret',
    )
    return { ...secretToWire(added), client_secret: secret }
  },

  deleteOAuthClientSecret: async ({ access, params }, context) => {
    await submitApp(context, access, {
      kind: 'removeAppSecret',
      ...ownerOf(access.world.view, access, params.client_id),
      secretId: params.secret_id,
    })
  },
})

const validSecrets = ({ secrets }: App, { engine }: World): readonly AppSecret[] =>
  secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > engine.now)

const secretToWire = ({
  id,
  createdAt,
  expiresAt,
}: AppSecret): OutputOf<'listOAuthClientSecrets'>[number] => ({
  secret_id: id,
  created_at: formatInstant(createdAt),
  expires_at: expiresAt === undefined ? null : formatInstant(expiresAt),
})

/** The rows of one page; the token is the id of the last row of the previous page. */
export function pageOf<Row>(
  rows: readonly Row[],
  { limit, page_token: token }: { readonly limit: number; readonly page_token?: string | undefined },
  idOf: (row: Row) => string,
): readonly Row[] {
  if (token === undefined) return rows.slice(0, limit)
  const index = rows.findIndex((row) => idOf(row) === token)
  if (index < 0) throw refuse({ code: 'invalidParameter', problem: 'page_token: unknown token' })
  return rows.slice(index + 1, index + 1 + limit)
}
