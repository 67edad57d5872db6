import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Body, callAsOperator } from '../broker.ts'
import { assertRefused, broker, openStream, world } from './stage.ts'

const clock = (name: string, verb = '', body?: object) =>
  callAsOperator(broker, verb ? 'POST' : 'GET', `/sim/v1/worlds/${name}/clock${verb}`, body)

test('a clock runs as fast as asked, tells everything on its way, and stands still when frozen', async () => {
  const own = await world()
  const client = await openStream('/v2/sip')
  await client.next()
  await client.request({ action: 'auth', key: own.keyId, secret: own.secretKey })
  await client.request({ action: 'subscribe', bars: ['AAPL'] })
  assert.equal((await clock(own.world)).body.speed, 0)
  const running = await clock(own.world, '/run', { speed: 3600 })
  assert.deepEqual([running.status, running.body.speed, running.body.frozen], [200, 3600, false])
  const past = async (instant: string) => (await clock(own.world)).body.now > instant
  while (!(await past('2026-01-05T15:10'))) await setTimeout(10)
  const frozen = (await clock(own.world, '/freeze')).body
  assert.deepEqual([frozen.frozen, frozen.speed], [true, 0])
  await setTimeout(30)
  assert.equal((await clock(own.world)).body.now, frozen.now)
  const starts = (await client.rest()).flat().map(({ t }: Body) => t)
  assert.ok(starts.length >= 10)
  for (const [index, start] of starts.entries())
    assert.equal(Date.parse(start), Date.parse('2026-01-05T15:00:00Z') + index * 60_000)
  await client.close()
})

for (const speed of ['0', '-1', 'fast', 100_001, undefined])
  test(`a speed of ${speed} is refused`, async () => {
    const own = await world()
    assertRefused(await clock(own.world, '/run', { speed }), 422, 40010001, /speed/)
    assert.equal((await clock(own.world)).body.frozen, true)
  })

test('the clock of main runs by itself', async () => {
  const refused = await clock('main', '/run', { speed: 2 })
  assert.equal(refused.status, 409)
  assert.equal((await clock('main')).body.speed, 1)
})
