import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { createQuipu } from '@quipu/sdk'
import { commonDemo } from './demo.ts'
import { assertFits, openStage, signedIn, visit } from './stage.ts'

const { account, broker, operator } = await openStage()
const query = `?world=${await commonDemo()}`

test('a filled order has its story: request, events, frames, postings', async (t) => {
  const page = await visit(t, `/orders${query}`)
  await page.getByRole('row', { name: /Buy AAPL .*45 \/ 45/ }).click()
  await page.getByRole('heading', { name: /^Buy 45 AAPL at .* or better$/ }).waitFor()
  await page
    .getByText(/^Filled 45 at/)
    .first()
    .waitFor()
  const why = page.getByRole('region', { name: 'Why' })
  for (const text of ['Placed', 'Buying power', 'Working', 'frame pending new', 'frame fill'])
    await why.getByText(text, { exact: true }).first().waitFor()
  await page.getByRole('region', { name: 'Postings' }).getByText('AAPL').waitFor()
  // Beside the order the list has one row of filters; the rare ones are behind a button.
  const tops = await Promise.all(
    ['All', 'More', 'CSV'].map(async (name) => {
      const button = page.getByRole('region', { name: 'Orders' }).locator('..').getByRole('button', { name })
      return (await button.first().boundingBox())!.y
    }),
  )
  assert.ok(Math.max(...tops) - Math.min(...tops) < 5, tops.join())
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByLabel('Side', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'More', exact: true }).click()
})

test('an order that did not fill says what would have filled it', async (t) => {
  const page = await visit(t, `/orders${query}`)
  await page.getByRole('row', { name: /Buy AAPL .*0 \/ 30 .* Canceled/ }).click()
  await page.getByText(/^Nothing filled\. It worked for 43 min 25 s/).waitFor()
  await page.getByText('A limit of', { exact: true }).waitFor()
  await page.getByText(/would have filled at 10:3\d/).waitFor()
  await page.getByRole('button', { name: /^Try .* in a fork$/ }).waitFor()
})

test('the keyboard moves through the list and cancels; filters are part of the address', async (t) => {
  const page = await visit(t, `/orders${query}&status=open`)
  const rows = page.getByRole('region', { name: 'Orders' }).locator('tr[data-row]')
  await rows.first().waitFor()
  const before = await rows.count()
  await page.keyboard.press('j')
  await page.getByText(/It has been open for/).waitFor()
  await page.keyboard.press('x')
  await page.getByText(/It worked for .* until it was canceled/).waitFor()
  assert.equal(await rows.count(), before - 1)
  await page.getByRole('button', { name: 'Ended' }).click()
  await page.waitForURL(/status=closed/)
})

test('orders are sorted, found, selected, canceled and saved, also those that are not read yet', async (t) => {
  const world = 'orders-table'
  const { accounts } = await operator.createWorld({
    body: { world, start: '2026-01-05T10:00:00-05:00', hours: 'always' },
  })
  const { key_id: keyId, secret_key: secretKey } = accounts[0]!
  const trader = createQuipu({ url: broker.url, keyId, secretKey })
  // The list reads a hundred orders first. The largest is the oldest.
  const sizes = Array.from({ length: 120 }, (_, index) => 120 - index)
  for (const qty of sizes)
    await trader.orders.limit({
      symbol: 'KO',
      side: 'buy',
      qty,
      limitPrice: '1',
      clientOrderId: `n-${qty}`,
    })
  const page = await signedIn(t, `/orders?world=${world}`)
  const table = page.getByRole('region', { name: 'Orders', exact: true })
  const shown = async (count: number): Promise<readonly string[]> => {
    const cells = table.locator('tr[data-row] td:last-child')
    return (await cells.allTextContents()).slice(0, count)
  }
  const rows = (count: number) => table.locator(`table[aria-rowcount="${count + 1}"]`).waitFor()
  await rows(100)
  assert.deepEqual(await shown(2), ['n-1', 'n-2'])
  await table.getByRole('button', { name: 'Filled / qty' }).click()
  await table.getByRole('button', { name: 'Filled / qty' }).click()
  await rows(120)
  assert.deepEqual(await shown(2), ['n-120', 'n-119'])
  await page.getByRole('searchbox', { name: 'Filter orders' }).fill('n-11')
  await rows(11)
  assert.deepEqual(await shown(3), ['n-119', 'n-118', 'n-117'])
  await table.focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Shift+ArrowDown')
  const bulk = page.getByRole('toolbar', { name: '2 selected' })
  await bulk.getByRole('button', { name: 'Cancel 2 orders' }).waitFor()
  await page.keyboard.press('Shift+X')
  await page.getByText('Canceled 2 orders.').waitFor()
  const ended = await trader.orders.list({ status: 'closed' })
  assert.deepEqual(ended.map(({ clientOrderId: id }) => id).sort(), ['n-118', 'n-119'])
  // The stream shows it a moment after the response.
  await table.locator('tr[data-row]', { hasText: 'n-118' }).getByText('Canceled').waitFor()
  await table.locator('tr[data-row]', { hasText: 'n-119' }).getByText('Canceled').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  assert.equal(lines.length, 12)
  assert.match(lines[1]!, /buy,KO,.*,119,.*canceled,.*n-119/)
  // The keys follow the order on screen.
  await page.keyboard.press('j')
  await page.getByRole('heading', { name: /^Buy 119 KO/ }).waitFor()
  await page.keyboard.press('j')
  await page.getByRole('heading', { name: /^Buy 118 KO/ }).waitFor()
})

