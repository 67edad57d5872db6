import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu } from '@quipu/sdk'
import type { Page } from 'playwright-core'
import { waitUntil } from '../support/wait-until.ts'
import { visibleStop } from './focus.ts'
import { moveTo, NO_SCREEN, openStage, signedIn, visit } from './stage.ts'

const stage = await openStage()
const lab = await stage.operator.createWorld({
  body: { world: 'palette-lab', start: '2026-01-05T15:00:00Z', hours: 'nyse' },
})
const { key_id: keyId, secret_key: secretKey } = lab.accounts[0]!
const program = createQuipu({ url: stage.broker.url, keyId, secretKey })
const path = '/orders?world=palette-lab'

/** Opens the search and types. */
async function find(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search' }).fill(text)
}

test('a key right after Escape opens the search again', async (t) => {
  const page = await visit(t, path)
  const field = page.getByRole('combobox', { name: 'Search' })
  await page.keyboard.press('Control+k')
  for (let turn = 0; turn < 5; turn++) {
    await field.fill(`turn ${turn}`)
    // The second key comes before the page has noticed the first one.
    await Promise.all([page.keyboard.press('Escape'), page.keyboard.press('Control+k')])
    await field.and(page.locator(':placeholder-shown')).waitFor()
  }
  await page.keyboard.press('Escape')
})

test('the search finds pages and headings of the documentation', async (t) => {
  // It leaves the dashboard, so it has a page of its own.
  const page = await signedIn(t, path)
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await find(page, 'market events')
  await page.getByRole('option', { name: /Market events .*Guides/ }).waitFor()
  await find(page, 'createMarketEvent')
  await page.getByRole('option', { name: /createMarketEvent .*API/ }).click()
  await page.waitForURL(/\/docs\/api\/createMarketEvent$/)
})

test('the search finds orders by short id and by client order id, also those that ended', async (t) => {
  const order = await program.orders.limit({
    symbol: 'KO',
    side: 'buy',
    qty: 3,
    limitPrice: '1.5',
    clientOrderId: 'dip-ko-1',
  } as never)
  await program.orders.cancel(order.id)
  const page = await visit(t, path)
  const reads: string[] = []
  page.on('request', (request) => {
    if (/status=all&limit=500|by_client/.test(request.url())) reads.push(request.url())
  })
  await page.getByText('Canceled', { exact: true }).first().waitFor()
  reads.length = 0
  await page.keyboard.press('Control+k')
  await page.keyboard.type('dip-ko-1')
  assert.match(await visibleStop(page), /^combobox Search/)
  const found = page.getByRole('option', { name: /dip-ko-1 .*Buy 3 KO/ })
  await found.waitFor()
  assert.equal(reads.length, 1, `one read for eight keys, not ${reads.join(' ')}`)
  await page.getByRole('combobox', { name: 'Search' }).fill(order.id.slice(0, 8))
  await found.waitFor()
  assert.equal(reads.length, 1, 'the orders are read once')
  await found.click()
  await page.waitForURL(new RegExp(`/orders/${order.id}`))
})

test('the result that the viewer moved to stays chosen while others come before it', async (t) => {
  const page = await signedIn(t, NO_SCREEN)
  let release = (): void => undefined
  const isReleased = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(/\/v2\/assets\?/, async (route) => {
    await isReleased
    await route.continue()
  })
  await page.goto(stage.url + path)
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await find(page, 'go')
  const chosen = page.getByRole('listbox', { name: 'Results' }).locator('[aria-selected="true"]')
  await page.getByRole('option', { name: /Go to Orders/ }).waitFor()
  while (!/Go to Orders/.test((await chosen.textContent()) ?? '')) await page.keyboard.press('ArrowDown')
  release()
  await page.getByRole('option', { name: /GOOG/ }).first().waitFor()
  assert.match((await chosen.textContent()) ?? '', /Go to Orders/)
  // Another text begins with its first result.
  await page.keyboard.type('o')
  await chosen.and(page.getByRole('option', { name: /^GOOG/ })).waitFor()
})

test('the search finds a request by the part of its id that the screens show', async (t) => {
  await program.account.get()
  const read = () =>
    stage.operator.listRequests({
      params: { world: 'palette-lab' },
      query: { operation: 'getAccount', account_id: lab.accounts[0]!.account_id, last: 100 },
    })
  // The log has a request a little after its response.
  const { request_id: id } = await waitUntil(
    'the log has the request',
    async () => (await read()).requests[0],
  )
  const page = await visit(t, path)
  await find(page, id.slice(-7))
  await page.getByRole('option', { name: new RegExp(`Request …${id.slice(-7)} GET /v2/account`) }).click()
  await page.waitForURL(new RegExp(`/activity/${id}`))
})

test('an open search finds worlds that are created later, and symbols when the world is known', async (t) => {
  const page = await visit(t, '/orders')
  for (const [world, shown, text, found] of [
    ['palette-later', 'main', 'palette-later', 'palette-later show this world'],
    ['palette-last', 'palette-last', 'AAPL', /^AAPL /],
  ] as const) {
    await moveTo(page, `/orders?world=${shown}`)
    await find(page, text)
    await page.getByText(`Nothing for “${text}”`).waitFor()
    await stage.operator.createWorld({ body: { world } as never })
    await page.getByRole('option', { name: found }).waitFor({ timeout: 10_000 })
    await page.keyboard.press('Escape')
  }
})
