import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { ClientDisconnected } from '@quipu/broker/clock/long-work.ts'
import { Turns } from './turns.ts'

const newClient = () => ({
  isClosed: false,
  hold: () => false,
  release: () => undefined,
  onClosed: () => undefined,
})

/** No turn ends because of its time. */
const untimed = (perTurn: number, turnMax = 8) => new Turns(perTurn, turnMax, Number.POSITIVE_INFINITY)

/** The requests that arrive in one turn: a letter for the world and a number. `-`: the client disconnects at once. */
const rows: readonly (readonly [name: string, arrived: string, turns: readonly string[]])[] = [
  ['a single world begins all its requests at once', 'a1 a2 a3 a4 a5 a6', ['a1 a2 a3 a4 a5 a6']],
  [
    'with two worlds, each begins two requests per turn, in order of arrival',
    'b1 a1 a2 a3 a4 a5',
    ['b1 a1 a2', 'a3 a4', 'a5'],
  ],
  [
    'the request of a quiet world overtakes a long queue',
    'b1 a1 a2 a3 a4 a5 b2',
    ['b1 a1 a2 b2', 'a3 a4', 'a5'],
  ],
  [
    'two long queues begin one request each in rotation',
    'a0 b1 b2 b3 b4 b5 a1 a2 a3 a4 a5',
    ['a0 b1 b2 a1 a2', 'b3 a3 b4 a4', 'b5 a5'],
  ],
  [
    'a turn has a maximum for all worlds, and every queue gets its turn',
    'a0 b1 b2 b3 c1 c2 c3 d1 d2 b4',
    ['a0 b1 b2 c1 c2', 'b3 c3 d1 b4', 'd2'],
  ],
  [
    'requests of disconnected clients are skipped and do not count',
    'b1 a1 a2 -a3 -a4 a5 a6 a7',
    ['b1 a1 a2', 'a5 a6', 'a7'],
  ],
]

for (const [name, arrived, turns] of rows)
  test(name, async () => {
    const begun = await play(untimed(2, 4), arrived)
    assert.deepEqual(begun, turns)
  })

test('main begins its requests although many worlds have filled the turn', () => {
  const turns = untimed(2, 4)
  const begins = (world: string) => turns.wait(world, 0, newClient()) === undefined
  const worlds = Array.from({ length: 300 }, (_, number) => begins(`world-${number}`))
  // The first request came while a single world was active, so it does not count.
  assert.equal(worlds.filter((isBegun) => isBegun).length, 5)
  assert.deepEqual([begins('main'), begins('main'), begins('main')], [true, true, false])
})

test('waiting requests of main begin before those of other worlds', async () => {
  const turns = untimed(2, 4)
  const begun: string[] = []
  const arrive = (world: string) =>
    turns.wait(world, 0, newClient())?.then(() => begun.push(world), assert.ifError)
  for (const world of ['a', 'b', 'b', 'c', 'c', 'd', 'e', 'f', 'main', 'main', 'main', 'main', 'main'])
    arrive(world)
  await turn()
  assert.deepEqual(begun, ['main', 'main', 'd', 'e'])
  await turn()
  assert.deepEqual(begun.slice(4), ['main', 'f'])
})

test('a waiting request of a disconnected client rejects', async () => {
  const turns = untimed(1)
  const client = newClient()
  turns.wait('a', 0, client)
  turns.wait('b', 0, client)
  const waiting = turns.wait('b', 0, client)
  client.isClosed = true
  await assert.rejects(async () => waiting, ClientDisconnected)
})

test('a world that was the only active one for a minute does not wait', async () => {
  const turns = untimed(1)
  const begins = (world: string, nowMs: number) => turns.wait(world, nowMs, newClient()) === undefined
  begins('a', 0)
  begins('b', 1000)
  assert.equal(begins('b', 60_999), false)
  await turn()
  await turn()
  assert.deepEqual([begins('b', 61_000), begins('b', 61_000), begins('b', 61_000)], [true, true, true])
})

test('a new request does not overtake waiting requests of its world', async () => {
  const turns = untimed(1)
  const begun: number[] = []
  const arrive = (number: number, nowMs: number) => {
    const waiting = turns.wait('b', nowMs, newClient())
    if (waiting) void waiting.then(() => begun.push(number))
    else begun.push(number)
  }
  turns.wait('a', 0, newClient())
  for (const number of [1, 2, 3]) arrive(number, 0)
  arrive(4, 120_000)
  for (let n = 0; n < 4; n++) await turn()
  assert.deepEqual(begun, [1, 2, 3, 4])
})

test('when reading takes too long, idle connections of worlds other than main are held until the next turn', async () => {
  const turns = new Turns(4, 8, 0)
  const calls: string[] = []
  const arrive = (world: string, isIdle: boolean) => {
    const client = {
      ...newClient(),
      hold() {
        calls.push(`hold ${world}`)
        return isIdle
      },
      release() {
        calls.push(`release ${world}`)
      },
    }
    return turns.wait(world, 0, client)
  }
  arrive('main', true)
  assert.equal(arrive('a', true), undefined, 'the first request that is read in a turn begins')
  const later = arrive('b', false)
  assert.equal(arrive('main', true), undefined)
  assert.deepEqual(calls, ['hold a', 'hold b'])
  await later
  assert.deepEqual(calls, ['hold a', 'hold b', 'release a'])
})

/** Queues all requests, then returns the requests that begin in each turn. */
async function play(turns: Turns, arrived: string): Promise<readonly string[]> {
  let begun: string[] = []
  for (const name of arrived.split(' ')) {
    const client = newClient()
    const waiting = turns.wait(name.replace('-', '')[0]!, 0, client)
    if (waiting)
      waiting.then(
        () => begun.push(name),
        () => undefined,
      )
    else begun.push(name)
    client.isClosed = name.startsWith('-')
  }
  const begunByTurn: string[] = []
  while (begun.length > 0) {
    begunByTurn.push(begun.join(' '))
    begun = []
    await turn()
  }
  return begunByTurn
}
