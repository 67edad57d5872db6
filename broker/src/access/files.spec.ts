import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { diskOperations } from '../data-folder/file-operations.ts'
import { openFilesAccess } from './files.ts'
import { accessSuite } from './testing/access-suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'quipu-access-'))
after(() => rmSync(folder, { recursive: true, force: true }))

accessSuite(async (name) => openFilesAccess(join(folder, name)), true)

const one = { ref: '20260105-0000000000000001', address: '203.0.113.7' }
const two = { ref: '20260105-0000000000000002', address: '2001:db8::1' }

test('an incomplete line after a crash is skipped, and truncated by the next write', async () => {
  const path = join(folder, 'torn')
  const store = openFilesAccess(path)
  await store.addAddresses([one])
  await store.close()
  appendFileSync(join(path, '20260105.jsonl'), '{"ref":"2026')
  assert.deepEqual(await openFilesAccess(path).addressesOf('20260105'), [one])
  await openFilesAccess(path).addAddresses([two])
  assert.deepEqual(await openFilesAccess(path).addressesOf('20260105'), [one, two])
})

test('a failed write is reported, and the next one is complete', async () => {
  let failures = 1
  const disk = {
    ...diskOperations,
    write: async (file: number, bytes: Buffer, at: number) => {
      if (failures-- > 0) {
        await diskOperations.write(file, bytes.subarray(0, 9), at)
        throw new Error('no space left on device')
      }
      return diskOperations.write(file, bytes, at)
    },
  }
  const store = openFilesAccess(join(folder, 'full'), disk)
  await assert.rejects(store.addAddresses([one]), /no space/)
  await store.addAddresses([one, two])
  assert.deepEqual(await store.addressesOf('20260105'), [one, two])
})

test('an erased address is in no file', async () => {
  const path = join(folder, 'erased')
  const store = openFilesAccess(path)
  await store.addAddresses([one, two])
  await store.eraseAddresses({ address: one.address })
  const texts = readdirSync(path).map((name) => readFileSync(join(path, name), 'utf8'))
  assert.equal(texts.join('').includes(one.address), false)
  assert.equal(texts.join('').includes(two.address), true)
})
