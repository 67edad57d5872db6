import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import type { PartnerId } from '@quipu/core'
import { done, issueKey, type KeyPair } from '../furnish.ts'
import { call, openTestServer, type TestServer } from './testing.ts'

let server: TestServer
let key: KeyPair
let otherPartner: KeyPair
before(async () => {
  server = await openTestServer()
  key = server.partnerKey
  const { partnerId } = await done(server.world, { kind: 'addPartner', name: 'another' }, 'partnerAdded')
  otherPartner = await issueKey(server.world, {
    kind: 'partner',
    partnerId: partnerId as PartnerId,
    operator: false,
  })
})
after(() => server.close())

const ask = (route: string, body?: unknown, as: KeyPair = key, headers = {}) =>
  call(server, route, { key: as, body, headers })

async function opened(body: object = {}): Promise<string> {
  const { status, body: account } = await ask('POST /v1/accounts', body)
  assert.equal(status, 200)
  return account.id
}

/** What the account sees of itself. */
async function seen(
  id: string,
): Promise<{ cash: string; positions: string[]; status: string; key: KeyPair }> {
  const { body } = await ask(`POST /v1/accounts/${id}/keys`)
  const own = { keyId: body.key_id, secretKey: body.secret_key }
  const account = (await ask('GET /v2/account', undefined, own)).body
  const positions = (await ask('GET /v2/positions', undefined, own)).body
  return {
    cash: account.cash,
    status: account.status,
    positions: positions.map(
      (one: Record<string, string>) => `${one['symbol']} ${one['qty']} ${one['cost_basis']}`,
    ),
    key: own,
  }
}

test('an account needs nothing, and is active at once', async () => {
  const { status, body } = await ask('POST /v1/accounts', {})
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
  assert.deepEqual((await ask(`GET /v1/accounts/${id}`)).body, body)
  assert.deepEqual((await ask('POST /v1/accounts')).status, 200)
})

test('what is told of an account is kept and told again, whatever it is', async () => {
  const told = {
    contact: { email_address: 'ana@example.org', street_address: ['20 N San Mateo Dr'] },
    identity: { given_name: 'Ana', tax_id: '444-55-4321' },
    agreements: [{ agreement: 'customer_agreement', ip_address: '185.13.21.99' }],
    enabled_assets: ['us_equity', 'crypto'],
    account_type: 'custodial',
    favourite_colour: { 'a "quoted" key~': ['~1', null, 1.5, true] },
    '~map': [1],
  }
  const { body } = await ask('POST /v1/accounts', { ...told, status: 'REJECTED', id: 'mine' })
  for (const [field, value] of Object.entries(told)) assert.deepEqual(body[field], value)
  assert.equal(body.status, 'ACTIVE')
  assert.notEqual(body.id, 'mine')
  const changes = { contact: { email_address: 'ana@example.com' }, favourite_colour: null, nickname: 'a' }
  const changed = (await ask(`PATCH /v1/accounts/${body.id}`, changes)).body
  assert.deepEqual(changed.contact, { ...told.contact, email_address: 'ana@example.com' })
  assert.equal('favourite_colour' in changed, false)
  assert.equal(changed.nickname, 'a')
  assert.deepEqual((await ask(`GET /v1/accounts/${body.id}`)).body, changed)
})

test('an account begins with cash and positions, and has them at once', async () => {
  const id = await opened({
    flavour: 'live',
    cash: '1000.005',
    positions: [
      { symbol: 'AAPL', qty: '10', cost_basis: '1500' },
      { symbol: 'BTCUSD', qty: '0.5', avg_entry_price: '100' },
    ],
  })
  const { cash, positions, key: own } = await seen(id)
  assert.equal(cash, '1000.01')
  assert.deepEqual(positions.map((one) => one.replace('BTC/USD', 'BTCUSD')).sort(), [
    'AAPL 10 1500',
    'BTCUSD 0.5 50',
  ])
  assert.match(own.keyId, /^AK/)
})

