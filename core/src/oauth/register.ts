import { definedFields } from '../defined-fields.ts'
import type { Deciders } from '../handlers.ts'
import { fail, ok } from '../result.ts'
import { freeNumber } from '../state/world-id.ts'
import type { Instant } from '../time.ts'
import { type AppSecret, clientIdOf } from './app.ts'
import { appByClientId, appOfOwner, type OAuthRefusal } from './checks.ts'
import type { AppChanged, AppSecretRemoved, AppStatusChanged } from './events.ts'
import { SECRETS_MAX } from './lifetimes.ts'
import { grantsTo, revocationOf } from './revoke.ts'

export type RegisterRefusal =
  | { readonly code: 'partnerNotFound' }
  | { readonly code: 'keyTaken'; readonly keyId: string }

export const appDeciders = {
  registerApp(view, moment, { kind: _, owner, shared = [], clientId, secret, settings = {}, ...details }) {
    const partners = [...new Set([owner, ...shared])]
    if (!partners.every((partner) => view.partners.has(partner))) return fail({ code: 'partnerNotFound' })
    if (appByClientId(view, clientId)) return fail({ code: 'keyTaken', keyId: clientId })
    const { at, id } = moment
    const appId = id('world', view.seq, freeNumber(view, moment))
    return ok([
      {
        kind: 'appRegistered',
        at,
        app: { ...details, id: appId, owner, partners, status: 'active', createdAt: at, ...settings },
        sealed: {
          clientId: clientIdOf(clientId),
          ...definedFields({ secret: settings.isPublic ? undefined : secret }),
        },
      },
    ])
  },

  /** Only the owner may change the status; for others the app does not exist. */
  changeAppStatus(view, { at }, { status, ...request }) {
    const app = appOfOwner(view, request)
    if (!app.ok) return app
    if (app.value.status === status) return ok([])
    return ok([{ kind: 'appStatusChanged', at, appId: app.value.id, status }])
  },

  changeApp(view, { at }, { change, ...request }) {
    const app = appOfOwner(view, request)
    if (!app.ok) return app
    const { status, shared, settings = {}, cleared = [], ...details } = change
    const partners = shared && { partners: [...new Set([app.value.owner, ...shared])] }
    if (partners && !partners.partners.every((partner) => view.partners.has(partner)))
      return fail({ code: 'partnerNotFound' })
    const events: (AppChanged | AppStatusChanged | AppSecretRemoved)[] = []
    const appId = app.value.id
    const changes = { ...details, ...partners, ...settings }
    if (Object.keys(changes).length > 0 || cleared.length > 0)
      events.push({ kind: 'appChanged', at, appId, change: changes, cleared })
    // A public app has no secrets.
    if (settings.isPublic)
      for (const { id } of app.value.secrets)
        events.push({ kind: 'appSecretRemoved', at, appId, secretId: id })
    if (status !== undefined && status !== app.value.status)
      events.push({ kind: 'appStatusChanged', at, appId, status })
    return ok(events)
  },

  addAppSecret(view, moment, { secret, othersUntil, ...request }) {
    const app = appOfOwner(view, request)
    if (!app.ok) return app
    const { at, id } = moment
    const ends = (secret: AppSecret) => least(secret.expiresAt, othersUntil)
    const live = app.value.secrets.filter((secret) => (ends(secret) ?? at + 1n) > at)
    if (app.value.isPublic || live.length >= SECRETS_MAX) return fail({ code: 'oauthTooManySecrets' })
    const until = definedFields({ othersUntil })
    const secretId = id('world', view.seq, freeNumber(view, moment))
    return ok([{ kind: 'appSecretAdded', at, appId: app.value.id, secretId, ...until, sealed: { secret } }])
  },

  removeAppSecret(view, { at }, { secretId, ...request }) {
    const app = appOfOwner(view, request)
    if (!app.ok) return app
    if (!app.value.secrets.some(({ id }) => id === secretId)) return fail({ code: 'oauthSecretNotFound' })
    return ok([{ kind: 'appSecretRemoved', at, appId: app.value.id, secretId }])
  },

  deleteApp(view, { at }, request) {
    const app = appOfOwner(view, request)
    if (!app.ok) return app
    const { id: appId, clientId } = app.value
    return ok([
      { kind: 'appDeleted', at, appId, ...revocationOf(grantsTo(view, appId)), sealed: { clientId } },
    ])
  },
} satisfies Deciders<RegisterRefusal | OAuthRefusal>

const least = (a: Instant | undefined, b: Instant | undefined): Instant | undefined =>
  a === undefined || (b !== undefined && b < a) ? b : a
