import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NotApplied } from '@quipu/broker/journal/not-applied.ts'
import { decode, encode, type Quantity, type Ticker, UNIT, type WorldId } from '@quipu/core'
import { openTestServer, type TestServer } from '../../testing/server.ts'
import type { Tip } from './branch.ts'
import { answerQuestion } from './branches.ts'

test('a world that was reset after its tip was read gives another node no numbers', async (t) => {
  const server = await openTestServer()
  t.after(() => server.close())
  const { worlds } = server.services
  const world = 'fork' as WorldId
  await worlds.lifecycle.fork(entryOf(server, 'lab'), world)
  await place(server, '1')
  const ask = async (question: object): Promise<unknown> => {
    const { answer } = await answerQuestion({ worlds }, { world, question: encode(question) })
    return (decode(answer) as { readonly found: unknown }).found
  }
  const tip = (await ask({ kind: 'tip' })) as Tip
  const question = { kind: 'state', accountId: server.accountId, common: 0, at: tip.now, tip }
  assert.equal(((await ask(question)) as { readonly seq: number }).seq, tip.seq)
  const { origin, ...entry } = entryOf(server, world)
  assert.ok(origin)
  await worlds.lifecycle.reset({ ...entry, origin })
  await assert.rejects(ask(question), isRestarting, 'its journal is shorter')
  await place(server, '2')
  await assert.rejects(ask(question), isRestarting, 'its journal has other events')
})

const isRestarting = (error: unknown) => error instanceof NotApplied && error.reason === 'worldRestarting'

function entryOf({ services }: TestServer, name: string) {
  const entry = services.worlds.entry(name as WorldId)
  assert.ok(entry)
  return entry
}

const place = (server: TestServer, quantity: string): Promise<unknown> =>
  entryOf(server, 'fork').world.commands.submit(
    {
      ...{ kind: 'placeOrder', accountId: server.accountId, symbol: 'F' as Ticker, extendedHours: false },
      ...{ side: 'buy', type: 'market', timeInForce: 'day', quantity: (BigInt(quantity) * UNIT) as Quantity },
    },
    (_, decision) => assert.ok(decision.ok),
  )
