import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu } from '@quipu/sdk'
import { signInByLink } from './sign-in.ts'
import {
  assertAccessible,
  closeVisited,
  moveTo,
  NO_SCREEN,
  newPage,
  openStage,
  signedIn,
  visit,
} from './stage.ts'

const stage = await openStage()
const addAsset = (symbol: string) =>
  stage.operator.createAsset({ params: { world: 'main' }, body: { symbol, price: '12' } } as never)
const SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15'

test('the link of npm start leads to the workspace, and two clicks fill an order', async (t) => {
  const page = await newPage(t)
  await signInByLink(stage, page)
  await page.getByRole('heading', { name: 'Workspace' }).waitFor({ state: 'attached' })
  // Other specs trade in main.
  const world = 'two-clicks'
  const { accounts } = await stage.operator.createWorld({
    body: { world, start: '2026-01-05T10:00:00-05:00', hours: 'always' },
  })
  const { key_id: keyId, secret_key: secretKey } = accounts[0]!
  const account = createQuipu({ url: stage.broker.url, keyId, secretKey })
  await moveTo(page, `/?world=${world}`)
  await page.getByText('and no positions.').waitFor()
  await page.getByRole('button', { name: 'Buy 1 AAPL' }).first().click()
  await page.getByText('at once, all 1', { exact: false }).waitFor()
  await page.getByRole('form', { name: 'Order ticket' }).getByRole('button', { name: 'Buy 1 AAPL' }).click()
  await page.getByText(/^Filled 1 at/).waitFor()
  await page.getByRole('region', { name: 'Positions' }).getByRole('row', { name: /AAPL/ }).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('4')
  await page.getByText(/^Bought 1 AAPL at /).waitFor()
  const [order] = await account.orders.list({ status: 'all' })
  assert.deepEqual([order?.symbol, order?.qty, order?.status], ['AAPL', '1', 'filled'])
  assert.match(order?.clientOrderId ?? '', /^web-/)
})

test('a refusal is explained in place before the order is sent, and its button corrects it', async (t) => {
  // A symbol that no other spec trades: an opposite order would be refused.
  const page = await visit(t, '/')
  await page.getByRole('combobox', { name: 'Symbol' }).waitFor()
  await page.keyboard.press('s')
  await page.getByRole('combobox', { name: 'Symbol' }).fill('WMT')
  await page.getByRole('option', { name: /^WMT/ }).waitFor()
  await page.keyboard.press('Enter')
  const ticket = page.getByRole('form', { name: 'Order ticket' })
  await ticket.getByLabel('Quantity').fill('1000000')
  await ticket.getByRole('alert').waitFor()
  assert.equal(await ticket.getByRole('button', { name: /^Sell 1,000,000/ }).isDisabled(), true)
  await ticket.getByLabel('Quantity').fill('1')
  await ticket.getByText('at once, all 1', { exact: false }).waitFor()
  await ticket.getByLabel('Type').selectOption('Limit')
  await ticket.getByLabel('Limit price').fill('1.234')
  await ticket.getByText('Too many decimal places').waitFor()
  await page.keyboard.press('Escape')
  assert.equal(await ticket.getByLabel('Quantity').inputValue(), '1')
})

test('an order of a program appears by itself, and goes when it is canceled', async (t) => {
  const page = await visit(t, '/')
  await page.getByRole('tab', { name: /Open orders/ }).click()
  const order = await stage.account.orders.limit({ symbol: 'KO', side: 'buy', qty: 3, limitPrice: '1.5' })
  const row = page.getByRole('row', { name: /Buy KO Limit 0 \/ 3 – 1\.50 Working/ })
  await row.waitFor()
  await stage.account.orders.cancel(order.id)
  await row.waitFor({ state: 'detached' })
})

test('the search finds a symbol and commands, with the keyboard alone', async (t) => {
  const page = await visit(t, '/')
  await page.keyboard.press('/')
  await page.getByRole('combobox', { name: 'Search' }).fill('msft')
  await page.getByRole('option', { name: /MSFT Microsoft/ }).waitFor()
  await page.getByRole('option', { name: /^Sell MSFT/ }).click()
  assert.equal(await page.getByRole('combobox', { name: 'Symbol' }).inputValue(), 'MSFT')
  await page.keyboard.press('Escape')
  await page.keyboard.press('g')
  await page.keyboard.press('o')
  await page.waitForURL(/\/orders$/)
})

