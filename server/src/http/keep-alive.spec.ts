import assert from 'node:assert/strict'
import { Agent, type IncomingMessage, request } from 'node:http'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestServer, type TestServer } from './testing/server.ts'

const KEEP_ALIVE_MS = 2_000
const UNREAD_MS = 1_800

let server: TestServer
before(async () => {
  server = await openTestServer({ limits: { keepAliveMs: KEEP_ALIVE_MS, responseReadTimeoutMs: 3_000 } })
})
after(() => server.close())

/** Sends a request as axios does with `new http.Agent({ keepAlive: true })`. */
async function get(agent: Agent, path: string, unreadMs = 0): Promise<{ port: number; isReused: boolean }> {
  const { keyId, secretKey } = server.key
  const headers = { 'APCA-API-KEY-ID': keyId, 'APCA-API-SECRET-KEY': secretKey }
  const sent = request(server.url + path, { agent, headers })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve).on('error', reject).end()
  })
  assert.equal(response.statusCode, 200)
  assert.equal(response.headers['keep-alive'], `timeout=${KEEP_ALIVE_MS / 1000}`)
  const port = response.socket.localPort!
  await sleep(unreadMs)
  for await (const _ of response);
  return { port, isReused: sent.reusedSocket }
}

test('a client that reads a large page late finds its connection open for the time in Keep-Alive', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const first = await get(agent, '/v2/calendar', UNREAD_MS)
  for (const idleMs of [0, KEEP_ALIVE_MS - 200, KEEP_ALIVE_MS - 50]) {
    await sleep(idleMs)
    assert.deepEqual(await get(agent, '/v2/calendar', UNREAD_MS), { port: first.port, isReused: true })
  }
  agent.destroy()
})