test('an order that ended before the stream was open is shown as it is', async (t) => {
  const page = await signedIn(t, '/keys')
  const opening = Promise.withResolvers<void>()
  await page.routeWebSocket(/\/stream/, (socket) => {
    const server = socket.connectToServer()
    socket.onMessage((message) => void opening.promise.then(() => server.send(message)))
  })
  await page.goto(`${(await openStage()).url}/orders${query}&status=open`)
  const rows = page.getByRole('region', { name: 'Orders' }).locator('tr[data-row]')
  await rows.first().waitFor()
  const before = await rows.count()
  await page.keyboard.press('j')
  await page.getByText(/It has been open for/).waitFor()
  const canceled = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await page.keyboard.press('x')
  await canceled
  opening.resolve()
  await page.getByText(/It worked for .* until it was canceled/).waitFor()
  await rows.nth(before - 1).waitFor({ state: 'detached' })
})

test('a phone shows the list, then the order', async (t) => {
  const page = await visit(t, `/orders${query}`, { viewport: { width: 390, height: 844 } })
  await page.getByRole('row', { name: /Buy AAPL .*45 \/ 45/ }).click()
  await page.getByRole('heading', { name: /^Buy 45 AAPL/ }).waitFor()
  await page.getByRole('link', { name: 'All orders' }).waitFor()
  await assertFits(page)
})

test('a limit order of the ticket is a line on the chart: dragging it replaces the order', async (t) => {
  const page = await visit(t, '/?symbol=AAPL')
  await page.getByRole('img', { name: /^AAPL, five-minute bars from .* Low / }).waitFor()
  const price = (await account.latestPrice('AAPL'))!
  const ticket = page.getByRole('form', { name: 'Order ticket' })
  await ticket.getByLabel('Type').selectOption('Limit')
  await ticket.getByLabel('Quantity').fill('5')
  await ticket.getByLabel('Limit price').fill((price * 0.985).toFixed(2))
  await ticket.getByText('waits, all 5').waitFor()
  await ticket.getByRole('button', { name: 'Buy 5 AAPL' }).click()
  const line = page.getByRole('slider', { name: 'Limit price, buy 5 AAPL' })
  await line.waitFor()
  const [placed] = await account.orders.list({ symbols: ['AAPL'] })
  const box = (await line.boundingBox())!
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x, y + 20, { steps: 3 })
  await page.mouse.up()
  const question = page.getByText(/^Replace limit .* with .*\?$/)
  const [, wanted] = / with (.*)\?/.exec((await question.textContent()) ?? '')!
  await page.getByText(/^If it fills you pay at most .* less$/).waitFor()
  await page.keyboard.press('Enter')
  await question.waitFor({ state: 'detached' })
  await page.locator('.axis-tag', { hasText: wanted! }).waitFor()
  const [replaced] = await account.orders.list({ symbols: ['AAPL'] })
  assert.equal(replaced?.replaces, placed?.id)
  assert.equal(Number(replaced?.limitPrice), Number(wanted))
  assert.ok(Number(wanted) < Number(placed?.limitPrice))
})

test('the keyboard moves a line by ticks, Escape puts it back, × cancels', async (t) => {
  const order = await account.orders.limit({ symbol: 'KO', side: 'buy', qty: 2, limitPrice: '40' })
  const page = await visit(t, '/?symbol=KO')
  const line = page.getByRole('slider', { name: 'Limit price, buy 2 KO' })
  await line.focus()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Shift+ArrowUp')
  await page.getByText('Replace limit 40.00 with 40.11?').waitFor()
  await page.keyboard.press('Escape')
  await page.getByText('Replace limit').waitFor({ state: 'detached' })
  assert.equal(await line.getAttribute('aria-valuetext'), '40.00')
  await page.getByRole('button', { name: /^Cancel order: Buy 2 limit/ }).click()
  await line.waitFor({ state: 'detached' })
  assert.equal((await account.orders.get(order.id)).status, 'canceled')
})

test('a world of the past: events, position, table, timeframes, and nothing after its time', async (t) => {
  const page = await visit(t, `/markets/NVDA?world=${await commonDemo()}`)
  await page.getByRole('heading', { name: /^NVDA NVIDIA/ }).waitFor()
  await page.getByRole('region', { name: 'Watchlist' }).getByRole('link', { name: 'AAPL' }).click()
  await page.getByText('Crash −6 %').nth(1).waitFor()
  await page.getByText('not played yet').waitFor()
  await page.getByRole('region', { name: 'Position', exact: true }).getByText('90', { exact: true }).waitFor()
  await page.keyboard.press('[')
  await page.waitForURL(/bars=1m/)
  await page.getByRole('img', { name: /^AAPL, one-minute bars .* to 5 Jan 12:11\./ }).waitFor()
  await page.getByRole('button', { name: 'Table' }).click()
  await page.getByRole('row', { name: /^5 Jan 12:11 / }).waitFor()
})

test('the chart of a symbol with another name shows the market events of its earlier one', async (t) => {
  const [day, world] = ['2026-01-07', 'another-name']
  const crash = { kind: 'crash', symbol: 'KO', at: `${day}T15:10:00Z`, depth: '0.06', minutes: 5 } as const
  const start = '2026-01-05T15:00:00Z'
  await operator.createWorld({ body: { world, start, hours: 'nyse', market_events: [crash] } })
  await operator.createCorporateAction({
    params: { world },
    body: { type: 'name_change', symbol: 'KO', new_symbol: 'KOX', ex_date: '2026-01-06' },
  })
  await operator.advanceClock({ params: { world }, body: { to: `${day}T15:40:00Z` } })
  const page = await visit(t, `/?symbol=KOX&world=${world}`)
  await page.getByRole('img', { name: /^KOX, five-minute bars/ }).waitFor()
  await page.locator('main').getByText('Crash KO −6 %').first().waitFor()
})
