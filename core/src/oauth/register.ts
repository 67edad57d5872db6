import type { Moment } from '../moment.ts'
import { fail, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import { clientIdOf } from './app.ts'
import type { OAuthRefusal } from './checks.ts'
import type { ChangeAppStatus, RegisterApp } from './commands.ts'
import type { AppRegistered, AppStatusChanged } from './events.ts'

export type RegisterRefusal = OAuthRefusal | { readonly code: 'partnerNotFound' }

export function registerApp(
  view: View,
  { at, id }: Moment,
  { kind: _, owner, shared = [], secret, ...told }: RegisterApp,
): Result<[AppRegistered], RegisterRefusal> {
  const partners = [...new Set([owner, ...shared])]
  if (!partners.every((partner) => view.partners.has(partner))) return fail({ code: 'partnerNotFound' })
  const clientId = clientIdOf(id('world', view.seq, 0))
  return ok([
    {
      kind: 'appRegistered',
      at,
      app: { ...told, clientId, owner, partners, status: 'active', createdAt: at },
      sealed: { secret },
    },
  ])
}

/** Only its owner may; to all others the app does not exist. */
export function changeAppStatus(
  view: View,
  { at }: Moment,
  { partnerId, clientId, status }: ChangeAppStatus,
): Result<AppStatusChanged[], OAuthRefusal> {
  const app = view.apps.get(clientIdOf(clientId))
  if (app?.owner !== partnerId) return fail({ code: 'oauthClientRefused' })
  if (app.status === status) return ok([])
  return ok([{ kind: 'appStatusChanged', at, clientId: app.clientId, status }])
}
