import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Body, call, newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { asOperator, newUser } from './people.ts'

const reset = (world: string) => asOperator(broker, 'POST', `/${world}/reset`)

/** The credential of an external issuer, which replaces the earlier one after the time of grace. */
async function issuerKey(world: string, grace_seconds = 0) {
  const { key_id, secret_key }: Body = await asOperator(broker, 'POST', `/${world}/tokenization/issuers`, {
    issuer: 'st0x',
    mint_url: 'http://127.0.0.1:9/mint',
    confirm_url: 'http://127.0.0.1:9/confirm',
    api_key: 'shared',
    tokens: [{ underlying: 'AAPL', token: 'tAAPL', networks: ['base'] }],
    grace_seconds,
  })
  return { url: broker.url, keyId: key_id as string, secretKey: secret_key as string }
}

type Key = Awaited<ReturnType<typeof issuerKey>>

const isAccepted = async (key: Key) => (await call(key, 'GET', '/v1/accounts')).status !== 401

test('a key that has expired stays expired after a reset', async () => {
  const { world, advance } = await newWorld(broker)
  const old = await issuerKey(world)
  await advance('30d')
  await issuerKey(world, 60)
  await advance('1h')
  assert.equal(await isAccepted(old), false)
  await reset(world)
  assert.equal(await isAccepted(old), false)
})

test('a key that expires soon has the same time left after a reset', async () => {
  const { world, advance } = await newWorld(broker)
  const old = await issuerKey(world)
  await advance('30d')
  await issuerKey(world, 3600)
  await advance('20m')
  await reset(world)
  await advance('39m')
  assert.equal(await isAccepted(old), true)
  await advance('2m')
  assert.equal(await isAccepted(old), false)
})

/** Registers an app, and returns it with the path of its settings. */
async function newApp(partner: Key) {
  const app = { name: 'Trader', redirect_uri: ['https://app.example/callback'] }
  const { status, body } = await call(partner, 'POST', '/v1/oauth/clients', app)
  assert.equal(status, 201, JSON.stringify(body))
  return { client: body, path: `/v1/oauth/clients/${body.client_id}` }
}

/** Whether an app may ask about a token. */
async function isClient({ client_id, client_secret }: Body): Promise<boolean> {
  const body = new URLSearchParams({ token: 'x', client_id, client_secret })
  return (await fetch(`${broker.url}/oauth/introspect`, { method: 'POST', body })).status === 200
}

test('a reset keeps apps as they are: deleted, disabled and with their latest secrets', async () => {
  const { world, partner, advance, accountId } = await newWorld(broker)
  const [deleted, disabled, replaced, rotated] = await Promise.all([1, 2, 3, 4].map(() => newApp(partner)))
  const change = async (method: string, path: string, body?: object): Promise<Body> => {
    const response = await call(partner, method, path, body)
    assert.ok(response.status < 300, JSON.stringify(response.body))
    return response.body
  }
  const grant = { ...deleted!.client, redirect_uri: 'https://app.example/callback', account_id: accountId }
  await change('POST', '/v1/oauth/token', { ...grant, scope: 'trading' })
  await change('DELETE', deleted!.path)
  await change('PATCH', disabled!.path, { status: 'DISABLED' })
  const [first] = await change('GET', `${replaced!.path}/secrets`)
  const { client_secret } = await change('POST', `${replaced!.path}/secrets`, {})
  await change('DELETE', `${replaced!.path}/secrets/${first.secret_id}`)
  await change('POST', `${rotated!.path}/secrets`, { others_expire_in: 60 })
  await change('PATCH', rotated!.path, { name: 'Renamed' })
  await advance('1h')
  const clients = [
    deleted!.client,
    disabled!.client,
    replaced!.client,
    rotated!.client,
    { ...replaced!.client, client_secret },
  ]
  const areClients = () => Promise.all(clients.map(isClient))
  assert.deepEqual(await areClients(), [false, false, false, false, true])
  await reset(world)
  assert.deepEqual(await areClients(), [false, false, false, false, true])
  assert.equal((await change('GET', rotated!.path)).name, 'Renamed')
  assert.deepEqual((await asOperator(broker, 'GET', `/${world}/audit`)).problems, [])
})

test('a reset keeps the owners of accounts, and nobody who was deleted owns one', async () => {
  const { world, partner } = await newWorld(broker)
  const people = await Promise.all([1, 2, 3].map(() => newUser(broker, world)))
  const [owner, former, deleted] = people.map(({ name }) => `/${world}/users/${name}`)
  const [, { accounts: withdrawn }, { accounts: closed }] = people as [Body, Body, Body]
  await asOperator(broker, 'PATCH', former!, { account_ids: [] })
  await asOperator(broker, 'PATCH', owner!, {
    account_ids: [...people[0]!.accounts, ...withdrawn].map(({ account_id }) => account_id),
  })
  const path = `/v1/accounts/${closed[0].account_id}/actions/close`
  assert.equal((await call(partner, 'POST', path)).status, 204)
  await asOperator(broker, 'DELETE', deleted!)
  await reset(world)
  const accounts = async (user: string) => (await asOperator(broker, 'GET', user)).accounts.length
  assert.deepEqual([await accounts(owner!), await accounts(former!)], [2, 0])
  assert.deepEqual((await asOperator(broker, 'GET', `/${world}/audit`)).problems, [])
})

test('after a reset, the credential of an issuer may call only the operations of issuers', async () => {
  const { world } = await newWorld(broker)
  const key = await issuerKey(world)
  for (const _ of ['first', 'second']) {
    await reset(world)
    const { status, body } = await call(key, 'POST', '/v1/accounts', {})
    assert.deepEqual([status, body.reason], [403, 'issuerCallbacksOnly'])
  }
  const next = await issuerKey(world)
  assert.deepEqual([await isAccepted(key), await isAccepted(next)], [false, true])
})

test('after a reset, nobody gets the id of a person or app that it has kept', async () => {
  const { world, partner } = await newWorld(broker)
  const path = `/${world}/users`
  // The events of these are not kept, so that event numbers after the reset meet those of the people below.
  for (const symbol of ['ZZA', 'ZZB', 'ZZC', 'ZZD', 'ZZE'])
    await asOperator(broker, 'POST', `/${world}/assets`, { symbol, price: '10' })
  for (let count = 0; count < 2; count++) await newUser(broker, world, { accounts: [] })
  const { client } = await newApp(partner)
  await reset(world)
  for (let count = 0; count < 8; count++) await newUser(broker, world, { accounts: [] })
  const users: Body[] = await asOperator(broker, 'GET', path)
  assert.equal(new Set(users.map(({ user_id }) => user_id)).size, 10)
  assert.equal(await isClient(client), true)
  assert.deepEqual((await asOperator(broker, 'GET', `/${world}/audit`)).problems, [])
})
