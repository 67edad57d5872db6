import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Broker, call, newWorld } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { moveTo, openDatabase, startNode, untilHeld } from './nodes.ts'

const { store, nodes } = await openDatabase('journals')
nodes.push(await startNode(store), await startNode(store))
const [one, two] = nodes as [Broker, Broker]
await untilHeld(one, 'main')

test('a journal moves money to a world that another node holds; its receiver is checked there', async () => {
  const worlds = [
    await newWorld(one, { world: 'a', durable: true, clock: 'wall', cash: '1000' }),
    await newWorld(one, { world: 'b', durable: true, clock: 'wall', cash: '1000' }),
  ] as const
  const [a, b] = worlds
  await moveTo(one, 'a', one)
  await moveTo(one, 'b', two)
  const send = (to: object) =>
    call({ ...a.partner, url: two.url }, 'POST', '/v1/journals', {
      ...{ entry_type: 'JNLC', from_account: a.accountId, amount: '10' },
      ...to,
    })
  const statusOf = async (id: string): Promise<string> =>
    (await call({ ...a.partner, url: one.url }, 'GET', `/v1/journals/${id}`)).body.status
  for (const [to, status] of [
    [b.accountId, 'executed'],
    [a.created.partner.partner_id, 'rejected'],
  ]) {
    const sent = await send({ to_account: to, to_world: 'b' })
    assert.equal(sent.status, 200, JSON.stringify(sent.body))
    await waitUntil(`the journal is ${status}`, async () => (await statusOf(sent.body.id)) === status)
  }
  assert.equal((await send({ to_account: b.accountId, to_world: 'nowhere' })).status, 404)
  for (const [world, cash] of [
    [a, '990'],
    [b, '1010'],
  ] as const)
    assert.equal((await call({ ...world, url: one.url }, 'GET', '/v2/account')).body.cash, cash)
})
