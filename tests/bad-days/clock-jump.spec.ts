import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gauge } from '../hostile/send.ts'
import { type Body, type Broker, call, newFolder, startBroker } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'

const HOUR_MS = 3_600_000
const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }

/** Starts the real program with a wall clock that can be moved. */
function machine() {
  const folder = newFolder()
  const file = join(folder, 'clock')
  const preload = join(import.meta.dirname, 'shift-clock.child.ts')
  const set = (ms: number) => writeFileSync(file, String(ms))
  set(0)
  return {
    start: () =>
      startBroker(['--data', join(folder, 'data'), '--hours', 'always'], {
        NODE_OPTIONS: `--import ${preload}`,
        CLOCK_FILE: file,
      }),
    /** Moves the clock of a running program; the next program starts with the moved clock. */
    async shift(ms: number, broker?: Broker): Promise<void> {
      set(ms)
      broker?.process.kill('SIGUSR2')
      await waitUntil('the clock is moved', () => broker?.log().includes(`shifted by ${ms}\n`) ?? true)
    },
  }
}

const linesOf = (broker: Broker, message: string): readonly Body[] =>
  broker
    .log()
    .split('\n')
    .filter((line) => line.includes(message))
    .map((line) => JSON.parse(line))

const stepsOf = (broker: Broker) =>
  linesOf(broker, 'wall clock stepped').map(({ seconds }) => Math.round(seconds / 3_600))

async function place(broker: Broker): Promise<void> {
  assert.equal((await call(broker, 'POST', '/v2/orders', order)).status, 200)
}

async function ready(broker: Broker): Promise<Body> {
  const { status, body } = await call(broker, 'GET', '/readyz')
  assert.equal(status, 200)
  return body
}

async function assertBehind(broker: Broker): Promise<void> {
  const { status, warning } = await ready(broker)
  assert.equal(status, 'ready')
  assert.match(warning, /^the wall clock is 3[56]\d\d s behind the last event of main/)
  const seconds = await gauge(broker, 'quipu_clock_behind_seconds')
  assert(seconds > 3_400 && seconds <= 3_600, `${seconds}`)
  await waitUntil('the warning is logged', () => linesOf(broker, 'behind the last event').length > 0)
  await place(broker)
}

test('a wall clock that jumped ahead and came back is reported, also by the next start, and blocks nothing', async (t) => {
  const { start, shift } = machine()
  const broker = await start()
  t.after(broker.kill)
  await place(broker)
  assert.deepEqual(await ready(broker), { status: 'ready' })
  await shift(HOUR_MS, broker)
  await place(broker)
  await waitUntil('the step ahead is logged', () => stepsOf(broker).length === 1)
  assert.deepEqual(await ready(broker), { status: 'ready' })
  await shift(0, broker)
  await assertBehind(broker)
  await waitUntil('the step back is logged', () => stepsOf(broker).length === 2)
  assert.deepEqual(stepsOf(broker), [1, -1])
  assert.equal(await broker.stop(), 0)

  const again = await start()
  t.after(again.kill)
  assert.match((again as Body).warning, /behind the last event of main/)
  await assertBehind(again)
  assert.deepEqual(stepsOf(again), [])
  assert.equal(await again.stop(), 0)

  await shift(2 * HOUR_MS)
  const later = await start()
  t.after(later.kill)
  assert.equal((later as Body).warning, undefined)
  assert.deepEqual(await ready(later), { status: 'ready' })
  assert.equal(await gauge(later, 'quipu_clock_behind_seconds'), 0)
})
