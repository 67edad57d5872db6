import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessStore } from '../access-store.ts'

const row = (day: string, digit: string, address: string) => ({
  ref: `${day}-${digit.repeat(16)}`,
  address,
})

/** The tests that every access store passes. `open` reopens the store of the same name. */
export function accessSuite(open: (name: string) => Promise<AccessStore>, isDurable: boolean): void {
  const [ann, bob, late] = [
    row('20260105', 'a', '203.0.113.7'),
    row('20260105', 'b', '2001:db8::1'),
    row('20260106', 'c', '203.0.113.7'),
  ]
  const filled = async (name: string) => {
    const store = await open(name)
    await store.addAddresses([ann, bob])
    await store.addAddresses([late])
    return store
  }
  const all = async (store: AccessStore) =>
    (await Promise.all((await store.days()).map((day) => store.addressesOf(day)))).flat()

  test('addresses are found by day, in a new process too', async () => {
    const store = await filled('found')
    assert.deepEqual(await store.days(), ['20260105', '20260106'])
    assert.deepEqual(await store.addressesOf('20260105'), [ann, bob])
    assert.deepEqual(await store.addressesOf('20260107'), [])
    await store.close()
    if (isDurable) assert.deepEqual(await all(await open('found')), [ann, bob, late])
  })

  for (const [what, left, count] of [
    [{ address: '203.0.113.7' }, [bob], 2],
    [{ before: '20260106' }, [late], 2],
    [{ address: '203.0.113.7', before: '20260106' }, [bob, late], 1],
    [{ address: '198.51.100.1' }, [ann, bob, late], 0],
    [{}, [], 3],
  ] as const)
    test(`erasing ${JSON.stringify(what)} keeps the others, and the store still accepts rows`, async () => {
      const name = `erase${Object.values(what).join('').replace(/\W/g, '')}`
      const store = await filled(name)
      assert.equal(await store.eraseAddresses(what), count)
      assert.deepEqual(await all(store), left)
      const next = row('20260106', 'd', '192.0.2.1')
      await store.addAddresses([next])
      await store.close()
      if (isDurable) assert.deepEqual(await all(await open(name)), [...left, next])
    })

  test('the last use of a key replaces the previous one', async () => {
    const store = await open('uses')
    assert.deepEqual(await store.keyUses(), new Map())
    await store.storeKeyUses(new Map([['PK1', '60']]), new Map([['PK1', '60']]))
    const all = new Map([
      ['PK1', '120'],
      ['PK2', '60'],
    ])
    await store.storeKeyUses(all, all)
    await store.close()
    if (isDurable) assert.deepEqual(await (await open('uses')).keyUses(), all)
  })
}
