import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { openPartnerStage } from './testing/partners.ts'

const stage = await openPartnerStage()
after(() => stage.server.close())
const { server, key, otherPartner, send, openAccount, accountState } = stage

test('an account can be opened with an empty body and is active at once', async () => {
  const { status, body } = await send('POST /v1/accounts', {})
  assert.equal(status, 200)
  assert.match(body.account_number, /^PA/)
  const { id, account_number: _, created_at: __, partner_id: ___, ...rest } = body
  assert.deepEqual(rest, {
    account_type: 'trading',
    trading_type: 'margin',
    status: 'ACTIVE',
    crypto_status: 'ACTIVE',
    currency: 'USD',
    last_equity: '0',
    flavour: 'paper',
  })
  assert.deepEqual((await send(`GET /v1/accounts/${id}`)).body, body)
  assert.deepEqual((await send('POST /v1/accounts')).status, 200)
})

test('an account keeps and returns every field of the request, known or not', async () => {
  const fields = {
    contact: { email_address: 'ana@example.org', street_address: ['20 N San Mateo Dr'] },
    identity: { given_name: 'Ana', tax_id: '444-55-4321' },
    agreements: [{ agreement: 'customer_agreement', ip_address: '185.13.21.99' }],
    enabled_assets: ['us_equity', 'crypto'],
    account_type: 'custodial',
    favourite_colour: { 'a "quoted" key~': ['~1', null, 1.5, true] },
    '~map': [1],
  }
  const { body } = await send('POST /v1/accounts', { ...fields, status: 'REJECTED', id: 'mine' })
  for (const [field, value] of Object.entries(fields)) assert.deepEqual(body[field], value)
  assert.equal(body.status, 'ACTIVE')
  assert.notEqual(body.id, 'mine')
  const changes = { contact: { email_address: 'ana@example.com' }, favourite_colour: null, nickname: 'a' }
  const changed = (await send(`PATCH /v1/accounts/${body.id}`, changes)).body
  assert.deepEqual(changed.contact, { ...fields.contact, email_address: 'ana@example.com' })
  assert.equal('favourite_colour' in changed, false)
  assert.equal(changed.nickname, 'a')
  assert.deepEqual((await send(`GET /v1/accounts/${body.id}`)).body, changed)
})

test('an account starts with the requested cash and positions', async () => {
  const id = await openAccount({
    flavour: 'live',
    cash: '1000.005',
    positions: [
      { symbol: 'AAPL', qty: '10', cost_basis: '1500' },
      { symbol: 'BTCUSD', qty: '0.5', avg_entry_price: '100' },
    ],
  })
  const { cash, positions, key: accountKey } = await accountState(id)
  assert.equal(cash, '1000.01')
  assert.deepEqual(positions.map((one) => one.replace('BTC/USD', 'BTCUSD')).sort(), [
    'AAPL 10 1500',
    'BTCUSD 0.5 50',
  ])
  assert.match(accountKey.keyId, /^AK/)
})

test('the same client_account_id with the same body returns the same account', async () => {
  const body = { client_account_id: 'customer 17', cash: '5', contact: { city: 'Lima' } }
  const first = await send('POST /v1/accounts', body)
  const again = await send('POST /v1/accounts', body)
  assert.deepEqual(again.body, first.body)
  assert.equal(first.body.client_account_id, 'customer 17')
  const other = await send('POST /v1/accounts', { ...body, cash: '6' })
  assert.deepEqual([other.status, other.body.reason], [409, 'accountIdReused'])
  const ofOtherPartner = await send('POST /v1/accounts', { ...body, cash: '6' }, otherPartner)
  assert.equal(ofOtherPartner.status, 200)
})

test('the list has the accounts of the caller, newest first, with pages and filters', async () => {
  const marked: string[] = []
  for (let n = 0; n < 3; n++) marked.push(await openAccount({ contact: { city: `Arequipa n${n}x` } }))
  const list = async (query: string) =>
    (await send(`GET /v1/accounts?query=arequipa&${query}`)).body.map(({ id }: { id: string }) =>
      marked.indexOf(id),
    )
  assert.deepEqual(await list(''), [2, 1, 0])
  assert.deepEqual(await list('sort=asc'), [0, 1, 2])
  assert.deepEqual(await list('limit=2'), [2, 1])
  assert.deepEqual(await list(`limit=2&page_token=${marked[1]}`), [0])
  assert.deepEqual(await list(`page_token=${marked[0]}`), [])
  assert.deepEqual(await list(`page_token=00000000-0000-4000-8000-000000000000`), [])
  assert.deepEqual(await list('status=ACTIVE&flavour=paper'), [2, 1, 0])
  assert.deepEqual(await list('status=ACCOUNT_CLOSED'), [])
  assert.deepEqual(await list('flavour=live'), [])
  const { body: second } = await send(`GET /v1/accounts/${marked[1]}`)
  assert.deepEqual(await list(`created_after=${second.created_at}`), [2])
  assert.deepEqual(await list(`created_before=${second.created_at}`), [0])
  assert.deepEqual((await send('GET /v1/accounts?query=arequipa%20n1x')).body.length, 1)
})

