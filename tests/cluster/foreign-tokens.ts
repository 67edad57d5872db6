import assert from 'node:assert/strict'
import { type Body, type Broker, call, newWorld } from '../support/broker.ts'
import { moveTo } from './nodes.ts'

const REDIRECT = 'https://app.example/callback'

type Made = Awaited<ReturnType<typeof newWorld>>
/** A world, the node that holds `main`, and another one. */
type Stage = Made & { readonly holder: Broker; readonly other: Broker }

/** An app of a partner, and what it got for the account of the world. */
async function appOf({ partner, accountId }: Made) {
  const post = async (path: string, body: object): Promise<Body> => {
    const answer = await call(partner, 'POST', path, body)
    assert.ok(answer.status < 300, `${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
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
 * answers of one node with both worlds are those of every node when another node has one of the worlds.
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
  const answersAt = async ({ url }: Broker) => {
    const answers: unknown[] = []
    for (const [fields, headers] of callers)
      for (const token of tokens)
        answers.push(await send(url, '/oauth/introspect', { token, ...fields }, headers))
    for (const [fields, headers] of refused)
      answers.push(await send(url, '/oauth/introspect', { token: mine.access, ...fields }, headers))
    for (const [path, fields] of [
      ['/oauth/revoke', { token: mine.access, ...theirs.client }],
      ['/oauth/token', { grant_type: 'authorization_code', code: mine.code, ...use }],
      ['/oauth/token', { grant_type: 'refresh_token', refresh_token: mine.refresh, ...use }],
    ] as const)
      answers.push(await send(url, path, fields))
    return answers
  }
  const expected = await answersAt(main)
  const statuses = expected.map((answer) => (answer as [number])[0])
  assert.deepEqual([...new Set(statuses)].sort(), [200, 400, 401])
  const isActive = (answer: unknown) => (answer as [number, Body])[1].active === true
  assert.equal(expected.filter(isActive).length, 2 + 4 * 1 + 2 * 3)
  await moveTo(main, 'left', other)
  for (const node of [main, other]) assert.deepEqual(await answersAt(node), expected)
}
