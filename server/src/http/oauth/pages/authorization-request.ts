import type { World } from '@quipu/broker/world/world.ts'
import { type InputOf, operations, readQuery } from '@quipu/contract'
import {
  type App,
  appForConsent,
  definedFields,
  type OAuthRefusal,
  type Result,
  requestedScopes,
  type Scope,
} from '@quipu/core'
import { isOnPagesHost } from '../../connection/host.ts'
import type { Services } from '../../services.ts'

/** The query that an app sends with the browser, unchecked: a text, a list where a name is repeated, or nothing. */
export type AuthorizationQuery = InputOf<'showAuthorizePage'>['query']
type Name = keyof AuthorizationQuery

/** A valid request of an app, ready to be shown to the user. */
export type AuthorizationRequest = {
  readonly world: World
  readonly app: App
  readonly redirectUri: string
  readonly scope: string
  readonly scopes: readonly Scope[]
  readonly state?: string
  readonly env?: 'live' | 'paper'
  readonly challenge?: string
  /** The same request as a query, for hidden form fields. */
  readonly text: string
}

export type AuthorizeError =
  | 'invalid_request'
  | 'unsupported_response_type'
  | 'invalid_scope'
  | 'access_denied'
  | 'server_error'

/**
 * The result of checking a request, in the order of the checks of the core. A wrong app or redirect URI is shown on a
 * page, because a redirect would not be safe; all other errors are sent to the app.
 */
export type ParsedRequest =
  | { readonly kind: 'unsafe'; readonly cause: 'app' | 'redirectUri'; readonly query: AuthorizationQuery }
  | {
      readonly kind: 'invalid'
      readonly target: RedirectTarget
      readonly error: AuthorizeError
      readonly problem: string
    }
  | { readonly kind: 'valid'; readonly request: AuthorizationRequest }

/** The redirect URI of the app and the state that is returned with the response. */
export type RedirectTarget = { readonly redirectUri: string; readonly state?: string }

/** Reads the query from the hidden field of a form. */
export const queryFromForm = (text: string | undefined): AuthorizationQuery =>
  operations.showAuthorizePage.query.parse(readQuery(text ?? ''), '', [])

export function parseRequest(services: Services, query: AuthorizationQuery): ParsedRequest {
  const clientId = textOf(query.client_id)
  const redirectUri = textOf(query.redirect_uri)
  const world = clientId === undefined ? undefined : services.worlds.access.credentials.worlds.ofApp(clientId)
  if (!world || clientId === undefined) return { kind: 'unsafe', cause: 'app', query }
  const [scope = '', challenge, state] = [query.scope, query.code_challenge, query.state].map(textOf)
  const checked = appForConsent(world.view, { clientId, scope, ...definedFields({ redirectUri, challenge }) })
  if (isRefused(checked, 'oauthClientRefused')) return { kind: 'unsafe', cause: 'app', query }
  if (redirectUri === undefined || isRefused(checked, 'oauthRedirectUriInvalid'))
    return { kind: 'unsafe', cause: 'redirectUri', query }
  // The app was registered before the pages had this host name.
  if (isOnPagesHost(redirectUri, services)) return { kind: 'unsafe', cause: 'redirectUri', query }
  const problem = problemIn(query, checked)
  const target = { redirectUri, ...definedFields({ state }) }
  if (problem) return { kind: 'invalid', target, error: problem[0], problem: problem[1] }
  if (!checked.ok) throw new Error(`bug: ${checked.reason.code} is not an error of an authorization request`)
  const env = envOf(query)
  return {
    kind: 'valid',
    request: {
      world,
      app: checked.value,
      redirectUri,
      scope,
      scopes: requestedScopes(checked.value, scope) ?? [],
      ...definedFields({ state, env, challenge }),
      text: asQuery(query),
    },
  }
}

const textOf = (value: AuthorizationQuery[Name]): string | undefined =>
  typeof value === 'string' ? value : undefined

const isRefused = (checked: Result<App, OAuthRefusal>, code: OAuthRefusal['code']): boolean =>
  !checked.ok && checked.reason.code === code

type RequestProblem = readonly [AuthorizeError, string]

function problemIn(
  query: AuthorizationQuery,
  checked: Result<App, OAuthRefusal>,
): RequestProblem | undefined {
  const repeated = Object.entries(query).find(([, value]) => Array.isArray(value))
  if (repeated) return ['invalid_request', `${repeated[0]} was given more than once`]
  const { response_type: responseType, env } = query
  if (responseType === undefined) return ['invalid_request', 'response_type is missing']
  if (responseType !== 'code')
    return ['unsupported_response_type', `response_type: expected code, received ${printable(responseType)}`]
  if (isRefused(checked, 'oauthScopeInvalid'))
    return ['invalid_scope', 'the scope is unknown, or more than this app may ask for']
  if (env !== undefined && envOf(query) === undefined)
    return ['invalid_request', `env: expected live or paper, received ${printable(env)}`]
  return challengeProblem(query, checked)
}

/** SHA-256 in base64url. */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

function challengeProblem(
  { code_challenge: challenge, code_challenge_method: method }: AuthorizationQuery,
  checked: Result<App, OAuthRefusal>,
): RequestProblem | undefined {
  const isNeeded = isRefused(checked, 'oauthChallengeMissing')
  if (challenge === undefined)
    return isNeeded || method !== undefined ? ['invalid_request', 'code_challenge is missing'] : undefined
  // RFC 7636: without a method, the method is `plain`.
  if (method !== 'S256')
    return [
      'invalid_request',
      `code_challenge_method: expected S256, received ${printable(method ?? 'plain')}`,
    ]
  return isNeeded || !CHALLENGE.test(String(challenge))
    ? ['invalid_request', 'code_challenge: expected 43 characters of base64url']
    : undefined
}

const envOf = ({ env }: AuthorizationQuery): 'live' | 'paper' | undefined =>
  env === 'live' || env === 'paper' ? env : undefined

/** RFC 6749: a description has only printable ASCII without quotes and backslashes. */
const printable = (value: unknown): string =>
  String(value)
    .slice(0, 40)
    .replace(/[^\x20\x21\x23-\x5b\x5d-\x7e]/g, '?')

function asQuery(query: AuthorizationQuery): string {
  const text = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (typeof value === 'string') text.set(name, value)
  return String(text)
}

/** The redirect URI with the response added as query parameters. */
export function redirectUrl(
  { redirectUri, state }: RedirectTarget,
  issuer: string,
  response: Readonly<Record<string, string>>,
): string {
  const query = new URLSearchParams({ ...response, ...definedFields({ state }), iss: issuer })
  const separator = redirectUri.includes('?') ? (/[?&]$/.test(redirectUri) ? '' : '&') : '?'
  const address = redirectUri.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent)
  return `${address}${separator}${query}`
}
