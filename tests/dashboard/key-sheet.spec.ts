import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visit } from './stage.ts'

test('the sheet of keys has those of all screens, and those of the current screen first', async (t) => {
  for (const [path, title, first] of [
    ['/', 'Workspace', 'Show positions'],
    ['/orders', 'Orders', 'Next order'],
    ['/operator', 'Operator', 'Run the audit'],
  ] as const) {
    const page = await visit(t, path)
    await page.locator('main h1', { hasText: title }).first().waitFor({ state: 'attached' })
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keys' })
    const groups = await sheet.getByRole('heading', { level: 3 }).allTextContents()
    assert.equal(groups[0], title)
    for (const group of ['Ticket', 'Time', 'Everywhere', 'Go to', 'Ledger', 'Worlds', 'Runs', 'Activity'])
      assert.ok(groups.includes(group), `${group} in ${groups}`)
    await sheet.getByRole('region', { name: title }).getByText(first).waitFor()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
  }
})

test('who is no operator sees no keys of screens for operators', async (t) => {
  const page = await visit(t, '/orders', { isOperator: false })
  await page.locator('main h1', { hasText: 'Orders' }).first().waitFor({ state: 'attached' })
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keys' })
  await sheet.getByText('Go to Ledger').waitFor()
  for (const text of ['Run the audit', 'Go to Operator', 'Go to Worlds'])
    assert.equal(await sheet.getByText(text).count(), 0, text)
  await page.keyboard.press('Escape')
})
