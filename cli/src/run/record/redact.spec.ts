import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Redaction } from './redact.ts'

const redaction = new Redaction(['PKABCDEFGHIJ', 'short'])

test('keys, tokens, account numbers and names are replaced, equal ones by the same text', () => {
  const body = { account_number: 'PA1', contact: { email_address: 'a@b.c' }, identity: { given_name: 'Ana' } }
  assert.deepEqual(redaction.body('/v1/accounts', JSON.stringify([body, { account_number: 'PA1' }])), [
    {
      account_number: 'removed-account_number-1',
      contact: { email_address: 'removed-email_address-2' },
      identity: { given_name: 'removed-given_name-3' },
    },
    { account_number: 'removed-account_number-1' },
  ])
})

test('a key is replaced wherever it occurs, also in paths and forms', () => {
  assert.equal(
    redaction.form('/v2/keys/PKABCDEFGHIJ?code=abc&limit=5'),
    '/v2/keys/removed?code=removed-code-4&limit=5',
  )
  assert.equal(
    redaction.body('/oauth/token', 'grant_type=x&client_secret=y'),
    'grant_type=x&client_secret=removed-client_secret-5',
  )
  assert.deepEqual(redaction.body('/v2/orders', '{"client_order_id":"PKABCDEFGHIJ-1"}'), {
    client_order_id: 'removed-1',
  })
})

test('other values stay', () => {
  const order = {
    symbol: 'AAPL',
    qty: '1',
    limit_price: null,
    legs: [],
    extended_hours: false,
    note: 'short',
  }
  assert.deepEqual(redaction.body('/v2/orders', JSON.stringify(order)), order)
  assert.deepEqual(redaction.body('/v2/assets/AAPL', '{"name":"Apple Inc."}'), { name: 'Apple Inc.' })
  assert.equal(redaction.body('/v2/orders', ''), undefined)
})
