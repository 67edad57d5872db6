import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Page } from 'playwright-core'
import { csrfOf } from '../../broker/src/access/cookies.ts'
import type { Browser } from '../../server/src/http/oauth/testing/pages.ts'
import { newPage } from '../dashboard/stage.ts'
import { type Body, type Broker, call, callAsOperator, newWorld } from '../support/broker.ts'
import { builtWeb } from '../support/web-build.ts'
import { signedIn } from '../worlds/credentials.ts'
import { moveTo, responseTo } from './nodes.ts'

const REDIRECT = 'https://app.example/callback'

type Made = Awaited<ReturnType<typeof newWorld>>
/** A world, the node that holds `main`, and another one. */
type Stage = Made & { readonly holder: Broker; readonly other: Broker }

/** An app of a partner, and what it got for the account of the world. */
async function appOf({ partner, accountId }: Made) {
  const post = async (path: string, body: object): Promise<Body> => {
    const response = await call(partner, 'POST', path, body)
    assert.ok(response.status < 300, `${path}: ${JSON.stringify(response.body)}`)
    return response.body
  }
  const app = { name: 'Trader', redirect_uri: [REDIRECT], token_expires_in: 3600 }
  const { client_id, client_secret } = await post('/v1/oauth/clients', app)
  const client = { client_id: client_id as string, client_secret: client_secret as string }
  const grant = { ...client, redirect_uri: REDIRECT, scope: 'trading', account_id: accountId }
  const { access_token } = await post('/v1/oauth/token', grant)
  const { code } = await post('/v1/oauth/authorize', grant)
  const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT, ...client }
  const [, { refresh_token }] = await send(partner.url, '/oauth/token', exchange)
  const { code: unused } = await post('/v1/oauth/authorize', grant)
  return { client, access: access_token as string, refresh: refresh_token as string, code: unused as string }
}

async function send(url: string, path: string, fields: Record<string, string>, headers = {}) {
  const response = await fetch(url + path, { method: 'POST', headers, body: new URLSearchParams(fields) })
  return [response.status, (await response.json()) as Body] as const
}

const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
})
const pair = (id: string, secret: string) => ({ 'APCA-API-KEY-ID': id, 'APCA-API-SECRET-KEY': secret })

/**
 * Apps, partners and an operator ask about tokens of their own world and of another one, and try to use them. The
 * responses of one node with both worlds are those of every node when another node has one of the worlds.
 */
export async function checkForeignTokens({ holder: main, other, ...left }: Stage): Promise<void> {
  const right = await newWorld(main, { world: 'right', durable: true })
  for (const { world } of [left, right]) await moveTo(main, world, main)
  const [mine, theirs] = [await appOf(left), await appOf(right)]
  const { brokerKey, brokerSecret } = main
  const key = [right.partner.keyId, right.partner.secretKey] as const
  const callers: readonly (readonly [Record<string, string>, object])[] = [
    [mine.client, {}],
    [theirs.client, {}],
    [{}, basic(theirs.client.client_id, theirs.client.client_secret)],
    [{}, pair(...key)],
    [{}, basic(...key)],
    [{}, pair(brokerKey, brokerSecret)],
    [{}, basic(brokerKey, brokerSecret)],
  ]
  // Few, because of the limit of failed attempts.
  const refused: typeof callers = [
    [{ ...theirs.client, client_secret: 'wrong' }, {}],
    [{ ...theirs.client, client_id: `${theirs.client.client_id.slice(0, 4)}0` }, {}],
    [{}, basic(key[0], 'wrong')],
  ]
  const ended = `${mine.access.slice(0, 4)}-of-no-app`
  const tokens = [mine.access, mine.refresh, theirs.access, ended]
  const use = { redirect_uri: REDIRECT, ...theirs.client }
  const responsesAt = async ({ url }: Broker) => {
    const responses: unknown[] = []
    for (const [fields, headers] of callers)
      for (const token of tokens)
        responses.push(await send(url, '/oauth/introspect', { token, ...fields }, headers))
    for (const [fields, headers] of refused)
      responses.push(await send(url, '/oauth/introspect', { token: mine.access, ...fields }, headers))
    for (const [path, fields] of [
      ['/oauth/revoke', { token: mine.access, ...theirs.client }],
      ['/oauth/token', { grant_type: 'authorization_code', code: mine.code, ...use }],
      ['/oauth/token', { grant_type: 'refresh_token', refresh_token: mine.refresh, ...use }],
    ] as const)
      responses.push(await send(url, path, fields))
    return responses
  }
  const expected = await responsesAt(main)
  const statuses = expected.map((response) => (response as [number])[0])
  assert.deepEqual([...new Set(statuses)].sort(), [200, 400, 401])
  const isActive = (response: unknown) => (response as [number, Body])[1].active === true
  assert.equal(expected.filter(isActive).length, 2 + 4 * 1 + 2 * 3)
  await moveTo(main, 'left', other)
  for (const node of [main, other]) assert.deepEqual(await responsesAt(node), expected)
}

