import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { createLog } from '../../process/log.ts'
import { UpstreamSocket } from './socket.ts'

type Said = { readonly action: string; readonly [key: string]: unknown }

/** A provider that answers as it is told to, and a socket that goes there at a quick pace. */
async function opened(
  answer: (said: Said, ws: WebSocket) => void,
  options: { autoPong?: boolean } = {},
  liveness = { pingMs: 60_000, silenceMaxMs: 60_000 },
) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', ...options })
  await once(server, 'listening')
  const said: Said[] = []
  const lines: string[] = []
  const wanted = new Map([['trades', new Set(['AAPL'])]])
  const seen = { connections: 0, up: 0, down: 0, heard: [] as unknown[] }
  server.on('connection', (ws) => {
    seen.connections += 1
    ws.on('message', (data) => {
      const message = JSON.parse(String(data)) as Said
      said.push(message)
      answer(message, ws)
    })
  })
  const { port } = server.address() as { readonly port: number }
  const socket = new UpstreamSocket({
    url: `ws://127.0.0.1:${port}`,
    keyId: 'PK1',
    secretKey: 'shh',
    subscriptions: () => wanted,
    onMessage: (message) => seen.heard.push(message),
    up: () => (seen.up += 1),
    down: () => (seen.down += 1),
    log: createLog({ level: 'debug', readable: true, write: (text) => lines.push(text) }),
    pace: { firstWaitMs: 5, waitMaxMs: 20, refusedWaitMs: 5, fullWaitMs: 5, ...liveness },
  })
  socket.changed()
  const close = () => {
    socket.close()
    for (const ws of server.clients) ws.terminate()
    server.close()
  }
  return { server, socket, said, lines, wanted, seen, close }
}

const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await sleep(2)
}

const send = (ws: WebSocket, message: object) => ws.send(JSON.stringify([message]))

/** As the protocol has it. */
const plain = ({ action }: Said, ws: WebSocket): void => {
  if (action === 'auth') send(ws, { T: 'success', msg: 'authenticated' })
  else send(ws, { T: 'subscription' })
}

test('it authenticates, subscribes to what is wanted, then only to what changes', async () => {
  const { socket, said, wanted, seen, close } = await opened(plain)
  await until(() => seen.up === 1)
  wanted.set('quotes', new Set(['MSFT']))
  wanted.set('trades', new Set(['TSLA']))
  socket.changed()
  socket.changed()
  await until(() => said.length === 4)
  assert.deepEqual(said, [
    { action: 'auth', key: 'PK1', secret: 'shh' },
    { action: 'subscribe', trades: ['AAPL'] },
    { action: 'subscribe', trades: ['TSLA'], quotes: ['MSFT'] },
    { action: 'unsubscribe', trades: ['AAPL'] },
  ])
  close()
})

test('a connection that breaks is made again and subscribed again', async () => {
  const { server, said, seen, close } = await opened(plain)
  await until(() => seen.up === 1)
  for (const ws of server.clients) ws.terminate()
  await until(() => seen.up === 2)
  assert.deepEqual([seen.down, seen.connections], [1, 2])
  assert.deepEqual(said.slice(2), said.slice(0, 2))
  close()
})

test('a connection that answers no ping is dead', async () => {
  const { seen, close } = await opened(plain, { autoPong: false }, { pingMs: 10, silenceMaxMs: 30 })
  await until(() => seen.up >= 2)
  assert.ok(seen.down >= 1)
  close()
})

for (const [code, line] of [
  [402, 'upstream rejected the key'],
  [409, 'upstream does not permit this feed'],
  [406, 'does not allow another session'],
] as const)
  test(`refused with ${code} it says so and comes again later`, async () => {
    let refusals = 0
    const { lines, seen, close } = await opened((said, ws) => {
      if (said.action === 'auth' && refusals++ === 0) send(ws, { T: 'error', code, msg: 'no' })
      else plain(said, ws)
    })
    await until(() => seen.up === 1)
    await until(() => lines.join('').includes(line))
    assert.ok(!lines.join('').includes('shh'))
    assert.equal(seen.connections, 2)
    close()
  })

test('what cannot be read costs nobody else', async () => {
  const { server, seen, lines, close } = await opened(plain)
  await until(() => seen.up === 1)
  for (const ws of server.clients) {
    ws.send('no JSON')
    ws.send('[{"T":"t","S":"AAPL","i":9007199254740993123}]')
  }
  await until(() => seen.heard.length === 1)
  assert.deepEqual(seen.heard, [{ T: 't', S: 'AAPL', i: '9007199254740993123' }])
  await until(() => lines.join('').includes('an upstream message was ignored'))
  close()
})
