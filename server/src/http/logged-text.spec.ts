import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Operation, type OperationName, operations } from '@quipu/contract'
import { loggedBody, loggedQuery } from './logged-text.ts'

const MAX = 2000
const bodyOf = (name: OperationName, body: unknown) => {
  const text = loggedBody(operations[name], body, JSON.stringify(body).length, MAX)
  return text === undefined ? undefined : JSON.parse(text)
}
const queryOf = (name: OperationName, query: string) => loggedQuery(operations[name], query, MAX)

const removed = '(removed)'

for (const [name, body, logged] of [
  [
    'placeOrder',
    { symbol: 'AAPL', qty: 1, client_order_id: 'a' },
    { symbol: 'AAPL', qty: 1, client_order_id: 'a' },
  ],
  [
    'placeOrder',
    { symbol: 'AAPL', secret_key: 's', extra: 's' },
    { symbol: 'AAPL', secret_key: removed, extra: removed },
  ],
  [
    'signIn',
    { user: 'ada', password: 's', csrf: 's', request: 's' },
    { user: removed, password: removed, csrf: removed, request: removed },
  ],
  [
    'exchangeOAuthCode',
    { grant_type: 'authorization_code', code: 's', client_secret: 's', code_verifier: 's' },
    { grant_type: 'authorization_code', code: removed, client_secret: removed, code_verifier: removed },
  ],
  ['issueSessionToken', { form_token: 's', account_id: 'a' }, { form_token: removed, account_id: 'a' }],
  ['createUser', { name: 'ada', password: 's' }, { name: 'ada', password: removed }],
  [
    'createAccount',
    { contact: { email_address: 'p' }, identity: { tax_id: 'p' }, flavour: 'paper' },
    { contact: removed, identity: removed, flavour: 'paper' },
  ],
  ['postTokenizationMint', { wallet_address: '0x1', qty: '1' }, { wallet_address: '0x1', qty: '1' }],
  ['getClock', { symbol: 'AAPL' }, undefined],
] as const)
  test(`${name} ${JSON.stringify(body)}: its body in the request log`, () => {
    assert.ok(name in operations, name)
    assert.deepEqual(bodyOf(name, body), logged)
  })

for (const [name, query, logged] of [
  ['listOrders', 'status=all&symbols=AAPL%2CMSFT', 'status=all&symbols=AAPL%2CMSFT'],
  ['listOrders', '%73tatus=s&flag', '%73tatus=(removed)&(removed)'],
  ['listOrders', 'token=s&status=all', 'token=(removed)&status=all'],
  ['listAssets', '', undefined],
  ['stockBars', 'symbols=AAPL&page_token=abc', 'symbols=AAPL&page_token=abc'],
  ['showSignInPage', 'once=s&request=s', 'once=(removed)&request=(removed)'],
  [
    'showAuthorizePage',
    'client_id=c&state=s&code_challenge=s',
    'client_id=c&state=(removed)&code_challenge=(removed)',
  ],
  ['deleteOAuthToken', 'a=b', undefined],
] as const)
  test(`${name} ?${query}: its query in the request log`, () => {
    assert.equal(queryOf(name, query), logged)
  })

test('no field that an operation declares as a secret is kept', () => {
  const secret = /secret|password|token$|^code|csrf|assertion|verifier|^once$|^jwk$|private/
  const publicTokens = new Set(['page_token', 'next_page_token'])
  for (const [name, operation] of Object.entries<Operation>(operations))
    for (const field of Object.keys((operation.body as { fields?: object } | undefined)?.fields ?? {})) {
      if (!secret.test(field) || publicTokens.has(field) || operation.method === 'GET') continue
      assert.equal(bodyOf(name as OperationName, { [field]: 'x' })?.[field], removed, `${name} ${field}`)
    }
})

test('a long text is shortened, a large or deep body is not copied', () => {
  const order = { symbol: 'A'.repeat(3000) }
  const text = loggedBody(operations.placeOrder, order, 3100, MAX)!
  assert.deepEqual([text.length, text.at(-1)], [MAX + 1, '…'])
  assert.equal(loggedBody(operations.placeOrder, order, 100_000, MAX), '(100000 bytes)')
  assert.equal(loggedBody(operations.placeOrder, order, 3100, 0), undefined)
  let deep: unknown = 'x'
  for (let level = 0; level < 20_000; level++) deep = [deep]
  assert.equal(loggedBody(operations.placeOrder, { legs: deep }, 20_000, MAX), '{"legs":[[[[["…"]]]]]}')
})
