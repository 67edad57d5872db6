import assert from 'node:assert/strict'
import test from 'node:test'
import { must } from '../testing/script-lines.ts'
import { TestWorld } from '../testing/world.ts'
import { parseInstant } from '../time.ts'

// Monday, 2026-11-02; New York is five hours behind UTC. 2026-11-27 has an early close.
for (const [hours, at, time, then] of [
  ['nyse', '2026-11-02T14:27:59Z', 'opg', 'orderAccepted'],
  ['nyse', '2026-11-02T14:28:00Z', 'opg', 'tooLateForOpen'],
  ['nyse', '2026-11-02T23:59:59Z', 'opg', 'tooLateForOpen'],
  ['nyse', '2026-11-03T00:00:00Z', 'opg', 'orderAccepted'],
  ['nyse', '2026-11-03T06:00:00Z', 'opg', 'orderAccepted'],
  ['nyse', '2026-11-07T17:00:00Z', 'opg', 'orderAccepted'],
  ['nyse', '2026-11-02T20:49:59Z', 'cls', 'orderAccepted'],
  ['nyse', '2026-11-02T20:50:00Z', 'cls', 'tooLateForClose'],
  ['nyse', '2026-11-02T23:59:59Z', 'cls', 'tooLateForClose'],
  ['nyse', '2026-11-03T00:00:00Z', 'cls', 'orderAccepted'],
  ['nyse', '2026-11-27T17:49:59Z', 'cls', 'orderAccepted'],
  ['nyse', '2026-11-27T17:50:00Z', 'cls', 'tooLateForClose'],
  ['nyse', '2026-11-02T20:50:00Z', 'day', 'orderAccepted'],
  ['always', '2026-11-02T15:30:00Z', 'opg', 'orderAccepted'],
  ['always', '2026-11-02T20:55:00Z', 'cls', 'orderAccepted'],
  ['always', '2026-11-02T23:00:00Z', 'opg', 'orderAccepted'],
] as const)
  test(`${hours} at ${at}, ${time}: ${then}`, () => {
    const world = new TestWorld({ hours }, must(parseInstant('2026-11-02T05:00:00Z')))
    for (const line of ['open A 1000', 'quote AAPL 99 100', 'trade AAPL 99.5', `until ${at}`]) world.run(line)
    assert.equal(world.run(`buy A o1 AAPL 1 ${time}`).split(' ')[0], then)
    if (then === 'tooLateForClose')
      assert.deepEqual(world.refusal, { code: then, before: at.includes('11-27') ? '12:50pm' : '3:50pm' })
  })
