import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { call } from '../testing/server.ts'
import { openPartnerStage } from './testing/partners.ts'

const stage = await openPartnerStage()
after(() => stage.server.close())
const { server, otherPartner, send, openAccount } = stage

// Every route with an account of another partner, an unknown account, and a closed account.
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
  test(`${route}: an account of another partner is not found`, async () => {
    const otherAccount = (await send('POST /v1/accounts', {}, otherPartner)).body.id
    for (const id of [otherAccount, '00000000-0000-4000-8000-000000000000']) {
      const { status, body: refusal } = await send(route.replace('ID', id), body)
      assert.deepEqual([status, refusal.code, refusal.reason], [404, 40410000, 'accountNotFound'])
    }
    const malformed = route === 'GET /v1/accounts/ID' ? 'accountNotFound' : 'invalidParameter'
    assert.equal((await send(route.replace('ID', 'x'), body)).body.reason, malformed)
    const asOperator = await send(route.replace('ID', otherAccount), body, server.operatorKey)
    assert.ok(asOperator.status < 300 || asOperator.body.reason === 'keyNotFound', asOperator.body?.reason)
  })

  test(`${route}: refused with a trading key, and without a key`, async () => {
    const target = route.replace('ID', server.accountId)
    assert.equal((await send(target, body, server.key)).status, 401)
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
    const id = await openAccount()
    await send(`DELETE /v1/accounts/${id}`)
    const filled = JSON.stringify(body)?.replace('ID', id).replace('OWN', server.accountId)
    const refused = await send(route.replace('ID', id), filled)
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
    'positions: KO is listed twice',
  ],
  [
    'POST /v1/accounts/ID/actions/reset',
    { positions: [{ symbol: 'BTCUSD', qty: '0.5', side: 'short' }] },
    422,
    42210000,
    'asset "BTC/USD" cannot be sold short',
  ],
  ['POST /v1/accounts', { cash: '-0.01' }, 422, 40010001, 'cash: expected zero or more'],
  [
    'POST /v1/accounts',
    { anything: 'x'.repeat(20_000) },
    422,
    42210000,
    'account details: expected at most 16384 characters of JSON',
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
    'amount: expected at most 2 decimals, received "1.001"',
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
    'page_token: unknown token',
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
    const id = await openAccount()
    const fill = (text: string) => text.replaceAll('"ID"', `"${id}"`).replace('OWN', server.accountId)
    const target = route.replace('/ID', `/${id}`)
    const { seq } = server.world.view
    const refused = await send(target, body === undefined ? undefined : fill(JSON.stringify(body)))
    assert.deepEqual([refused.status, refused.body.code, refused.body.message], [status, code, message])
    assert.equal(server.world.view.seq, seq, 'a refusal records no event')
  })
