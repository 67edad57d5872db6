import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { openPartnerStage } from './testing/partners.ts'

const stage = await openPartnerStage()
after(() => stage.server.close())
const { server, key, otherPartner, ask, opened, seen } = stage

const replayed = 'idempotent-replayed'
const under = (name: string) => ({ 'Idempotency-Key': name })

/** The ways in which something moves, each with a body of its own, and one that differs. */
const ways = {
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
const pair = async () => [await opened(holdings), await opened()] as const
const left = async (id: string) => {
  const { cash, positions } = await seen(id)
  return [cash, ...positions]
}

for (const [what, way] of Object.entries(ways)) {
  test(`a ${what} under a key is done once, however often it is asked for`, async () => {
    const [from, to] = await pair()
    const { route, body, other, left: then } = way(from, to)
    const name = `once-${what.replaceAll(' ', '-')}`
    const first = await ask(route, body, key, under(name))
    assert.deepEqual([first.status, first.headers.get(replayed)], [200, null])
    for (const again of [
      await ask(route, body, key, under(name)),
      await ask(route, Object.fromEntries(Object.entries(body).reverse()), key, under(` ${name} `)),
      await ask(route, body, server.operatorKey, under(name)),
    ]) {
      assert.deepEqual([again.status, again.headers.get(replayed)], [200, 'true'])
      assert.deepEqual(again.body, first.body)
    }
    assert.deepEqual(await left(from), then)
    const refused = await ask(route, other, key, under(name))
    assert.deepEqual(
      [refused.status, refused.body.reason, refused.body.message],
      [422, 'idempotencyKeyReused', 'Idempotency-Key was already used with a different body'],
    )
    assert.deepEqual(await left(from), then)
  })

  test(`twenty times at once under a key, a ${what} is done once`, async () => {
    const [from, to] = await pair()
    const { route, body, left: then } = way(from, to)
    const name = `parallel-${what.replaceAll(' ', '-')}`
    const all = await Promise.all(Array.from({ length: 20 }, () => ask(route, body, key, under(name))))
    assert.equal(new Set(all.map((one) => JSON.stringify(one.body))).size, 1)
    assert.equal(all.filter(({ headers }) => headers.get(replayed) === 'true').length, 19)
    assert.deepEqual(await left(from), then)
  })

  test(`without a key, a ${what} is done as often as it is asked for`, async () => {
    const [from, to] = await pair()
    const { route, body } = way(from, to)
    const [one, two] = [await ask(route, body), await ask(route, body)]
    assert.notEqual(one.body.id, two.body.id)
  })

  test(`the answer of a ${what} stays the same when the account is closed since`, async () => {
    const [from, to] = await pair()
    const { route, body } = way(from, to)
    const name = `closed-${what.replaceAll(' ', '-')}`
    const first = await ask(route, body, key, under(name))
    await ask(`POST /v1/accounts/${from}/actions/close?empty=true`)
    assert.deepEqual((await ask(route, body, key, under(name))).body, first.body)
    assert.equal((await ask(route, body, key, under(`${name}-new`))).body.reason, 'accountIsClosed')
  })
}

test('a refusal keeps no key: the same call may go well later', async () => {
  const id = await opened()
  const route = `POST /v1/accounts/${id}/transfers`
  const body = { direction: 'OUTGOING', amount: '10' }
  assert.equal((await ask(route, body, key, under('early'))).body.reason, 'insufficientWithdrawable')
  await ask(route, { direction: 'INCOMING', amount: '10' })
  const then = await ask(route, body, key, under('early'))
  assert.deepEqual([then.status, then.headers.get(replayed)], [200, null])
})

test("a partner's key names one call, whatever it asks; another's is another", async () => {
  const [from, to] = await pair()
  const body = { direction: 'INCOMING', amount: '1' }
  const first = await ask(`POST /v1/accounts/${from}/transfers`, body, key, under('mine'))
  assert.equal(first.status, 200)
  const journal = { entry_type: 'JNLC', from_account: from, to_account: to, amount: '1' }
  for (const [route, asked] of [
    [`POST /v1/accounts/${to}/transfers`, body],
    ['POST /v1/journals', journal],
    ['POST /v1/accounts', {}],
  ] as const)
    assert.equal((await ask(route, asked, key, under('mine'))).body.reason, 'idempotencyKeyReused', route)
  const theirs = (await ask('POST /v1/accounts', {}, otherPartner)).body.id
  const other = await ask(`POST /v1/accounts/${theirs}/transfers`, body, otherPartner, under('mine'))
  assert.deepEqual([other.status, other.headers.get(replayed)], [200, null])
  const hidden = await ask(`POST /v1/accounts/${from}/transfers`, body, otherPartner, under('mine'))
  assert.equal(hidden.status, 404)
})

test('an account is opened once under a key', async () => {
  const body = { cash: '5', contact: { city: 'Lima' } }
  const all = await Promise.all(
    Array.from({ length: 5 }, () => ask('POST /v1/accounts', body, key, under('account'))),
  )
  assert.equal(new Set(all.map((one) => one.body.id)).size, 1)
  assert.equal(all.filter(({ headers }) => headers.get(replayed) === 'true').length, 4)
  const other = await ask('POST /v1/accounts', { ...body, operation: 'x' }, key, under('account'))
  assert.equal(other.body.reason, 'idempotencyKeyReused')
})

for (const [name, reason] of [
  ['', 'idempotencyKeyMalformed'],
  ['two words', 'idempotencyKeyMalformed'],
  ['x'.repeat(129), 'idempotencyKeyMalformed'],
] as const)
  test(`"${name.slice(0, 10)}" is no key, and nothing moves`, async () => {
    const id = await opened({ cash: '10' })
    const body = { direction: 'OUTGOING', amount: '1' }
    const { status, body: told } = await ask(`POST /v1/accounts/${id}/transfers`, body, key, under(name))
    assert.deepEqual([status, told.reason], [400, reason])
    assert.equal((await seen(id)).cash, '10')
  })
