import assert from 'node:assert/strict'
import type { Duplex } from 'node:stream'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { replayWorld } from '@quipu/broker/registry/replay.ts'
import { type Instant, MINUTE } from '@quipu/core'
import { dataClient, openStage } from './testing/sockets.ts'

const stage = await openStage()
after(() => stage.close())
const { world, clock } = stage

const replay = (minutes: number) =>
  replayWorld(
    { world, clock },
    {
      to: (clock.now() + BigInt(minutes) * MINUTE) as Instant,
      stepNs: undefined,
      allHours: true,
      rounds: 4,
      thinkMs: 0,
    },
  )

test('a client receives a bar and the first ping together, and the other pings one by one', async () => {
  const client = await dataClient(stage, '/v2/sip')
  await client.request({ action: 'subscribe', bars: ['AAPL'] })
  const { _socket: socket } = client.ws as unknown as { readonly _socket: Duplex }
  const reads: string[] = []
  client.ws.on('message', () => reads.push('bar'))
  // A ping without a number only keeps the connection alive: it comes at any time.
  let keepsAlive = false
  client.ws.on('ping', (number: Buffer) => {
    keepsAlive = number.length === 0
    if (!keepsAlive) reads.push('ping')
  })
  socket.on('data', () => {
    if (!keepsAlive) reads.push('|')
    keepsAlive = false
  })
  await replay(3)
  const atStart = 'ping | ping | ping | ping |'
  const ofBar = 'bar ping | ping | ping | ping |'
  assert.equal(reads.join(' '), [atStart, ofBar, ofBar, ofBar].join(' '))
  await client.leave()
})

test('after a replay, an advance has sent its messages when it ends', async () => {
  const client = await dataClient(stage, '/v2/sip')
  await client.request({ action: 'subscribe', bars: ['AAPL'] })
  await replay(1)
  await clock.advance((clock.now() + MINUTE) as Instant)
  assert.equal(stage.streams.stats().bufferedBytes, 0)
  await client.leave()
})

test('a replay that is stopped does not wait for open requests', async () => {
  world.clients.requests.traders.begin()
  const replayed = replay(1).then(() => 'stopped')
  await sleep(20)
  clock.replays.stop()
  const result = await Promise.race([replayed, sleep(2000, 'still waiting', { ref: false })])
  world.clients.requests.traders.end()
  assert.equal(result, 'stopped')
})
