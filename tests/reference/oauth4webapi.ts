import assert from 'node:assert/strict'
import * as oauth from 'oauth4webapi'
import { Browser } from '../../server/src/http/oauth/testing/pages.ts'
import { type App, codeFor, REDIRECT } from '../oauth/app.ts'
import type { Broker } from '../support/broker.ts'
import { Coverage } from './coverage.ts'

export const coverage = new Coverage('oauth4webapi 3')

async function recordingFetch(
  url: string,
  init: oauth.CustomFetchOptions<string, unknown>,
): Promise<Response> {
  const response = await fetch(url, init as RequestInit)
  if (response.ok) coverage.succeeded(init.method, new URL(url).pathname, undefined, undefined)
  return response
}

/** Allows plain http, which the library refuses by default, and records successful requests. */
export const plain = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: recordingFetch } as const

/** The metadata of the server, discovered and validated by the library. */
export async function discover(url: string, issuer = url): Promise<oauth.AuthorizationServer> {
  const expected = new URL(issuer)
  const response = await oauth.discoveryRequest(expected, {
    algorithm: 'oauth2',
    ...plain,
    [oauth.customFetch]: (requested, init) =>
      recordingFetch(requested.replace(expected.origin, new URL(url).origin), init),
  })
  return oauth.processDiscoveryResponse(expected, response)
}

/** The validated redirect parameters with the code, and the PKCE verifier. */
export type CodeResponse = { readonly params: URLSearchParams; readonly verifier: string }

/** Gets a code for an app; returns the redirect URL, which the library validates. */
export type CodeFlow = (
  broker: Broker,
  as: oauth.AuthorizationServer,
  app: App,
  request: { readonly scope: string; readonly state: string; readonly challenge: string },
) => Promise<URL>

export async function requestCode(
  broker: Broker,
  as: oauth.AuthorizationServer,
  app: App,
  codeFlow: CodeFlow,
  scope = 'trading data',
): Promise<CodeResponse> {
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
  const challenge = await oauth.calculatePKCECodeChallenge(verifier)
  const back = await codeFlow(broker, as, app, { scope, state, challenge })
  return { params: oauth.validateAuthResponse(as, clientOf(app), back, state), verifier }
}

export const clientOf = ({ clientId }: App): oauth.Client => ({ client_id: clientId })

/** The partner has its own consent page and redirects to the app. */
export const byPartner: CodeFlow = async (broker, as, app, { scope, state, challenge }) => {
  const proof = { code_challenge: challenge, code_challenge_method: 'S256' }
  const code = await codeFor(broker, app, { scope, ...proof })
  return new URL(`${REDIRECT}?${new URLSearchParams({ code, state, iss: as.issuer })}`)
}

/** A user signs in on the page of the server, allows the app, and is redirected. */
export const byPage: CodeFlow = (broker, ...rest) =>
  onPage({ answer: 'allow', paper: broker.accountId })(broker, ...rest)

/** A user signs in and denies the app. */
export const deniedOnPage: CodeFlow = onPage({ answer: 'deny' })

function onPage(response: Readonly<Record<string, string>>): CodeFlow {
  return async (broker, as, app, request) => {
    const user = new Browser(broker)
    const { pathname, search } = authorizationUrl(as, app, request)
    const first = await user.get(pathname + search)
    assert.equal(first.status, 303)
    const form = await user.get(first.location!)
    const signedIn = await user.submit(form, '/oauth/sign-in', {
      name: broker.userName,
      password: broker.userPassword,
    })
    assert.equal(signedIn.status, 303)
    const consent = await user.get(signedIn.location!)
    const answered = await user.submit(consent, '/oauth/authorize', response)
    assert.equal(answered.status, 303, answered.html)
    return new URL(answered.location!)
  }
}

function authorizationUrl(
  as: oauth.AuthorizationServer,
  app: App,
  { scope, state, challenge }: Parameters<CodeFlow>[3],
): URL {
  const url = new URL(as.authorization_endpoint!)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope,
    state,
  }).toString()
  return url
}
