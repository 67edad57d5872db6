import { randomBytes } from 'node:crypto'
import type { Handlers, InputOf, OAuthClientChangesRecord } from '@quipu/contract'
import {
  type App,
  appByClientId,
  type ClientId,
  type Command,
  type Decision,
  found,
  imitatesQuipu,
  isRedirectUri,
  type PersonId,
  personFor,
  type RegisterApp,
  showApp,
  type View,
} from '@quipu/core'
import { digestOf } from '../../access/credentials.ts'
import { refuse } from '../../wire/refusal.ts'
import { accessOf, type PartnerAccess } from '../broker/partner-access.ts'
import type { Context } from '../context.ts'
import { isOnPagesHost } from '../host.ts'
import { changesFrom, detailsFrom, settingsToWire } from './app-wire.ts'
import { pageOf } from './page-of.ts'

type Names =
  | 'listOAuthClients'
  | 'createOAuthClient'
  | 'getOAuthClientSettings'
  | 'updateOAuthClient'
  | 'deleteOAuthClient'

/** Apps, for those who own them. An operator may do what the owner of an app may. */
export const oauthClientHandlers: Handlers<Context, Names> = {
  listOAuthClients: async ({ headers, query }, context) => {
    const { world, limitedTo } = accessOf(context, headers)
    const apps = await context.resultOf(
      world,
      world.read((view) => [...view.apps.values()].reverse()),
    )
    const usable = apps.filter(({ partners }) => limitedTo === undefined || partners.includes(limitedTo))
    return pageOf(usable, query, ({ clientId }) => clientId).map(settingsToWire)
  },

  createOAuthClient: async ({ headers, body }, context) => {
    const access = accessOf(context, headers)
    if (body.live_trading_approved) checkApproval(access)
    checkName(body.name)
    checkRedirects(context, body.redirect_uri)
    const secret = body.public ? undefined : newClientSecret()
    const command: RegisterApp = {
      kind: 'registerApp',
      clientId: randomBytes(16).toString('hex') as ClientId,
      owner: access.partnerId,
      ...detailsFrom({ ...body, ...checked(access, body) }),
      ...(secret === undefined ? {} : { secret: digestOf(secret) }),
    }
    const app = await submitted(context, access, command)
    return { ...settingsToWire(app), ...(secret === undefined ? {} : { client_secret: secret }) }
  },

  getOAuthClientSettings: async ({ headers, params }, context) => {
    const access = accessOf(context, headers)
    const shown = await context.resultOf(
      access.world,
      access.world.read((view) => showApp(view, asOwner(view, access, params.client_id))),
    )
    if (!shown.ok) throw refuse(shown.reason)
    return settingsToWire(shown.value)
  },

  updateOAuthClient: async ({ headers, params, body }, context) => {
    const access = accessOf(context, headers)
    const { view } = access.world
    const owner = asOwner(view, access, params.client_id)
    const app = appByClientId(view, params.client_id)
    // Of an app that is not the caller's nothing is told, not even what would be wrong.
    if (!app || app.owner !== owner.partnerId) throw refuse({ code: 'oauthClientRefused' })
    if ((body.live_trading_approved ?? app.liveTradingApproved) !== app.liveTradingApproved)
      checkApproval(access)
    if (body.name !== app.name) checkName(body.name)
    checkRedirects(context, body.redirect_uri)
    const change = changesFrom(app, { ...body, ...checked(access, body, app.developer) })
    return settingsToWire(await submitted(context, access, { kind: 'changeApp', ...owner, change }))
  },

  deleteOAuthClient: async ({ headers, params }, context) => {
    const access = accessOf(context, headers)
    const { world } = access
    const command = { kind: 'deleteApp', ...asOwner(world.view, access, params.client_id) } as const
    const decision = await context.resultOf(
      world,
      world.submit<Decision>(command, (_, decided) => decided),
    )
    if (!decision.ok) throw refuse(decision.reason)
    return undefined
  },
}

export const newClientSecret = (): string => randomBytes(20).toString('hex')

/** Who asks for an app: to an operator every app is its own. */
export function asOwner(view: View, { partnerId, limitedTo }: PartnerAccess, clientId: string) {
  const owner = limitedTo === undefined ? appByClientId(view, clientId)?.owner : limitedTo
  return { partnerId: owner ?? partnerId, clientId }
}

/** The app as a command has left it; refused as the core refuses. */
export async function submitted(
  context: Context,
  { world }: PartnerAccess,
  command: Extract<Command, { readonly clientId: string }>,
): Promise<App> {
  const { decision, app } = await context.resultOf(
    world,
    world.submit(command, (view, decided) => ({
      decision: decided,
      app: appByClientId(view, command.clientId),
    })),
  )
  if (!decision.ok) throw refuse(decision.reason)
  return found(app, 'the app')
}

/** Who is approved for the money of others is for whoever runs the access to say. */
function checkApproval({ limitedTo }: PartnerAccess): void {
  if (limitedTo !== undefined) throw refuse({ code: 'oauthApprovalForbidden' })
}

type Given = Pick<InputOf<'createOAuthClient'>['body'] | OAuthClientChangesRecord, 'developer'>

/** No app may be taken for Quipu itself where people are asked to trust it. */
function checkName(name = ''): void {
  if (!imitatesQuipu(name)) return
  const problem = 'name: expected a name that cannot be taken for Quipu'
  throw refuse({ code: 'invalidParameter', problem })
}

/** Where people may be sent back to. */
function checkRedirects({ services }: Context, uris: readonly string[] = []): void {
  const refusal = (at: number, problem: string) =>
    refuse({ code: 'invalidParameter', problem: `redirect_uri[${at}]: ${problem}` })
  for (const [at, uri] of uris.entries()) {
    if (!isRedirectUri(uri)) throw refusal(at, FIT)
    if (!URL.canParse(uri)) throw refusal(at, 'expected an address that parses')
    if (isOnPagesHost(uri, services))
      throw refusal(at, "expected another host name than the one of Quipu's pages")
  }
}

const FIT =
  'expected https, http on localhost, 127.0.0.1 or [::1], or a scheme such as com.example.app:/callback; without a fragment'

/** Who a developer is, which the shapes cannot know. */
function checked(access: PartnerAccess, { developer }: Given, current?: PersonId) {
  // A caller who sends back the developer that is set already need not be allowed to name them.
  if (typeof developer !== 'string' || developer === current) return {}
  const person = personFor(access.world.view, developer, access.limitedTo)
  if (person) return { developer: person.id }
  throw refuse({ code: 'invalidParameter', problem: 'developer: expected the name or id of a user' })
}
