import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { type Instant, openCount } from '@quipu/core'
import { syntheticMarket } from '../market/synthetic/synthetic.ts'
import { buy, decided, openTestWorld } from './testing/world.ts'

const ORDERS = 1000

/** A world in which many day orders expire at the same instant. */
async function fullWorld() {
  const testWorld = await openTestWorld()
  for (let n = 0; n < ORDERS; n++) await decided(testWorld.world, buy(testWorld.account, 'AAPL', '1', '1'))
  const [order] = testWorld.world.view.orders.values()
  return { ...testWorld, close: order!.expiresAt }
}

test('when many commands are due at once, other work gets turns in between', async () => {
  const { world, clock, close, failures } = await fullWorld()
  const openAfterTurns: number[] = []
  let over = false
  const advanced = clock.advance(close).finally(() => {
    over = true
  })
  while (!over) {
    openAfterTurns.push(openCount(world.view))
    await turn()
  }
  await advanced
  assert.ok(new Set(openAfterTurns).size >= 5, `open orders turn by turn: ${openAfterTurns}`)
  const statuses = new Set([...world.view.orders.values()].map(({ status }) => status))
  assert.deepEqual([...statuses], ['expired'])
  assert.deepEqual(failures, [])
})

test('a command that arrives meanwhile is decided after all due commands', async () => {
  const { world, clock, account, close } = await fullWorld()
  const kinds: string[] = []
  world.publisher.listen((committed) => kinds.push(...committed.map(({ event }) => event.kind)))
  const advanced = clock.advance(close)
  while (!kinds.includes('orderExpired')) await turn()
  const placed = decided(world, buy(account, 'MSFT', '1', '1'))
  assert.ok((await placed).ok)
  await advanced
  assert.equal(kinds.indexOf('orderAccepted'), kinds.lastIndexOf('orderExpired') + 1)
  assert.equal(kinds.filter((kind) => kind === 'orderExpired').length, ORDERS)
})

test('a world that opens has run all overdue commands', async () => {
  const { world, close } = await fullWorld()
  const journal = await world.storage.journal.fork()
  const again = await openTestWorld({ start: close, journal: async () => journal })
  const statuses = new Set([...again.world.view.orders.values()].map(({ status }) => status))
  assert.deepEqual([...statuses], ['expired'])
})

test('the engine counts the commands of the driver and those of requests', async () => {
  const { world, account } = await openTestWorld({ settings: { latencyNs: 0n } })
  const before = world.engine.decided
  assert.ok((await decided(world, buy(account, 'AAPL', '1', '1'))).ok)
  // The order was placed, and the driver worked it at once.
  assert.equal(world.engine.decided, before + 2)
  assert.ok(!(await decided(world, buy(account, 'NOSUCH', '1', '1'))).ok)
  assert.equal(world.engine.decided, before + 3)
})

test('a failure of commands that are due does not change the response of the command before', async () => {
  const problem = new Error('no prices')
  let isBroken = false
  const { world, account, failures } = await openTestWorld({
    parts: {
      market: (settings) => {
        const market = syntheticMarket(settings)
        const pricesAt = (at: Instant) => {
          if (isBroken) throw problem
          return market.pricesAt(at)
        }
        return { ...market, pricesAt }
      },
    },
  })
  const { value } = await world.commands.submit(buy(account, 'AAPL', '1', '1000'), ({ orders }) => {
    isBroken = true
    return [...orders.values()].map(({ status }) => status)
  })
  assert.deepEqual(value, ['pendingNew'], 'read before the order is worked')
  assert.deepEqual(failures, [problem])
  isBroken = false
  assert.ok((await decided(world, buy(account, 'AAPL', '1', '1000'))).ok)
  const [first] = world.view.orders.values()
  assert.equal(first!.status, 'filled')
})
