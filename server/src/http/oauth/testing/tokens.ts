import type { PartnerId, RegisterApp } from '@quipu/core'
import { type Called, call, openTestServer, type TestServer, type TestSetup } from '../../testing/server.ts'
import { issueTestCode, REDIRECT, registerTestApp, type TestApp } from './apps.ts'

/** A server with an app that has a secret, and another app. */
export type Scene = TestServer & { readonly app: TestApp; readonly other: TestApp }
type Test = { after(run: () => Promise<void>): void }

export async function openScene(
  t: Test,
  settings: RegisterApp['settings'] = {},
  setup: TestSetup = {},
): Promise<Scene> {
  const server = await openTestServer(setup)
  t.after(() => server.close())
  const app = await registerTestApp(server.world, { settings })
  const other = await registerTestApp(server.world, { name: 'Another app' })
  return { ...server, app, other }
}

export type Form = Readonly<Record<string, string | readonly string[] | undefined>>

/** Sends a form; undefined fields are omitted, a list repeats the field. */
export function send(
  scene: Scene,
  path: string,
  fields: Form,
  headers: Readonly<Record<string, string>> = {},
): Promise<Called> {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    for (const one of value === undefined ? [] : [value].flat()) form.append(name, one)
  return call(scene, `POST ${path}`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: form.toString(),
  })
}

export const clientFields = ({ clientId, secret }: TestApp) => ({
  client_id: clientId,
  client_secret: secret,
})

export const basic = ({ clientId, secret }: TestApp) => ({
  authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
})

export const exchange = (scene: Scene, code: string, patch: Form = {}, headers = {}): Promise<Called> =>
  send(
    scene,
    '/oauth/token',
    {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      ...clientFields(scene.app),
      ...patch,
    },
    headers,
  )

export const refresh = (scene: Scene, token: string, patch: Form = {}, headers = {}): Promise<Called> =>
  send(
    scene,
    '/oauth/token',
    { grant_type: 'refresh_token', refresh_token: token, ...clientFields(scene.app), ...patch },
    headers,
  )

export const introspect = (scene: Scene, token: string, patch: Form = {}, headers = {}): Promise<Called> =>
  send(scene, '/oauth/introspect', { token, ...clientFields(scene.app), ...patch }, headers)

export const revoke = (scene: Scene, token: string, patch: Form = {}, headers = {}): Promise<Called> =>
  send(scene, '/oauth/revoke', { token, ...clientFields(scene.app), ...patch }, headers)

export const account = (scene: Scene, token: string): Promise<Called> =>
  call(scene, 'GET /v2/account', { headers: { authorization: `Bearer ${token}` } })

/** The tokens that the app receives for a new code. */
export async function tokens(
  scene: Scene,
  scope = 'trading data',
): Promise<{ readonly access: string; readonly refresh: string }> {
  const { body } = await exchange(
    scene,
    await issueTestCode(scene.world, scene.app, scene.accountId, { scope }),
  )
  return { access: body.access_token, refresh: body.refresh_token }
}

export async function disable({ world }: Scene, { clientId }: TestApp): Promise<void> {
  const [partnerId] = world.view.partners.keys() as MapIterator<PartnerId>
  await world.commands.submit(
    { kind: 'changeAppStatus', partnerId: partnerId!, clientId, status: 'disabled' },
    () => undefined,
  )
}