const order = JSON.stringify({ symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' })
const KIB = 1024
/** Above the limit of an order. */
const LARGE = 17 * KIB

/** The statuses of a request whose client sends only these bytes. A `100 Continue` gets the rest. */
async function statusesOf(url: string, bytes: string, rest = ''): Promise<readonly number[]> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(bytes)
  let received = ''
  const statuses = () => [...received.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, status]) => Number(status))
  while ((statuses().at(-1) ?? 100) < 200) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    received += chunk
    if (rest !== '' && statuses().length === 1) socket.write(rest)
  }
  socket.destroy()
  return statuses()
}

const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`

/**
 * A stranger gets 401 before the rest of a body is sent, and a client with a key gets 413 or its response. It is the same at
 * the node that holds the world and at one that forwards the request.
 */
export async function checkLargeBodies(nodes: readonly Broker[]): Promise<void> {
  for (const { url, keyId, secretKey } of nodes) {
    const head = (secret: string, headers: string, path = '/v2/orders') =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAPCA-API-KEY-ID: ${keyId}\r\nAPCA-API-SECRET-KEY: ${secret}\r\n${headers}\r\n\r\n`
    const known = (headers: string) => head(secretKey, headers)
    const stranger = (headers: string, path?: string) => head('wrong', headers, path)
    const length = (bytes: number) => `Content-Length: ${bytes}`
    const waits = 'Expect: 100-continue\r\n'
    const chunks = 'Transfer-Encoding: chunked'
    const large = 'x'.repeat(LARGE)
    const requests: readonly [statuses: readonly number[], sent: string, rest?: string][] = [
      [[401], stranger(length(LARGE)) + large],
      [[401], `${stranger(length(40 * KIB * KIB))}{`],
      [[401], `${stranger(length(40 * KIB * KIB), '/sim/v1/worlds/load')}{`],
      [[401], `${stranger(length(order.length))}{`],
      [[401], `${stranger(chunks)}1\r\n{\r\n`],
      [[401], stranger(waits + length(order.length))],
      [[413], known(length(LARGE)) + large],
      [[413], known(waits + length(LARGE))],
      [[413], known(chunks) + chunked(large)],
      [[100, 200], known(waits + length(order.length)), order],
      [[100, 200], known(waits + chunks), chunked(order)],
      [[200], known(length(order.length)) + order],
      [[200], known(chunks) + chunked(order)],
    ]
    for (const [expected, sent, rest] of requests)
      assert.deepEqual(await statusesOf(url, sent, rest), expected, sent.slice(0, 300))
  }
}

