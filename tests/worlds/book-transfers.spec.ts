import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callAsOperator, newFolder, newWorld } from '../support/broker.ts'
import { assertJournals, transitsIn } from './book-transfers.ts'
import { auditsOf } from './durable.ts'
import { sim } from './files.ts'

test('journals between durable worlds survive kill -9 between any two steps, in a data folder', async (t) => {
  const folder = newFolder()
  const stage = await assertJournals(t, folder)
  const { a, broker } = stage
  const of = (body: object) =>
    stage.as(a, 'POST', '/v1/journals', {
      entry_type: 'JNLC',
      from_account: a.accountId,
      amount: '1',
      ...body,
    })
  const other = '3a5cf19a-0000-4000-8000-000000000000'
  const [missing, memory] = [
    { to_account: other, to_world: 'x' },
    { to_account: other, to_world: 'memory' },
  ]
  const unknown = await of(missing)
  assert.deepEqual([unknown.status, unknown.body.reason], [404, 'worldNotFound'])
  await newWorld(broker, { world: 'memory' })
  const passing = await of(memory)
  assert.equal(passing.status, 422)
  assert.match(passing.body.message, /^to_world: world memory is not durable/)
  // To main: the operator's key is that of the first partner of main.
  const { status, body } = await of({ to_account: broker.accountId, to_world: 'main' })
  assert.deepEqual([status, body.status], [200, 'pending'])
  assert.equal(await stage.statusOf(body), 'executed')
  // And back: main is durable, and its own name is the default.
  const back = { entry_type: 'JNLC', from_account: broker.accountId, amount: '1' }
  const sent = await callAsOperator(broker, 'POST', '/v1/journals', {
    ...back,
    to_account: a.accountId,
    to_world: 'a',
  })
  assert.deepEqual([sent.status, sent.body.status], [200, 'pending'])
  const own = await callAsOperator(broker, 'POST', '/v1/journals', {
    ...back,
    to_account: broker.accountId,
    to_world: 'main',
  })
  assert.equal(own.body.reason, 'journalToSelf')
  await sim(broker, 'GET', 'main/audit')
  // A reset begins a new ledger: the other side of earlier journals is not missed.
  assert.equal((await sim(broker, 'POST', 'b/reset', {})).status, 200)
  const audits = () => auditsOf(folder, [], '--all')
  assert.deepEqual(await transitsIn(audits), [4, []])
  assert.equal(await broker.stop(), 0)
  assert.deepEqual(await transitsIn(audits), [4, []])
})
