import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { memoryConnection } from './memory-connection.ts'

const later = () => new Promise((done) => setImmediate(done))

test('what one end writes arrives at the other', async () => {
  const [one, other] = memoryConnection()
  other.on('data', (bytes: Buffer) => other.write(`${bytes} there`))
  one.write('hello')
  const [reply] = await once(one, 'data')
  assert.equal(String(reply), 'hello there')
  one.end()
})

test('a response never arrives during the write that asked for it', async () => {
  const [one, other] = memoryConnection()
  const seen: string[] = []
  other.on('data', () => other.write('response'))
  one.on('data', (bytes: Buffer) => seen.push(String(bytes)))
  await later()
  one.write('request')
  seen.push('written')
  await later()
  assert.deepEqual(seen, ['written', 'response'])
})

test('the end of the other side, too, never arrives during a write', async () => {
  const [one, other] = memoryConnection()
  const seen: string[] = []
  other.on('data', () => other.end('bye'))
  one.on('data', (bytes: Buffer) => seen.push(String(bytes)))
  one.on('end', () => seen.push('end'))
  await later()
  one.write('request')
  seen.push('written')
  await later()
  assert.deepEqual(seen, ['written', 'bye', 'end'])
})
