import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createQuipu, type Quipu } from '@quipu/sdk'
import type { Download, Locator, Page } from 'playwright-core'
import { assertAccessible, assertFits, openStage, signedIn, visit } from './stage.ts'

const stage = await openStage()
const { operator, broker } = stage

/** A paused world with one account. */
async function newLab(world: string): Promise<Quipu> {
  const { accounts } = await operator.createWorld({
    body: { world, start: '2026-01-05T10:00:00-05:00', hours: 'always', seed: '7' },
  })
  const { key_id: keyId, secret_key: secretKey } = accounts[0]!
  return createQuipu({ url: broker.url, keyId, secretKey })
}

const limit = (account: Quipu, symbol: string, price: string, id: string, qty = 1) =>
  account.orders.limit({
    symbol,
    side: 'buy',
    qty,
    limitPrice: price,
    timeInForce: 'gtc',
    clientOrderId: id,
  })

const tableOf = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true })
const rowsOf = (table: Locator): Locator => table.locator('tr[data-row]')
const idsOf = (table: Locator): Promise<string[]> => rowsOf(table).locator('td:last-child').allTextContents()
const headsOf = async (table: Locator): Promise<string[]> =>
  (await table.locator('th button').allTextContents()).map((text) => text.replace(/ [↓↑]\d?$/, ''))

/** Waits until the table has these client ids, in this order. */
async function assertIds(table: Locator, wanted: readonly string[]): Promise<void> {
  for (let tries = 40; ; tries -= 1) {
    const found = await idsOf(table)
    if (found.join() === wanted.join() || tries === 0) return assert.deepEqual(found, wanted)
    await table.page().waitForTimeout(50)
  }
}

async function textOf(download: Download): Promise<string> {
  return readFile(await download.path(), 'utf8')
}

async function saved(page: Page): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ])
  return textOf(download)
}

/** The fields of a CSV file, read as RFC 4180 says. */
function parsed(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]]
  for (const [, quoted, plain = '', end] of text
    .replace(/^\uFEFF/, '')
    .matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === '\r\n') rows.push([])
  }
  return rows.slice(0, -1)
}

test('orders are sorted by one head or two, filtered by what is shown, and columns are chosen and remembered', async (t) => {
  const account = await newLab('sorting')
  await limit(account, 'MSFT', '90', 'third', 2)
  await limit(account, 'AAPL', '100', 'first', 9)
  await limit(account, 'AAPL', '20', 'second', 10)
  const page = await signedIn(t, '/?world=sorting')
  await page.getByRole('tab', { name: 'Open orders' }).click()
  const table = tableOf(page, 'Open orders')
  await assertIds(table, ['second', 'first', 'third'])
  const head = (name: string) => table.getByRole('button', { name })
  await head('Filled / qty').click()
  await assertIds(table, ['third', 'first', 'second'])
  await head('Filled / qty').click()
  await assertIds(table, ['second', 'first', 'third'])
  await head('Symbol').click()
  await head('Limit or stop').click({ modifiers: ['Shift'] })
  await assertIds(table, ['second', 'first', 'third'])
  // The same with the keyboard: Shift Enter turns the second one.
  await head('Limit or stop').focus()
  await page.keyboard.press('Shift+Enter')
  await assertIds(table, ['first', 'second', 'third'])
  assert.equal(await table.locator('th[aria-sort]').count(), 2)

  const filter = page.getByRole('searchbox', { name: 'Filter orders' })
  for (const [text, ids] of [
    ['working aapl', ['first', 'second']],
    ['until canceled msft', ['third']],
    ['10:00:00.000 second', ['second']],
    ['SECOND', ['second']],
    ['nothing like this', []],
  ] as const) {
    await filter.fill(text)
    await assertIds(table, ids)
  }
  await filter.fill('')
  await page.getByRole('button', { name: 'Columns' }).click()
  const menu = page.getByRole('group', { name: 'Columns' })
  await menu.getByLabel('Valid').uncheck()
  await menu.getByLabel('Order id').check()
  await menu.getByLabel('P/L of fills').check()
  await assertAccessible(page, { within: '.blotter' })
  await page.keyboard.press('Escape')
  const wanted = [
    ...[
      'Time, New York',
      'Side',
      'Symbol',
      'Type',
      'Filled / qty',
      'Average fill',
      'Limit or stop',
      'Status',
    ],
    ...['Client id', 'Order id', 'P/L of fills'],
  ]
  assert.deepEqual(await headsOf(table), wanted)
  await page.reload()
  await rowsOf(table).nth(2).waitFor()
  assert.deepEqual(await headsOf(table), wanted)
  assert.equal(await table.locator('th[aria-sort]').count(), 2)
  await page.getByRole('button', { name: 'Columns' }).click()
  await page.getByRole('button', { name: 'As at first' }).click()
  await table.getByRole('button', { name: 'Valid' }).waitFor()
  assert.equal((await headsOf(table)).length, 10)
})

