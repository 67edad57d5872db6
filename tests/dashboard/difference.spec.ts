import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { saveScreenshot } from '../browser/chromium.ts'
import { commonDemo, makeFork } from './demo.ts'
import { assertAccessible, assertFits, openStage, visit } from './stage.ts'

const stage = await openStage()
const world = await commonDemo()
const { url, brokerKey: keyId, brokerSecret: secretKey } = stage.broker
const { world: fork } = await makeFork({ url, keyId, secretKey }, world, 'difference-stops')
const difference = () => stage.operator.getWorldDifference({ params: { world }, query: { against: fork } })

const cents = (text: string): bigint => BigInt(text.replace('−', '-').replace(/[^\d-]/g, ''))
/** The last column of a table, or the change on each card. */
const changesIn = async (page: Page, selector: string): Promise<readonly bigint[]> =>
  (await page.locator(selector).allInnerTexts()).map(cents)

test('each order that differs has a row, and the rows add up to the difference in equity', async (t) => {
  const page = await visit(t, `/worlds?world=${world}&with=${fork}`)
  const card = page.getByRole('region', { name: 'Difference of two worlds' })
  await card.getByRole('row', { name: /no such order .*Sell 45 NVDA stop .* filled/ }).waitFor()
  const found = await difference()
  await card.getByText('both at 12:12:40').waitFor()
  assert.equal(await page.locator('.difference-table tbody tr').count(), found.rows.length + 1)
  const changes = await changesIn(page, '.difference-table tbody td:last-child')
  const [total] = await changesIn(page, '.difference-total')
  const [sum] = await changesIn(page, '.difference-table tfoot td:last-child')
  assert.equal(total, sum)
  // Each row is rounded to a cent.
  const added = changes.reduce((all, one) => all + one, 0n)
  assert.ok(added - total! <= changes.length && total! - added <= changes.length, `${added} ${total}`)
  assert.equal(Number(total) / 100, Number(Number(found.equity_change).toFixed(2)))
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await assertAccessible(page)
    await page.locator('.difference-table tfoot').scrollIntoViewIfNeeded()
    await saveScreenshot(page, `difference-1440-${colorScheme}`)
  }
  await assertFits(page)
  await page.emulateMedia({ colorScheme: null })
  await card.getByLabel('Compare with').selectOption('')
  await card.getByText('Fork this world, change one thing, play both').waitFor()
  await card.getByLabel('Compare with').selectOption(fork)
  await card.getByRole('row', { name: /^Equity/ }).waitFor()
})

test('on a phone each difference is a card', async (t) => {
  const page = await visit(t, `/worlds?world=${world}&with=${fork}`, {
    viewport: { width: 390, height: 844 },
  })
  const cards = page.getByRole('list', { name: 'Orders that differ' })
  await cards.getByText('45 NVDA stop').first().waitFor()
  const found = await difference()
  assert.equal(await cards.getByRole('listitem').count(), found.rows.length + 2)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await assertAccessible(page)
    await page.locator('.difference-card header').scrollIntoViewIfNeeded()
    await saveScreenshot(page, `difference-390-${colorScheme}`)
  }
  await assertFits(page)
  await page.emulateMedia({ colorScheme: null })
})
