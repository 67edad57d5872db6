import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu } from '@quipu/sdk'
import type { Page } from 'playwright-core'
import { moneyText } from '../../web/src/format/amounts.ts'
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
    await assertAccessible(page, { within: '.difference-card', onlyColours: colorScheme === 'dark' })
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
    await assertAccessible(page, { within: '.difference-card', onlyColours: colorScheme === 'dark' })
    await page.locator('.difference-card header').scrollIntoViewIfNeeded()
    await saveScreenshot(page, `difference-390-${colorScheme}`)
  }
  await assertFits(page)
  await page.emulateMedia({ colorScheme: null })
})

test('both cards have the equity of one millisecond, in which a fork that stands may have traded', async (t) => {
  const { operator, broker } = stage
  const start = '2026-01-05T10:00:00-05:00'
  await operator.createWorld({ body: { world: 'parent', start, seed: '7' } })
  const { accounts } = await operator.forkWorld({ params: { world: 'parent' }, body: { world: 'traded' } })
  const { key_id, secret_key } = accounts[0]!
  const bot = createQuipu({ url: broker.url, keyId: key_id, secretKey: secret_key })
  await bot.orders.place({ symbol: 'AAPL', side: 'buy', qty: '100', type: 'market' })
  await operator.advanceClock({ params: { world: 'traded' }, body: { by: '1m' } })
  const page = await visit(t, '/worlds?world=parent&with=traded')
  const found = await operator.getWorldDifference({
    params: { world: 'parent' },
    query: { against: 'traded' },
  })
  assert.notEqual(found.against.equity, found.world.equity)
  const amounts = page.locator('[data-number="compared.traded"]')
  // The card of the curves has the names, and leaves the amounts to the difference.
  const equity = page.getByRole('region', { name: 'Equity', exact: true })
  await equity.getByRole('img', { name: /Equal until the fork at/ }).waitFor()
  await equity.getByRole('listitem').nth(1).waitFor()
  assert.ok((await equity.getByText(/^Forked /).count()) > 0)
  assert.deepEqual(await equity.getByRole('listitem').allTextContents(), ['parent', 'traded'])
  assert.equal(await equity.locator('[data-number]').count(), 0)
  await page
    .locator('.difference-table')
    .getByRole('row', { name: /^Equity/ })
    .waitFor()
  assert.deepEqual([...new Set(await amounts.allInnerTexts())], [moneyText(found.against.equity)])
  assert.equal(await amounts.count(), 1)
})
