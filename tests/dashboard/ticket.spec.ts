import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu, type Quipu } from '@quipu/sdk'
import type { Page } from 'playwright-core'
import { newWorld } from '../support/broker.ts'
import { assertAccessible, moveTo, openStage, signedIn, visit } from './stage.ts'

const stage = await openStage()

/** A paused world during a session: nothing fills before time passes. */
async function pausedWorld(world: string, settings: object = {}): Promise<Quipu> {
  const start = '2026-01-05T11:00:00-05:00'
  const made = await newWorld(stage.broker, { world, start, hours: 'nyse', seed: '7', ...settings })
  return createQuipu({ url: made.url, keyId: made.keyId, secretKey: made.secretKey })
}

const advance = (world: string, by: string) =>
  stage.operator.advanceClock({ params: { world }, body: { by } })
const askOf = async (account: Quipu, symbol: string): Promise<number> =>
  (await account.client.stockLatestQuoteSingle({ params: { symbol } })).quote!.ap
const ticketOf = (page: Page) => page.getByRole('form', { name: 'Order ticket' })

/** The ticket of a world, as it is at the start. */
async function ticketIn(t: Parameters<typeof visit>[0], world: string) {
  const page = await visit(t, `/?world=${world}`)
  const ticket = ticketOf(page)
  await ticket.getByLabel('Quantity').press('Escape')
  return { page, ticket }
}

test('the ticket follows an order to its fill, with its price and its delay', async (t) => {
  const world = 'ticket-fill'
  await pausedWorld(world, { latency: '40ms' })
  const { page, ticket } = await ticketIn(t, world)
  await ticket.getByRole('combobox', { name: 'Symbol' }).fill('AAPL')
  await ticket.getByLabel('Quantity').fill('3')
  await ticket.getByRole('button', { name: 'Buy 3 AAPL' }).click()
  await ticket.getByText('Accepted, waits for the market').waitFor()
  await ticket.getByText('The clock is paused: nothing fills until time passes.').waitFor()
  await ticket.getByRole('button', { name: 'Play 1 s' }).click()
  await ticket.getByText(/^Filled 3 at \d+\.\d+$/).waitFor()
  await ticket.getByText('Buy 3 AAPL, market. 40 ms after it was sent.').waitFor()
  await assertAccessible(page, { within: '.ticket-pane' })
  await ticket.getByRole('link', { name: 'Why this price?' }).click()
  await page.getByRole('heading', { name: /^Buy 3 AAPL/ }).waitFor()
})