test('the same name with the same body is the same account', async () => {
  const body = { client_account_id: 'customer 17', cash: '5', contact: { city: 'Lima' } }
  const first = await ask('POST /v1/accounts', body)
  const again = await ask('POST /v1/accounts', body)
  assert.deepEqual(again.body, first.body)
  assert.equal(first.body.client_account_id, 'customer 17')
  const other = await ask('POST /v1/accounts', { ...body, cash: '6' })
  assert.deepEqual([other.status, other.body.reason], [409, 'accountIdReused'])
  const theirs = await ask('POST /v1/accounts', { ...body, cash: '6' }, otherPartner)
  assert.equal(theirs.status, 200)
})

test('a list is of the caller, newest first, in pages, by filters', async () => {
  const marked: string[] = []
  for (let n = 0; n < 3; n++) marked.push(await opened({ contact: { city: `Arequipa n${n}x` } }))
  const list = async (query: string) =>
    (await ask(`GET /v1/accounts?query=arequipa&${query}`)).body.map(({ id }: { id: string }) =>
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
  const { body: second } = await ask(`GET /v1/accounts/${marked[1]}`)
  assert.deepEqual(await list(`created_after=${second.created_at}`), [2])
  assert.deepEqual(await list(`created_before=${second.created_at}`), [0])
  assert.deepEqual((await ask('GET /v1/accounts?query=arequipa%20n1x')).body.length, 1)
})

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

test('a reset keeps id and keys, cancels what is open, and takes positions as they were answered', async () => {
  const id = await opened({ cash: '5000' })
  const { key: own } = await seen(id)
  const order = {
    symbol: 'AAPL',
    qty: '1',
    side: 'buy',
    type: 'limit',
    limit_price: '1',
    time_in_force: 'gtc',
  }
  const placed = await ask('POST /v2/orders', order, own)
  assert.equal(placed.status, 200)
  // As another broker answered it.
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
  const reset = await ask(`POST /v1/accounts/${id}/actions/reset`, { cash: '777.77', positions })
  assert.equal(reset.status, 200)
  assert.equal(reset.body.id, id)
  const account = (await ask('GET /v2/account', undefined, own)).body
  assert.equal(account.cash, '777.77')
  const held = (await ask('GET /v2/positions', undefined, own)).body
  assert.deepEqual(
    held.map((one: Record<string, string>) => `${one['symbol']} ${one['qty']} ${one['cost_basis']}`).sort(),
    ['AAPL 5 500.617283946', 'ETHUSD 0.123456789 300', 'TSLA -2 -500'],
  )
  const again = (await ask(`GET /v2/orders/${placed.body.id}`, undefined, own)).body
  assert.equal(again.status, 'canceled')
  const bare = await ask(`POST /v1/accounts/${id}/actions/reset`, {})
  assert.equal(bare.status, 200)
  assert.equal((await ask('GET /v2/account', undefined, own)).body.cash, '100000')
})

test('an account is closed when it is empty, or emptied first where that is asked for', async () => {
  const [plain, full] = [await opened({ cash: '5' }), await opened({ positions: [{ symbol: 'KO', qty: 1 }] })]
  const { key: own } = await seen(plain)
  assert.equal((await ask(`POST /v1/accounts/${plain}/actions/close`)).status, 204)
  const closed = (await ask(`GET /v1/accounts/${plain}`)).body
  assert.equal(closed.status, 'ACCOUNT_CLOSED')
  assert.ok(closed.closed_at)
  assert.equal((await ask('GET /v2/account', undefined, own)).body.status, 'ACCOUNT_CLOSED')
  const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  assert.equal((await ask('POST /v2/orders', order, own)).body.reason, 'accountNotAllowedToTrade')
  const refused = await ask(`DELETE /v1/accounts/${full}`)
  assert.deepEqual(
    [refused.status, refused.body.reason, refused.body.positions],
    [409, 'accountNotEmpty', '1'],
  )
  assert.equal((await ask(`DELETE /v1/accounts/${full}?empty=true`)).status, 204)
})

test('keys are made, listed without their secrets, and withdrawn', async () => {
  const id = await opened()
  const { key: own } = await seen(id)
  const listed = (await ask(`GET /v1/accounts/${id}/keys`)).body
  assert.deepEqual(listed.map(Object.keys), [['key_id', 'created_at']])
  assert.equal(listed[0].key_id, own.keyId)
  const other = await opened()
  assert.equal((await ask(`DELETE /v1/accounts/${other}/keys/${own.keyId}`)).body.reason, 'keyNotFound')
  assert.equal((await ask(`DELETE /v1/accounts/${id}/keys/${own.keyId}`)).status, 204)
  assert.equal((await ask('GET /v2/account', undefined, own)).status, 401)
})

// Every route with an account of another partner, an account that is nobody's, and a closed one.
const routes: readonly (readonly [string, unknown?])[] = [
  ['GET /v1/accounts/ID'],
  ['PATCH /v1/accounts/ID', { contact: {} }],
  ['DELETE /v1/accounts/ID'],
  ['POST /v1/accounts/ID/actions/close'],
  ['POST /v1/accounts/ID/actions/reset', { cash: '1' }],
  ['GET /v1/accounts/ID/keys'],
  ['POST /v1/accounts/ID/keys'],
  ['DELETE /v1/accounts/ID/keys/PK1'],
  ['POST /v1/accounts/ID/transfers', { direction: 'INCOMING', amount: '1' }],
  ['GET /v1/accounts/ID/transfers'],
  ['GET /v1/journals?from_account=ID'],
  ['GET /v1/journals?to_account=ID'],
]

for (const [route, body] of routes) {
  test(`${route}: another's account is as good as none`, async () => {
    const theirs = (await ask('POST /v1/accounts', {}, otherPartner)).body.id
    for (const id of [theirs, '00000000-0000-4000-8000-000000000000']) {
      const { status, body: told } = await ask(route.replace('ID', id), body)
      assert.deepEqual([status, told.code, told.reason], [404, 40410000, 'accountNotFound'])
    }
    assert.equal((await ask(route.replace('ID', 'x'), body)).body.reason, 'invalidParameter')
    const asOperator = await ask(route.replace('ID', theirs), body, server.operatorKey)
    assert.ok(asOperator.status < 300 || asOperator.body.reason === 'keyNotFound', asOperator.body?.reason)
  })

  test(`${route}: not for the account's own key, nor for nobody`, async () => {
    const target = route.replace('ID', server.accountId)
    assert.equal((await ask(target, body, server.key)).status, 401)
    assert.equal((await call(server, target, { body })).status, 401)
  })
}

for (const [route, body, reason] of [
  ['POST /v1/accounts/ID/actions/close', undefined, 'accountIsClosed'],
  ['POST /v1/accounts/ID/actions/reset', {}, 'accountIsClosed'],
  ['PATCH /v1/accounts/ID', { contact: {} }, 'accountIsClosed'],
  ['POST /v1/accounts/ID/keys', undefined, 'accountIsClosed'],
  ['POST /v1/accounts/ID/transfers', { direction: 'INCOMING', amount: '1' }, 'accountIsClosed'],
  [
    'POST /v1/journals',
    { entry_type: 'JNLC', from_account: 'ID', to_account: 'OWN', amount: 1 },
    'accountIsClosed',
  ],
] as const)
  test(`${route} of a closed account: ${reason}`, async () => {
    const id = await opened()
    await ask(`DELETE /v1/accounts/${id}`)
    const filled = JSON.stringify(body)?.replace('ID', id).replace('OWN', server.accountId)
    const refused = await ask(route.replace('ID', id), filled)
    assert.deepEqual([refused.status, refused.body.code, refused.body.reason], [409, 40910000, reason])
  })

for (const [route, body, status, code, message] of [
  [
    'POST /v1/accounts',
    { positions: [{ symbol: 'NOSUCH', qty: 1 }] },
    422,
    42210000,
    'asset "NOSUCH" not found',
  ],
  [
    'POST /v1/accounts',
    { positions: [1, 2].map((qty) => ({ symbol: 'KO', qty })) },
    422,
    42210000,
    'positions: KO stands there twice',
  ],
  [
    'POST /v1/accounts',
    { anything: 'x'.repeat(20_000) },
    422,
    42210000,
    'what is told of an account may be at most 16384 characters of JSON',
  ],
  [
    'POST /v1/accounts/ID/actions/reset',
    { positions: [{ symbol: 'KO' }] },
    422,
    40010001,
    'positions[0].qty: expected a decimal, received nothing',
  ],
  [
    'POST /v1/accounts/ID/actions/reset',
    { positions: {} },
    422,
    40010001,
    'positions: expected a list of at most 1000, received a record',
  ],
  [
    'POST /v1/accounts/ID/transfers',
    { direction: 'INCOMING', amount: '0' },
    422,
    40010001,
    'expected an amount greater than zero',
  ],
  [
    'POST /v1/accounts/ID/transfers',
    { direction: 'INCOMING', amount: '1.001' },
    422,
    40010001,
    'amount: expected a decimal of at most 2 places, received "1.001"',
  ],
  [
    'POST /v1/accounts/ID/transfers',
    { amount: '1' },
    422,
    40010001,
    'direction: expected one of INCOMING, OUTGOING, received nothing',
  ],
  [
    'GET /v1/accounts/ID/transfers?page_token=00000000-0000-4000-8000-000000000000',
    undefined,
    422,
    40010001,
    'page_token is none of ours',
  ],
  [
    'POST /v1/journals',
    { entry_type: 'JNLC', from_account: 'ID', to_account: 'OWN' },
    422,
    40010001,
    'amount is required for JNLC',
  ],
  [
    'POST /v1/journals',
    { entry_type: 'JNLS', from_account: 'ID', to_account: 'OWN', qty: 1 },
    422,
    40010001,
    'symbol is required for JNLS',
  ],
  [
    'POST /v1/journals',
    { entry_type: 'JNLS', from_account: 'ID', to_account: 'OWN', symbol: 'KO' },
    422,
    40010001,
    'qty is required for JNLS',
  ],
  [
    'POST /v1/journals',
    { entry_type: 'JNLS', from_account: 'ID', to_account: 'OWN', symbol: 'KO', qty: 1 },
    403,
    40310000,
    'insufficient shares of KO (requested: 1, available: 0)',
  ],
  [
    'POST /v1/journals',
    { entry_type: 'JNLC', from_account: 'ID', to_account: 'ID', amount: 1 },
    422,
    42210000,
    'from_account and to_account are the same',
  ],
  [
    'POST /v1/journals',
    { entry_type: 'JNLC', from_account: 'ID', to_account: 'OWN', amount: 1 },
    403,
    40310000,
    'insufficient withdrawable cash (requested: 1, available: 0)',
  ],
] as readonly (readonly [string, unknown, number, number, string])[])
  test(`${route}: ${message}`, async () => {
    const id = await opened()
    const fill = (text: string) => text.replaceAll('"ID"', `"${id}"`).replace('OWN', server.accountId)
    const target = route.replace('/ID', `/${id}`)
    const { seq } = server.world.view
    const refused = await ask(target, body === undefined ? undefined : fill(JSON.stringify(body)))
    assert.deepEqual([refused.status, refused.body.code, refused.body.message], [status, code, message])
    assert.equal(server.world.view.seq, seq, 'a refusal leaves no trace')
  })

test('an operator enters any world by its name; to a partner no other exists', async () => {
  const named = { 'x-quipu-world': 'main' }
  const made = await ask('POST /v1/accounts', {}, server.operatorKey, named)
  // Main has no partner in this test.
  assert.equal(made.body.reason, 'partnerNotFound')
  const own = { 'x-quipu-world': 'lab' }
  for (const as of [key, server.operatorKey])
    assert.equal((await ask('GET /v1/accounts', undefined, as, own)).headers.get('x-quipu-world'), 'lab')
  for (const [as, name] of [
    [key, 'main'],
    [key, 'nowhere'],
    [server.operatorKey, 'nowhere'],
  ] as const) {
    const refused = await ask('GET /v1/accounts', undefined, as, { 'x-quipu-world': name })
    assert.deepEqual([refused.status, refused.body.reason], [404, 'worldNotFound'])
  }
})
