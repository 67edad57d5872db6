import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type WebSocket, WebSocketServer } from 'ws'
import { createLog } from '../../log/log.ts'
import { UpstreamSocket } from './socket.ts'

type Request = { readonly action: string; readonly [key: string]: unknown }

/** A provider that responds with `answer`, and a socket with short intervals. */
async function openSocket(
  answer: (request: Request, ws: WebSocket) => void,
  options: { autoPong?: boolean } = {},
  liveness = { pingMs: 60_000, silenceMaxMs: 60_000 },
) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', ...options })
  await once(server, 'listening')
  const requests: Request[] = []
  const lines: string[] = []
  const wanted = new Map([['trades', new Set(['AAPL'])]])
  const counts = { connections: 0, up: 0, down: 0, messages: [] as unknown[] }
  server.on('connection', (ws) => {
    counts.connections += 1
    ws.on('message', (data) => {
      const message = JSON.parse(String(data)) as Request
      requests.push(message)
      answer(message, ws)
    })
  })
  const { port } = server.address() as { readonly port: number }
  const socket = new UpstreamSocket({
    source: () => ({
      url: `ws://127.0.0.1:${port}`,
      login: { action: 'auth', key: 'PK1', secret: 'shh' },
    }),
    subscriptions: () => wanted,
    onMessage: (message) => counts.messages.push(message),
    up: () => (counts.up += 1),
    down: () => (counts.down += 1),
    log: createLog({ level: 'debug', readable: true, write: (text) => lines.push(text) }),
    pace: { firstWaitMs: 5, waitMaxMs: 20, refusedWaitMs: 5, fullWaitMs: 5, ...liveness },
  })
  socket.changed()
  const close = () => {
    socket.close()
    for (const ws of server.clients) ws.terminate()
    server.close()
  }
  return { server, socket, requests, lines, wanted, counts, close }
}

const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await sleep(2)
}

const send = (ws: WebSocket, message: object) => ws.send(JSON.stringify([message]))

/** Accepts every login and subscription. */
const acceptAll = ({ action }: Request, ws: WebSocket): void => {
  if (action === 'auth') send(ws, { T: 'success', msg: 'authenticated' })
  else send(ws, { T: 'subscription' })
}

test('the socket authenticates, subscribes, then sends only changed subscriptions', async () => {
  const { socket, requests, wanted, counts, close } = await openSocket(acceptAll)
  await until(() => counts.up === 1)
  wanted.set('quotes', new Set(['MSFT']))
  wanted.set('trades', new Set(['TSLA']))
  socket.changed()
  socket.changed()
  await until(() => requests.length === 4)
  assert.deepEqual(requests, [
    { action: 'auth', key: 'PK1', secret: 'shh' },
    { action: 'subscribe', trades: ['AAPL'] },
    { action: 'subscribe', trades: ['TSLA'], quotes: ['MSFT'] },
    { action: 'unsubscribe', trades: ['AAPL'] },
  ])
  close()
})

test('a lost connection is opened and subscribed again', async () => {
  const { server, requests, counts, close } = await openSocket(acceptAll)
  await until(() => counts.up === 1)
  for (const ws of server.clients) ws.terminate()
  await until(() => counts.up === 2)
  assert.deepEqual([counts.down, counts.connections], [1, 2])
  assert.deepEqual(requests.slice(2), requests.slice(0, 2))
  close()
})

test('a connection without pongs is closed', async () => {
  const { counts, close } = await openSocket(acceptAll, { autoPong: false }, { pingMs: 10, silenceMaxMs: 30 })
  await until(() => counts.up >= 2)
  assert.ok(counts.down >= 1)
  close()
})

for (const [code, line] of [
  [402, 'upstream rejected the key'],
  [409, 'upstream does not permit this feed'],
  [406, 'does not allow another session'],
] as const)
  test(`error ${code} is logged and the socket connects again later`, async () => {
    let refusals = 0
    const { lines, counts, close } = await openSocket((request, ws) => {
      if (request.action === 'auth' && refusals++ === 0) send(ws, { T: 'error', code, msg: 'no' })
      else acceptAll(request, ws)
    })
    await until(() => counts.up === 1)
    await until(() => lines.join('').includes(line))
    assert.ok(!lines.join('').includes('shh'))
    assert.equal(counts.connections, 2)
    close()
  })

test('an unreadable message does not affect others', async () => {
  const { server, counts, lines, close } = await openSocket(acceptAll)
  await until(() => counts.up === 1)
  for (const ws of server.clients) {
    ws.send('no JSON')
    ws.send('[{"T":"t","S":"AAPL","i":9007199254740993123}]')
  }
  await until(() => counts.messages.length === 1)
  assert.deepEqual(counts.messages, [{ T: 't', S: 'AAPL', i: '9007199254740993123' }])
  await until(() => lines.join('').includes('an upstream message was ignored'))
  close()
})
