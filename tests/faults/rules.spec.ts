import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { faultKinds } from '@quipu/contract'
import { type Body, call, callAsOperator, newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'

let world: Awaited<ReturnType<typeof newWorld>>
let path: string
before(async () => {
  world = await newWorld(broker, { accounts: 1 })
  path = `/sim/v1/worlds/${world.world}/faults`
})

const create = (body: Body, at = path) => callAsOperator(broker, 'POST', at, body)
const list = async (at = path) => (await callAsOperator(broker, 'GET', at)).body

const lost = { kind: 'request_lost' }
const refused: readonly [body: Body, message: RegExp][] = [
  [undefined, /^effect: expected a record, received nothing$/],
  [[], /^body: expected a record/],
  [{ effect: 'drop' }, /^effect: expected a record, received "drop"$/],
  [{ effect: {} }, /^effect\.kind: expected one of status, delay, .*, received nothing$/],
  [{ effect: { kind: 'explode' } }, /^effect\.kind: expected one of .*, received "explode"$/],
  [{ efect: lost }, /^efect: unknown field; expected name, match, effect$/],
  [
    { effect: lost, match: { operaton: 'placeOrder' } },
    /^match\.operaton: unknown field; expected operation, /,
  ],
  [
    { effect: { ...lost, code: 1000 } },
    /^effect\.code: not a field of the effect request_lost; expected none$/,
  ],
  [
    { effect: lost, match: { stream: 'trade_updates' } },
    /^match\.stream: not a field of the effect request_lost/,
  ],
  [
    { effect: { kind: 'drop' }, match: { operation: 'placeOrder' } },
    /^match\.operation: not a field of the effect drop/,
  ],
  [
    { effect: { kind: 'close' }, match: { message: 'fill' } },
    /^match\.message: not a field of the effect close/,
  ],
  [
    { effect: lost, match: { operation: ['placeOrder', 'buy'] } },
    /^match\.operation\[1\]: expected an operation/,
  ],
  [{ effect: lost, match: { operation: 'createFault' } }, /^match\.operation\[0\]: expected an operation/],
  [
    { effect: { kind: 'drop' }, match: { stream: '/v9' } },
    /^match\.stream\[0\]: expected one of trade_updates, /,
  ],
  [
    { effect: { kind: 'drop' }, match: { message: 'fills' } },
    /^match\.message\[0\]: expected one of accepted, /,
  ],
  [{ effect: { kind: 'call_failed' }, match: { call: 'burn' } }, /^match\.call\[0\]: expected one of mint, /],
  [
    { effect: { kind: 'call_refused' }, match: { call: 'chain_mint' } },
    /^match\.call\[0\]: expected one of mint, custody, confirm, connect/,
  ],
  [{ effect: lost, match: { account: 'me' } }, /^match\.account: expected a UUID/],
  [{ effect: lost, match: { nth: 0 } }, /^match\.nth: expected a whole number/],
  [{ effect: lost, match: { next: -1 } }, /^match\.next: expected a whole number/],
  [{ effect: lost, match: { times: 1.5 } }, /^match\.times: expected a whole number/],
  [{ effect: lost, match: { share: 0.5 } }, /^match\.times: required with share/],
  [
    { effect: lost, match: { share: 2, times: 1 } },
    /^match\.share: expected a share above 0 and at most 1, received 2$/,
  ],
  [{ effect: lost, match: { share: 'half', times: 1 } }, /^match\.share: expected a decimal/],
  [
    { effect: lost, match: { from: '2026-01-06', to: '2026-01-05' } },
    /^match\.to: expected an instant after match\.from$/,
  ],
  [{ effect: lost, match: { from: 'tomorrow' } }, /^match\.from: expected an RFC 3339 timestamp/],
  [
    { effect: { kind: 'close' }, match: { from: '2026-01-06' } },
    /^match\.from: not a field of the effect close/,
  ],
  [{ effect: { kind: 'status' } }, /^effect\.status: required for kind status$/],
  [{ effect: { kind: 'status', status: 200 } }, /^effect\.status: expected a whole number from 400 to 599/],
  [{ effect: { kind: 'status', status: 418 } }, /^effect\.status: expected one of 400, .*, received 418$/],
  [
    { effect: { kind: 'status', status: 429, applied: true } },
    /^effect\.applied: a request that gets 429 is never applied/,
  ],
  [
    { effect: { kind: 'delay' } },
    /^effect\.ms: expected one of: ms, min_ms with max_ms, or client_timeout_ms$/,
  ],
  [{ effect: { kind: 'delay', ms: 1, client_timeout_ms: 1 } }, /^effect\.ms: expected one of/],
  [{ effect: { kind: 'delay', ms: 1e9 } }, /^effect\.ms: expected a whole number from 1 to 600000/],
  [{ effect: { kind: 'delay', min_ms: 5 } }, /^effect\.max_ms: required with min_ms$/],
  [{ effect: { kind: 'delay', min_ms: 5, max_ms: 4 } }, /^effect\.max_ms: expected at least min_ms$/],
  [
    { effect: { kind: 'delay', ms: 5, distribution: 'uniform' } },
    /^effect\.distribution: needs min_ms and max_ms$/,
  ],
  [{ effect: { kind: 'close', code: 1006 } }, /^effect\.code: expected a close code/],
  [{ effect: { kind: 'close', code: 2000 } }, /^effect\.code: expected a close code/],
  [{ effect: { kind: 'close', message: 'x'.repeat(200) } }, /^effect\.message: expected text of 1 to 120/],
  [{ name: '', effect: { kind: 'reorder', by: 0 } }, /^effect\.by: expected a whole number/],
]

test('a bad rule gets 422 with the name of the field, and is not created', async () => {
  for (const [body, message] of refused) {
    const response = await create(body)
    assert.equal(response.status, 422, JSON.stringify(response.body))
    assert.match(response.body.message, message)
  }
  assert.deepEqual(await list(), [])
})

test('a rule is returned with its defaults and its counts, and can be deleted', async () => {
  const created = await create({
    name: 'storm',
    match: { operation: 'trading', symbol: ['AAPL'], share: '0.5', times: 3, to: '2026-02-01' },
    effect: { kind: 'status', status: 503 },
  })
  assert.equal(created.status, 201)
  assert.deepEqual(created.body, {
    id: created.body.id,
    name: 'storm',
    match: { operation: ['trading'], symbol: ['AAPL'], share: 0.5, to: '2026-02-01T00:00:00Z' },
    effect: { kind: 'status', applied: false, retry_after_seconds: 1, status: 503 },
    times: 3,
    matched: 0,
    consumed: 0,
    consumed_at: [],
    exhausted: false,
    created_at: '2026-01-05T15:00:00Z',
  })
  const one = `${path}/${created.body.id}`
  assert.deepEqual((await callAsOperator(broker, 'GET', one)).body, created.body)
  assert.deepEqual(await list(), [created.body])
  assert.equal((await callAsOperator(broker, 'DELETE', one)).status, 204)
  for (const method of ['GET', 'DELETE'])
    for (const id of [created.body.id, '0', 'x', '1e3', '99999999999999999'])
      assert.equal((await callAsOperator(broker, method, `${path}/${id}`)).status, 404)
})

test('a deleted rule no longer applies, and its number is not used again', async () => {
  const first = await create({ match: { times: 100 }, effect: { kind: 'status', status: 500 } })
  assert.equal((await call(world, 'GET', '/v2/account')).status, 500)
  assert.equal((await callAsOperator(broker, 'DELETE', path)).status, 204)
  const { status, headers } = await call(world, 'GET', '/v2/account')
  assert.deepEqual([status, headers.get('x-quipu-fault')], [200, null])
  const second = await create({ effect: lost })
  assert.ok(Number(second.body.id) > Number(first.body.id))
  await callAsOperator(broker, 'DELETE', path)
})

test('the same seed and the same calls meet the same faults', async () => {
  const outcomes = async () => {
    const { world: name, ...key } = await newWorld(broker, { seed: 'storm' })
    await create(
      { match: { share: 0.4, next: 30 }, effect: { kind: 'status', status: 500 } },
      `/sim/v1/worlds/${name}/faults`,
    )
    const statuses = []
    for (let n = 0; n < 30; n += 1) statuses.push((await call(key, 'GET', '/v2/clock')).status)
    return statuses
  }
  const first = await outcomes()
  assert.deepEqual(await outcomes(), first)
  assert.deepEqual([...new Set(first)].sort(), [200, 500])
})

test('operations of operators are never affected, and neither are other worlds nor a fork', async () => {
  await create({ match: { times: 1000 }, effect: lost })
  const fork = await callAsOperator(broker, 'POST', `/sim/v1/worlds/${world.world}/fork`, {})
  assert.equal(fork.status, 201)
  assert.deepEqual(await list(`/sim/v1/worlds/${fork.body.world}/faults`), [])
  const [account] = fork.body.accounts
  const inFork = { url: broker.url, keyId: account.key_id, secretKey: account.secret_key }
  assert.equal((await call(inFork, 'GET', '/v2/account')).status, 200)
  assert.equal((await call(await newWorld(broker), 'GET', '/v2/account')).status, 200)
  await assert.rejects(call(world, 'GET', '/v2/account'))
  await callAsOperator(broker, 'DELETE', path)
})

test('rules work in main, and their number has a limit', async (t) => {
  const inMain = '/sim/v1/worlds/main/faults'
  t.after(() => callAsOperator(broker, 'DELETE', inMain))
  const match = { account: broker.accountId, operation: 'getAccount' }
  const { body } = await create({ match, effect: { kind: 'status', status: 429 } }, inMain)
  const limited = await call(broker, 'GET', '/v2/account')
  assert.deepEqual([limited.status, limited.headers.get('retry-after')], [429, '1'])
  assert.equal(limited.headers.get('x-ratelimit-remaining'), '0')
  assert.equal(limited.headers.get('x-quipu-fault'), body.id)
  const { requests } = await list('/sim/v1/worlds/main/requests?operation=getAccount&status=429')
  assert.equal(requests.at(-1).fault, body.id)
  assert.equal((await call(broker, 'GET', '/v2/account')).status, 200)
  const statuses: number[] = []
  for (let number = 0; number <= 100; number += 1)
    statuses.push((await create({ effect: { kind: 'drop' } })).status)
  assert.deepEqual(statuses, [...Array(100).fill(201), 403])
  await callAsOperator(broker, 'DELETE', path)
})

test('only operators may read and create rules', async () => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    const { status } = await call(world, method, path, method === 'POST' ? { effect: lost } : undefined)
    assert.equal(status, 403)
  }
  assert.equal((await list('/sim/v1/worlds/nowhere/faults')).message, 'world not found: nowhere')
})

test('every kind of effect has a test with the official client, and a row in the guide', () => {
  const folder = new URL('.', import.meta.url)
  const specs = readdirSync(folder)
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
    .filter((text) => text.includes('newFaultWorld(') && text.includes('consumed()'))
    .join('')
  const guide = readFileSync(new URL('../../docs/guides/faults.md', import.meta.url), 'utf8')
  for (const kind of Object.keys(faultKinds)) {
    assert.ok(specs.includes(`'${kind}'`), `no test of ${kind}`)
    assert.ok(guide.includes(`\n| \`${kind}\` |`), `docs/guides/faults.md has no row of ${kind}`)
  }
})
