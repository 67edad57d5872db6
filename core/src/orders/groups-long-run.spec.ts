import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { OrderId } from '../ids.ts'
import { TestWorld } from '../testing/world.ts'
import type { WorldSettings } from '../world.ts'
import { groupOf } from './groups.ts'
import { type Order, remaining } from './order.ts'
import { isOpen } from './transitions.ts'

/** Random changes keep the members of a group consistent. A failure prints its seed: `fc.assert(…, { seed })`. */
const price = fc.integer({ min: 95, max: 105 })
const size = fc.integer({ min: 6, max: 12 })
const member = fc
  .tuple(fc.nat({ max: 3 }), fc.constantFrom('', '', '.take', '.loss'))
  .map(([back, part]) => `LAST-${back}${part}`)
const change = fc.oneof(
  size.map((quantity) => `qty=${quantity}`),
  price.map((limit) => `@${limit}`),
  fc.integer({ min: 80, max: 95 }).map((stop) => `stop=${stop}`),
)
const steps = fc.array(
  fc.oneof(
    fc
      .tuple(size, price, fc.constantFrom('', 'gtc'))
      .map(([quantity, at, time]) => `buy A NEW AAPL ${quantity} @${at} bracket take=115 loss=85 ${time}`),
    fc
      .tuple(size, price, fc.constantFrom('', 'gtc'))
      .map(([quantity, at, time]) => `sell A NEW AAPL ${quantity} @${at} oco loss=85 ${time}`),
    fc.tuple(member, change).map(([name, changes]) => `replace A ${name} ${changes}`),
    fc.tuple(member, change).map(([name, changes]) => `replace A ${name} ${changes}`),
    member.map((name) => `cancel A ${name}`),
    fc
      .tuple(price, fc.integer({ min: 1, max: 4 }))
      .map(([bid, displayed]) => `quote AAPL ${bid} ${bid + 1} ${displayed}`),
    price.map((traded) => `trade AAPL ${traded}`),
    fc.constantFrom('wait 1', 'wait 30000'),
  ),
  { minLength: 40, maxLength: 80 },
)
const fillSize = fc.constantFrom<WorldSettings['fillSize']>('unlimited', 'displayed', 'displayed')

test('random groups: exits have the size of their entry, and both exits are open or none', () => {
  fc.assert(
    fc.property(fillSize, steps, (sizes, lines) => {
      const world = new TestWorld({ fillSize: sizes })
      for (const line of ['open A 100000', 'quote AAPL 99 101', 'trade AAPL 100']) world.run(line)
      let count = 0
      for (const line of lines) {
        if (line.includes('NEW')) count += 1
        const named = line.replace('NEW', `o${count}`).replace(/LAST-(\d)/, (_, back) => `o${count - back}`)
        const [, , name = ''] = named.split(' ')
        if (!line.includes('LAST') || world.orders.has(name)) world.run(named)
        check(world)
      }
    }),
    { numRuns: Math.ceil(300 * Number(process.env['PROPERTY_FACTOR'] ?? 0.1)) },
  )
})

function check(world: TestWorld): void {
  const open = [...world.state.orders.values()].filter((order) => order.group && isOpen(order))
  for (const members of Map.groupBy(open, (order) => groupOf(order)!).values()) {
    const [entry, profit, loss] = (['entry', 'takeProfit', 'stopLoss'] as const).map((role) =>
      members.find((order) => order.group?.role === role),
    )
    if (loss?.trigger?.electedAt !== undefined) {
      assert.equal(members.length, 1, 'an elected stop-loss is alone')
      continue
    }
    assert.ok(profit && loss, 'both exits or none')
    assert.equal(remaining(loss), remaining(profit))
    if (entry) assert.equal(remaining(profit), remaining(entry) + filledOf(world, entry))
  }
}

/** Filled quantity of an order and of the orders that it replaces. */
function filledOf({ events }: TestWorld, entry: Order): bigint {
  const chain = new Set<OrderId>([entry.id])
  for (const event of events.toReversed())
    if (event.kind === 'orderAccepted' && event.order.replaces && chain.has(event.order.id))
      chain.add(event.order.replaces)
  let filled = 0n
  for (const event of events)
    if (event.kind === 'orderFilled' && chain.has(event.orderId)) filled += event.quantity
  return filled
}