test('a reset keeps id and keys, cancels open orders, and accepts positions as a broker returns them', async () => {
  const id = await openAccount({ cash: '5000' })
  const { key: accountKey } = await accountState(id)
  const order = {
    symbol: 'AAPL',
    qty: '1',
    side: 'buy',
    type: 'limit',
    limit_price: '1',
    time_in_force: 'gtc',
  }
  const placed = await send('POST /v2/orders', order, accountKey)
  assert.equal(placed.status, 200)
  // A list of positions as Alpaca returns it.
  const positions = [
    {
      asset_id: '904837e3-3b76-47ec-b432-046db621571b',
      symbol: 'AAPL',
      exchange: 'NASDAQ',
      asset_class: 'us_equity',
      avg_entry_price: '100.1234567891234',
      qty: '5',
      side: 'long',
      market_value: '600.0',
      cost_basis: '500.617283945617',
      unrealized_pl: '100.0',
      current_price: '120.0',
      qty_available: '4',
    },
    { symbol: 'TSLA', qty: '-2', side: 'short', avg_entry_price: '250', market_value: '-480' },
    { symbol: 'ETHUSD', asset_class: 'crypto', qty: '0.123456789012', cost_basis: '300', side: 'long' },
  ]
  const reset = await send(`POST /v1/accounts/${id}/actions/reset`, { cash: '777.77', positions })
  assert.equal(reset.status, 200)
  assert.equal(reset.body.id, id)
  const account = (await send('GET /v2/account', undefined, accountKey)).body
  assert.equal(account.cash, '777.77')
  const held = (await send('GET /v2/positions', undefined, accountKey)).body
  assert.deepEqual(
    held.map((one: Record<string, string>) => `${one['symbol']} ${one['qty']} ${one['cost_basis']}`).sort(),
    ['AAPL 5 500.617283946', 'ETHUSD 0.123456789 300', 'TSLA -2 -500'],
  )
  const again = (await send(`GET /v2/orders/${placed.body.id}`, undefined, accountKey)).body
  assert.equal(again.status, 'canceled')
  const bare = await send(`POST /v1/accounts/${id}/actions/reset`, {})
  assert.equal(bare.status, 200)
  assert.equal((await send('GET /v2/account', undefined, accountKey)).body.cash, '100000')
})

test('an account is closed when it is empty; with empty=true it is emptied first', async () => {
  const [plain, full] = [
    await openAccount({ cash: '5' }),
    await openAccount({ positions: [{ symbol: 'KO', qty: 1 }] }),
  ]
  const { key: accountKey } = await accountState(plain)
  assert.equal((await send(`POST /v1/accounts/${plain}/actions/close`)).status, 204)
  const closed = (await send(`GET /v1/accounts/${plain}`)).body
  assert.equal(closed.status, 'ACCOUNT_CLOSED')
  assert.ok(closed.closed_at)
  assert.equal((await send('GET /v2/account', undefined, accountKey)).body.status, 'ACCOUNT_CLOSED')
  const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  assert.equal((await send('POST /v2/orders', order, accountKey)).body.reason, 'accountNotAllowedToTrade')
  const refused = await send(`DELETE /v1/accounts/${full}`)
  assert.deepEqual(
    [refused.status, refused.body.reason, refused.body.positions],
    [409, 'accountNotEmpty', '1'],
  )
  assert.equal((await send(`DELETE /v1/accounts/${full}?empty=true`)).status, 204)
})

test('keys are created, listed without their secrets, and revoked', async () => {
  const id = await openAccount()
  const { key: accountKey } = await accountState(id)
  const listed = (await send(`GET /v1/accounts/${id}/keys`)).body
  assert.deepEqual(listed.map(Object.keys), [['key_id', 'created_at', 'last_used_at']])
  assert.equal(listed[0].key_id, accountKey.keyId)
  const other = await openAccount()
  assert.equal(
    (await send(`DELETE /v1/accounts/${other}/keys/${accountKey.keyId}`)).body.reason,
    'keyNotFound',
  )
  assert.equal((await send(`DELETE /v1/accounts/${id}/keys/${accountKey.keyId}`)).status, 204)
  assert.equal((await send('GET /v2/account', undefined, accountKey)).status, 401)
})

test('an operator may name any world; a partner only its own', async () => {
  const mainWorld = { 'x-quipu-world': 'main' }
  const made = await send('POST /v1/accounts', {}, server.operatorKey, mainWorld)
  // Main has no partner in this test.
  assert.equal(made.body.reason, 'partnerNotFound')
  const labWorld = { 'x-quipu-world': 'lab' }
  for (const as of [key, server.operatorKey])
    assert.equal(
      (await send('GET /v1/accounts', undefined, as, labWorld)).headers.get('x-quipu-world'),
      'lab',
    )
  for (const [as, name] of [
    [key, 'main'],
    [key, 'nowhere'],
    [server.operatorKey, 'nowhere'],
  ] as const) {
    const refused = await send('GET /v1/accounts', undefined, as, { 'x-quipu-world': name })
    assert.deepEqual([refused.status, refused.body.reason], [404, 'worldNotFound'])
  }
})
