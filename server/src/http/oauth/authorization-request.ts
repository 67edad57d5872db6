import { type InputOf, operations, readQuery } from '@quipu/contract'
import {
  type App,
  appForConsent,
  type OAuthRefusal,
  type Result,
  requestedScopes,
  type Scope,
} from '@quipu/core'
import { definedFields } from '../../wire/defined-fields.ts'
import type { World } from '../../world/world.ts'
import { isOnPagesHost } from '../host.ts'
import type { Services } from '../services.ts'

/** What an app sent a browser here with, as it came: text, several texts where a name came twice, or nothing. */
export type Given = InputOf<'showAuthorizePage'>['query']
type Name = keyof Given

/** A request of an app that is in order, and may be put to a person. */
export type Asked = {
  readonly world: World
  readonly app: App
  readonly redirectUri: string
  readonly scope: string
  readonly scopes: readonly Scope[]
  readonly state?: string
  readonly env?: 'live' | 'paper'
  readonly challenge?: string
  /** The same request as a query, for forms to carry. */
  readonly text: string
}

export type AuthorizeError =
  | 'invalid_request'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'access_denied'
  | 'server_error'

/**
 * What is made of a request, in the order of the core's steps: a doubt about the app or its redirect URI is told on a page,
 * because nobody may be led anywhere then; all others go back to the app.
 */
export type Reading =
  | { readonly kind: 'unsafe'; readonly why: 'app' | 'redirectUri'; readonly given: Given }
  | { readonly kind: 'wrong'; readonly back: Back; readonly error: AuthorizeError; readonly problem: string }
  | { readonly kind: 'asked'; readonly asked: Asked }

/** Where an answer goes, and what comes back with it. */
export type Back = { readonly redirectUri: string; readonly state?: string }

/** The request that a form has carried. */
export const carriedRequest = (text: string | undefined): Given =>
  operations.showAuthorizePage.query.parse(readQuery(text ?? ''), '', [])

export function readRequest(services: Services, given: Given): Reading {
  const clientId = textOf(given.client_id)
  const redirectUri = textOf(given.redirect_uri)
  const world = clientId === undefined ? undefined : services.worlds.credentials.worldOfApp(clientId)
  if (!world || clientId === undefined) return { kind: 'unsafe', why: 'app', given }
  const [scope = '', challenge, state] = [given.scope, given.code_challenge, given.state].map(textOf)
  const checked = appForConsent(world.view, { clientId, scope, ...definedFields({ redirectUri, challenge }) })
  if (isRefused(checked, 'oauthClientRefused')) return { kind: 'unsafe', why: 'app', given }
  if (redirectUri === undefined || isRefused(checked, 'oauthRedirectUriInvalid'))
    return { kind: 'unsafe', why: 'redirectUri', given }
  // Registered before the pages had this host name.
  if (isOnPagesHost(redirectUri, services)) return { kind: 'unsafe', why: 'redirectUri', given }
  const wrong = wrongIn(given, checked)
  const back = { redirectUri, ...definedFields({ state }) }
  if (wrong) return { kind: 'wrong', back, error: wrong[0], problem: wrong[1] }
  if (!checked.ok) throw new Error(`bug: ${checked.reason.code} is no problem of a request`)
  const env = envOf(given)
  return {
    kind: 'asked',
    asked: {
      world,
      app: checked.value,
      redirectUri,
      scope,
      scopes: requestedScopes(checked.value, scope) ?? [],
      ...definedFields({ state, env, challenge }),
      text: asQuery(given),
    },
  }
}

const textOf = (value: Given[Name]): string | undefined => (typeof value === 'string' ? value : undefined)

const isRefused = (checked: Result<App, OAuthRefusal>, code: OAuthRefusal['code']): boolean =>
  !checked.ok && checked.reason.code === code

type Wrong = readonly [AuthorizeError, string]

function wrongIn(given: Given, checked: Result<App, OAuthRefusal>): Wrong | undefined {
  const twice = Object.entries(given).find(([, value]) => Array.isArray(value))
  if (twice) return ['invalid_request', `${twice[0]} was given more than once`]
  const { response_type: responseType, env } = given
  if (responseType === undefined) return ['invalid_request', 'response_type is missing']
  if (responseType !== 'code')
    return ['unsupported_response_type', `response_type: expected code, received ${shown(responseType)}`]
  if (isRefused(checked, 'oauthScopeInvalid'))
    return ['invalid_scope', 'the scope is unknown, or more than this app may ask for']
  if (env !== undefined && envOf(given) === undefined)
    return ['invalid_request', `env: expected live or paper, received ${shown(env)}`]
  return wrongProof(given, checked)
}

/** SHA-256 in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

function wrongProof(
  { code_challenge: challenge, code_challenge_method: method }: Given,
  checked: Result<App, OAuthRefusal>,
): Wrong | undefined {
  const isNeeded = isRefused(checked, 'oauthChallengeMissing')
  if (challenge === undefined)
    return isNeeded || method !== undefined ? ['invalid_request', 'code_challenge is missing'] : undefined
  // By the standard, a method that is not named is `plain`.
  if (method !== 'S256')
    return ['invalid_request', `code_challenge_method: expected S256, received ${shown(method ?? 'plain')}`]
  return isNeeded || !CHALLENGE.test(String(challenge))
    ? ['invalid_request', 'code_challenge: expected 43 letters of base64url']
    : undefined
}

const envOf = ({ env }: Given): 'live' | 'paper' | undefined =>
  env === 'live' || env === 'paper' ? env : undefined

/** The standard has a description hold printable ASCII without quotes and backslashes. */
const shown = (value: unknown): string =>
  String(value)
    .slice(0, 40)
    .replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?')

function asQuery(given: Given): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(given)) if (typeof value === 'string') query.set(name, value)
  return String(query)
}

/** The app's own address with an answer added to it. */
export function answered(
  { redirectUri, state }: Back,
  issuer: string,
  answer: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams({ ...answer, ...definedFields({ state }), iss: issuer })
  const join = redirectUri.includes('?') ? (/[?&]$/.test(redirectUri) ? '' : '&') : '?'
  const address = redirectUri.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent)
  return `${address}${join}${query}`
}
