import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activityTypes, operations } from '@quipu/contract'
import type { Page } from 'playwright-core'
import { call, newWorld } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { makeMints } from './demo.ts'
import { openStage, visit } from './stage.ts'

const { broker, operator } = await openStage()
const world = 'all-kinds'
const params = { world }
const lab = await newWorld(broker, {
  world,
  seed: '7',
  start: '2026-01-05T15:00:00Z',
  hours: 'nyse',
  accounts: 2,
})
const order = { symbol: 'KO', qty: '40', side: 'buy', type: 'market', time_in_force: 'day' }
const orders: readonly object[] = [
  order,
  { ...order, symbol: 'TSLA', side: 'sell', qty: '5' },
  { ...order, symbol: 'AAPL', type: 'limit', limit_price: '1' },
  { ...order, symbol: 'AAPL', type: 'stop_limit', stop_price: '900', limit_price: '910' },
  { ...order, type: 'trailing_stop', trail_percent: '5', side: 'sell', qty: '3', time_in_force: 'gtc' },
  {
    ...order,
    symbol: 'MSFT',
    qty: '2',
    order_class: 'bracket',
    take_profit: { limit_price: '9000' },
    stop_loss: { stop_price: '1' },
  },
  { ...order, symbol: 'SPY', type: 'limit', limit_price: '1', time_in_force: 'ioc' },
  { ...order, symbol: 'SPY', qty: '9000000' },
  { ...order, symbol: 'NOPE' },
]
const advance = (by: string) => operator.advanceClock({ params, body: { by } })
const made: { id?: string }[] = []
for (const one of orders) made.push((await call(lab, 'POST', '/v2/orders', one)).body)
await advance('5m')
const action = (body: object) => operator.createCorporateAction({ params, body: body as never })
await action({ type: 'cash_dividend', symbol: 'KO', ex_date: '2026-01-06', rate: '0.5' })
await action({ type: 'forward_split', symbol: 'TSLA', ex_date: '2026-01-06', old_rate: '1', new_rate: '2' })
await action({ type: 'name_change', symbol: 'MSFT', ex_date: '2026-01-07', new_symbol: 'MSFX' })
for (const body of [
  { kind: 'crash', at: '2026-01-05T16:00:00Z', depth: '0.06', minutes: 10, recovers: true },
  { kind: 'halt', symbol: 'AMD', from: '2026-01-05T16:10:00Z', to: '2026-01-05T16:20:00Z' },
])
  await operator.createMarketEvent({ params, body: body as never })
await operator.createFault({
  params,
  body: { match: { operation: 'placeOrder' }, effect: { kind: 'status', status: 503 } } as never,
})
await call(lab, 'POST', '/v2/orders', order)
await operator.createUser({ params, body: { name: 'ana', accounts: [{}] } } as never)
await advance('72h')
await call(lab, 'DELETE', `/v2/orders/${made[3]?.id}`)
const tokens = await makeMints(
  { url: broker.url, keyId: broker.brokerKey, secretKey: broker.brokerSecret },
  'kind-tokens',
)

/** Names of products, and of operations in the audit log: its filter takes them. */
const isName = (word: string): boolean => word === 'xStocks' || Object.hasOwn(operations, word)

/** Words of the API: enum words, operations, types of activities. */
const raw = new RegExp(
  `\\b[a-z]+(_[a-z0-9]+)+\\b|\\b[a-z]+[A-Z][A-Za-z]+\\b|\\b(${activityTypes.filter((one) => one.length > 3 && !['FILL', 'MISC'].includes(one)).join('|')})\\b|\\b(undefined|NaN|null)\\b`,
  'g',
)

const linesOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`(() => {
    const hidden = [...document.querySelectorAll('code, pre, .code')].map((one) => [one, one.style.display])
    for (const [one] of hidden) one.style.display = 'none'
    const text = document.body.innerText
    for (const [one, display] of hidden) one.style.display = display
    return text.split('\\n')
  })()`)

const rawWords = (lines: Iterable<string>): readonly string[] =>
  [...lines].flatMap((line) => line.match(raw) ?? []).filter((word) => !isName(word))

const ofOrders = made.flatMap(({ id }) => (id === undefined ? [] : [`/orders/${id}`]))
const addresses = [
  ...['/', ...ofOrders.slice(0, 1), '/operator', '/worlds', '/ledger', '/activity?tab=events'],
  ...['/?symbol=KO', '/orders', ...ofOrders.slice(1), `/worlds/${world}`, '/runs', '/activity'],
  ...['risk', 'streams', 'jobs'].map((tab) => `/activity?tab=${tab}`),
  ...['/tokenization', '/keys', '/first'],
].map((path) => `${path}${path.includes('?') ? '&' : '?'}world=${world}`)
addresses.push(
  ...['/tokenization?', '/ledger?', '/activity?tab=events&'].map((path) => `${path}world=${tokens.world}`),
)

for (const address of casesOf(addresses, 6))
  test(`no raw word is on ${address}`, async (t) => {
    const page = await visit(t, address)
    await page.locator('main').waitFor()
    await page.waitForTimeout(1200)
    const tabs = page.getByRole('tab')
    const lines = new Set(await linesOf(page))
    for (let at = 0; at < (await tabs.count()); at += 1) {
      await tabs.nth(at).click()
      await page.waitForTimeout(400)
      for (const line of await linesOf(page)) lines.add(line)
    }
    assert.deepEqual(rawWords(lines), [])
  })
