import type { InputOf, OAuthClientChangesRecord, OAuthClientSettingsRecord } from '@quipu/contract'
import {
  type App,
  type AppDetails,
  type AppSettings,
  type ChangeApp,
  formatInstant,
  type PartnerId,
  type PersonId,
} from '@quipu/core'
import { definedFields } from '../../wire/defined-fields.ts'
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

export function detailsFrom(body: InputOf<'createOAuthClient'>['body']): AppDetails {
  return {
    shared: body.partners as readonly PartnerId[],
    name: body.name,
    description: body.description,
    url: body.url,
    termsOfUse: body.terms_of_use,
    privacyPolicy: body.privacy_policy,
    redirectUris: [...new Set(body.redirect_uri)],
    scopes: [...new Set(body.scopes)],
    liveTradingApproved: body.live_trading_approved,
    settings: kept(settingsFrom(body)),
  }
}

type Wanted = { readonly [Setting in keyof AppSettings]?: AppSettings[Setting] | null | undefined }

/** What is wanted of each setting: a value, null where it is to be off, undefined where nothing was said. */
function settingsFrom(body: OAuthClientChangesRecord | InputOf<'createOAuthClient'>['body']): Wanted {
  const isOn = (value: boolean | undefined) => (value === false ? null : value)
  const direct = body.allow_direct_token
  return {
    isPublic: isOn(body.public),
    isNative: isOn(body.native),
    pkceRequired: isOn(body.pkce_required),
    codesOnly: isOn(direct === undefined ? undefined : !direct),
    tokenSeconds: body.token_expires_in,
    refreshSeconds: body.refresh_expires_in,
    developer: body.developer as PersonId | null | undefined,
  }
}

const kept = (wanted: Wanted): AppSettings =>
  Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined && value !== null))

/** What a change comes to: only what is other than before, so that nothing new is no event. */
export function changesFrom(app: App, body: OAuthClientChangesRecord): ChangeApp['change'] {
  const wanted = settingsFrom(body)
  const names = Object.keys(wanted) as (keyof AppSettings)[]
  const cleared = names.filter((name) => wanted[name] === null && app[name] !== undefined)
  const set = Object.fromEntries(
    Object.entries(kept(wanted)).filter(([name, value]) => app[name as 'name'] !== value),
  )
  const told = differing(app, {
    name: body.name,
    description: body.description,
    url: body.url,
    termsOfUse: body.terms_of_use,
    privacyPolicy: body.privacy_policy,
    redirectUris: body.redirect_uri && [...new Set(body.redirect_uri)],
    scopes: body.scopes && [...new Set(body.scopes)],
    liveTradingApproved: body.live_trading_approved,
  })
  const partners = body.partners && ([...new Set([app.owner, ...body.partners])] as PartnerId[])
  return {
    ...told,
    ...(partners && !isSame(partners, app.partners) ? { shared: partners } : {}),
    ...(body.status === undefined ? {} : { status: body.status === 'ACTIVE' ? 'active' : 'disabled' }),
    ...(Object.keys(set).length > 0 ? { settings: set } : {}),
    ...(cleared.length > 0 ? { cleared } : {}),
  }
}

function differing<Given extends { readonly [Field in keyof App]?: App[Field] | undefined }>(
  app: App,
  given: Given,
) {
  const entries = Object.entries(given).filter(([name, value]) => !isSame(value, app[name as 'name']))
  return definedFields(Object.fromEntries(entries) as Given)
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
