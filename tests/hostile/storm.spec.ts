import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../broker.ts'
import { Random, seed } from '../random.ts'
import { eventually, gauge, residentMiB } from './gauges.ts'
import { Pipeline } from './pipeline.ts'
import { auditOf, belongings, SECRET, type Stage, setStage } from './stage.ts'
import { StormStream } from './storm-frames.ts'
import { stormRequests } from './storm-requests.ts'

/** Requests and stream frames in one storm; `npm run soak` makes a million of it. */
const STORM = Number(process.env['STORM'] ?? 6_000)
/** One storm leaves behind the accepted orders of its own worlds, which are kept in memory; this is room for 50,000. */
const RESIDENT_MAX_MIB = 600

const CALLERS = 8
const STREAMS = 16

test(`${STORM} hostile requests and stream frames at once (SEED=${seed})`, async (t) => {
  const limits = [
    '--advance-max-days',
    '2',
    '--failed-attempts-max',
    '0',
    '--auth-failure-delay-ms',
    '0',
    '--auth-attempts-max',
    '1000000',
  ]
  const stage = await setStage(['--data', 'memory', '--log', 'warn', ...limits])
  const { victims, broker } = stage
  t.after(async () => {
    await broker.stop()
    for (const line of broker.log().split('\n')) if (line.includes('"level":"error"')) t.diagnostic(line)
  })
  const [before, sealed] = [await Promise.all(victims.map(belongings)), await auditOf(stage, 'kept')]
  const ended = once(broker.process, 'exit').then(([code, signal]) =>
    assert.fail(`the program ended with ${signal ?? code}: ${broker.log().slice(-4_000)}`),
  )
  const counts = await Promise.race([storm(stage), ended])
  assert.deepEqual(await Promise.all(victims.map(belongings)), before, 'a victim is not as it was')
  assert.deepEqual(await auditOf(stage, 'kept'), sealed, 'nothing happened in a world of others')
  for (const world of ['main', 'hunted']) {
    const { sound, problems } = await auditOf(stage, world)
    assert.deepEqual([sound, problems], [true, []])
  }
  await eventually('all streams are gone', async () => (await gauge(broker, 'quipu_streams')) === 0)
  assert.equal(broker.process.exitCode, null)
  assert.doesNotMatch(broker.log(), /"level":"error"/)
  t.diagnostic(told(counts))
})

type Counts = {
  requests: number
  frames: number
  heard: number
  mostMiB: number
  readonly statuses: Map<number, number>
}

const told = ({ requests, frames, heard, mostMiB, statuses }: Counts): string => {
  const of = (least: number) =>
    [...statuses].reduce(
      (sum, [status, count]) => sum + (status >= least && status < least + 100 ? count : 0),
      0,
    )
  return (
    `${requests} requests, ${frames} stream frames, ${of(200)} accepted, ${of(400)} refused, ` +
    `${heard} frames heard; ${mostMiB} MiB at most`
  )
}

async function storm(stage: Stage): Promise<Counts> {
  const counts: Counts = { requests: 0, frames: 0, heard: 0, mostMiB: 0, statuses: new Map() }
  let isEnded = false
  const isOver = () => isEnded || counts.requests + counts.frames >= STORM
  const callers = Array.from({ length: CALLERS }, async (_, number) => {
    const random = new Random(seed, 'caller', number)
    const pipeline = new Pipeline(stage.broker.url)
    while (!isOver())
      for (const status of await stormRequests(stage, pipeline, random)) {
        counts.requests++
        counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1)
      }
    pipeline.close()
  })
  const streams = Array.from({ length: STREAMS }, async (_, number) => {
    const stream = new StormStream(stage, new Random(seed, 'stream', number))
    while (!isOver()) {
      const sent = counts.frames > counts.requests ? await sleep(5, 0) : await stream.burst()
      counts.frames += sent
    }
    counts.heard += stream.heard
    stream.close()
  })
  const all = Promise.all([...callers, ...streams, watch(stage, counts, isOver)])
  await all.finally(() => {
    isEnded = true
  })
  return counts
}

const order = { symbol: 'KO', qty: '1', side: 'buy', type: 'limit', limit_price: '1', time_in_force: 'gtc' }

/** Meanwhile others trade, and memory is looked at. */
async function watch({ broker, traders }: Stage, counts: Counts, isOver: () => boolean): Promise<void> {
  for (let number = 0; !isOver(); number++) {
    for (const trader of traders) {
      const placed = await call(trader, 'POST', '/v2/orders', {
        ...order,
        client_order_id: `${SECRET}-${number}`,
      })
      assert.equal(placed.status, 200)
      assert.equal((await call(trader, 'DELETE', `/v2/orders/${placed.body.id}`)).status, 204)
    }
    counts.mostMiB = Math.max(counts.mostMiB, await residentMiB(broker))
    assert(counts.mostMiB <= RESIDENT_MAX_MIB, `${counts.mostMiB} MiB resident`)
    await sleep(50)
  }
}
