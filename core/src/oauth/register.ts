import type { AppId } from '../ids.ts'
import type { Moment } from '../moment.ts'
import { fail, ok, type Result } from '../result.ts'
import type { View } from '../state.ts'
import { clientIdOf } from './app.ts'
import { appNamed, type OAuthRefusal } from './checks.ts'
import type { ChangeAppStatus, RegisterApp } from './commands.ts'
import type { AppRegistered, AppStatusChanged } from './events.ts'

export type RegisterRefusal =
  | { readonly code: 'partnerNotFound' }
  | { readonly code: 'keyTaken'; readonly keyId: string }

export function registerApp(
  view: View,
  { at, id }: Moment,
  { kind: _, owner, shared = [], clientId, secret, ...told }: RegisterApp,
): Result<[AppRegistered], RegisterRefusal> {
  const partners = [...new Set([owner, ...shared])]
  if (!partners.every((partner) => view.partners.has(partner))) return fail({ code: 'partnerNotFound' })
  if (appNamed(view, clientId)) return fail({ code: 'keyTaken', keyId: clientId })
  const appId = id('world', view.seq, 0) as AppId
  return ok([
    {
      kind: 'appRegistered',
      at,
      app: { ...told, id: appId, owner, partners, status: 'active', createdAt: at },
      sealed: { clientId: clientIdOf(clientId), secret },
    },
  ])
}

/** Only its owner may; to all others the app does not exist. */
export function changeAppStatus(
  view: View,
  { at }: Moment,
  { partnerId, clientId, status }: ChangeAppStatus,
): Result<AppStatusChanged[], OAuthRefusal> {
  const app = appNamed(view, clientId)
  if (app?.owner !== partnerId) return fail({ code: 'oauthClientRefused' })
  if (app.status === status) return ok([])
  return ok([{ kind: 'appStatusChanged', at, appId: app.id, status }])
}