test('several orders are selected by mouse and keyboard, new ones wait, and those that can be canceled are canceled', async (t) => {
  const account = await newLab('bulk')
  for (let count = 1; count <= 6; count += 1) await limit(account, 'AAPL', `${100 + count}`, `bulk-${count}`)
  const page = await visit(t, '/?world=bulk')
  await page.getByRole('tab', { name: 'Open orders' }).click()
  const table = tableOf(page, 'Open orders')
  await rowsOf(table).nth(5).waitFor()
  const row = (number: number) => rowsOf(table).filter({ hasText: `bulk-${number}` })
  const selected = () => table.locator('tr[aria-selected=true] td:last-child').allTextContents()
  const type = (number: number) => row(number).getByText('Limit', { exact: true })
  await type(6).click({ modifiers: ['Control'] })
  await type(4).click({ modifiers: ['Shift'] })
  assert.deepEqual(await selected(), ['bulk-6', 'bulk-5', 'bulk-4'])
  // Shift moves the end of the range, so a smaller one leaves rows out.
  await type(5).click({ modifiers: ['Shift'] })
  assert.deepEqual(await selected(), ['bulk-6', 'bulk-5'])
  await type(2).click({ modifiers: ['Control'] })
  assert.deepEqual(await selected(), ['bulk-6', 'bulk-5', 'bulk-2'])
  assert.equal(await page.evaluate('String(getSelection())'), '')
  await page.keyboard.press('Shift+ArrowDown')
  assert.deepEqual(await selected(), ['bulk-6', 'bulk-5', 'bulk-2', 'bulk-1'])
  await page.keyboard.press('Shift+ArrowUp')
  await page.keyboard.press('Shift+ArrowUp')
  assert.deepEqual(await selected(), ['bulk-6', 'bulk-5', 'bulk-3', 'bulk-2'])
  await assertFits(page)

  for (let count = 7; count <= 9; count += 1) await limit(account, 'KO', `${count}`, `bulk-${count}`)
  const waiting = page.getByRole('button', { name: '3 new' })
  await waiting.waitFor()
  assert.equal(await rowsOf(table).count(), 6)
  await waiting.click()
  await row(9).waitFor()
  assert.equal((await selected()).length, 4)
  // An order that ends is no row any more, and is not counted.
  const orders = await account.orders.list({ status: 'open' })
  await account.orders.cancel(orders.find(({ clientOrderId: id }) => id === 'bulk-3')!.id)
  await page.getByRole('toolbar', { name: '3 selected' }).waitFor()
  await page.getByRole('button', { name: 'Cancel 3 orders' }).waitFor()
  await page.getByRole('checkbox', { name: 'with those ended today' }).check()
  const all = tableOf(page, 'Orders')
  await all.locator('tr[data-row]', { hasText: 'bulk-3' }).waitFor()
  await page.getByRole('checkbox', { name: 'Select all rows' }).check()
  const bar = page.getByRole('toolbar', { name: '9 selected' })
  await bar.getByText('1 has ended').waitFor()
  await bar.getByRole('button', { name: 'Cancel 8 orders' }).waitFor()
  await assertAccessible(page, { within: '.blotter' })
  await all.focus()
  await page.keyboard.press('Shift+X')
  await page.getByText('Canceled 8 orders.').waitFor()
  await page.getByRole('checkbox', { name: 'with those ended today' }).uncheck()
  await page.getByText('No open orders').waitFor()
  assert.deepEqual(await account.orders.list({ status: 'open' }), [])
})

