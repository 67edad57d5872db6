import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { ClientDisconnected } from '../process/long-work.ts'
import { Turns } from './turns.ts'

/** Requests as they come in one turn: a world's letter and a number. `-` before one: its client leaves at once. */
const rows: readonly (readonly [name: string, arrived: string, turns: readonly string[]])[] = [
  ['one world alone begins all it has at once', 'a1 a2 a3 a4 a5 a6', ['a1 a2 a3 a4 a5 a6']],
  [
    'beside another, a world begins two a turn, as they came',
    'b1 a1 a2 a3 a4 a5',
    ['b1 a1 a2', 'a3 a4', 'a5'],
  ],
  ['the request of a quiet world passes a long line', 'b1 a1 a2 a3 a4 a5 b2', ['b1 a1 a2 b2', 'a3 a4', 'a5']],
  ['two long lines begin one each', 'a0 b1 b2 b3 b4 a1 a2 a3 a4', ['a0 b1 b2 a1 a2', 'b3 a3', 'b4 a4']],
  [
    'with more lines than places, every line comes to its turn',
    'a0 a1 b1 b2 b3 c1 c2 c3 d1 d2 d3 b4',
    ['a0 a1 b1 b2 c1 c2 d1 d2', 'b3 c3', 'd3 b4'],
  ],
  ['who has left is not begun, and takes no place', 'b1 a1 a2 -a3 -a4 a5 a6 a7', ['b1 a1 a2', 'a5 a6', 'a7']],
]

for (const [name, arrived, turns] of rows)
  test(name, async () => {
    const begun = await play(new Turns(2), arrived)
    assert.deepEqual(begun, turns)
  })

test('who has left is told so', async () => {
  const turns = new Turns(1)
  const client = { isClosed: false }
  turns.wait('a', 0, client)
  turns.wait('b', 0, client)
  const waiting = turns.wait('b', 0, client)
  client.isClosed = true
  await assert.rejects(async () => waiting, ClientDisconnected)
})

test('a world that was alone for a minute waits for nobody again', async () => {
  const turns = new Turns(1)
  const begins = (world: string, nowMs: number) => turns.wait(world, nowMs, { isClosed: false }) === undefined
  begins('a', 0)
  begins('b', 1000)
  assert.equal(begins('b', 60_999), false)
  await turn()
  await turn()
  assert.deepEqual([begins('b', 61_000), begins('b', 61_000), begins('b', 61_000)], [true, true, true])
})

test('who comes while others wait does not pass them', async () => {
  const turns = new Turns(1)
  const begun: number[] = []
  const come = (number: number, nowMs: number) => {
    const waiting = turns.wait('b', nowMs, { isClosed: false })
    if (waiting) void waiting.then(() => begun.push(number))
    else begun.push(number)
  }
  turns.wait('a', 0, { isClosed: false })
  for (const number of [1, 2, 3]) come(number, 0)
  come(4, 120_000)
  for (let n = 0; n < 4; n++) await turn()
  assert.deepEqual(begun, [1, 2, 3, 4])
})

/** Lets them all come, then notes turn by turn who begins. */
async function play(turns: Turns, arrived: string): Promise<readonly string[]> {
  let begun: string[] = []
  for (const name of arrived.split(' ')) {
    const client = { isClosed: false }
    const waiting = turns.wait(name.replace('-', '')[0]!, 0, client)
    if (waiting)
      waiting.then(
        () => begun.push(name),
        () => undefined,
      )
    else begun.push(name)
    client.isClosed = name.startsWith('-')
  }
  const seen: string[] = []
  while (begun.length > 0) {
    seen.push(begun.join(' '))
    begun = []
    await turn()
  }
  return seen
}
