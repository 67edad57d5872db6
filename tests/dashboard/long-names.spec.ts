import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu } from '@quipu/sdk'
import type { Page } from 'playwright-core'
import { casesOf } from '../support/cases.ts'
import { assertFits, openStage, visit } from './stage.ts'

const { operator, broker } = await openStage()
const world = 'long-names'
const { accounts } = await operator.createWorld({
  body: { world, start: '2026-01-05T10:00:00-05:00', hours: 'always', cash: '50000000' },
})
const { key_id: keyId, secret_key: secretKey } = accounts[0]!
const account = createQuipu({ url: broker.url, keyId, secretKey })
const assets = await account.client.listAssets({ query: { status: 'active', asset_class: 'us_equity' } })
const { symbol, name } = assets.reduce((a, b) => (b.name.length > a.name.length ? b : a))
await account.orders.market({ symbol, side: 'buy', qty: 1234 })
await operator.advanceClock({ params: { world }, body: { by: '1s' } })

/** Windows in CSS pixels. A window at 200 % zoom has half of the pixels of the desktop. */
const windows = [
  [1440, 900],
  [1024, 768],
  [390, 844],
  [720, 450],
] as const

/** Numbers that are cut, or that reach out of their cell or card. */
const cutNumbers = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`[...document.querySelectorAll('main [data-number], [role="option"] .n')].flatMap((number) => {
    const place = number.closest('td, .card, section, [role="option"]')
    if (!place || number.getClientRects().length === 0) return []
    const [inner, outer] = [number.getBoundingClientRect(), place.getBoundingClientRect()]
    const isIn = inner.left >= outer.left - 1 && inner.right <= outer.right + 1
    return isIn && number.scrollWidth <= number.clientWidth + 1 ? [] : [number.outerHTML.slice(0, 160)]
  })`)

for (const [width, height] of casesOf(windows))
  test(`a company name of ${name.length} letters pushes no number out at ${width} pixels`, async (t) => {
    assert.ok(name.length > 40, name)
    const page = await visit(t, `/?world=${world}&symbol=${symbol}`, { viewport: { width, height } })
    await page.getByRole('tab', { name: /^Positions/ }).click()
    await page.locator(`.blotter [data-number="position.${symbol}.current_price"]`).waitFor()
    await page
      .getByRole('heading', { name: new RegExp(`^${symbol}`) })
      .first()
      .waitFor()
    await page.keyboard.press('b')
    const ticket = page.getByRole('form', { name: 'Order ticket' })
    await ticket.getByLabel('Quantity').fill('12')
    await ticket.locator('[data-number^="preview."]').first().waitFor()
    assert.deepEqual(await cutNumbers(page), [])
    await assertFits(page)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search' }).fill(symbol)
    await page
      .getByRole('option', { name: new RegExp(`^${symbol}`) })
      .first()
      .waitFor()
    assert.deepEqual(await cutNumbers(page), [])
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'))
    await page.keyboard.press('Escape')
  })
