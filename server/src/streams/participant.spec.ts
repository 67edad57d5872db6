import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { replayWorld } from '@quipu/broker/registry/replay.ts'
import { ClientWait } from '@quipu/broker/world/requests/client-requests.ts'
import { type Instant, MINUTE } from '@quipu/core'
import { Client, openStage } from './testing/sockets.ts'

const stage = await openStage()
after(() => stage.close())
const { key, world, clock } = stage

const open = (keyId = key.keyId) =>
  Client.open(`${stage.wsUrl}/sim/v1/participant`, {
    headers: { 'APCA-API-KEY-ID': keyId, 'APCA-API-SECRET-KEY': key.secretKey },
  })
const wait = (): ClientWait =>
  new ClientWait({ rounds: 4, looksAhead: true, stopped: new AbortController().signal, readersMs: 0 })

test('a participant with an unknown key is closed, and so is one with an unreadable report', async () => {
  assert.equal((await (await open('PKUNKNOWN')).closed).code, 1008)
  for (const report of [
    {},
    { updates: 1, received: 0, sent: -1, next: null },
    { updates: 1, received: 0, sent: 0, next: 9e99 },
  ]) {
    const client = await open()
    client.send(report)
    assert.equal((await client.closed).code, 1008, JSON.stringify(report))
  }
})

test('the clients are done when the counts of the participant are those of the broker', async () => {
  const participant = await open()
  const [{ participant: id }, { sent }] = [await participant.next(), await participant.next()]
  assert.equal(sent, 0)
  const stream = await Client.open(`${stage.wsUrl}/v2/sip`, { headers: { 'x-quipu-participant': id } })
  await stream.next()
  await stream.request({ action: 'auth', key: key.keyId, secret: key.secretKey })
  let isDone = false
  const done = world.publisher.clientsDone(wait()).then((result) => {
    isDone = true
    return result
  })
  // The stream has sent one message and received two.
  assert.equal((await participant.next()).sent, 2)
  participant.send({ updates: 2, received: 1, sent: 1, next: null })
  await stream.rest()
  assert.equal(isDone, false)
  participant.send({ updates: 2, received: 2, sent: 1, next: null })
  assert.deepEqual(await done, { exact: 1, bestEffort: 0 })

  // Without its participant the client answers pings.
  await participant.leave()
  assert.deepEqual(await world.publisher.clientsDone(wait()), { exact: 0, bestEffort: 1 })
  await stream.leave()
})

/** The start of the bar in a WebSocket frame. */
const startIn = (base64: string): string =>
  /"t":"([^"]+)"/.exec(Buffer.from(base64, 'base64').toString())![1]!

test('a participant may receive bars before their time, each bar once', async () => {
  const participant = await open()
  const [{ participant: id }] = [await participant.next(), await participant.next()]
  const stream = await Client.open(`${stage.wsUrl}/v2/sip`, {
    headers: { 'x-quipu-participant': `${id} one` },
  })
  await stream.next()
  await stream.request({ action: 'auth', key: key.keyId, secret: key.secretKey })
  await stream.request({ action: 'subscribe', bars: ['AAPL'] })
  const from = clock.now()
  const to = (from + 30n * MINUTE) as Instant
  const options = { to, stepNs: MINUTE, allHours: true, rounds: 4, thinkMs: 0 }
  let isReplaying = true
  const replayed = replayWorld({ world, clock }, options).finally(() => {
    isReplaying = false
  })
  const starts: string[] = []
  const [offers, taken]: number[][] = [[], []]
  for (let [received, updates] = [3, 2]; isReplaying; updates++) {
    const update = await Promise.race([participant.next(), replayed.then(() => undefined)])
    if (!update) break
    for (; received < update.sent; received++) starts.push((await stream.next())[0].t)
    const frames: [number, string][] = update.ahead?.frames ?? []
    if (frames.length > 0) assert.equal(update.ahead.stream, 'one')
    // The first four times it receives everything, then at most two messages.
    const ahead = updates < 6 ? frames.length : Math.min(frames.length, 2)
    for (const [at, frame] of frames.slice(0, ahead)) {
      starts.push(startIn(frame))
      assert.equal(at, Date.parse(startIn(frame)) + 60_000)
    }
    offers!.push(frames.length)
    taken!.push(ahead)
    received += ahead
    participant.send({ updates, received, sent: 2, next: null, ahead })
  }
  const { isExact } = await replayed
  assert.equal(isExact, true)
  const ms = Number(from / 1_000_000n)
  const minutes = Array.from({ length: 30 }, (_, minute) => ms + minute * 60_000)
  assert.deepEqual(starts.map(Date.parse), minutes)
  assert.deepEqual(taken!.slice(0, 6), [1, 2, 4, 8, 2, 2])
  assert.deepEqual(offers!.slice(0, 6), [1, 2, 4, 8, 15, 2])
  await stream.leave()
  await participant.leave()
})
