import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu } from '@quipu/sdk'
import type { Page } from 'playwright-core'
import { newWorld } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { commonDemo } from './demo.ts'
import { assertAccessible, NO_SCREEN, openStage, signedIn, visit } from './stage.ts'

const world = await commonDemo()
const { broker, operator, url } = await openStage()
const legendOf = (page: Page) => page.getByRole('list', { name: 'Indicators' })
const drawn = (page: Page) => page.getByRole('img', { name: /^AAPL, five-minute bars from .* Low / })

test('indicators are chosen with the keyboard, have values, are hidden by Alt, and are remembered', async (t) => {
  const page = await signedIn(t, `/markets/AAPL?world=${world}`)
  await drawn(page).waitFor()
  const legend = legendOf(page)
  await legend.getByText(/^VWAP \d/).waitFor()
  await page.keyboard.press('i')
  const menu = page.getByRole('group', { name: 'Indicators' })
  for (const name of ['EMA', 'SMA', 'Bollinger bands', 'RSI'])
    await menu.getByLabel(name, { exact: true }).check()
  await menu.getByLabel('EMA, period').fill('10')
  await legend.getByText(/^EMA 10 \d+\.\d\d$/).waitFor()
  await legend.getByText(/^SMA 50 \d+\.\d\d$/).waitFor()
  await legend.getByText(/^Bollinger 20, 2 \d+\.\d\d · \d+\.\d\d · \d+\.\d\d$/).waitFor()
  await legend.getByText(/^RSI 14 \d+\.\d$/).waitFor()
  await assertAccessible(page)
  await page.keyboard.press('Escape')
  await menu.waitFor({ state: 'detached' })
  await page.keyboard.down('Alt')
  await legend.waitFor({ state: 'detached' })
  await page.keyboard.up('Alt')
  await legend.getByText(/^EMA 10/).waitFor()
  await page.reload()
  await legendOf(page)
    .getByText(/^EMA 10 \d/)
    .waitFor()
})

test('another symbol is compared, the scale is logarithmic, and a range has bars that fit', async (t) => {
  const page = await visit(t, `/markets/AAPL?world=${world}`)
  await drawn(page).waitFor()
  await page.getByRole('button', { name: 'Compare' }).click()
  const field = page.getByLabel('Symbol to compare with')
  await field.fill('nosuch')
  await field.press('Enter')
  await page.getByText('This world has no symbol NOSUCH').waitFor()
  await field.fill('spy')
  await field.press('Enter')
  await legendOf(page).getByText('SPY, scaled at the left edge').waitFor()
  await page.waitForURL(/compare=SPY/)
  await page.getByRole('button', { name: 'Log', exact: true }).click()
  await page.waitForURL(/scale=log/)
  const ranges = page.getByRole('group', { name: 'Range' })
  await ranges.getByRole('button', { name: '3M' }).click()
  await page.getByRole('img', { name: /^AAPL, daily bars/ }).waitFor()
  assert.equal(await ranges.getByRole('button', { name: '3M' }).getAttribute('aria-pressed'), 'true')
  await page.getByRole('button', { name: '1h', exact: true }).click()
  await page.getByRole('img', { name: /^AAPL, hourly bars/ }).waitFor()
  assert.equal(await ranges.getByRole('button', { name: '3M' }).getAttribute('aria-pressed'), 'false')
  await page.getByRole('button', { name: 'Against SPY' }).click()
  await page.getByRole('button', { name: 'End the comparison' }).click()
  await legendOf(page).getByText('SPY').waitFor({ state: 'detached' })
})

test('the limit in the ticket is a dotted line before it is sent', async (t) => {
  const page = await visit(t, `/markets/AAPL?world=${world}`)
  await drawn(page).waitFor()
  const ticket = page.getByRole('form', { name: 'Order ticket' })
  const bid = await ticket.getByTitle('Use as limit price').first().textContent()
  await ticket.getByTitle('Use as limit price').first().click()
  await page.locator('.draft-line', { hasText: bid! }).waitFor()
  await page.getByText('Buy limit, not sent').waitFor()
  await ticket.getByLabel('Quantity').press('Escape')
  await page.getByText('Buy limit, not sent').waitFor({ state: 'detached' })
})

