import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { call } from '../support/broker.ts'
import { Random, seed } from '../support/random.ts'
import { waitUntil } from '../support/wait-until.ts'
import { FuzzStream } from './frames.ts'
import { fuzzRequests } from './fuzz-requests.ts'
import { Pipeline } from './pipeline.ts'
import { gauge, residentMiB } from './send.ts'
import { auditOf, SECRET, type Setup, startSetup, victimState } from './setup.ts'

/** Requests and stream frames of one run; `npm run soak` sends a million. */
const FUZZ_INPUTS = Number(process.env['FUZZ_INPUTS'] ?? 1_000)
/** Accepted orders of the test worlds stay in memory; this limit is enough for 50,000 inputs. */
const RESIDENT_MAX_MIB = 600

const CALLERS = 8
const STREAMS = 16

test(`${FUZZ_INPUTS} hostile requests and stream frames at once (SEED=${seed})`, async (t) => {
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
  const setup = await startSetup(['--data', 'memory', '--log', 'warn', ...limits])
  const { victims, broker } = setup
  t.after(async () => {
    await broker.stop()
    for (const line of broker.log().split('\n')) if (line.includes('"level":"error"')) t.diagnostic(line)
  })
  const [before, auditBefore] = [await Promise.all(victims.map(victimState)), await auditOf(setup, 'kept')]
  const ended = once(broker.process, 'exit').then(([code, signal]) =>
    assert.fail(`the program ended with ${signal ?? code}: ${broker.log().slice(-4_000)}`),
  )
  const counts = await Promise.race([fuzz(setup), ended])
  assert.deepEqual(await Promise.all(victims.map(victimState)), before, 'a victim is unchanged')
  assert.deepEqual(await auditOf(setup, 'kept'), auditBefore, 'the world of another victim is unchanged')
  for (const world of ['main', 'hunted']) {
    const { sound, problems } = await auditOf(setup, world)
    assert.deepEqual([sound, problems], [true, []])
  }
  await waitUntil('all streams are closed', async () => (await gauge(broker, 'quipu_streams')) === 0)
  assert.equal(broker.process.exitCode, null)
  assert.doesNotMatch(broker.log(), /"level":"error"/)
  t.diagnostic(summaryOf(counts))
})

type Counts = {
  requests: number
  frames: number
  received: number
  peakMiB: number
  readonly statuses: Map<number, number>
}

const summaryOf = ({ requests, frames, received, peakMiB, statuses }: Counts): string => {
  const countFrom = (least: number) =>
    [...statuses].reduce(
      (sum, [status, count]) => sum + (status >= least && status < least + 100 ? count : 0),
      0,
    )
  return (
    `${requests} requests, ${frames} stream frames, ${countFrom(200)} accepted, ${countFrom(400)} refused, ` +
    `${received} frames received; peak memory ${peakMiB} MiB`
  )
}

async function fuzz(setup: Setup): Promise<Counts> {
  const counts: Counts = { requests: 0, frames: 0, received: 0, peakMiB: 0, statuses: new Map() }
  let isEnded = false
  const isOver = () => isEnded || counts.requests + counts.frames >= FUZZ_INPUTS
  const callers = Array.from({ length: CALLERS }, async (_, number) => {
    const random = new Random(seed, 'caller', number)
    const pipeline = new Pipeline(setup.broker.url)
    while (!isOver())
      for (const status of await fuzzRequests(setup, pipeline, random)) {
        counts.requests++
        counts.statuses.set(status, (counts.statuses.get(status) ?? 0) + 1)
      }
    pipeline.close()
  })
  const streams = Array.from({ length: STREAMS }, async (_, number) => {
    const stream = new FuzzStream(setup, new Random(seed, 'stream', number))
    while (!isOver()) {
      const sent = counts.frames > counts.requests ? await sleep(5, 0) : await stream.burst()
      counts.frames += sent
    }
    counts.received += stream.received
    stream.close()
  })
  const all = Promise.all([...callers, ...streams, watch(setup, counts, isOver)])
  await all.finally(() => {
    isEnded = true
  })
  return counts
}

const order = { symbol: 'KO', qty: '1', side: 'buy', type: 'limit', limit_price: '1', time_in_force: 'gtc' }

/** Other accounts trade during the run, and memory is measured. */
async function watch({ broker, traders }: Setup, counts: Counts, isOver: () => boolean): Promise<void> {
  for (let number = 0; !isOver(); number++) {
    for (const trader of traders) {
      const placed = await call(trader, 'POST', '/v2/orders', {
        ...order,
        client_order_id: `${SECRET}-${number}`,
      })
      assert.equal(placed.status, 200)
      assert.equal((await call(trader, 'DELETE', `/v2/orders/${placed.body.id}`)).status, 204)
    }
    counts.peakMiB = Math.max(counts.peakMiB, await residentMiB(broker))
    assert(counts.peakMiB <= RESIDENT_MAX_MIB, `${counts.peakMiB} MiB resident`)
    await sleep(50)
  }
}
