import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { waitUntil } from '../support/wait-until.ts'
import { commonDemo } from './demo.ts'
import { assertAccessible, signedIn, visit } from './stage.ts'

const world = await commonDemo()
const cardOf = (page: Page) => page.getByRole('group', { name: 'What happened' })
const leave = async (page: Page) => {
  await page.mouse.move(5, 5)
  await cardOf(page).waitFor({ state: 'detached' })
}

test('amounts of the account and of positions have stories', async (t) => {
  const page = await visit(t, `/?world=${world}`)
  const summary = page.getByRole('region', { name: 'Account' })
  const [equity, cash, long, short] = await Promise.all(
    ['equity', 'cash', 'long_market_value', 'short_market_value'].map((field) =>
      summary.locator(`[data-number="account.${field}"]`).textContent(),
    ),
  )
  await summary.locator('[data-number="account.equity"]').hover()
  await cardOf(page).getByText(`Equity ${equity}`).waitFor()
  await cardOf(page).getByText(`Cash ${cash}, long ${long}, short ${short}.`).waitFor()
  await assertAccessible(page, { within: '.story-card' })
  await leave(page)
  await summary.locator('[data-number="account.buying_power"]').hover()
  const text = await cardOf(page).getByText(`4 × equity ${equity} − positions of `).textContent()
  const numberOf = (shown: string): number => Number(shown.replaceAll(',', '').replace('−', '-'))
  const positions = numberOf(/positions of ([\d.,]+), less/.exec(text!)![1]!)
  assert.equal(positions.toFixed(2), (numberOf(long!) - numberOf(short!)).toFixed(2))
  await leave(page)
  await summary.locator('[data-number="account.cash"]').hover()
  await cardOf(page)
    .getByText(/^Last change: (Bought|Sold) /)
    .waitFor()
  await cardOf(page).getByText('The last order that changed it').waitFor()
  await leave(page)
  await page.getByRole('tab', { name: /^Positions/ }).click()
  await page.locator('.blotter [data-number="position.AAPL.unrealized_pl"]').hover()
  await cardOf(page)
    .getByText(/^\d+ AAPL at [\d.]+ on average$/)
    .waitFor()
  await cardOf(page)
    .getByText(/^(Buy|Sell) \d+ AAPL/)
    .waitFor()
  await cardOf(page).getByRole('slider').waitFor()
  await leave(page)
})

test('w shows the story of a row of the blotter, Tab goes to its slider, and Escape goes back to the row', async (t) => {
  const page = await visit(t, `/?world=${world}`)
  await page.getByRole('tab', { name: 'Fills' }).click()
  const fills = page.getByRole('region', { name: 'Fills' })
  await fills.locator('tr[data-row]').first().waitFor()
  await fills.focus()
  // The next key may come in the same frame, and must be a key of the row.
  const hasFocusInFrame = await page.evaluate<boolean>(`new Promise((resolve) => {
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowDown', bubbles: true }))
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => resolve(document.activeElement.matches('tr[data-cursor]'))
    port2.postMessage('next task')
  })`)
  assert.ok(hasFocusInFrame)
  await page.keyboard.press('w')
  await cardOf(page)
    .getByText(/^Filled \d+ /)
    .first()
    .waitFor()
  await cardOf(page).getByRole('slider').waitFor()
  await page.keyboard.press('Tab')
  const slider = cardOf(page).getByRole('slider')
  const before = await slider.inputValue()
  await page.keyboard.press(before === '0' ? 'ArrowRight' : 'ArrowLeft')
  assert.notEqual(await slider.inputValue(), before)
  await assertAccessible(page, { within: '.story-card' })
  await page.keyboard.press('Escape')
  await cardOf(page).waitFor({ state: 'detached' })
  await waitUntil(
    'the row has the focus',
    () => page.evaluate<boolean>('document.activeElement.matches("tr[data-cursor]")'),
    10,
  )
})

test('an order of the blotter has its story on its status, and a fill has one on the chart', async (t) => {
  const page = await visit(t, `/markets/AAPL?world=${world}`)
  await page.getByRole('tab', { name: /^Open orders/ }).click()
  await page
    .locator('.blotter .story-cell', { hasText: /Working|Open/ })
    .first()
    .hover()
  await cardOf(page)
    .getByText(/^Nothing filled yet\. /)
    .waitFor()
  await leave(page)
  const spot = page.locator('.fill-spot').last()
  await spot.waitFor()
  await spot.hover()
  await cardOf(page)
    .getByText(/^(Buy|Sell) \d+ AAPL/)
    .waitFor()
  await leave(page)
  await page.locator('.candles .plot').focus()
  await page.keyboard.press('w')
  await cardOf(page)
    .getByText(/^Filled \d+ /)
    .first()
    .waitFor()
  await page.keyboard.press('Escape')
  await cardOf(page).waitFor({ state: 'detached' })
})

test('on a phone, a long press on a number of a position shows its story and selects nothing', async (t) => {
  const page = await signedIn(t, `/?world=${world}`, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  })
  const number = page.locator('.blotter [data-number="position.AAPL.unrealized_intraday_pl"]')
  await number.dispatchEvent('pointerdown', { pointerType: 'touch', bubbles: true })
  await cardOf(page)
    .getByText(/^\d+ AAPL at [\d.]+ on average$/)
    .waitFor()
  await cardOf(page).getByRole('slider').waitFor()
  await number.dispatchEvent('pointerup', { pointerType: 'touch', bubbles: true })
  assert.equal(await page.locator('tr[aria-selected="true"]').count(), 0)
  const box = (await cardOf(page).boundingBox())!
  assert.ok(box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box))
})
