import assert from 'node:assert/strict'
import * as oauth from 'oauth4webapi'
import { Browser } from '../../server/src/http/oauth/testing/pages.ts'
import type { Broker } from '../broker.ts'
import { type App, codeFor, REDIRECT } from '../oauth/app.ts'
import { Witness } from './witness.ts'

export const witness = new Witness()

async function watched(url: string, init: oauth.CustomFetchOptions<string, unknown>): Promise<Response> {
  const answer = await fetch(url, init as RequestInit)
  if (answer.ok) witness.answered(init.method, new URL(url).pathname, undefined, undefined)
  return answer
}

/** Plain http, which the library takes only where it is told to; and what works is seen. */
export const plain = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: watched } as const

/** What the server says of itself, as the library finds and checks it. */
export async function discovered(url: string, issuer = url): Promise<oauth.AuthorizationServer> {
  const expected = new URL(issuer)
  const answer = await oauth.discoveryRequest(expected, {
    algorithm: 'oauth2',
    ...plain,
    [oauth.customFetch]: (asked, init) => watched(asked.replace(expected.origin, new URL(url).origin), init),
  })
  return oauth.processDiscoveryResponse(expected, answer)
}

/** Code and what belongs to it, the way back from the server included. */
export type Asked = { readonly params: URLSearchParams; readonly verifier: string }

/** How an app gets a code: the library makes state and proof, and looks at what comes back. */
export type Way = (
  broker: Broker,
  as: oauth.AuthorizationServer,
  app: App,
  ask: { readonly scope: string; readonly state: string; readonly challenge: string },
) => Promise<URL>

export async function askFor(
  broker: Broker,
  as: oauth.AuthorizationServer,
  app: App,
  way: Way,
  scope = 'trading data',
): Promise<Asked> {
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()]
  const challenge = await oauth.calculatePKCECodeChallenge(verifier)
  const back = await way(broker, as, app, { scope, state, challenge })
  return { params: oauth.validateAuthResponse(as, clientOf(app), back, state), verifier }
}

export const clientOf = ({ clientId }: App): oauth.Client => ({ client_id: clientId })

/** A partner has its own page, and leads the person back to the app itself. */
export const byPartner: Way = async (broker, as, app, { scope, state, challenge }) => {
  const proof = { code_challenge: challenge, code_challenge_method: 'S256' }
  const code = await codeFor(broker, app, { scope, ...proof })
  return new URL(`${REDIRECT}?${new URLSearchParams({ code, state, iss: as.issuer })}`)
}

/** A person signs in on the server's page, allows it, and is led back. */
export const byPage: Way = (broker, ...rest) =>
  onPage({ answer: 'allow', paper: broker.accountId })(broker, ...rest)

/** The same, and the person says no. */
export const deniedOnPage: Way = onPage({ answer: 'deny' })

function onPage(answer: Readonly<Record<string, string>>): Way {
  return async (broker, as, app, ask) => {
    const person = new Browser(broker)
    const { pathname, search } = authorizationUrl(as, app, ask)
    const first = await person.get(pathname + search)
    assert.equal(first.status, 303)
    const form = await person.get(first.location!)
    const signedIn = await person.submit(form, '/oauth/sign-in', {
      name: broker.userName,
      password: broker.userPassword,
    })
    assert.equal(signedIn.status, 303)
    const consent = await person.get(signedIn.location!)
    const answered = await person.submit(consent, '/oauth/authorize', answer)
    assert.equal(answered.status, 303, answered.html)
    return new URL(answered.location!)
  }
}

function authorizationUrl(
  as: oauth.AuthorizationServer,
  app: App,
  { scope, state, challenge }: Parameters<Way>[3],
): URL {
  const asked = new URL(as.authorization_endpoint!)
  asked.search = new URLSearchParams({
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: REDIRECT,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    scope,
    state,
  }).toString()
  return asked
}
