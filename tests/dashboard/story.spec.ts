import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@quipu/sdk'
import { commonDemo } from './demo.ts'
import { assertAccessible, openStage, signedIn, visit } from './stage.ts'

const { broker, operator } = await openStage()
const world = await commonDemo()

const orders = await operator.listWorldOrders({
  params: { world },
  query: { status: 'all', limit: 100 } as never,
})
const missed = orders.find(({ client_order_id: id }) => id === 'dip-buyer-2')!

test('the pointer on a status shows the story in three lines; a slider shows the fill of other limits', async (t) => {
  const page = await visit(t, `/orders?world=${world}`)
  const cell = page.locator('tbody tr').filter({ hasText: '197.78' }).locator('.story-cell')
  await cell.hover()
  const card = page.getByRole('group', { name: 'What happened' })
  await card.getByText('Buy 30 AAPL at 197.78 or better').waitFor()
  await card.getByText(/^Nothing filled\. Canceled 5\sJan 10:47:30\.$/).waitFor()
  await card.getByText(/^The market came to 206\.43, 8\.65 from the limit/).waitFor()
  const slider = card.getByRole('slider')
  await card.getByText('Not filled').waitFor()
  await slider.fill('0')
  const text = (await slider.getAttribute('aria-valuetext')) ?? ''
  const [, limit] = /^limit ([\d.]+): Filled 30 at [\d.]+, 5 Jan 10:04:05$/.exec(text) ?? []
  assert.ok(limit, text)
  const { fills } = await operator.whatIfOrder({
    params: { world, order_id: missed.id },
    query: { limit_prices: [limit] } as never,
  })
  assert.equal(fills[0]?.filled_qty, '30')
  await assertAccessible(page, { within: '.story-card' })
  await page.mouse.move(5, 5)
  await card.waitFor({ state: 'detached' })
})

test('w shows the story of the row with the focus, Tab goes to its slider, and Escape closes it', async (t) => {
  const page = await visit(t, `/orders?world=${world}`)
  await page.mouse.move(5, 5)
  const list = page.getByRole('region', { name: 'Orders' })
  const row = list.locator('tr[data-row]').filter({ hasText: 'Filled' }).filter({ hasText: '212.07' })
  await row.waitFor()
  await list.focus()
  for (let steps = 0; steps < 40 && (await row.getAttribute('data-cursor')) === null; steps += 1)
    await page.keyboard.press('ArrowDown')
  await page.keyboard.press('w')
  const card = page.getByRole('group', { name: 'What happened' })
  await card.getByText(/^Filled 45 at 212\.07, 5\sJan 10:28:20\.$/).waitFor()
  const slider = card.getByRole('slider')
  await slider.waitFor()
  await page.keyboard.press('Tab')
  const before = await slider.inputValue()
  await page.keyboard.press('ArrowLeft')
  assert.notEqual(await slider.inputValue(), before)
  await page.keyboard.press('Escape')
  await card.waitFor({ state: 'detached' })
})

test('leaving stops the computation: its request is aborted', async (t) => {
  const page = await visit(t, `/orders?world=${world}`)
  const whatIf = /\/what-if$/
  // It never gets a response, so only leaving can end it.
  await page.route(whatIf, () => undefined)
  t.after(() => page.unroute(whatIf))
  const failed = page.waitForEvent('requestfailed', (request) => whatIf.test(request.url()))
  await page.locator('tbody tr').filter({ hasText: '197.78' }).locator('.story-cell').hover()
  const card = page.getByRole('group', { name: 'What happened' })
  await card.getByText('Computing other limits').waitFor()
  await page.mouse.move(5, 5)
  assert.equal((await failed).failure()?.errorText, 'net::ERR_ABORTED')
  await card.waitFor({ state: 'detached' })
})

test('a refusal and an amount of the ledger have stories', async (t) => {
  const created = await operator.createWorld({ body: { accounts: 1 } })
  const { key_id: keyId, secret_key: secretKey } = created.accounts[0]!
  const bot = createClient({ url: broker.url, keyId, secretKey })
  await bot
    .placeOrder({
      body: {
        symbol: 'NVDA',
        qty: '1000000',
        side: 'buy',
        type: 'limit',
        limit_price: '1000',
        time_in_force: 'day',
      },
    })
    .catch(() => undefined)
  const page = await visit(t, `/activity?world=${created.world}`)
  await page.getByRole('link', { name: /^Buy 1,000,000 NVDA/ }).hover()
  const card = page.getByRole('group', { name: 'What happened' })
  await card.getByText(/^Refused: not enough buying power\. It takes 1,000,000,000\.00; /).waitFor()
  await card.getByText(/^\d+ were possible at 1,000\.00\.$/).waitFor()
  await page.mouse.move(5, 5)
  await visit(t, `/ledger?world=${world}`)
  await page.getByRole('button', { name: '+1,985.10' }).hover()
  await card.getByText('Sell 15 NVDA at the market').waitFor()
})

test('a phone shows the story after a long press, and the press opens nothing else', async (t) => {
  const page = await signedIn(t, `/orders?world=${world}`, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  })
  const cell = page.locator('tbody tr').filter({ hasText: '197.78' }).locator('.story-cell')
  await cell.dispatchEvent('pointerdown', { pointerType: 'touch' })
  const card = page.getByRole('group', { name: 'What happened' })
  await card.getByText('Buy 30 AAPL at 197.78 or better').waitFor()
  await card.getByRole('slider').waitFor()
  await cell.dispatchEvent('pointerup', { pointerType: 'touch' })
  await cell.dispatchEvent('click')
  assert.match(page.url(), /\/orders\?/)
  const box = (await card.boundingBox())!
  assert.ok(box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box))
  await assertAccessible(page, { within: '.story-card' })
  await page.locator('h1').first().dispatchEvent('pointerdown', { pointerType: 'touch' })
  await card.waitFor({ state: 'detached' })
})
