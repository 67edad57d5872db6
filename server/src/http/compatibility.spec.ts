import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { operationLines } from '@quipu/contract'
import { openPartnerStage } from './broker/testing/partners.ts'

const stage = await openPartnerStage()
after(() => stage.server.close())
const id = '0d5f2b0e-6a0b-4c53-9c57-2f1a0a3c9b11'

test('an operation that the compatibility page calls absent is answered 404 or 405', async () => {
  const absent = operationLines().filter(({ support }) => support === 'absent')
  assert.ok(absent.length > 50)
  for (const { method, path } of absent) {
    const body = method === 'GET' || method === 'DELETE' ? undefined : {}
    const { status } = await stage.send(`${method} ${path.replaceAll(/\{[^}]+\}/g, id)}`, body)
    assert.ok(status === 404 || status === 405, `${method} ${path}: ${status}`)
  }
})
