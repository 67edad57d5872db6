import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Instant } from '@quipu/core'
import { VirtualClock } from './virtual.ts'

const at = (n: number) => BigInt(n) as Instant
const fail = (error: unknown) => assert.fail(String(error))
const clockAt = (start: number, quiet: () => Promise<void> = async () => undefined) =>
  new VirtualClock(at(start), quiet, fail)

test('an advance runs each due timer at its own time', async () => {
  const clock = clockAt(0)
  const steps: string[] = []
  clock.timer(at(30), 'feed', () => void steps.push(`30 at ${clock.now()}`))
  clock.timer(at(10), 'agenda', () => void steps.push(`10 at ${clock.now()}`))
  clock.timer(at(41), 'agenda', () => void steps.push('too late'))
  await clock.advance(at(40))
  assert.deepEqual(steps, ['10 at 10', '30 at 30'])
  assert.equal(clock.now(), at(40))
})

test('an advance also runs timers that a timer sets', async () => {
  const clock = clockAt(0)
  const times: Instant[] = []
  const again = () => {
    times.push(clock.now())
    clock.timer((clock.now() + 10n) as Instant, 'agenda', again)
  }
  clock.timer(at(10), 'agenda', again)
  await clock.advance(at(45))
  assert.deepEqual(times, [at(10), at(20), at(30), at(40)])
})

test('a step waits for the previous one and for the world to be idle', async () => {
  const steps: string[] = []
  const clock = clockAt(0, async () => {
    await new Promise((resume) => setImmediate(resume))
    steps.push('quiet')
  })
  clock.timer(at(1), 'agenda', async () => {
    await new Promise((resume) => setImmediate(resume))
    steps.push('first')
  })
  clock.timer(at(2), 'agenda', () => void steps.push('second'))
  await clock.advance(at(2))
  assert.deepEqual(steps, ['quiet', 'first', 'quiet', 'second', 'quiet'])
})

test('an advance stops at the instant at which its condition holds, after all timers of that instant', async () => {
  const clock = clockAt(0)
  const steps: string[] = []
  for (const [due, rank] of [
    [10, 'agenda'],
    [20, 'feed'],
    [20, 'agenda'],
    [30, 'agenda'],
  ] as const)
    clock.timer(at(due), rank, () => void steps.push(`${due} ${rank}`))
  const isReached = () => steps.includes('20 agenda')
  await clock.advance(at(40), { isReached })
  assert.deepEqual([steps, clock.now()], [['10 agenda', '20 agenda', '20 feed'], at(20)])
  await clock.advance(at(40), { isReached })
  assert.deepEqual([steps.length, clock.now()], [3, at(20)])
})

test('concurrent advances run one after the other', async () => {
  const clock = clockAt(0)
  await Promise.all([clock.advance(at(10)), clock.advance(at(20))])
  assert.equal(clock.now(), at(20))
})

test('a frozen clock does not move; a running one follows real time and can be frozen again', async () => {
  const clock = clockAt(0)
  const fired = new Promise<void>((fire) => clock.timer(at(1_000_000), 'agenda', fire))
  clock.run(1000)
  // The tick does not keep the process alive.
  const alive = setInterval(() => undefined, 5)
  await fired
  clock.run(0)
  await clock.advance(clock.now())
  const stopped = clock.now()
  await new Promise((resume) => setTimeout(resume, 20))
  clearInterval(alive)
  assert.equal(clock.now(), stopped)
})

test('a replay waits for clients at each instant with timers and after each step', async () => {
  const clock = clockAt(0)
  const steps: string[] = []
  for (const due of [15, 15, 20]) clock.timer(at(due), 'feed', () => void steps.push(`timer ${clock.now()}`))
  clock.timer(at(15), 'client', () => void steps.push(`client ${clock.now()}`))
  const { steps: count } = await clock.replays.run({
    to: at(25),
    stepAfter: (now) => at(Number(now) + 10),
    clientsDone: async () => void steps.push(`done ${clock.now()}`),
  })
  assert.deepEqual(steps, [
    'done 0',
    'done 10',
    'timer 15',
    'timer 15',
    'done 15',
    'client 15',
    'done 15',
    'timer 20',
    'done 20',
    'done 25',
  ])
  assert.equal(count, 3)
})

test('a freeze ends a replay that waits for a client', async () => {
  const clock = clockAt(0)
  const never = (stopped: AbortSignal) =>
    new Promise<void>((resolve) => stopped.addEventListener('abort', () => resolve()))
  const replay = clock.replays.run({
    to: at(25),
    stepAfter: (now) => at(Number(now) + 10),
    clientsDone: never,
  })
  await new Promise((resume) => setImmediate(resume))
  await clock.freeze()
  assert.deepEqual([await replay, clock.now()], [{ steps: 0, isStopped: true }, at(0)])
})

test('a stop ends the requested advances after the timers of the instant; later advances run', async () => {
  const clock = clockAt(0)
  const steps: number[] = []
  for (const due of [10, 20, 20, 30]) clock.timer(at(due), 'agenda', () => void steps.push(due))
  clock.timer(at(20), 'agenda', () => void clock.stop())
  const moves = [clock.advance(at(40)), clock.advance(at(50))]
  assert.deepEqual(await Promise.all(moves), [true, true])
  assert.deepEqual([steps, clock.now(), clock.advancing], [[10, 20, 20], at(20), undefined])
  assert.equal(await clock.advance(at(40)), false)
  assert.deepEqual([steps.length, clock.now()], [4, at(40)])
})

test('a freeze ends the step of a running clock after the timers of the instant; another speed does too', async (t) => {
  const clock = clockAt(0)
  const steps: number[] = []
  // The tick does not keep the process alive.
  const alive = setInterval(() => undefined, 5)
  t.after(() => clearInterval(alive))
  // The first tick is 5 ms after the start at the earliest, so all of these are due in one step.
  const speed = 1e6
  for (const due of [10, 20, 20, 30]) clock.timer(at(due), 'agenda', () => void steps.push(due))
  const frozen = new Promise((resolve) => clock.timer(at(20), 'agenda', () => resolve(clock.freeze())))
  clock.run(speed)
  await frozen
  assert.deepEqual([steps, clock.now(), clock.speed], [[10, 20, 20], at(20), 0])
  const slower = new Promise<void>((resolve) =>
    clock.timer(at(30), 'agenda', () => {
      clock.run(1e-9)
      resolve()
    }),
  )
  clock.timer(at(1_000_000), 'agenda', () => void steps.push(1_000_000))
  clock.run(speed)
  await slower
  await clock.freeze()
  assert.deepEqual([steps, clock.now()], [[10, 20, 20, 30], at(30)])
})

test('a watcher receives moves, their progress and their end, and runs', async () => {
  const clock = clockAt(0)
  const seen: unknown[] = []
  clock.timer(at(10), 'agenda', () => undefined)
  const unwatch = clock.watch(() => seen.push([clock.now(), clock.speed, clock.advancing?.to]))
  await clock.advance(at(20), { until: 'idle' })
  clock.run(2)
  clock.run(0)
  unwatch()
  await clock.advance(at(30))
  assert.deepEqual(seen, [
    [at(0), 0, at(20)],
    [at(10), 0, at(20)],
    [at(20), 0, at(20)],
    [at(20), 0, undefined],
    [at(20), 2, undefined],
    [at(20), 0, undefined],
  ])
})
