import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errors } from './errors.table.ts'
import { operations } from './operations.ts'
import { curlOf, referencePage } from './reference.ts'
import { fieldRows } from './reference-fields.ts'

const page = referencePage({ version: '1.2.3', url: 'http://127.0.0.1:7878' })

test('the reference has every operation and every error, and no broken link', () => {
  const anchors = new Set([...page.matchAll(/ id="([^"]+)"/g)].map((match) => match[1]))
  for (const name of Object.keys(operations)) assert.ok(anchors.has(name), name)
  for (const name of Object.keys(errors)) assert.ok(anchors.has(`error-${name}`), name)
  for (const [, target] of page.matchAll(/href="#([^"]+)"/g)) assert.ok(anchors.has(target), target)
})

test('the reference loads no other resource and has no script', () => {
  assert.doesNotMatch(page, /<script|<link|<img|src=|@import|url\(/)
})

test('the reference closes all tags', () => {
  for (const tag of ['table', 'section', 'pre', 'details', 'div', 'ul', 'nav', 'main']) {
    const opened = page.match(new RegExp(`<${tag}[ >]`, 'g'))?.length
    assert.equal(page.match(new RegExp(`</${tag}>`, 'g'))?.length, opened, tag)
  }
})

test('the types of fields are in words', () => {
  const rows = new Map(fieldRows(operations.placeOrder.output).map((row) => [row.name, row.type]))
  assert.equal(rows.get('id'), 'UUID')
  assert.equal(rows.get('qty'), 'decimal or null')
  assert.equal(rows.get('legs'), 'list of Order or null')
  assert.equal(rows.get('side'), 'buy | sell | ""')
  const inputs = new Map(fieldRows(operations.listOrders.query).map((row) => [row.name, row]))
  assert.equal(inputs.get('limit')?.type, 'integer from 1 to 500')
  assert.equal(inputs.get('limit')?.presence, 'default 50')
  assert.equal(inputs.get('after')?.presence, 'optional')
  const world = new Map(fieldRows(operations.createWorld.body).map((row) => [row.name, row.type]))
  assert.equal(world.get('latency'), 'duration')
  assert.equal(world.get('cash'), 'decimal (text or number)')
})

test('an example is a shell command', () => {
  assert.equal(
    curlOf('getOrder', 'http://h'),
    `curl -H "APCA-API-KEY-ID: $APCA_API_KEY_ID" \\
  -H "APCA-API-SECRET-KEY: $APCA_API_SECRET_KEY" \\
  'http://h/v2/orders/0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11'`,
  )
  assert.match(curlOf('stockBars', 'http://h'), /symbols=AAPL&timeframe=1Day&start=2026-11-02/)
  assert.match(curlOf('exchangeOAuthCode', 'http://h'), /--data-urlencode 'grant_type=authorization_code'/)
  assert.match(curlOf('createWorld', 'http://h'), /-u "\$QUIPU_BROKER_KEY:\$QUIPU_BROKER_SECRET"/)
})
