import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryAccess } from './access-store.ts'
import { Addresses } from './addresses.ts'

const DAY_MS = 86_400_000
const MONDAY_MS = Date.UTC(2026, 0, 5, 12)

test('an address has one reference a day, which is durable before it is used', async () => {
  let nowMs = MONDAY_MS
  const store = openMemoryAccess()
  const addresses = new Addresses(store, () => nowMs)
  const ref = addresses.refOf('::ffff:203.0.113.7')
  assert.match(ref, /^20260105-[0-9a-f]{16}$/)
  assert.equal(addresses.refOf('203.0.113.7'), ref)
  assert.deepEqual(await store.addressesOf('20260105'), [])
  await addresses.stored()
  assert.deepEqual(await store.addressesOf('20260105'), [{ ref, address: '203.0.113.7' }])
  assert.equal(addresses.stored(), undefined)
  nowMs += DAY_MS
  const next = addresses.refOf('203.0.113.7')
  assert.match(next, /^20260106/)
  assert.deepEqual(
    await addresses.resolve([ref, next]),
    new Map([ref, next].map((one) => [one, '203.0.113.7'])),
  )
})

test('after an erasure the old reference resolves to nothing, and the next request gets a new one', async () => {
  const store = openMemoryAccess()
  const addresses = new Addresses(store)
  const [ref, other] = [addresses.refOf('203.0.113.7'), addresses.refOf('::1')]
  assert.equal(await addresses.erase({ address: '203.0.113.7' }), 1)
  assert.deepEqual(await addresses.resolve([ref, other]), new Map([[other, '::1']]))
  const next = addresses.refOf('203.0.113.7')
  assert.notEqual(next, ref)
  assert.deepEqual(await addresses.resolve([ref, next]), new Map([[next, '203.0.113.7']]))
})

test('rows that could not be stored are stored by the next attempt', async () => {
  const store = openMemoryAccess()
  let isFull = true
  const addresses = new Addresses({
    ...store,
    addAddresses: async (rows) => {
      if (isFull) throw new Error('no space left on device')
      await store.addAddresses(rows)
    },
  })
  const ref = addresses.refOf('::1')
  await assert.rejects(addresses.stored()!, /no space/)
  isFull = false
  addresses.refOf('::2')
  await addresses.stored()
  const [row] = await store.addressesOf(ref.slice(0, 8))
  assert.equal(row?.ref, ref)
})
