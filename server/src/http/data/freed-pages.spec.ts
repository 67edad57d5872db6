import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'
import { after, before, test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { type HistoryReader, localReader } from '../../history/reader.ts'
import { memoryConnection } from '../../start/memory-connection.ts'
import { call, openTestServer, type TestServer } from '../testing/server.ts'

let server: TestServer
let read: ArrayBuffer[] = []
/** Keeps the memory of each page that it reads. */
const history: HistoryReader = {
  ...localReader,
  async read(world, query) {
    const bytes = await localReader.read(world, query)
    read.push(bytes.buffer)
    return bytes
  },
}
before(async () => {
  server = await openTestServer({ market: { history } })
})
after(() => server.close())

/** The memory of the page that a request reads. */
async function memoryOf(path: string): Promise<ArrayBuffer> {
  read = []
  assert.equal((await call(server, `GET /v2/stocks${path}`, { key: server.key })).status, 200)
  assert.equal(read.length, 1)
  return read[0]!
}

const bars = '/bars?symbols=AAPL&timeframe=1Min&limit=10000&start=2026-09-01'

for (const path of [
  bars,
  '/trades?symbols=AAPL&limit=10&start=2026-10-26',
  '/AAPL/auctions?start=2026-10-26',
])
  test(`the memory of ${path} is freed once the page is sent`, async () => {
    const memory = await memoryOf(path)
    while (!memory.detached) await nextTurn()
  })

test('the memory of a cached page is not freed', async () => {
  const path = `${bars}&end=2026-10-02`
  const memory = await memoryOf(path)
  const again = await call(server, `GET /v2/stocks${path}`, { key: server.key })
  assert.equal(read.length, 1)
  assert.ok(again.body.bars.AAPL.length > 1000)
  assert.ok(!memory.detached)
})

const request = (): string =>
  `GET /v2/stocks${bars} HTTP/1.1\r\nHost: ${new URL(server.url).host}\r\nConnection: close\r\n` +
  `APCA-API-KEY-ID: ${server.key.keyId}\r\nAPCA-API-SECRET-KEY: ${server.key.secretKey}\r\n\r\n`

/** The body of the response that a connection receives. */
async function bodyOf(client: Duplex): Promise<string> {
  let text = ''
  client.setEncoding('utf8').on('data', (some) => {
    text += some
  })
  client.resume()
  await once(client, 'end')
  return text.slice(text.indexOf('\r\n\r\n') + 4)
}

test('a client that reads late receives the whole page, and so does a connection inside the process', async () => {
  const { body } = await call(server, `GET /v2/stocks${bars}`, { key: server.key })
  const slow = connect(Number(new URL(server.url).port), '127.0.0.1').pause()
  read = []
  slow.write(request())
  while (read.length === 0) await sleep(1)
  assert.deepEqual(JSON.parse(await bodyOf(slow)), body)

  const [client, served] = memoryConnection()
  server.serving.server.emit('connection', served)
  read = []
  client.write(request())
  while (read.length === 0) await sleep(1)
  await nextTurn()
  assert.deepEqual(JSON.parse(await bodyOf(client)), body)
})
