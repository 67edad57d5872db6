import type { SignedInCaller } from '@quipu/broker/access/caller.ts'
import {
  type App,
  appByClientId,
  cashOf,
  type Grant,
  grantsFor,
  type Instant,
  isInForce,
  roleOf,
  type UserId,
  type View,
} from '@quipu/core'
import {
  type AllowedApp,
  appsPage,
  type RightsOfSession,
  type UserAccount,
} from '../../../pages/apps-page.ts'
import type { SomeHandlers } from '../../context.ts'
import { seeOther } from '../../prebuilt.ts'
import { staleFormPage } from './authorize-page.ts'
import {
  asPage,
  browserWorldName,
  isSameSessionForm,
  operatorUntil,
  PageResponse,
  pageHandler,
  signedIn,
} from './browser.ts'

const SIGN_IN = 'sign-in'

export const appsPageHandlers = {
  showAppsPage: pageHandler(async ({ query }, context) => {
    const me = signedIn(context)
    if (!me) return seeOther(SIGN_IN)
    const { world, user } = me
    const data = await context.state.read(world, (view) => ({
      apps: allowedApps(view, user.id, world.engine.now),
      accounts: accountsOf(view, user.id),
      withdrawn: appByClientId(view, query.withdrawn),
    }))
    const { apps, accounts, withdrawn } = data
    // Checked, because anyone can make a link with this query.
    const isWithdrawn = withdrawn && !apps.some(({ clientId }) => clientId === withdrawn.clientId)
    return asPage(
      appsPage({
        csrf: me.csrf,
        user: user.name,
        world: browserWorldName(world),
        apps,
        accounts,
        withdrawn: isWithdrawn ? withdrawn.name : undefined,
        rights: rightsOf(me),
      }),
    )
  }),

  withdrawApp: pageHandler(async ({ body }, context) => {
    const me = signedIn(context)
    if (!me) return seeOther(SIGN_IN)
    if (!isSameSessionForm(context, body.csrf)) throw new PageResponse(staleFormPage())
    const { world, user } = me
    const { client_id: clientId = '' } = body
    const decision = await context.state.submit(world, { kind: 'withdrawConsent', userId: user.id, clientId })
    return seeOther(decision.ok ? `apps?${new URLSearchParams({ withdrawn: clientId })}` : 'apps')
  }),
} satisfies SomeHandlers

function rightsOf(me: SignedInCaller): RightsOfSession | undefined {
  const role = roleOf(me.user)
  return role === 'user' ? undefined : { role, until: operatorUntil(me) }
}

/** The apps with a valid grant, newest first. */
function allowedApps(view: View, userId: UserId, now: Instant): readonly AllowedApp[] {
  const inForce = grantsFor(view, userId).filter((grant) => isInForce(grant, now))
  const byApp = Map.groupBy(inForce, ({ appId }) => appId)
  return [...byApp]
    .flatMap(([appId, grants]) => {
      const app = view.apps.get(appId)
      return app ? [allowedApp(view, app, grants)] : []
    })
    .sort((a, b) => (a.since > b.since ? -1 : 1))
}

function allowedApp(view: View, app: App, grants: readonly Grant[]): AllowedApp {
  const ids = new Set(grants.flatMap(({ live, paper }) => [paper, live]))
  const accounts = [...ids].flatMap((id) => (id && view.accounts.get(id)) ?? [])
  const used = grants.flatMap(({ lastUsedAt }) => lastUsedAt ?? [])
  return {
    clientId: app.clientId,
    name: app.name,
    url: app.url,
    isActive: app.status === 'active',
    scopes: [...new Set(grants.flatMap(({ scopes }) => scopes))],
    accounts: accounts.map(({ number, flavour }) => ({ number, flavour })),
    since: earliest(grants.map(({ createdAt }) => createdAt)),
    lastUsedAt: used.length === 0 ? undefined : latest(used),
    byPartner: grants.some((grant) => grant.userId === undefined),
  }
}

const earliest = (times: readonly Instant[]): Instant => times.reduce((a, b) => (a < b ? a : b))
const latest = (times: readonly Instant[]): Instant => times.reduce((a, b) => (a > b ? a : b))

const accountsOf = (view: View, userId: UserId): readonly UserAccount[] =>
  [...view.accounts.values()]
    .filter((account) => account.userId === userId && account.closedAt === undefined)
    .map(({ id, number, flavour }) => ({ number, flavour, cash: cashOf(view, id) }))
