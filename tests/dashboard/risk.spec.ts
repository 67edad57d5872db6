import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JournalEvent, LoggedRequest } from '@quipu/sdk'
import { textOf } from '../../web/src/format/decimal.ts'
import {
  drawdownOf,
  exposureOf,
  fillRateOf,
  reactionsOf,
  slippageOf,
  totalOf,
} from '../../web/src/risk/risk-figures.ts'
import { commonDemo } from './demo.ts'
import { accessibilityProblems, assertFits, openStage, visit } from './stage.ts'

const { operator } = await openStage()
const world = await commonDemo()

const fill = (cash: string, price: string, bid: string, ask: string, quantity: string): JournalEvent =>
  ({
    order_id: 'o',
    event: {
      ...{ symbol: 'AAPL', price, quantity, cash: '1', quote: { bid, ask } },
      posting: [{ account: 'customer:a:unsettled', asset: 'USD', amount: cash }],
    },
  }) as unknown as JournalEvent

for (const [title, event, expected] of [
  ['a buy at the ask costs half the spread', fill('-1', '100.03', '100', '100.03', '3'), '-0.045'],
  ['a sell at the bid too', fill('1', '100', '100', '100.03', '3'), '-0.045'],
  ['a buy below the middle is a gain', fill('-1', '99', '100', '101', '2.5'), '3.75'],
] as const)
  test(title, () => assert.equal(Number(textOf(slippageOf(event).amount)), Number(expected)))

test('exposure, drawdown, fill rate and reactions', () => {
  const { gross, net, bySymbol } = exposureOf([
    { symbol: 'A', market_value: '100.5' },
    { symbol: 'B', market_value: '-200' },
  ])
  assert.deepEqual([textOf(gross), textOf(net), bySymbol[0]?.symbol], ['300.5', '-99.5', 'B'])
  assert.deepEqual(drawdownOf([100, 80, 90]), { now: (90 / 100 - 1) * 100, deepest: (80 / 100 - 1) * 100 })
  const rate = fillRateOf([
    { status: 'filled', qty: '10', filled_qty: '10' },
    { status: 'canceled', qty: '30', filled_qty: '10' },
  ] as never)
  assert.deepEqual([rate.count, rate.full, textOf(rate.filled), textOf(rate.wanted)], [2, 1, '20', '40'])
  const request = (at: number, ms: number, operation: string, source = 'program') =>
    ({ at: new Date(at).toISOString(), ms, operation, source, key_id: 'k' }) as LoggedRequest
  assert.deepEqual(
    reactionsOf([
      request(0, 2, 'listOrders'),
      request(5, 1, 'placeOrder'),
      request(7, 0, 'placeOrder', 'dashboard'),
      request(10, 1, 'placeOrder'),
      request(100_000, 1, 'placeOrder'),
    ]),
    [3, 4],
  )
})

test('the panel has the exposure of the account and the exact slippage of its fills', async (t) => {
  const page = await visit(t, `/activity?tab=risk&world=${world}`)
  const panel = page.getByRole('region', { name: 'Risk of the account' })
  await panel.getByText('Exposure by symbol').waitFor()
  await panel.getByText('Slippage of the latest fills').waitFor()
  const [first] = (await operator.listWorlds({}))
    .filter((one) => one.world === world)
    .flatMap(({ accounts }) => accounts)
  const { events } = await operator.listEvents({
    params: { world },
    query: { kind: ['orderFilled'], account_id: first!.account_id, limit: 1000 } as never,
  })
  const total = Number(textOf(totalOf(events.map((event) => slippageOf(event).amount))))
  assert.ok(total < 0)
  await panel
    .getByText(`−${Math.abs(total).toFixed(2)}`, { exact: true })
    .first()
    .waitFor()
  await panel.getByText(/of \d+ ended orders filled/).waitFor()
  assert.deepEqual(await accessibilityProblems(page), [])
})

test('a phone shows the panel', async (t) => {
  const page = await visit(t, `/activity?tab=risk&world=${world}`, { viewport: { width: 390, height: 844 } })
  await page.getByText('Exposure by symbol').waitFor()
  await assertFits(page)
})
