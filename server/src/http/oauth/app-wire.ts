import type { InputOf, OAuthClientChangesRecord, OAuthClientSettingsRecord } from '@quipu/contract'
import type { App, AppDetails, AppSettings, ChangeApp, UserId } from '@quipu/core'
import { definedFields, formatInstant, keysOf } from '@quipu/core/values'
import { appToWire } from './oauth.ts'

export const settingsToWire = (app: App): OAuthClientSettingsRecord => ({
  ...appToWire(app),
  scopes: [...app.scopes],
  public: app.isPublic ?? false,
  native: app.isNative ?? false,
  pkce_required: (app.pkceRequired || app.isPublic) ?? false,
  allow_direct_token: !app.codesOnly,
  token_expires_in: app.tokenSeconds ?? null,
  refresh_expires_in: app.refreshSeconds ?? null,
  developer: app.developer ?? null,
  owner: app.owner,
  partners: [...app.partners],
  created_at: formatInstant(app.createdAt),
})

/** A body in which the developer is the id of a user; clients may also send a name. */
type WithDeveloper<Body> = Omit<Body, 'developer'> & { readonly developer?: UserId | null | undefined }
type NewApp = WithDeveloper<InputOf<'createOAuthClient'>['body']>
type AppChanges = WithDeveloper<OAuthClientChangesRecord>

export function appDetails(body: NewApp): AppDetails {
  return {
    shared: body.partners,
    name: body.name,
    description: body.description,
    url: body.url,
    termsOfUse: body.terms_of_use,
    privacyPolicy: body.privacy_policy,
    redirectUris: [...new Set(body.redirect_uri)],
    scopes: [...new Set(body.scopes)],
    liveTradingApproved: body.live_trading_approved,
    settings: valuesOf(settingsFrom(body)),
  }
}

type RequestedSettings = { readonly [Setting in keyof AppSettings]?: AppSettings[Setting] | null | undefined }

/** The requested value of each setting: null switches it off, undefined leaves it unchanged. */
function settingsFrom(body: NewApp | AppChanges): RequestedSettings {
  const isOn = (value: boolean | undefined) => (value === false ? null : value)
  const direct = body.allow_direct_token
  return {
    isPublic: isOn(body.public),
    isNative: isOn(body.native),
    pkceRequired: isOn(body.pkce_required),
    codesOnly: isOn(direct === undefined ? undefined : !direct),
    tokenSeconds: body.token_expires_in,
    refreshSeconds: body.refresh_expires_in,
    developer: body.developer,
  }
}

const valuesOf = (requested: RequestedSettings): AppSettings =>
  Object.fromEntries(Object.entries(requested).filter(([, value]) => value !== undefined && value !== null))

const appStatuses = { ACTIVE: 'active', DISABLED: 'disabled' } as const

/** Only the fields that differ, so that a change without effect records no event. */
export function changesFrom(app: App, body: AppChanges): ChangeApp['change'] {
  const requested = settingsFrom(body)
  const names = keysOf(requested)
  const cleared = names.filter((name) => requested[name] === null && app[name] !== undefined)
  const set = Object.fromEntries(
    Object.entries(valuesOf(requested)).filter(([name, value]) => app[name as 'name'] !== value),
  )
  const details = differing(app, {
    name: body.name,
    description: body.description,
    url: body.url,
    termsOfUse: body.terms_of_use,
    privacyPolicy: body.privacy_policy,
    redirectUris: body.redirect_uri && [...new Set(body.redirect_uri)],
    scopes: body.scopes && [...new Set(body.scopes)],
    liveTradingApproved: body.live_trading_approved,
  })
  const partners = body.partners && [...new Set([app.owner, ...body.partners])]
  return {
    ...details,
    ...definedFields({
      shared: isSame(partners, app.partners) ? undefined : partners,
      status: body.status && appStatuses[body.status],
      settings: Object.keys(set).length > 0 ? set : undefined,
      cleared: cleared.length > 0 ? cleared : undefined,
    }),
  }
}

function differing<Fields extends { readonly [Field in keyof App]?: App[Field] | undefined }>(
  app: App,
  fields: Fields,
) {
  const entries = Object.entries(fields).filter(([name, value]) => !isSame(value, app[name as 'name']))
  return definedFields(Object.fromEntries(entries) as Fields)
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
