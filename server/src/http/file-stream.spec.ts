import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { FileStream, writeFile } from './file-stream.ts'

async function* chunks() {
  for (let count = 0; count < 256; count++) yield Buffer.alloc(64 * 1024)
}

test('a client that stops reading no longer counts, and is closed later', async (t) => {
  const seen: string[] = []
  const ended = Promise.withResolvers<void>()
  const server = createServer((_, response) => {
    const exchange = { response, progress: { uncount: () => void seen.push('uncounted') } }
    const failed = () => void seen.push('closed')
    void writeFile(exchange, new FileStream('world.quipu', chunks()), 600, failed).then(ended.resolve)
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  t.after(() => client.destroy())
  client.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: quipu\r\n\r\n')
  client.pause()
  await Promise.race([ended.promise, sleep(5000, undefined, { ref: false })])
  assert.deepEqual(seen, ['uncounted', 'closed'])
})
