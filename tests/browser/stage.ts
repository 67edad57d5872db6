import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { type Body, type Broker, call, callAsOperator, newWorld, startBroker } from '../support/broker.ts'
import { commonBrowser } from './chromium.ts'

/** A broker, a browser, a user with accounts in a world with a virtual clock, and an app. */
export type Stage = {
  readonly broker: Broker
  /** The base URL of the pages. */
  readonly pagesUrl: string
  readonly browser: Browser
  readonly world: Awaited<ReturnType<typeof newWorld>>
  readonly user: Body
  readonly app: App
  readonly callback: Callback
  /** Registers an app, by default with the callback as redirect URI. */
  register(patch?: object): Promise<App>
  close(): Promise<void>
}

export type App = { readonly clientId: string; readonly secret: string; readonly redirectUri: string }

export const PASSWORD = 'correct horse battery'

let common: Promise<Stage> | undefined
after(async () => (await common)?.close())

/** One stage for all specs of a process that leave the user as it was. */
export function commonStage(): Promise<Stage> {
  common ??= openStage()
  return common
}

export async function openStage(env: Readonly<Record<string, string>> = {}): Promise<Stage> {
  const broker = await startBroker(['--data', 'memory'], env)
  const [browser, callback] = [await commonBrowser(), await openCallback()]
  const world = await newWorld(broker, { world: 'lab' })
  const user = await addUser(broker, 'ana', [
    { flavour: 'paper' },
    { flavour: 'paper', cash: '2500.5' },
    { flavour: 'live' },
  ])
  const register = async (patch: object = {}): Promise<App> => {
    const redirectUri = callback.url
    const details = {
      name: 'Chart Lantern',
      description: 'Charts with alerts, and orders from the chart.',
      url: 'https://lantern.example',
      terms_of_use: 'https://lantern.example/terms',
      privacy_policy: 'https://lantern.example/privacy',
      redirect_uri: [redirectUri],
      scopes: ['account:write', 'trading', 'data'],
      ...patch,
    }
    const { status, body } = await call(world.partner, 'POST', '/v1/oauth/clients', details)
    if (status !== 201 && status !== 200) throw new Error(`app not created: ${JSON.stringify(body)}`)
    return { clientId: body.client_id, secret: body.client_secret, redirectUri: body.redirect_uri[0] }
  }
  const app = await register()
  const close = async () => {
    callback.close()
    await broker.stop()
  }
  const pagesUrl = broker.url.replace('127.0.0.1', 'quipu.localhost')
  return { broker, pagesUrl, browser, world, user, app, callback, register, close }
}

export async function addUser(broker: Broker, name: string, accounts: readonly object[]): Promise<Body> {
  const details = { name, password: PASSWORD, accounts }
  const { status, body } = await callAsOperator(broker, 'POST', '/sim/v1/worlds/lab/users', details)
  if (status !== 201) throw new Error(`user not created: ${JSON.stringify(body)}`)
  return body
}

/** Approves an app for live accounts. */
export async function approve({ broker }: Stage, { clientId }: App): Promise<void> {
  const operator = { url: broker.url, keyId: broker.brokerKey, secretKey: broker.brokerSecret }
  const path = `/v1/oauth/clients/${clientId}`
  const headers = { 'X-Quipu-World': 'lab' }
  const { status, body } = await call(operator, 'PATCH', path, { live_trading_approved: true }, headers)
  if (status !== 200) throw new Error(`not approved: ${JSON.stringify(body)}`)
}

/** The callback server of an app. */
export type Callback = {
  readonly url: string
  /** The parameters of the last redirect. */
  lastParams(): Record<string, string>
  close(): void
}

async function openCallback(): Promise<Callback> {
  let params: Record<string, string> = {}
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname === '/callback') params = Object.fromEntries(searchParams)
    response.setHeader('Content-Type', 'text/html')
    response.end('<title>The app</title><h1>Back at the app</h1>')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/callback`,
    lastParams: () => params,
    close: () => void server.close().closeAllConnections(),
  }
}

export function authorizeUrl(
  { broker }: Pick<Stage, 'broker'>,
  app: App,
  patch: Readonly<Record<string, string>> = {},
): string {
  const query = {
    response_type: 'code',
    client_id: app.clientId,
    redirect_uri: app.redirectUri,
    scope: 'trading data',
    state: 'a state',
    ...patch,
  }
  return `${broker.url}/oauth/authorize?${new URLSearchParams(query)}`
}

export async function signIn(page: Page, name = 'ana', password = PASSWORD): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Exchanges the code of an app for a token. */
export async function exchange({ broker }: Stage, app: App, code: string | undefined) {
  const response = await fetch(`${broker.url}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: code ?? '',
      client_id: app.clientId,
      client_secret: app.secret,
      redirect_uri: app.redirectUri,
    }),
  })
  return { status: response.status, body: (await response.json()) as Body }
}

export async function accountOf({ broker }: Stage, token: string): Promise<{ status: number; body: Body }> {
  const response = await fetch(`${broker.url}/v2/account`, { headers: { authorization: `Bearer ${token}` } })
  return { status: response.status, body: await response.json() }
}