test('of many order prices the nearest ones have a line', async (t) => {
  const name = 'many-lines'
  const { accounts } = await operator.createWorld({
    body: { world: name, start: '2026-01-05T10:00:00-05:00', hours: 'always', symbols: ['KO'] },
  })
  const { key_id: keyId, secret_key: secretKey } = accounts[0]!
  const program = createQuipu({ url: broker.url, keyId, secretKey })
  // From the farthest to the nearest.
  const prices = Array.from({ length: 35 }, (_, index) => `${1 + index / 4}`)
  for (const price of prices)
    await program.orders.limit({ symbol: 'KO', side: 'buy', qty: 1, limitPrice: price })
  const page = await visit(t, `/markets/KO?world=${name}`)
  await page.getByText('The nearest 30 of 35 order prices').waitFor()
  const lines = page.getByRole('slider', { name: 'Limit price, buy 1 KO' })
  const shown = await lines.evaluateAll((all) => all.map((one) => Number(one.getAttribute('aria-valuenow'))))
  assert.deepEqual(
    shown.toSorted((a, b) => a - b),
    prices.slice(5).map(Number),
  )
  await assertAccessible(page)
})

test('a chart whose code or styles cannot be loaded says so', async (t) => {
  for (const part of casesOf([/chart-pane.*\.css/, /chart-pane.*\.js/, /lightweight-charts.*\.js/])) {
    const page = await signedIn(t, NO_SCREEN)
    await page.route(part, (route) => route.abort('connectionrefused'))
    await page.goto(`${url}/?world=${world}`)
    await page.getByRole('alert').getByText('Could not load the chart').waitFor()
    await page.getByRole('form', { name: 'Order ticket' }).waitFor()
    await page.unroute(part)
    await page.getByRole('button', { name: 'Try now' }).click()
    await drawn(page).waitFor()
  }
})

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length

/** The indicators of the newest bar, from their definitions. */
function indicatorsOf(bars: readonly { t: string; c: number; v: number; vw: number }[]) {
  const closes = bars.map(({ c }) => c)
  const last = closes.slice(-20)
  const deviation = Math.sqrt(mean(last.map((close) => (close - mean(last)) ** 2)))
  const today = bars.filter(({ t }) => t.slice(0, 10) === bars.at(-1)!.t.slice(0, 10))
  const [gains, losses] = [1, -1].map((sign) =>
    closes.slice(1).map((close, index) => Math.max(sign * (close - closes[index]!), 0)),
  )
  // Wilder: each value weighs 13/14 of the one after it. After some hundred bars the start has no weight.
  const smoothed = (values: readonly number[]) => values.reduce((sum, value) => (sum * 13 + value) / 14, 0)
  const ema = closes.reduce((before, close) => before + (2 / 21) * (close - before), closes[0]!)
  const two = (value: number) => value.toFixed(2)
  return {
    VWAP: two(mean(today.map(({ v, vw }) => v * vw)) / mean(today.map(({ v }) => v))),
    'EMA 20': two(ema),
    'SMA 50': two(mean(closes.slice(-50))),
    'Bollinger 20, 2': [2, 0, -2].map((times) => two(mean(last) + times * deviation)).sort(),
    'RSI 14': (100 - 100 / (1 + smoothed(gains!) / smoothed(losses!))).toFixed(1),
  }
}

test('the indicators of the legend are those of the bars of the API', async (t) => {
  const name = 'indicators'
  const start = '2026-01-05T09:30:00-05:00'
  const lab = await newWorld(broker, { world: name, start, hours: 'nyse', seed: '7' })
  await lab.advance('150m')
  const page = await signedIn(t, `/markets/AAPL?world=${name}`)
  await drawn(page).waitFor()
  await page.keyboard.press('i')
  for (const indicator of ['EMA', 'SMA', 'Bollinger bands', 'RSI'])
    await page.getByRole('group', { name: 'Indicators' }).getByLabel(indicator, { exact: true }).check()
  const { bars } = await createQuipu(lab).client.stockBarSingle({
    params: { symbol: 'AAPL' },
    query: { timeframe: '5Min', start: '2025-12-22T00:00:00Z', limit: 10_000 } as never,
  })
  assert.ok(bars.length > 200)
  for (const [indicator, value] of Object.entries(indicatorsOf(bars as never))) {
    const item = legendOf(page).getByRole('listitem').filter({ hasText: indicator })
    await item.filter({ hasText: /\d$/ }).waitFor()
    const text = (await item.locator('b').textContent()) ?? ''
    assert.deepEqual(Array.isArray(value) ? text.split(' · ').sort() : text, value, indicator)
  }
})