test('several positions are closed after one question with their sum; those held by orders are not counted', async (t) => {
  const account = await newLab('closing')
  const params = { world: 'closing' }
  for (const [symbol, qty] of [
    ['AAPL', 3],
    ['KO', 5],
    ['MSFT', 2],
  ] as const)
    await account.orders.market({ symbol, qty, side: 'buy' })
  await operator.advanceClock({ params, body: { by: '1s' } })
  await account.orders.limit({ symbol: 'MSFT', qty: 1, side: 'sell', limitPrice: '9999' })
  const page = await visit(t, '/?world=closing')
  await page.getByRole('tab', { name: 'Positions' }).click()
  const table = tableOf(page, 'Positions')
  await rowsOf(table).nth(2).waitFor()
  await page.getByRole('searchbox', { name: 'Filter positions' }).fill('coca')
  await rowsOf(table).nth(1).waitFor({ state: 'detached' })
  await table.getByText('KO', { exact: true }).waitFor()
  await page.getByRole('searchbox', { name: 'Filter positions' }).fill('')
  await page.getByRole('checkbox', { name: 'Select all rows' }).check()
  const bar = page.getByRole('toolbar', { name: '3 selected' })
  await bar.getByText('open orders hold 1').waitFor()
  await bar.getByRole('button', { name: /^Close 2 positions/ }).click()
  const values = (await account.positions.list())
    .filter(({ symbol }) => symbol !== 'MSFT')
    .map(({ marketValue: value }) => Math.round(Number(value) * 100))
  const total = (values.reduce((a, b) => a + b, 0) / 100).toLocaleString('en-US', {
    minimumFractionDigits: 2,
  })
  const question = page.getByRole('dialog', { name: 'Close 2 positions?' })
  await question.getByText(`Sends 2 market orders, about ${total} in total: AAPL, KO.`).waitFor()
  await question.getByRole('button', { name: 'Keep them' }).click()
  assert.equal((await account.orders.list({ status: 'open' })).length, 1)
  await table.focus()
  await page.keyboard.press('Shift+X')
  await page.getByRole('dialog').getByRole('button', { name: 'Close 2 positions' }).click()
  await page.getByText('Sent orders to close 2 positions.').waitFor()
  await operator.advanceClock({ params, body: { by: '1s' } })
  await rowsOf(table).nth(1).waitFor({ state: 'detached' })
  assert.deepEqual(
    (await account.positions.list()).map(({ symbol }) => symbol),
    ['MSFT'],
  )
})

test('a file has all rows of the filter, with fields that spreadsheets neither run nor change', async (t) => {
  const account = await newLab('file')
  const ids = ['=1+2', '+A1', '-2+3', '@SUM(A1)', 'a "quoted", id', 'Zürich', '-5', 'plain']
  for (const [index, id] of ids.entries()) await limit(account, 'AAPL', `${100 + index}`, id, index + 1)
  const page = await visit(t, '/?world=file')
  await page.getByRole('tab', { name: 'Open orders' }).click()
  await rowsOf(tableOf(page, 'Open orders')).nth(7).waitFor()
  const file = await saved(page)
  assert.ok(file.startsWith('\uFEFF'))
  const [heads, ...rows] = parsed(file)
  const of = (title: string) => rows.map((row) => row[heads!.indexOf(title)]!)
  // Newest first, as on screen.
  assert.deepEqual(of('Client id').toReversed(), [
    ...["'=1+2", "'+A1", "'-2+3", "'@SUM(A1)", 'a "quoted", id', 'Zürich', '-5', 'plain'],
  ])
  assert.deepEqual(of('Quantity').toReversed(), ['1', '2', '3', '4', '5', '6', '7', '8'])
  assert.deepEqual(new Set(of('Filled')), new Set(['0']))
  assert.ok(rows.every((row) => row.length === heads!.length))
  await page.getByRole('searchbox', { name: 'Filter orders' }).fill('plain')
  const filtered = parsed(await saved(page))
  assert.equal(filtered.length, 2)
  await page.getByRole('searchbox', { name: 'Filter orders' }).fill('')
})
