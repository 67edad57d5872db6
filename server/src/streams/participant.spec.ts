import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ClientWait } from '../world/publisher.ts'
import { Client, openStage } from './testing/sockets.ts'

const stage = await openStage()
after(() => stage.close())
const { key, world } = stage

const open = (keyId = key.keyId) =>
  Client.open(`${stage.wsUrl}/sim/v1/participant`, {
    headers: { 'APCA-API-KEY-ID': keyId, 'APCA-API-SECRET-KEY': key.secretKey },
  })
const wait = (): ClientWait => ({ rounds: 4, stopped: new AbortController().signal })

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
