import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStage, signedIn, visit } from './stage.ts'

const stage = await openStage()

/** The notices that the page showed; the tab is hidden. */
const recorded = `
  globalThis.notices = []
  globalThis.asked = 0
  globalThis.Notification = class {
    static permission = 'default'
    static async requestPermission() {
      globalThis.asked += 1
      return (Notification.permission = 'granted')
    }
    constructor(text) { globalThis.notices.push(text) }
  }`

test('a fill is announced only if the switch is on and the tab is hidden', async (t) => {
  const page = await signedIn(t, '/orders')
  await page.evaluate(recorded)
  await page.getByText('Live', { exact: true }).waitFor()
  assert.equal(await page.evaluate('asked'), 0)
  await page.keyboard.press('?')
  const box = page.getByRole('checkbox', { name: /notice for fills/ })
  assert.equal(await box.isChecked(), false)
  const opened = page.waitForEvent('websocket')
  await box.check()
  await opened
  await page.waitForFunction('asked === 1')
  await page.keyboard.press('Escape')
  await page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
  const place = () => stage.account.orders.market({ symbol: 'KO', side: 'buy', qty: 1 } as never)
  for (let left = 20; left > 0 && (await page.evaluate<number>('notices.length')) === 0; left -= 1) {
    await place()
    await page.waitForTimeout(300)
  }
  const [notice = ''] = await page.evaluate<string[]>('notices')
  assert.match(notice, /^Bought 1 KO at \d/)
})

test('the sheet of keys is grouped by the part of the screen', async (t) => {
  const page = await visit(t, '/orders')
  await page.getByRole('combobox', { name: 'Side' }).waitFor()
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keys' })
  for (const group of ['Orders', 'Everywhere', 'Go to'])
    await dialog.getByRole('region', { name: group }).waitFor()
  await dialog
    .getByRole('region', { name: 'Everywhere' })
    .getByText('Search or run a command')
    .first()
    .waitFor()
  await page.keyboard.press('Escape')
})
