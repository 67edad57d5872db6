import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Broker, callAsOperator, newWorld } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { change, changeKinds, changesOn, untilSame } from '../worlds/followed.ts'
import { moveTo, openDatabase, startNode, untilHeld } from './nodes.ts'

const { store, nodes } = await openDatabase('followed')
if (hasAllCases) nodes.push(await startNode(store), await startNode(store))
const [one, two] = nodes as [Broker, Broker]
if (hasAllCases) await untilHeld(one, 'main')

test('a world follows one that another node holds, also when the nodes change', {
  skip: !hasAllCases,
}, async () => {
  const leader = await newWorld(one, { world: 'leader', seed: 'one', durable: true })
  await moveTo(one, 'leader', two)
  const [first, ...later] = changesOn('2026-01-07')
  await change(one, 'leader', first!)
  const follower = await newWorld(one, { world: 'follower', seed: 'two', durable: true, follows: 'leader' })
  await moveTo(one, 'follower', one)
  await untilSame(one, follower, leader)
  const moves = [
    () => moveTo(one, 'leader', one),
    () => moveTo(one, 'follower', two),
    () => moveTo(one, 'leader', two),
  ]
  for (const [index, next] of later.entries()) {
    await change(one, 'leader', next)
    await moves[index]?.()
    await untilSame(one, follower, leader)
  }
  await moveTo(one, 'follower', one)
  const refused = await callAsOperator(two, 'DELETE', '/sim/v1/worlds/leader')
  assert.deepEqual([refused.status, refused.body.follower], [409, 'follower'])
  // The node of the follower is lost between two changes.
  await one.kill()
  await untilHeld(two, 'main')
  await change(two, 'leader', ['POST', 'assets', { symbol: 'ZZLAST' }])
  await untilHeld(two, 'follower')
  await untilSame(two, follower, leader)
  assert.deepEqual(await changeKinds(two, 'follower'), await changeKinds(two, 'leader'))
})
