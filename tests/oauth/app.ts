import { once } from 'node:events'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { type Body, type Broker, callAsOperator, type Started } from '../broker.ts'

export const REDIRECT = 'http://localhost:8080/callback'

/** An app of a broker, as whoever wrote it knows it. */
export type App = { readonly clientId: string; readonly secret: string }

export const demoApp = (broker: Started): App => ({
  clientId: broker.oauthClientId,
  secret: broker.oauthClientSecret,
})

/** Registers one more app of the first partner. */
export async function newApp(broker: Broker, settings: Readonly<Record<string, unknown>> = {}): Promise<App> {
  const asked = { name: 'An app', redirect_uri: [REDIRECT], ...settings }
  const { status, body } = await callAsOperator(broker, 'POST', '/v1/oauth/clients', asked)
  if (status !== 201) throw new Error(`no app: ${JSON.stringify(body)}`)
  return { clientId: body.client_id, secret: body.client_secret }
}

/** A code by the partner's word for the account. */
export async function codeFor(broker: Broker, app: App, more: Readonly<Record<string, unknown>> = {}) {
  const { status, body } = await callAsOperator(broker, 'POST', '/v1/oauth/authorize', {
    client_id: app.clientId,
    client_secret: app.secret,
    redirect_uri: REDIRECT,
    scope: 'trading data',
    account_id: broker.accountId,
    ...more,
  })
  if (status !== 200) throw new Error(`no code: ${JSON.stringify(body)}`)
  return body.code as string
}

export type Answer = { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: Body }
export type Ask = {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const form = (path: string, { clientId, secret }: App, fields: Readonly<Record<string, string>>): Ask => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({ client_id: clientId, client_secret: secret, ...fields }).toString(),
})

/** What an app asks for. */
export const asks = {
  exchange: (app: App, code: string, more: Readonly<Record<string, string>> = {}): Ask =>
    form('/oauth/token', app, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      ...more,
    }),
  refresh: (app: App, token: string): Ask =>
    form('/oauth/token', app, { grant_type: 'refresh_token', refresh_token: token }),
  revoke: (app: App, token: string): Ask => form('/oauth/revoke', app, { token }),
  introspect: (app: App, token: string): Ask => form('/oauth/introspect', app, { token }),
  account: (token: string): Ask => ({
    method: 'GET',
    path: '/v2/account',
    headers: { authorization: `Bearer ${token}` },
  }),
}

/** One answer, on a connection of its own. */
export const ask = async (broker: Started, asked: Ask): Promise<Answer> =>
  (await together(broker, [asked]))[0]!

/** All at once: every connection stands before the first byte of any request is sent. */
export async function together(broker: Started, all: readonly Ask[]): Promise<readonly Answer[]> {
  const { hostname, port } = new URL(broker.url)
  const sockets = all.map(() => connect(Number(port), hostname))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  return Promise.all(all.map((asked, at) => on(sockets[at]!, broker.url, asked)))
}

function on(socket: Socket, url: string, { method, path, headers = {}, body = '' }: Ask): Promise<Answer> {
  const agent = new Agent()
  agent.createConnection = () => socket
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) }
    const asking = request(
      url + path,
      { method, agent, headers: { ...headers, ...length } },
      async (answer) => {
        let text = ''
        for await (const chunk of answer.setEncoding('utf8')) text += chunk
        socket.destroy()
        const isJson = answer.headers['content-type']?.includes('json')
        resolve({
          status: answer.statusCode!,
          headers: answer.headers,
          body: isJson ? JSON.parse(text) : text,
        })
      },
    )
    asking.on('error', reject)
    asking.end(body)
  })
}
