import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { visibleStop } from './focus.ts'
import { moveTo, openStage, visit } from './stage.ts'

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
    assert.equal(
      await sheet.evaluate('document.querySelector("dialog[open]").scrollTop'),
      0,
      'it begins at its start',
    )
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

/** Opens the form of an operation from the search, which is removed meanwhile. */
async function openForm(page: Page, operation: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.keyboard.type(operation)
  await page.getByRole('option', { name: new RegExp(`${operation}$`), selected: true }).waitFor()
  await page.keyboard.press('Enter')
}

const removed = (page: Page) => page.locator('dialog').waitFor({ state: 'detached' })

test('a dialog that its button closes gives the focus back', async (t) => {
  const page = await visit(t, '/worlds')
  const opener = page.getByRole('button', { name: /^New world/ })
  for (const [name, close, open] of [
    ['New world', 'Close', () => page.keyboard.press('Enter')],
    ['Keys', 'Close', () => page.keyboard.press('?')],
    ['Delete a world', 'Close', () => openForm(page, 'deleteWorld')],
  ] as const) {
    await opener.focus()
    await open()
    const dialog = page.getByRole('dialog', { name, exact: true })
    await dialog.getByRole('button', { name: close }).focus()
    await page.keyboard.press('Enter')
    await removed(page)
    assert.match(await visibleStop(page), /^button New world/, name)
  }

  // A question in front of a form, and the search after a command that opens nothing.
  await openForm(page, 'deleteWorld')
  const form = page.getByRole('dialog', { name: 'Delete a world', exact: true })
  await form.getByLabel('world').fill('none')
  await page.keyboard.press('Enter')
  const question = page.getByRole('dialog', { name: 'Delete a world?' })
  await question.waitFor()
  await page.keyboard.press('Enter')
  await question.waitFor({ state: 'detached' })
  assert.match(await visibleStop(page), /^input world/)
  await page.keyboard.press('Escape')
  // A dialog that is closed has no role; the focus moves when it is removed.
  await removed(page)
  assert.match(await visibleStop(page), /^button New world/, 'the form')
  await page.keyboard.press('Control+k')
  await page.keyboard.type('go to worlds')
  await page.getByRole('option', { name: /^Go to Worlds/, selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await removed(page)
  assert.match(await visibleStop(page), /^button New world/, 'the search')
})

test('single keys work while a check box or a file field has the focus', async (t) => {
  const { operator } = await openStage()
  // Space runs the clock of this world.
  await operator.createWorld({ body: { world: 'key-sheet-lab', start: '2026-01-05T15:00:00Z' } as never })
  const page = await visit(t, '/keys?world=key-sheet-lab')
  const sheet = page.getByRole('dialog', { name: 'Keys' })
  const box = page.getByLabel('Open a paper account')
  await page
    .getByRole('button', { name: /^Run the clock/ })
    .first()
    .waitFor()
  const wasChecked = await box.isChecked()
  for (const field of [box, page.getByLabel('Open a run file')]) {
    await field.focus()
    await page.keyboard.press('?')
    await sheet.waitFor()
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    if (field !== box) continue
    await page.keyboard.press('Space')
    assert.equal(await box.isChecked(), !wasChecked, 'Space is for the box')
    await moveTo(page, '/runs?world=key-sheet-lab')
  }
})
