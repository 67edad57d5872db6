import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { auditFaults } from '@quipu/core'
import { openPartnerStage } from './testing/partners.ts'

const stage = await openPartnerStage()
after(() => stage.server.close())
const { server, key, otherPartner, send, openAccount, accountState } = stage

test('deposits and withdrawals complete at once and are listed newest first', async () => {
  const id = await openAccount({ cash: '100' })
  const route = `/v1/accounts/${id}/transfers`
  const note = { additional_information: 'rent' }
  const first = await send(`POST ${route}`, { direction: 'INCOMING', amount: 50.5, ...note })
  assert.equal(first.status, 200)
  assert.equal(first.body.status, 'COMPLETE')
  assert.equal(first.body.additional_information, 'rent')
  const second = await send(`POST ${route}`, {
    direction: 'OUTGOING',
    amount: '150.5',
    transfer_type: 'wire',
  })
  assert.equal(second.body.type, 'wire')
  const third = await send(`POST ${route}`, { direction: 'OUTGOING', amount: '0.01' })
  assert.deepEqual(
    [third.status, third.body.code, third.body.message, third.body.cash_withdrawable],
    [403, 40310000, 'insufficient withdrawable cash (requested: 0.01, available: 0)', '0'],
  )
  assert.equal((await accountState(id)).cash, '0')
  const list = async (query: string) => (await send(`GET ${route}?${query}`)).body
  assert.deepEqual(await list(''), [second.body, first.body])
  assert.deepEqual(await list('direction=INCOMING'), [first.body])
  assert.deepEqual(await list('limit=1'), [second.body])
  assert.deepEqual(await list('limit=1&offset=1'), [first.body])
  assert.deepEqual(await list(`page_token=${second.body.id}`), [first.body])
})

test('journals move cash and shares between accounts and are listed for both', async () => {
  const position = { symbol: 'AAPL', qty: '4', cost_basis: '400' }
  const [from, to] = [await openAccount({ cash: '100', positions: [position] }), await openAccount()]
  const between = { from_account: from, to_account: to }
  const cash = await send('POST /v1/journals', { entry_type: 'JNLC', ...between, amount: '40' })
  const shares = await send('POST /v1/journals', {
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
  const [sender, receiver] = [await accountState(from), await accountState(to)]
  assert.deepEqual([sender.cash, sender.positions], ['60', ['AAPL 3 300']])
  assert.deepEqual([receiver.cash, receiver.positions], ['40', ['AAPL 1 100']])
  const list = async (query: string, as = key) =>
    (await send(`GET /v1/journals?${query}`, undefined, as)).body.map(({ id }: { id: string }) => id)
  const [first, second] = [cash.body.id, shares.body.id]
  for (const [query, expected] of [
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
    assert.deepEqual(await list(query), expected, query)
  assert.deepEqual(await list('', server.operatorKey), [second, first])
  assert.deepEqual(await list('', otherPartner), [])
  assert.deepEqual((await send(`GET /v1/journals/${second}`)).body, shares.body)
  assert.equal((await send(`GET /v1/journals/${second}`, undefined, otherPartner)).status, 404)
  assert.equal((await send(`GET /v1/journals/${from}`)).body.reason, 'journalNotFound')
})

test('transfers and journals are activities of each account', async () => {
  const position = { symbol: 'KO', qty: '4', cost_basis: '200' }
  const [from, to] = [await openAccount({ cash: '100', positions: [position] }), await openAccount()]
  const between = { from_account: from, to_account: to }
  const transfers = `POST /v1/accounts/${from}/transfers`
  await send(transfers, { direction: 'INCOMING', amount: '30', additional_information: 'rent' })
  await send(transfers, { direction: 'OUTGOING', amount: '20' })
  await send('POST /v1/journals', { entry_type: 'JNLC', ...between, amount: '40' })
  await send('POST /v1/journals', { entry_type: 'JNLS', ...between, symbol: 'KO', qty: '1' })
  await send(`POST /v1/accounts/${from}/actions/reset`, { cash: '10' })
  const activitiesOf = async (id: string) => {
    const { key } = await accountState(id)
    const { body } = await send('GET /v2/account/activities?direction=asc', undefined, key)
    return body.map((one: Record<string, string>) =>
      [one['activity_type'], one['net_amount'], one['symbol'], one['qty']].filter(Boolean).join(' '),
    )
  }
  assert.deepEqual(await activitiesOf(from), [
    'JNLC 100',
    'JNLS 0 KO 4',
    'CSD 30',
    'CSW -20',
    'JNLC -40',
    'JNLS 0 KO -1',
    'JNLC -60',
    'JNLS 0 KO -3',
  ])
  assert.deepEqual(await activitiesOf(to), ['JNLC 40', 'JNLS 0 KO 1'])
})

test('a journal neither closes nor opens a short position, and a refused one moves nothing', async () => {
  const short = { cash: '100000', positions: [{ symbol: 'KO', qty: '-4', cost_basis: '-200' }] }
  const long = { cash: '100000', positions: [{ symbol: 'KO', qty: '4', cost_basis: '200' }] }
  const [from, to, flat] = [
    await openAccount(long),
    await openAccount(short),
    await openAccount({ cash: '100000' }),
  ]
  const journal = (sender: string, receiver: string, qty: string) =>
    send('POST /v1/journals', {
      entry_type: 'JNLS',
      from_account: sender,
      to_account: receiver,
      symbol: 'KO',
      qty,
    })
  const sellOrder = {
    symbol: 'KO',
    qty: '1',
    side: 'sell',
    type: 'limit',
    time_in_force: 'day',
    limit_price: '900',
  }
  const { key: accountKey } = await accountState(flat)
  const order = await send('POST /v2/orders', sellOrder, accountKey)
  for (const [sender, receiver, qty, reason] of [
    [from, to, '1', 'receiverIsShort'],
    [from, flat, '1', 'receiverIsShort'],
    [from, flat, '5', 'insufficientShares'],
    [to, from, '1', 'insufficientShares'],
    [flat, from, '1', 'insufficientShares'],
  ] as const)
    assert.equal((await journal(sender, receiver, qty)).body.reason, reason)
  assert.deepEqual((await accountState(from)).positions, ['KO 4 200'])
  assert.deepEqual((await accountState(to)).positions, ['KO -4 -200'])
  await send(`DELETE /v2/orders/${order.body.id}`, undefined, accountKey)
  assert.equal((await journal(from, flat, '1')).status, 200)
  assert.deepEqual(
    [(await accountState(from)).positions, (await accountState(flat)).positions],
    [['KO 3 150'], ['KO 1 50']],
  )
  assert.deepEqual(auditFaults(server.world.view), [])
})
