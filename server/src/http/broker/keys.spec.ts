import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { openPartnerStage } from './testing/partners.ts'

const stage = await openPartnerStage()
after(() => stage.server.close())
const { server, key, otherPartner, send, openAccount, accountState } = stage

const replayed = 'idempotent-replayed'
const withKey = (name: string) => ({ 'Idempotency-Key': name })

/** Operations that move cash or shares: a body, a different body, and the holdings after one call. */
const movements = {
  transfer: (from: string) => ({
    route: `POST /v1/accounts/${from}/transfers`,
    body: { direction: 'OUTGOING', amount: '10' },
    other: { direction: 'OUTGOING', amount: '11' },
    left: ['90', 'KO 4 200'],
  }),
  'cash journal': (from: string, to: string) => ({
    route: 'POST /v1/journals',
    body: { entry_type: 'JNLC', from_account: from, to_account: to, amount: '10' },
    other: { entry_type: 'JNLC', from_account: from, to_account: to, amount: '10', description: 'x' },
    left: ['90', 'KO 4 200'],
  }),
  'share journal': (from: string, to: string) => ({
    route: 'POST /v1/journals',
    body: { entry_type: 'JNLS', from_account: from, to_account: to, symbol: 'KO', qty: '1' },
    other: { entry_type: 'JNLS', from_account: from, to_account: to, symbol: 'KO', qty: '2' },
    left: ['100', 'KO 3 150'],
  }),
}

const holdings = { cash: '100', positions: [{ symbol: 'KO', qty: '4', cost_basis: '200' }] }
const pair = async () => [await openAccount(holdings), await openAccount()] as const
const holdingsOf = async (id: string) => {
  const { cash, positions } = await accountState(id)
  return [cash, ...positions]
}

for (const [name, movement] of Object.entries(movements)) {
  test(`a ${name} with a key is done once, however often it is sent`, async () => {
    const [from, to] = await pair()
    const { route, body, other, left } = movement(from, to)
    const idempotencyKey = `once-${name.replaceAll(' ', '-')}`
    const first = await send(route, body, key, withKey(idempotencyKey))
    assert.deepEqual([first.status, first.headers.get(replayed)], [200, null])
    for (const again of [
      await send(route, body, key, withKey(idempotencyKey)),
      await send(
        route,
        Object.fromEntries(Object.entries(body).reverse()),
        key,
        withKey(` ${idempotencyKey} `),
      ),
    ]) {
      assert.deepEqual([again.status, again.headers.get(replayed)], [200, 'true'])
      assert.deepEqual(again.body, first.body)
    }
    assert.deepEqual(await holdingsOf(from), left)
    const refused = await send(route, other, key, withKey(idempotencyKey))
    const [code, message] = route.endsWith('/journals')
      ? [42210000, 'idempotency key reused with a different request body']
      : [42210001, 'Idempotency-Key was already used with a different body']
    assert.deepEqual([refused.status, refused.body.code, refused.body.message], [422, code, message])
    assert.deepEqual(await holdingsOf(from), left)
  })

  test(`a ${name} sent twenty times at once with one key is done once`, async () => {
    const [from, to] = await pair()
    const { route, body, left } = movement(from, to)
    const idempotencyKey = `parallel-${name.replaceAll(' ', '-')}`
    const all = await Promise.all(
      Array.from({ length: 20 }, () => send(route, body, key, withKey(idempotencyKey))),
    )
    assert.equal(new Set(all.map((one) => JSON.stringify(one.body))).size, 1)
    assert.equal(all.filter(({ headers }) => headers.get(replayed) === 'true').length, 19)
    assert.deepEqual(await holdingsOf(from), left)
  })

  test(`without a key, a ${name} is done as often as it is sent`, async () => {
    const [from, to] = await pair()
    const { route, body } = movement(from, to)
    const [one, two] = [await send(route, body), await send(route, body)]
    assert.notEqual(one.body.id, two.body.id)
  })

  test(`a repeated ${name} returns the same response after the account is closed`, async () => {
    const [from, to] = await pair()
    const { route, body } = movement(from, to)
    const idempotencyKey = `closed-${name.replaceAll(' ', '-')}`
    const first = await send(route, body, key, withKey(idempotencyKey))
    await send(`POST /v1/accounts/${from}/actions/close?empty=true`)
    assert.deepEqual((await send(route, body, key, withKey(idempotencyKey))).body, first.body)
    assert.equal(
      (await send(route, body, key, withKey(`${idempotencyKey}-new`))).body.reason,
      'accountIsClosed',
    )
  })
}