test('an order is placed with the keyboard alone', async (t) => {
  const page = await visit(t, '/?symbol=MSFT')
  await page.getByRole('combobox', { name: 'Symbol' }).waitFor()
  // Both keys before the next frame.
  await page.keyboard.type('b2')
  await page.getByText('at once, all 2', { exact: false }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText(/^Filled 2 at/).waitFor()
})

test('the ticket buys the symbol in its field, and nothing while the field is not a symbol', async (t) => {
  const page = await visit(t, '/?symbol=AAPL')
  const ticket = page.getByRole('form', { name: 'Order ticket' })
  const field = ticket.getByRole('combobox', { name: 'Symbol' })
  const buy = ticket.getByRole('button', { name: /^Buy 1\b/ })
  await ticket.getByLabel('Quantity').fill('1')
  await ticket.getByRole('button', { name: 'Buy 1 AAPL' }).waitFor()
  await field.fill('pep')
  await buy.click()
  await page.getByText(/^Filled 1 at/).waitFor()
  assert.equal(await field.inputValue(), 'PEP')
  await field.fill(' msft')
  await page.keyboard.press('Tab')
  await ticket.getByRole('button', { name: 'Buy 1 MSFT' }).waitFor()
  for (const text of ['MSFTX', 'micro', '']) {
    await field.fill(text)
    assert.equal(await buy.isDisabled(), true, text)
    // Enter in another field sends the form.
    await ticket.getByLabel('Quantity').press('Enter')
    assert.equal(await field.inputValue(), text)
    await ticket
      .getByText(text === '' ? 'Enter a symbol' : `${text} is not a symbol`, { exact: true })
      .waitFor()
    assert.equal(await field.getAttribute('aria-invalid'), String(text !== ''))
  }
  await field.press('Escape')
  await ticket.getByRole('button', { name: 'Buy 1 MSFT' }).waitFor()
  await field.fill('nothing')
  await page.keyboard.press('Tab')
  // Another part of the page chooses a symbol.
  await moveTo(page, '/?symbol=KO')
  await ticket.getByRole('button', { name: 'Buy 1 KO' }).waitFor()
  assert.equal(await field.inputValue(), 'KO')
  const orders = await stage.account.orders.list({ status: 'all', symbols: 'PEP,MSFT' })
  assert.deepEqual(
    orders.filter(({ qty }) => qty === '1').map(({ symbol }) => symbol),
    ['PEP'],
  )
})

test('the symbol that is chosen in the list is ordered, also if the typed text is another symbol', async (t) => {
  const page = await visit(t, '/?symbol=AAPL')
  const ticket = page.getByRole('form', { name: 'Order ticket' })
  const field = ticket.getByRole('combobox', { name: 'Symbol' })
  const option = ticket.getByRole('option', { name: /^GOOGL/ })
  await ticket.getByLabel('Quantity').fill('3')
  await ticket.getByRole('button', { name: 'Buy 3 AAPL' }).waitFor()
  await field.fill('GOOG')
  await option.dispatchEvent('pointerdown')
  await ticket.getByRole('button', { name: /^Buy 3 GOOG/ }).waitFor()
  assert.equal(await field.inputValue(), 'GOOGL')
  await field.fill('GOOG')
  await option.waitFor()
  await field.press('ArrowDown')
  await field.press('Enter')
  await ticket.getByRole('button', { name: /^Buy 3 GOOG/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText(/^Filled 3 at/).waitFor()
  const orders = await stage.account.orders.list({ status: 'all', symbols: 'GOOG,GOOGL' })
  assert.deepEqual(
    orders.map(({ symbol, qty }) => `${qty} ${symbol}`),
    ['3 GOOGL'],
  )
})

test('a symbol that was added while the page is open can be ordered, and the search finds it', async (t) => {
  const page = await visit(t, '/?symbol=AAPL')
  const ticket = page.getByRole('form', { name: 'Order ticket' })
  const field = ticket.getByRole('combobox', { name: 'Symbol' })
  await ticket.getByRole('button', { name: /^Buy \d+ AAPL/ }).waitFor()
  await field.fill('ADDEDA')
  await ticket.getByText('ADDEDA is not a symbol').waitFor()
  for (const symbol of ['ADDEDA', 'ADDEDB']) await addAsset(symbol)
  await field.fill('addedb')
  await ticket.getByRole('button', { name: /^Buy \d+ ADDEDB/ }).waitFor()
  // Also a text that was no symbol before.
  await field.fill('ADDEDA')
  await ticket.getByRole('button', { name: /^Buy \d+ ADDEDA/ }).waitFor()
  await addAsset('ADDEDC')
  await moveTo(page, '/?symbol=ADDEDC')
  await page.getByRole('heading', { name: /^ADDEDC/ }).waitFor()
  await addAsset('ADDEDD')
  // The cursor is still in the ticket, where a slash is a letter.
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search' }).fill('addedd')
  await page.getByRole('option', { name: /^Sell ADDEDD/ }).click()
  await ticket.getByRole('button', { name: /^Sell \d+ ADDEDD/ }).waitFor()
})

test('a list of symbols that was not read is read again; until then no text is called wrong', async (t) => {
  const page = await signedIn(t, NO_SCREEN)
  let isAnswered = false
  await page.route(/\/v2\/assets\?/, (route) =>
    isAnswered ? route.continue() : route.fulfill({ status: 503, body: '{"message":"no"}' }),
  )
  await page.goto(`${stage.url}/?symbol=AAPL`)
  const ticket = page.getByRole('form', { name: 'Order ticket' })
  await ticket.getByRole('combobox', { name: 'Symbol' }).fill('KO')
  await ticket.getByText('Reading symbols').waitFor()
  assert.equal(await ticket.getByRole('button', { name: /^Buy \d/ }).isDisabled(), true)
  isAnswered = true
  await ticket.getByRole('button', { name: /^Buy \d+ KO/ }).waitFor()
})

test('a browser that does not resolve the host name of the pages uses the address of the server', async (t) => {
  const page = await newPage(t, { userAgent: SAFARI })
  await signInByLink(stage, page)
  assert.equal(page.url(), `${stage.broker.url}/`)
  await page.getByText('Live', { exact: true }).waitFor()
  await page.reload()
  await page.getByRole('form', { name: 'Order ticket' }).waitFor()
})

test('an ended session asks to sign in again', async (t) => {
  const page = await signedIn(t, '/orders')
  await page.getByText('Live', { exact: true }).waitFor()
  await stage.operator.endUserSessions({ params: { world: 'main', user: stage.broker.userName } })
  await closeVisited()
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  await assertAccessible(page)
})
