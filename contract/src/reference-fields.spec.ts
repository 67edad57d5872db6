import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from './operations.ts'
import { fieldRows } from './reference-fields.ts'

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
