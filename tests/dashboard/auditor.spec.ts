import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { saveScreenshot } from '../browser/chromium.ts'
import { casesOf } from '../support/cases.ts'
import { moveTo, newPage, openStage, type Stage } from './stage.ts'

/** A world with something to cancel, close, remove and end on every screen. */
const WORLD = 'audited'
let stage: Stage
before(async () => {
  stage = await openStage()
  const { operator } = stage
  const made = await operator.createWorld({ body: { world: WORLD, seed: 'audited' } })
  const params = { account_id: made.accounts[0]!.account_id }
  const headers = { 'x-quipu-world': WORLD }
  const order = {
    symbol: 'AAPL',
    qty: '1',
    side: 'buy',
    type: 'limit',
    limit_price: '10',
    time_in_force: 'gtc',
  }
  await operator.placeOrderForAccount({ params, headers, body: order as never })
  const person = { name: 'audrey', password: 'correct horse battery', auditor: true }
  await operator.createUser({ params: { world: 'main' }, body: person as never })
})

async function auditorPage(t: { after(run: () => Promise<void>): void }): Promise<Page> {
  const page = await newPage(t, { permissions: ['clipboard-write'] })
  const link = await stage.operator.createSignInLink({
    params: { world: 'main', user: 'audrey' },
    body: { operator: true },
  })
  await page.goto(link.url.replace('127.0.0.1', 'quipu.localhost'))
  await page.getByRole('button', { name: 'Sign in as audrey' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  return page
}

/** Buttons that leave the screen or start a download would end the round. */
const isSkipped = async (button: Locator): Promise<boolean> =>
  /save as a file|download/i.test(`${await button.getAttribute('aria-label')} ${await button.textContent()}`)

for (const screens of casesOf([
  ['worlds', 'markets/AAPL'],
  ['', 'orders', 'ledger', 'activity', 'tokenization', 'keys', 'operator'],
]))
  test(`an auditor sees ${screens.join()}, and no button or key there sends a change`, async (t) => {
    const page = await auditorPage(t)
    const sent: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (request.method() !== 'GET' && pathname !== '/oauth/session/token')
        sent.push(`${request.method()} ${pathname}`)
    })
    let clicked = 0
    for (const screen of screens) {
      const path = `/${screen}?world=${WORLD}`
      await moveTo(page, path)
      await page.getByText('Read only').waitFor()
      await page.getByRole('status', { name: 'Loading' }).first().waitFor({ state: 'hidden' })
      await saveScreenshot(page, `auditor-${screen.replace('/', '-') || 'home'}`)
      const buttons = page.locator('main button:visible:enabled')
      // The first ones appear after the first data; a screen may have none.
      await buttons
        .first()
        .waitFor({ timeout: 3000 })
        .catch(() => undefined)
      for (let index = 0; index < (await buttons.count()); index++) {
        const button = buttons.nth(index)
        if (await isSkipped(button)) continue
        await button.click({ timeout: 2000 }).catch(() => undefined)
        clicked += 1
        if (!page.url().includes(`/${screen}`)) await moveTo(page, path)
      }
      // Keys that place, cancel, fork or advance.
      for (const key of ['Escape', 'b', 's', 'x', 'f', 'a', 'm', '.', 'n', 'Enter', 'Escape'])
        await page.keyboard.press(key)
    }
    assert.ok(clicked > 3, `${clicked} buttons`)
    assert.deepEqual(sent, [])
  })