test('an order that fills while its response is on the way and the stream opens again is shown as filled', async (t) => {
  const world = 'ticket-late'
  const account = await pausedWorld(world)
  const { page, ticket } = await ticketIn(t, world)
  await ticket.getByRole('combobox', { name: 'Symbol' }).fill('KO')
  await ticket.getByLabel('Quantity').fill('3')
  const buy = ticket.getByRole('button', { name: 'Buy 3 KO' })
  await buy.waitFor()
  const stream = /\/snapshot\?/
  await page.route('**/v2/orders', async (route) => {
    // The page gets the response to the placement only after a whole snapshot with the fill.
    await page.route(stream, (opening) => opening.abort())
    const opens = page.waitForRequest(stream)
    await moveTo(page, `/?world=${world}&symbol=XOM`)
    await opens
    const placed = await account.client.placeOrder({ body: route.request().postDataJSON() })
    await advance(world, '1s')
    await page.unroute(stream)
    await page.getByRole('tab', { name: 'Positions 1' }).waitFor()
    await route.fulfill({ json: { ...placed, status: 'accepted', filled_qty: '0', filled_at: null } })
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
  await buy.click()
  await ticket.getByText(/^Filled 3 at/).waitFor()
})

test('a partial fill, a canceled rest and a rejection are said as they are', async (t) => {
  const world = 'ticket-parts'
  const account = await pausedWorld(world, { fill_size: 'displayed' })
  const { ticket } = await ticketIn(t, world)
  await ticket.getByRole('combobox', { name: 'Symbol' }).fill('KO')
  await ticket.getByLabel('Quantity').fill('5000')
  await ticket.getByLabel('Type').selectOption('Limit')
  const ask = await askOf(account, 'KO')
  await ticket.getByLabel('Limit price').fill(ask.toFixed(2))
  await ticket.getByRole('button', { name: /^Buy 5,000 KO at/ }).click()
  await ticket.getByText(/^Filled [\d,]+ of 5,000 at/).waitFor()
  await ticket.getByText(/[\d,]+ are still working\./).waitFor()
  await ticket.getByRole('button', { name: 'Cancel the rest' }).click()
  await ticket.getByText(/^Filled [\d,]+ at .*, the rest canceled$/).waitFor()
})

test('a refusal because of an opposite order names it with its price, and a button cancels it', async (t) => {
  const world = 'ticket-wash'
  const account = await pausedWorld(world)
  await account.orders.market({ symbol: 'AAPL', side: 'buy', qty: 90 })
  await advance(world, '1s')
  const price = (await account.latestPrice('AAPL'))!
  const stop = (price * 0.97).toFixed(2)
  await account.orders.stop({
    symbol: 'AAPL',
    side: 'sell',
    qty: 50,
    stopPrice: stop,
    clientOrderId: 'guard-aapl',
  })
  const { page, ticket } = await ticketIn(t, world)
  await ticket.getByRole('combobox', { name: 'Symbol' }).fill('AAPL')
  await ticket.getByLabel('Quantity').fill('1')
  await ticket.getByText('Opposite order').waitFor()
  await ticket
    .getByText(`You sell 50 AAPL at stop ${stop} (guard-aapl). Both could trade with each other.`)
    .waitFor()
  const buy = ticket.getByRole('button', { name: 'Buy 1 AAPL' })
  assert.equal(await buy.isDisabled(), true)
  await assertAccessible(page, { within: '.ticket-pane' })
  await ticket.getByRole('button', { name: 'Cancel guard-aapl' }).click()
  // The world is paused and nothing is typed: the preview follows the account.
  await ticket.getByText('You pay, if filled').waitFor()
  assert.equal(await buy.isDisabled(), false)
})

test('the preview follows fills of others, prices and jumps in a paused world', async (t) => {
  const world = 'ticket-preview'
  const account = await pausedWorld(world)
  const { ticket } = await ticketIn(t, world)
  await ticket.getByRole('combobox', { name: 'Symbol' }).fill('AAPL')
  await ticket.getByRole('button', { name: 'Sell', exact: true }).click()
  await ticket.getByLabel('Quantity').fill('2')
  const after = () => ticket.locator('dt:text("Buying power after") + dd').textContent()
  const previewed = async () => {
    const body = { symbol: 'AAPL', side: 'sell', type: 'market', qty: '2', time_in_force: 'day' } as const
    const { buying_power_after: power } = await account.client.previewOrder({ body })
    return Number(power).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })
  }
  const settles = async (what: string) => {
    const wanted = await previewed()
    await ticket.locator('dd', { hasText: wanted }).waitFor()
    assert.equal(await after(), wanted, what)
  }
  await ticket.getByText('Buying power after').waitFor()
  await settles('first')
  await account.orders.market({ symbol: 'AAPL', side: 'buy', qty: 10 })
  await ticket.getByText('Gain on these 2').waitFor()
  await settles('after a fill of a program')
  await advance(world, '30m')
  await settles('after a jump')
})

test('the size is a number of shares, dollars, or a part of what there is', async (t) => {
  const world = 'ticket-size'
  const account = await pausedWorld(world)
  await account.orders.market({ symbol: 'KO', side: 'buy', qty: 40 })
  await account.orders.limit({ symbol: 'KO', side: 'sell', qty: 8, limitPrice: '900' })
  const { page, ticket } = await ticketIn(t, world)
  await ticket.getByRole('combobox', { name: 'Symbol' }).fill('KO')
  await page.keyboard.press('Tab')
  await ticket.getByRole('button', { name: 'Sell', exact: true }).click()
  await ticket.getByRole('button', { name: '25 %' }).click()
  await ticket.getByRole('button', { name: 'Sell 8 KO' }).waitFor()
  await ticket.getByRole('button', { name: 'All 32' }).click()
  await ticket.getByRole('button', { name: 'Sell 32 KO' }).waitFor()
  await ticket.getByLabel('Size unit').selectOption('%')
  await ticket.getByRole('button', { name: '50 %' }).click()
  await ticket.getByText('= 16 shares').waitFor()
  await ticket.getByRole('button', { name: 'Sell 16 KO' }).click()
  await ticket.getByText(/^Filled 16 at/).waitFor()
  await ticket.getByRole('button', { name: 'Buy', exact: true }).click()
  await ticket.getByLabel('Size unit').selectOption('USD')
  await ticket.getByLabel('Amount').fill('500')
  await ticket.getByRole('button', { name: 'Buy $500 of KO' }).waitFor()
  await ticket.getByLabel('Size unit').selectOption('shares')
  await account.orders.cancelAll()
  await page.getByRole('tab', { name: 'Open orders 0' }).waitFor()
  await ticket.getByRole('button', { name: 'All', exact: true }).click()
  await ticket.getByText('You pay, if filled').waitFor()
  const { buyingPower: power } = await account.account.get()
  const ask = await askOf(account, 'KO')
  const quantity = await ticket.getByLabel('Quantity').inputValue()
  assert.equal(Number(quantity), Math.floor(Number(power) / ask))
})

