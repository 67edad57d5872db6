import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { faultsOf } from '@quipu/core'
import { openPartnerStage } from './testing/partners.ts'

const stage = await openPartnerStage()
after(() => stage.server.close())
const { server, key, otherPartner, ask, opened, seen } = stage

test('money comes and goes at once, and is listed newest first', async () => {
  const id = await opened({ cash: '100' })
  const route = `/v1/accounts/${id}/transfers`
  const note = { additional_information: 'rent' }
  const first = await ask(`POST ${route}`, { direction: 'INCOMING', amount: 50.5, ...note })
  assert.equal(first.status, 200)
  assert.equal(first.body.status, 'COMPLETE')
  assert.equal(first.body.additional_information, 'rent')
  const second = await ask(`POST ${route}`, { direction: 'OUTGOING', amount: '150.5', transfer_type: 'wire' })
  assert.equal(second.body.type, 'wire')
  const third = await ask(`POST ${route}`, { direction: 'OUTGOING', amount: '0.01' })
  assert.deepEqual(
    [third.status, third.body.code, third.body.message, third.body.cash_withdrawable],
    [403, 40310000, 'insufficient withdrawable cash (requested: 0.01, available: 0)', '0'],
  )
  assert.equal((await seen(id)).cash, '0')
  const list = async (query: string) => (await ask(`GET ${route}?${query}`)).body
  assert.deepEqual(await list(''), [second.body, first.body])
  assert.deepEqual(await list('direction=INCOMING'), [first.body])
  assert.deepEqual(await list('limit=1'), [second.body])
  assert.deepEqual(await list('limit=1&offset=1'), [first.body])
  assert.deepEqual(await list(`page_token=${second.body.id}`), [first.body])
})

test('cash and shares go from one account to another, and are listed for both', async () => {
  const position = { symbol: 'AAPL', qty: '4', cost_basis: '400' }
  const [from, to] = [await opened({ cash: '100', positions: [position] }), await opened()]
  const between = { from_account: from, to_account: to }
  const cash = await ask('POST /v1/journals', { entry_type: 'JNLC', ...between, amount: '40' })
  const shares = await ask('POST /v1/journals', {
    entry_type: 'JNLS',
    ...between,
    symbol: 'AAPL',
    qty: '1',
    description: 'a bonus',
  })
  assert.deepEqual([cash.status, shares.status], [200, 200])
  assert.deepEqual([cash.body.net_amount, cash.body.qty, cash.body.status], ['40', null, 'executed'])
  assert.deepEqual([shares.body.symbol, shares.body.qty, shares.body.description], ['AAPL', '1', 'a bonus'])
  assert.equal(shares.body.net_amount, shares.body.price)
  const [giver, receiver] = [await seen(from), await seen(to)]
  assert.deepEqual([giver.cash, giver.positions], ['60', ['AAPL 3 300']])
  assert.deepEqual([receiver.cash, receiver.positions], ['40', ['AAPL 1 100']])
  const list = async (query: string, as = key) =>
    (await ask(`GET /v1/journals?${query}`, undefined, as)).body.map(({ id }: { id: string }) => id)
  const [first, second] = [cash.body.id, shares.body.id]
  for (const [query, then] of [
    [`from_account=${from}`, [second, first]],
    [`to_account=${to}`, [second, first]],
    [`from_account=${from}&to_account=${to}`, [second, first]],
    [`from_account=${to}`, []],
    [`to_account=${from}`, []],
    ['entry_type=JNLC', [first]],
    ['entry_type=JNLS', [second]],
    ['status=pending', []],
    ['limit=1', [second]],
    [`limit=1&page_token=${second}`, [first]],
    [`after=${cash.body.created_at}`, [second]],
    [`before=${shares.body.created_at}`, [first]],
  ] as const)
    assert.deepEqual(await list(query), then, query)
  assert.deepEqual(await list('', server.operatorKey), [second, first])
  assert.deepEqual(await list('', otherPartner), [])
  assert.deepEqual((await ask(`GET /v1/journals/${second}`)).body, shares.body)
  assert.equal((await ask(`GET /v1/journals/${second}`, undefined, otherPartner)).status, 404)
  assert.equal((await ask(`GET /v1/journals/${from}`)).body.reason, 'journalNotFound')
})

test('what was moved stands among the activities of each account', async () => {
  const position = { symbol: 'KO', qty: '4', cost_basis: '200' }
  const [from, to] = [await opened({ cash: '100', positions: [position] }), await opened()]
  const between = { from_account: from, to_account: to }
  const transfers = `POST /v1/accounts/${from}/transfers`
  await ask(transfers, { direction: 'INCOMING', amount: '30', additional_information: 'rent' })
  await ask(transfers, { direction: 'OUTGOING', amount: '20' })
  await ask('POST /v1/journals', { entry_type: 'JNLC', ...between, amount: '40' })
  await ask('POST /v1/journals', { entry_type: 'JNLS', ...between, symbol: 'KO', qty: '1' })
  await ask(`POST /v1/accounts/${from}/actions/reset`, { cash: '10' })
  const told = async (id: string) => {
    const { key } = await seen(id)
    const { body } = await ask('GET /v2/account/activities?direction=asc', undefined, key)
    return body.map((one: Record<string, string>) =>
      [one['activity_type'], one['net_amount'], one['symbol'], one['qty']].filter(Boolean).join(' '),
    )
  }
  assert.deepEqual(await told(from), [
    'JNLC 100',
    'JNLS 0 KO 4',
    'CSD 30',
    'CSW -20',
    'JNLC -40',
    'JNLS 0 KO -1',
    'JNLC -60',
    'JNLS 0 KO -3',
  ])
  assert.deepEqual(await told(to), ['JNLC 40', 'JNLS 0 KO 1'])
})

test('a journal neither ends a short nor makes one, and a refused one moves nothing', async () => {
  const short = { cash: '100000', positions: [{ symbol: 'KO', qty: '-4', cost_basis: '-200' }] }
  const long = { cash: '100000', positions: [{ symbol: 'KO', qty: '4', cost_basis: '200' }] }
  const [from, to, flat] = [await opened(long), await opened(short), await opened({ cash: '100000' })]
  const journal = (giver: string, receiver: string, qty: string) =>
    ask('POST /v1/journals', {
      entry_type: 'JNLS',
      from_account: giver,
      to_account: receiver,
      symbol: 'KO',
      qty,
    })
  const about = {
    symbol: 'KO',
    qty: '1',
    side: 'sell',
    type: 'limit',
    time_in_force: 'day',
    limit_price: '900',
  }
  const { key: own } = await seen(flat)
  const order = await ask('POST /v2/orders', about, own)
  for (const [giver, receiver, qty, then] of [
    [from, to, '1', 'receiverIsShort'],
    [from, flat, '1', 'receiverIsShort'],
    [from, flat, '5', 'insufficientShares'],
    [to, from, '1', 'insufficientShares'],
    [flat, from, '1', 'insufficientShares'],
  ] as const)
    assert.equal((await journal(giver, receiver, qty)).body.reason, then)
  assert.deepEqual((await seen(from)).positions, ['KO 4 200'])
  assert.deepEqual((await seen(to)).positions, ['KO -4 -200'])
  await ask(`DELETE /v2/orders/${order.body.id}`, undefined, own)
  assert.equal((await journal(from, flat, '1')).status, 200)
  assert.deepEqual([(await seen(from)).positions, (await seen(flat)).positions], [['KO 3 150'], ['KO 1 50']])
  assert.deepEqual(faultsOf(server.world.view), [])
})
