import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { type Body, callAsOperator } from '../support/broker.ts'
import { assertRefused, broker, newWorld, openStream } from './stage.ts'

const clock = (name: string, verb = '', body?: object) =>
  callAsOperator(broker, verb ? 'POST' : 'GET', `/sim/v1/worlds/${name}/clock${verb}`, body)

test('a clock runs at the requested speed, sends every bar, and stops when frozen', async () => {
  const world = await newWorld()
  const client = await openStream('/v2/sip')
  await client.next()
  await client.request({ action: 'auth', key: world.keyId, secret: world.secretKey })
  await client.request({ action: 'subscribe', bars: ['AAPL'] })
  assert.equal((await clock(world.world)).body.speed, 0)
  const running = await clock(world.world, '/run', { speed: 3600 })
  assert.deepEqual([running.status, running.body.speed, running.body.frozen], [200, 3600, false])
  const isPast = async (instant: string) => (await clock(world.world)).body.now > instant
  while (!(await isPast('2026-01-05T15:10'))) await setTimeout(10)
  const frozen = (await clock(world.world, '/freeze')).body
  assert.deepEqual([frozen.frozen, frozen.speed], [true, 0])
  await setTimeout(30)
  assert.equal((await clock(world.world)).body.now, frozen.now)
  const starts = (await client.rest()).flat().map(({ t }: Body) => t)
  assert.ok(starts.length >= 10)
  for (const [index, start] of starts.entries())
    assert.equal(Date.parse(start), Date.parse('2026-01-05T15:00:00Z') + index * 60_000)
  await client.close()
})

for (const speed of ['0', '-1', 'fast', 100_001, undefined])
  test(`a speed of ${speed} is refused`, async () => {
    const world = await newWorld()
    assertRefused(await clock(world.world, '/run', { speed }), 422, 40010001, /speed/)
    assert.equal((await clock(world.world)).body.frozen, true)
  })

test('the speed of the clock of main cannot be changed', async () => {
  const refused = await clock('main', '/run', { speed: 2 })
  assert.equal(refused.status, 409)
  assert.equal((await clock('main')).body.speed, 1)
})
