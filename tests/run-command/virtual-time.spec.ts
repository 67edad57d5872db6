import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newFolder, newWorld } from '../support/broker.ts'
import { broker } from '../support/shared-broker.ts'
import { programs, run } from './run-process.ts'

const operator = { QUIPU_BROKER_KEY: broker.brokerKey, QUIPU_BROKER_SECRET: broker.brokerSecret }
const MINUTE_MS = 60_000

test('a program in a fast world: Date and timers are those of the world', async () => {
  const summary = join(newFolder(), 'summary.json')
  const world = ['--world', 'fast', '--start', '2026-03-02T15:00:00Z', '--speed', '60']
  const command = [process.execPath, join(programs, 'clock.mjs')]
  const { code, stdout, stderr } = await run([...world, '--summary', summary], command)
  assert.equal(code, 0, stderr)
  const { start, timeout, interval, later, broker: ofBroker, isDate, real } = JSON.parse(stdout)
  assert.equal(new Date(start).toISOString().slice(0, 11), '2026-03-02T')
  assert.ok(timeout - start >= MINUTE_MS && timeout - start < 3 * MINUTE_MS, `${timeout - start} ms`)
  assert.ok(interval - timeout >= 3 * MINUTE_MS, 'three ticks of an interval')
  assert.ok(later - interval >= MINUTE_MS, 'node:timers/promises')
  assert.ok(
    Math.abs(Date.parse(ofBroker) - later) < 5 * MINUTE_MS,
    `${ofBroker} and ${new Date(later).toISOString()}`,
  )
  assert.equal(isDate, true)
  assert.ok(real < 2 * MINUTE_MS, 'five minutes of the world take seconds')
  const { started_at: from, ended_at: to } = JSON.parse(readFileSync(summary, 'utf8'))
  assert.ok(Date.parse(to) - Date.parse(from) >= 5 * MINUTE_MS)
})

test('a program in a frozen world: its timers wait until somebody advances the clock', async () => {
  const world = await newWorld(broker, { start: '2026-03-02T15:00:00Z' })
  const wait = `console.log('ready')
    setTimeout(() => console.log('second'), 3_600_000)
    setTimeout(() => console.log('first'), 1_800_000)
    setTimeout(() => console.log('at once'), 0)
    setTimeout(() => console.log('never'), 36_000_000).unref()`
  let isAdvanced = false
  const advance = (): void => {
    if (!isAdvanced) void world.advance('2h')
    isAdvanced = true
  }
  const flags = ['--url', broker.url, '--world', world.world]
  const { code, stdout } = await run(flags, [process.execPath, '-e', wait], {
    env: operator,
    onStart: advance,
  })
  assert.deepEqual([code, stdout], [70, 'ready\nat once\nfirst\nsecond\n'])
})