test('recent symbols are offered before a key is typed, with the keyboard alone', async (t) => {
  const world = 'ticket-recent'
  await pausedWorld(world)
  const { page, ticket } = await ticketIn(t, world)
  const field = ticket.getByRole('combobox', { name: 'Symbol' })
  for (const symbol of ['KO', 'MSFT']) {
    await field.fill(symbol)
    await ticket.getByLabel('Quantity').fill('1')
    await ticket.getByRole('button', { name: `Buy 1 ${symbol}` }).click()
    await ticket.getByText(`Buy 1 ${symbol}, market.`).waitFor()
  }
  await field.focus()
  await ticket.getByRole('listbox', { name: 'Recent symbols' }).waitFor()
  assert.deepEqual(await ticket.getByRole('listbox').getByRole('option').locator('b').allInnerTexts(), ['KO'])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  assert.equal(await field.inputValue(), 'KO')
  await ticket.getByRole('button', { name: 'Buy 1 KO' }).waitFor()
})

test('text that is no symbol turns the button off, and an operator can add the symbol', async (t) => {
  const world = 'ticket-add'
  await pausedWorld(world)
  const { page, ticket } = await ticketIn(t, world)
  await ticket.getByRole('combobox', { name: 'Symbol' }).fill('ZZZZQ')
  await page.keyboard.press('Tab')
  await ticket
    .getByText(`“ZZZZQ” is not listed in ${world}. The button is off until a symbol is chosen.`)
    .waitFor()
  assert.equal(await ticket.getByRole('button', { name: /^Buy/ }).last().isDisabled(), true)
  await ticket.getByRole('button', { name: 'Add ZZZZQ to this world' }).click()
  await ticket.getByTitle('The symbol is chosen').waitFor()
  await ticket.getByRole('button', { name: 'Buy 1 ZZZZQ' }).waitFor()
})

test('an order whose response is lost is found by its client id, and never sent twice', async (t) => {
  const world = 'ticket-lost'
  const account = await pausedWorld(world)
  const page = await visit(t, `/?world=${world}`)
  const ticket = ticketOf(page)
  await ticket.getByRole('combobox', { name: 'Symbol' }).fill('KO')
  await ticket.getByLabel('Quantity').fill('2')
  let sent = 0
  await page.route(/\/v2\/orders$/, async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    sent += 1
    // The order arrives; its response does not.
    await account.orders.place(route.request().postDataJSON())
    await route.abort()
  })
  await ticket.getByRole('button', { name: 'Buy 2 KO' }).click()
  await ticket.getByText(/^Filled 2 at/).waitFor()
  const orders = await account.orders.list({ status: 'all' })
  assert.deepEqual([orders.length, sent], [1, 1])

  // Now the request does not arrive, and the server answers only later.
  await page.unroute(/\/v2\/orders$/)
  await page.route(/\/v2\/orders(:by_client_order_id.*)?$/, (route) => route.abort())
  await ticket.getByLabel('Quantity').fill('4')
  await ticket.getByRole('button', { name: 'Buy 4 KO' }).click()
  await ticket.getByText('It is not known whether the order exists').waitFor()
  await page.unroute(/\/v2\/orders(:by_client_order_id.*)?$/)
  await moveTo(page, `/orders?world=${world}`)
  await page.getByRole('region', { name: 'Orders' }).waitFor()
  await moveTo(page, `/?world=${world}`)
  await ticket.getByText('The order did not arrive').waitFor()
  assert.equal((await account.orders.list({ status: 'all' })).length, 1)
})

test('two tabs: a fill in one changes the preview in the other', async (t) => {
  const world = 'ticket-tabs'
  await pausedWorld(world)
  const page = await signedIn(t, `/?world=${world}`)
  const other = await page.context().newPage()
  await other.goto(`${stage.url}/?world=${world}`)
  for (const [one, side] of [
    [page, 'Sell'],
    [other, 'Buy'],
  ] as const) {
    await ticketOf(one).getByRole('combobox', { name: 'Symbol' }).fill('KO')
    await ticketOf(one).getByRole('button', { name: side, exact: true }).click()
    await ticketOf(one).getByText('Buying power after').waitFor()
  }
  assert.equal(await ticketOf(page).getByText('Gain on these 1').count(), 0)
  await ticketOf(other).getByRole('button', { name: 'Buy 1 KO' }).click()
  await ticketOf(other)
    .getByText(/^Filled 1 at/)
    .waitFor()
  await ticketOf(page).getByText('Gain on these 1').waitFor()
})
