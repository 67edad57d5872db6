import assert from 'node:assert/strict'
import test from 'node:test'
import { activitiesOf } from '../account/activities.ts'
import { format } from '../amount.ts'
import { TestWorld } from '../testing/world.ts'

const scene = [
  'open A 10000',
  'open I 0',
  'issuer I xstocks AAPL solana',
  'link A xstocks',
  'quote AAPL 99 100',
  'buy A o1 AAPL 10',
]
const transferred = ['mint A m1 AAPL 2', 'job m1', 'accept m1']
const completed = [...transferred, 'job m1', 'confirm m1', 'job m1', 'complete m1 0x1']

/** The share book transfers on both accounts after a line, and the request that they belong to. */
for (const [given, when, requestName, then] of [
  [['mint A m1 AAPL 2', 'job m1'], 'accept m1', 'm1', ['A shareBookTransfer -2', 'I shareBookTransfer 2']],
  [[...transferred, 'job m1'], 'deny m1', 'm1', ['I shareBookTransfer -2', 'A shareBookTransfer 2']],
  [transferred, 'forbid m1', 'm1', ['I shareBookTransfer -2', 'A shareBookTransfer 2']],
  [completed, 'redeem A r1 AAPL 1.5', 'r1', ['I shareBookTransfer -1.5', 'A shareBookTransfer 1.5']],
  [['mint A m1 AAPL 2', 'job m1'], 'refuse m1', 'm1', []],
  [[...transferred, 'job m1', 'confirm m1', 'job m1'], 'complete m1 0x1', 'm1', []],
] as const)
  test(`after "${given.at(-1)}", "${when}" records ${then.length} share book transfers`, () => {
    const world = new TestWorld()
    for (const line of [...scene, ...given]) world.run(line)
    const from = world.events.length
    world.run(when)
    const events = world.events.slice(from)
    const name = (id: string): string => [...world.accounts].find(([, one]) => one === id)?.[0] ?? id
    const activities = events.flatMap((event, n) => activitiesOf(event, from + n + 1))
    assert.deepEqual(
      activities.map((one) => `${name(one.accountId)} ${one.kind} ${format(one.quantity ?? 0n)}`),
      then,
    )
    for (const { groupId, symbol, cash } of activities)
      assert.deepEqual([groupId, symbol, cash], [world.requests.get(requestName), 'AAPL', 0n])
  })