/** A node answers like the node that holds main and the world. */
export async function checkSameResponses({ holder, other, ...world }: Stage): Promise<void> {
  const { client_id: app, client_secret: secret } = world.created.oauth_client
  const form = (fields: object) => new URLSearchParams({ ...fields }).toString()
  const keys = `APCA-API-KEY-ID: ${world.keyId}\r\nAPCA-API-SECRET-KEY: ${world.secretKey}\r\n`
  const operator = `APCA-API-KEY-ID: ${holder.brokerKey}\r\nAPCA-API-SECRET-KEY: ${holder.brokerSecret}\r\n`
  const cookie = app.slice(0, 2).padEnd(43, 'x')
  const ended = `Cookie: quipu_session=${cookie}; quipu_form=${cookie}\r\n`
  const code = form({ grant_type: 'authorization_code', code: 'x', redirect_uri: 'http://a', client_id: app })
  const token = form({ token: 'zz-unknown', client_id: app, client_secret: secret })
  const post = (path: string, body: string, headers = '') =>
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`
  const requests: readonly [expected: RegExp, request: string][] = [
    [/^HTTP\/1.1 200 .*x-quipu-world: thursday/is, `GET /v2/account HTTP/1.0\r\n${keys}\r\n`],
    [
      /^HTTP\/1.1 200 .*x-quipu-world: thursday/is,
      `GET /v2/account HTTP/1.1\r\nHost: localhost\r\n${keys}Content-Encoding: gzip\r\nContent-Length: 1\r\n\r\n1`,
    ],
    [
      /^HTTP\/1.1 401 /,
      post('/v2/orders', '1', `APCA-API-KEY-ID: ${world.keyId}\r\nContent-Encoding: gzip\r\n`),
    ],
    [
      /^HTTP\/1.1 200 .*x-quipu-world: thursday/is,
      `GET /v2/account HTTP/1.1\r\nHost: localhost\r\n${keys}Cookie: ${'x'.repeat(16_150)}\r\n\r\n`,
    ],
    [/^HTTP\/1.1 431 /, `GET / HTTP/1.1\r\nHost: localhost\r\nCookie: ${'x'.repeat(17_000)}\r\n\r\n`],
    [
      /^HTTP\/1.1 200 .*x-quipu-world: main/is,
      `GET /v2/stocks/AAPL/quotes/latest HTTP/1.1\r\nHost: localhost\r\n${operator}X-Quipu-World: thursday\r\n\r\n`,
    ],
    [/^HTTP\/1.1 401 .*invalid_client/s, post('/oauth/token', code.replace(app, `${app.slice(0, 4)}0`))],
    [/^HTTP\/1.1 401 .*invalid_client/s, post('/oauth/token', code.replace(app, '00'), keys)],
    [/^HTTP\/1.1 200 /, post('/oauth/revoke', token)],
    [/^HTTP\/1.1 200 .*"active":false/s, post('/oauth/introspect', token)],
    // The sign-in page of a browser whose session has ended needs no second request.
    [/^HTTP\/1.1 200 .*name="password"/s, `GET /oauth/sign-in HTTP/1.1\r\nHost: localhost\r\n${ended}\r\n`],
    [
      /^HTTP\/1.1 400 .*x-quipu-world: main.*name="password"/is,
      post('/oauth/sign-in', form({ name: 'a', csrf: csrfOf(cookie) }), ended),
    ],
  ]
  for (const [expected, request] of requests)
    for (const { url } of [holder, other]) assert.match(await responseTo(url, request), expected, request)
}

/** A link that signs the first user of `main` in with operator rights, at this node. */
async function linkOf(node: Broker, url = node.url): Promise<string> {
  const [user] = (await callAsOperator(node, 'GET', '/sim/v1/worlds/main/users')).body
  const path = `/sim/v1/worlds/main/users/${user.name}/link`
  const { status, body } = await callAsOperator(node, 'POST', path, { operator: true })
  assert.equal(status, 201, JSON.stringify(body))
  const { pathname, search } = new URL(body.url)
  return url + pathname + search
}

/** A browser without pages that has signed in at this node, with operator rights. */
export const signedInAt = async (node: Broker): Promise<Browser> => signedIn(node.url, await linkOf(node))

/** The dashboard of a node, signed in with operator rights. */
export async function dashboardOf(
  t: Parameters<typeof newPage>[0],
  node: Broker,
  path: string,
): Promise<Page> {
  builtWeb()
  const page = await newPage(t)
  const url = node.url.replace('127.0.0.1', 'quipu.localhost')
  await page.goto(await linkOf(node, url))
  await page.getByRole('button', { name: /Sign in/ }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await page.goto(url + path)
  return page
}
