import { execute, issueKey, type KeyPair } from '@quipu/broker/access/issue-keys.ts'
import { type Called, call, openTestServer, type TestServer } from '../../testing/server.ts'
import { oauthHandlers } from '../oauth.ts'
import { REDIRECT, registerTestApp, type TestApp } from './apps.ts'

/** A server with two apps of a partner, and another partner. */
export type OAuthScene = TestServer & {
  readonly app: TestApp
  readonly other: TestApp
  readonly strangerKey: KeyPair
}
type Test = { after(run: () => Promise<void>): void }

export async function openScene(t: Test): Promise<OAuthScene> {
  const server = await openTestServer({ handlers: oauthHandlers })
  t.after(() => server.close())
  const { world } = server
  const app = await registerTestApp(world)
  const other = await registerTestApp(world, { name: 'Another app' })
  const { partnerId } = await execute(world, { kind: 'addPartner', name: 'a stranger' }, 'partnerAdded')
  const strangerKey = await issueKey(world, { kind: 'partner', partnerId, operator: false })
  return { ...server, app, other, strangerKey }
}

const requestOf = ({ app, accountId }: OAuthScene, patch: object = {}) => ({
  client_id: app.clientId,
  client_secret: app.secret,
  redirect_uri: REDIRECT,
  scope: 'trading',
  account_id: accountId,
  ...patch,
})

export const authorize = (scene: OAuthScene, patch?: object, key = scene.partnerKey): Promise<Called> =>
  call(scene, 'POST /v1/oauth/authorize', { key, body: requestOf(scene, patch) })
export const issue = (scene: OAuthScene, patch?: object, key = scene.partnerKey): Promise<Called> =>
  call(scene, 'POST /v1/oauth/token', { key, body: requestOf(scene, patch) })

export type Form = Record<string, string | undefined>

export function exchange(
  scene: OAuthScene,
  code: string,
  patch: Form = {},
  headers: Record<string, string> = {},
) {
  const fields: Form = {
    grant_type: 'authorization_code',
    code,
    client_id: scene.app.clientId,
    client_secret: scene.app.secret,
    redirect_uri: REDIRECT,
    ...patch,
  }
  const sentFields = Object.entries(fields).filter(
    (field): field is [string, string] => field[1] !== undefined,
  )
  return call(scene, 'POST /oauth/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(sentFields).toString(),
  })
}

export const readAccount = (scene: OAuthScene, token: string): Promise<Called> =>
  call(scene, 'GET /v2/account', { headers: { authorization: `Bearer ${token}` } })
