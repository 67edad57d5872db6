import { once } from 'node:events'
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect, type Socket } from 'node:net'
import { WebSocket } from 'ws'
import { type Body, type Broker, callAsOperator, type Started } from '../support/broker.ts'

export const REDIRECT = 'http://localhost:8080/callback'

/** The credentials of an app. */
export type App = { readonly clientId: string; readonly secret: string }

export const demoApp = (broker: Started): App => ({
  clientId: broker.oauthClientId,
  secret: broker.oauthClientSecret,
})

/** Registers one more app of the first partner. */
export async function newApp(broker: Broker, settings: Readonly<Record<string, unknown>> = {}): Promise<App> {
  const details = { name: 'An app', redirect_uri: [REDIRECT], ...settings }
  const { status, body } = await callAsOperator(broker, 'POST', '/v1/oauth/clients', details)
  if (status !== 201) throw new Error(`app not created: ${JSON.stringify(body)}`)
  return { clientId: body.client_id, secret: body.client_secret }
}

/** Issues a code with the key of the partner. */
export async function codeFor(broker: Broker, app: App, more: Readonly<Record<string, unknown>> = {}) {
  const { status, body } = await callAsOperator(broker, 'POST', '/v1/oauth/authorize', {
    client_id: app.clientId,
    client_secret: app.secret,
    redirect_uri: REDIRECT,
    scope: 'trading data',
    account_id: broker.accountId,
    ...more,
  })
  if (status !== 200) throw new Error(`code not issued: ${JSON.stringify(body)}`)
  return body.code as string
}

export type AppResponse = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Body
}
export type AppRequest = {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const form = (
  path: string,
  { clientId, secret }: App,
  fields: Readonly<Record<string, string>>,
): AppRequest => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams({ client_id: clientId, client_secret: secret, ...fields }).toString(),
})

/** The requests of an app. */
export const requests = {
  exchange: (app: App, code: string, more: Readonly<Record<string, string>> = {}): AppRequest =>
    form('/oauth/token', app, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: REDIRECT,
      ...more,
    }),
  refresh: (app: App, token: string): AppRequest =>
    form('/oauth/token', app, { grant_type: 'refresh_token', refresh_token: token }),
  revoke: (app: App, token: string): AppRequest => form('/oauth/revoke', app, { token }),
  introspect: (app: App, token: string): AppRequest => form('/oauth/introspect', app, { token }),
  account: (token: string): AppRequest => ({
    method: 'GET',
    path: '/v2/account',
    headers: { authorization: `Bearer ${token}` },
  }),
}

/** Sends one request on a new connection. */
export const send = async (broker: Started, request: AppRequest): Promise<AppResponse> =>
  (await sendTogether(broker, [request]))[0]!

/** Sends all requests at once, after all connections are open. */
export async function sendTogether(
  broker: Started,
  all: readonly AppRequest[],
): Promise<readonly AppResponse[]> {
  const { hostname, port } = new URL(broker.url)
  const sockets = all.map(() => connect(Number(port), hostname))
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))
  return Promise.all(all.map((request, index) => sendOn(sockets[index]!, broker.url, request)))
}

function sendOn(
  socket: Socket,
  url: string,
  { method, path, headers = {}, body = '' }: AppRequest,
): Promise<AppResponse> {
  const agent = new Agent()
  agent.createConnection = () => socket
  return new Promise((resolve, reject) => {
    const length = { 'content-length': String(Buffer.byteLength(body)) }
    const outgoing = httpRequest(
      url + path,
      { method, agent, headers: { ...headers, ...length } },
      async (response) => {
        let text = ''
        for await (const chunk of response.setEncoding('utf8')) text += chunk
        socket.destroy()
        const isJson = response.headers['content-type']?.includes('json')
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          body: isJson ? JSON.parse(text) : text,
        })
      },
    )
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** Whether a credential takes part in the steps of the clock, which wait for its reports. */
export async function joinAsParticipant(
  { url }: { readonly url: string },
  headers: Record<string, string>,
): Promise<'joined' | 'refused'> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/sim/v1/participant`, { headers })
  const joined = once(socket, 'message').then(() => 'joined' as const)
  const closed = once(socket, 'close').then(() => 'refused' as const)
  const result = await Promise.race([joined, closed])
  socket.terminate()
  return result
}