test('a refused request does not use up its key: the same request may succeed later', async () => {
  const id = await openAccount()
  const route = `POST /v1/accounts/${id}/transfers`
  const body = { direction: 'OUTGOING', amount: '10' }
  assert.equal((await send(route, body, key, withKey('early'))).body.reason, 'insufficientWithdrawable')
  await send(route, { direction: 'INCOMING', amount: '10' })
  const later = await send(route, body, key, withKey('early'))
  assert.deepEqual([later.status, later.headers.get(replayed)], [200, null])
})

test('a key identifies one call of one credential and operation', async () => {
  const [from, to] = await pair()
  const body = { direction: 'INCOMING', amount: '1' }
  const first = await send(`POST /v1/accounts/${from}/transfers`, body, key, withKey('mine'))
  assert.equal(first.status, 200)
  const journal = { entry_type: 'JNLC', from_account: from, to_account: to, amount: '1' }
  const elsewhere = await send(`POST /v1/accounts/${to}/transfers`, body, key, withKey('mine'))
  assert.equal(elsewhere.body.reason, 'idempotencyKeyReused')
  const asOperator = [`POST /v1/accounts/${from}/transfers`, body, server.operatorKey] as const
  for (const [route, request, by] of [
    ['POST /v1/journals', journal, key],
    ['POST /v1/accounts', {}, key],
    asOperator,
  ] as const) {
    const executed = await send(route, request, by, withKey('mine'))
    assert.deepEqual([executed.status, executed.headers.get(replayed)], [200, null], route)
  }
  const otherAccount = (await send('POST /v1/accounts', {}, otherPartner)).body.id
  const other = await send(`POST /v1/accounts/${otherAccount}/transfers`, body, otherPartner, withKey('mine'))
  assert.deepEqual([other.status, other.headers.get(replayed)], [200, null])
  const hidden = await send(`POST /v1/accounts/${from}/transfers`, body, otherPartner, withKey('hidden'))
  assert.equal(hidden.status, 404)
})

test('an account is opened once per key', async () => {
  const body = { cash: '5', contact: { city: 'Lima' } }
  const all = await Promise.all(
    Array.from({ length: 5 }, () => send('POST /v1/accounts', body, key, withKey('account'))),
  )
  assert.equal(new Set(all.map((one) => one.body.id)).size, 1)
  assert.equal(all.filter(({ headers }) => headers.get(replayed) === 'true').length, 4)
  const other = await send('POST /v1/accounts', { ...body, operation: 'x' }, key, withKey('account'))
  assert.equal(other.body.reason, 'idempotencyKeyReused')
})

for (const [name, reason] of [
  ['', 'idempotencyKeyMalformed'],
  ['two words', 'idempotencyKeyMalformed'],
  ['x'.repeat(129), 'idempotencyKeyMalformed'],
] as const)
  test(`"${name.slice(0, 10)}" is refused as a key, and nothing moves`, async () => {
    const id = await openAccount({ cash: '10' })
    const body = { direction: 'OUTGOING', amount: '1' }
    const { status, body: refusal } = await send(
      `POST /v1/accounts/${id}/transfers`,
      body,
      key,
      withKey(name),
    )
    assert.deepEqual([status, refusal.reason], [400, reason])
    assert.equal((await accountState(id)).cash, '10')
  })
