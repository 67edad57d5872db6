import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu } from '@quipu/sdk'
import type { Page } from 'playwright-core'
import { assertAccessible, openStage, visit } from './stage.ts'

const stage = await openStage()
const world = 'words-lab'
const lab = await stage.operator.createWorld({
  body: { world, start: '2026-01-05T15:00:00Z', hours: 'nyse' },
})
const { key_id: keyId, secret_key: secretKey } = lab.accounts[0]!
const program = createQuipu({ url: stage.broker.url, keyId, secretKey })
const path = `/orders?world=${world}`

const eventsOf = async (name: string) => {
  const events = await stage.operator.listMarketEvents({ params: { world: name } })
  return events.map(({ kind, symbol, depth, at, minutes }) => ({ kind, symbol, depth, at, minutes }))
}

/** Opens the search, types a sentence, and waits until its row is the chosen one. */
async function say(page: Page, text: string, row: RegExp): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Search and commands' }).getByRole('combobox').waitFor()
  await page.keyboard.type(text)
  await page.getByRole('option', { name: row, selected: true }).waitFor()
}

const closed = (page: Page) =>
  page.getByRole('dialog', { name: 'Search and commands' }).waitFor({ state: 'detached' })

test('a sentence plans a crash; Tab changes its values', async (t) => {
  const page = await visit(t, path)
  await say(page, 'crash 6% tsla in 2m', /^Crash TSLA −6 % at 10:02:00, back after 10 min/)
  await assertAccessible(page, { within: 'dialog[open]' })
  await page.keyboard.press('Tab')
  await page.keyboard.type('8')
  for (let press = 0; press < 3; press += 1) await page.keyboard.press('Tab')
  await page.keyboard.type('4')
  await page
    .getByRole('option', { name: /^Crash TSLA −8 % at 10:02:00, back after 4 min/, selected: true })
    .waitFor()
  await page.keyboard.press('Enter')
  await closed(page)
  const [event] = await eventsOf(world)
  assert.deepEqual(event, {
    kind: 'crash',
    symbol: 'TSLA',
    depth: 0.08,
    at: '2026-01-05T15:02:00Z',
    minutes: 4,
  })
})

test('Shift Enter does it in a fork, and the world does not change', async (t) => {
  const before = await eventsOf(world)
  const page = await visit(t, path)
  await say(page, 'halt AMD 10m', /^Halt AMD at 10:02:00, for 10 min/)
  await page.keyboard.press('Shift+Enter')
  await page.waitForURL((url) => url.searchParams.get('world') !== world)
  await closed(page)
  const fork = new URL(page.url()).searchParams.get('world')!
  assert.equal((await eventsOf(fork)).at(-1)?.kind, 'halt')
  assert.deepEqual(await eventsOf(world), before)
  await stage.operator.deleteWorld({ params: { world: fork } })
})

test('an incomplete sentence says what is missing, and a refused one why', async (t) => {
  const page = await visit(t, path)
  await page.keyboard.press('Control+k')
  await page.keyboard.type('crash TSLA')
  await page.getByText('crash: add how far, such as crash 6% TSLA in 2m').waitFor()
  await page.getByRole('combobox', { name: 'Search' }).fill('crash 6% NOPE')
  await page.getByRole('option', { name: /^Crash NOPE/, selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('alert').getByText(/NOPE/).waitFor()
  await page.keyboard.press('Escape')
  await closed(page)
})

test('a fork before an order has all but the order', async (t) => {
  await program.orders.limit({
    symbol: 'KO',
    side: 'buy',
    qty: 1,
    limitPrice: '1',
    clientOrderId: 'first-ko',
  } as never)
  await stage.operator.advanceClock({ params: { world }, body: { by: '1m' } })
  const order = { symbol: 'KO', side: 'buy', qty: 2, limitPrice: '1', clientOrderId: 'second-ko' } as const
  await program.orders.limit(order)
  const page = await visit(t, path)
  await say(page, 'fork before second-ko', /^Fork as the world was before second-ko/)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.searchParams.get('world') !== world)
  const fork = new URL(page.url()).searchParams.get('world')!
  const orders = await stage.operator.listWorldOrders({
    params: { world: fork },
    query: { status: 'all' } as never,
  })
  assert.deepEqual(
    orders.map(({ client_order_id: id }) => id),
    ['first-ko'],
  )
  await stage.operator.deleteWorld({ params: { world: fork } })
})

test('an order from the search fills the ticket and sends nothing', async (t) => {
  const page = await visit(t, path)
  const count = async () => (await program.orders.list({ status: 'all' })).length
  const before = await count()
  await say(page, 'sell 10 nvda limit 130', /^Sell 10 NVDA limit 130 opens the ticket/)
  await page.keyboard.press('Enter')
  const ticket = page.getByRole('form', { name: 'Order ticket' })
  await ticket.getByLabel('Limit price').waitFor()
  assert.equal(await ticket.getByLabel('Quantity').inputValue(), '10')
  assert.equal(await ticket.getByLabel('Limit price').inputValue(), '130')
  assert.equal(await page.getByRole('combobox', { name: 'Symbol' }).inputValue(), 'NVDA')
  assert.equal(await count(), before)
  await page.keyboard.press('Escape')
})

test('an operation is a command with a form; what deletes asks first', async (t) => {
  const page = await visit(t, path)
  await say(page, 'create asset', /^Add a symbol to a world.* createAsset/)
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Add a symbol to a world' })
  assert.equal(await dialog.getByLabel('world').inputValue(), world)
  await dialog.getByLabel('symbol').fill('QQQX')
  await dialog.getByLabel('price').fill('-1')
  await assertAccessible(page, { within: 'dialog[open]' })
  await page.keyboard.press('Enter')
  await dialog.getByRole('alert').waitFor()
  await dialog.getByLabel('price').fill('12')
  await page.keyboard.press('Enter')
  await dialog.getByRole('region', { name: 'Response' }).getByText('"QQQX"').first().waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })

  const doomed = await stage.operator.createWorld({ body: { world: 'doomed-lab' } as never })
  await say(page, 'delete world', /^Delete a world deleteWorld/)
  await page.keyboard.press('Enter')
  const form = page.getByRole('dialog', { name: 'Delete a world', exact: true })
  await form.getByLabel('world').fill(doomed.world)
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Delete a world?' }).waitFor()
  await page.keyboard.press('Escape')
  await stage.operator.getWorld({ params: { world: doomed.world } })
  await form.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('button', { name: 'Delete a world' }).click()
  await form.getByText('Done.').waitFor()
  await assert.rejects(stage.operator.getWorld({ params: { world: doomed.world } }))
  await page.keyboard.press('Escape')
})

test('without operator rights only what the viewer may call is found', async (t) => {
  const page = await visit(t, '/orders', { isOperator: false })
  await page.keyboard.press('Control+k')
  await page.keyboard.type('key')
  await page.getByRole('option', { name: /listKeys/ }).waitFor()
  await page.getByRole('combobox', { name: 'Search' }).fill('delete a world')
  await page.getByText(/^Nothing for/).waitFor()
  await page.getByRole('combobox', { name: 'Search' }).fill('crash 6%')
  await page.getByText(/^Nothing for/).waitFor()
  await page.keyboard.press('Escape')
})
