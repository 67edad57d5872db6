import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { type Broker, call, callAsOperator, newFolder, newWorld, startBroker } from '../support/broker.ts'
import { casesOf, hasAllCases } from '../support/cases.ts'
import { waitUntil } from '../support/wait-until.ts'
import { assertAccessible, assertFits, newPage, openStage, visit } from './stage.ts'

const stage = await openStage()
const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'limit', limit_price: '1', time_in_force: 'gtc' }

/** A broker of its own, with a data folder, that the test can kill and start again at the same address. */
const folder = newFolder()
const flags = ['--data', folder, '--hours', 'always', '--log', 'error']
let broker: Broker = await startBroker(flags)
const port = new URL(broker.url).port
after(() => broker.kill())

async function signInAsOwner(page: Page): Promise<void> {
  const path = `/sim/v1/worlds/main/users/${broker.userName}/link`
  const { body } = await callAsOperator(broker, 'POST', path, { operator: true })
  await page.goto(body.url)
  await page.getByRole('button', { name: /Sign in/ }).click()
}

const TCP = '/proc/net/tcp'

/** The established connections of a server on this machine. */
function connectionsTo(listened: string): number {
  const local = `:${Number(listened).toString(16).toUpperCase().padStart(4, '0')}`
  const rows = readFileSync(TCP, 'utf8').split('\n')
  return rows.filter((row) => {
    const [, address, , state] = row.trim().split(/\s+/)
    return address?.endsWith(local) && state === '01'
  }).length
}

/** The event streams and WebSocket streams that the server serves. */
async function openStreams(): Promise<number> {
  const { body } = await callAsOperator(broker, 'GET', '/metrics')
  const found = [...String(body).matchAll(/^quipu_(?:event_)?streams(?:\{.*\})? (\d+)$/gm)]
  assert.ok(found.length > 0, String(body))
  return found.reduce((sum, [, count]) => sum + Number(count), 0)
}

const goTo = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()

test('a newcomer follows the link and fills an order in two clicks; the used link names the next step', async (t) => {
  const page = await newPage(t)
  await page.goto(broker.signInUrl!)
  await page.getByRole('button', { name: /Sign in/ }).click()
  await page.getByRole('button', { name: 'Buy 1 AAPL', exact: true }).click()
  await page.getByRole('complementary', { name: 'Order' }).getByRole('button', { name: 'Buy 1 AAPL' }).click()
  await page.getByRole('region', { name: 'Positions' }).getByRole('row', { name: /AAPL/ }).waitFor()

  const other = await newPage(t)
  await other.goto(broker.signInUrl!)
  await other.getByText('quipu open prints a new link').waitFor()
})

test('after a crash of the server every screen says so, numbers are stale, and all is read again by itself', async (t) => {
  const page = await newPage(t)
  await signInAsOwner(page)
  await page.locator('.equity', { hasText: '.' }).waitFor()
  await page.locator('canvas').first().waitFor()
  await broker.kill()
  await page.getByText(/^Reconnecting\. The event stream broke/).waitFor()
  await page.locator('.stale').first().waitFor()
  // A screen whose file was not loaded yet.
  await goTo(page, 'Operator')
  await page.getByRole('alert').getByText('The server does not answer.').waitFor()
  await page.getByRole('button', { name: 'Try now' }).click()
  await goTo(page, 'Orders')
  await page.getByRole('alert').getByText('The server does not answer.').waitFor()
  await goTo(page, 'Operator')
  broker = await startBroker([...flags, '--port', port])
  await page.getByText('The process answers and main accepts commands.').waitFor()
  await goTo(page, 'Workspace')
  await page.getByText('Reconnecting.').waitFor({ state: 'detached' })
  await call(broker, 'POST', '/v2/orders', { ...order, symbol: 'KO', qty: '4' })
  await page.keyboard.press('2')
  await page.getByRole('row', { name: /Buy KO .*\/ 4/ }).waitFor()
  await page.context().clearCookies()
  await page.reload()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
})

test('a server that stalls is noticed within ten seconds, and its numbers are stale until it goes on', async (t) => {
  const page = await newPage(t)
  await signInAsOwner(page)
  const equity = page.locator('[data-number="account.equity"]').first()
  await equity.waitFor()
  await page.locator('canvas').first().waitFor()
  t.after(async () => void broker.process.kill('SIGCONT'))
  broker.process.kill('SIGSTOP')
  await page.locator('.as-of.stale').waitFor({ timeout: 10_000 })
  await page.locator('[data-number="account.equity"].stale').first().waitFor({ timeout: 1000 })
  const fresh = page.locator('.summary [data-number]:not(.stale)')
  assert.deepEqual(await fresh.evaluateAll((all) => all.map((one) => one.getAttribute('data-number'))), [])
  broker.process.kill('SIGCONT')
  await page.locator('.as-of:not(.stale)').waitFor()
  await page.locator('[data-number="account.equity"]:not(.stale)').first().waitFor()

  await goTo(page, 'Ledger')
  const balance = page.locator('[data-number^="balance."]').first()
  await balance.waitFor()
  broker.process.kill('SIGSTOP')
  await page.locator('[data-number^="balance."].stale').first().waitFor({ timeout: 10_000 })
  broker.process.kill('SIGCONT')
  await page.locator('[data-number^="balance."]:not(.stale)').first().waitFor()
})

test('a closed dashboard leaves no connection, and no stream, at the server', {
  skip: !existsSync(TCP),
}, async (t) => {
  // An earlier page is closed, but its streams may end later.
  await waitUntil('the streams of earlier pages have ended', async () => (await openStreams()) === 0)
  // The connections of this process are kept for a while.
  const connections = connectionsTo(port)
  const page = await newPage(t)
  await signInAsOwner(page)
  await page.locator('[data-number="account.equity"]').first().waitFor()
  await waitUntil('the streams of the page are open', async () => (await openStreams()) >= 2)
  await page.context().close()
  await waitUntil('the connections of the page are closed', () => connectionsTo(port) <= connections, 20)
  await waitUntil('its streams have ended', async () => (await openStreams()) === 0, 20)
})

test('a backup is made, and all backups are listed with size, folder and the command to restore', async (t) => {
  const page = await newPage(t, { permissions: ['clipboard-read', 'clipboard-write'] })
  await signInAsOwner(page)
  await goTo(page, 'Operator')
  const card = page.getByRole('region', { name: 'Backups of main' })
  await card.getByText('No backup yet').waitFor()
  for (const name of casesOf(['one', 'two', 'three', 'four', 'five']))
    assert.equal((await callAsOperator(broker, 'POST', '/sim/v1/backups', { name })).status, 201)
  await card.getByRole('button', { name: 'Start backup' }).click()
  await card.getByText(/was made: [\d.]+ [kM]B, [\d,]+ events/).waitFor()
  await card.getByText(`In ${folder}/backups on the machine of the server.`, { exact: false }).waitFor()
  if (hasAllCases) {
    assert.equal(await card.getByRole('row', { name: /^one / }).count(), 0)
    await card.getByRole('button', { name: 'Show all 6' }).click()
  }
  const oldest = card.getByRole('row', { name: /^one / })
  await oldest.getByText(/^[\d.]+ [kM]B$/).waitFor()
  await assertAccessible(page)
  await oldest.getByRole('button', { name: 'Restore command of one' }).click()
  assert.equal(
    await page.evaluate('navigator.clipboard.readText()'),
    `quipu store restore '${folder}/backups/one'`,
  )
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Search' }).fill('backup')
  await page.getByRole('option', { name: /^Back up/, selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText(/^Backup .* is complete\.$/).waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await assertFits(page)
})

test('a world that is deleted on screen, and one that never was, lead back', async (t) => {
  await newWorld(stage.broker, { world: 'short-lived' })
  const page = await visit(t, '/?symbol=AAPL&world=short-lived')
  await page.getByRole('button', { name: 'To close' }).waitFor()
  await stage.operator.deleteWorld({ params: { world: 'short-lived' } })
  await page.getByText('There is no world short-lived').waitFor()
  assert.equal(await page.getByRole('button', { name: 'To close' }).count(), 0)
  await page.goto(`${stage.url}/keys?world=never`)
  await page.getByText('There is no world never').waitFor()
  await page.getByRole('button', { name: 'Show main' }).click()
  await page.getByRole('region', { name: 'API keys' }).waitFor()

  const user = await visit(t, '/orders?world=never', { isOperator: false })
  await user.getByText('You cannot see world never').waitFor()
  await user.getByRole('link', { name: 'Raise operator rights' }).waitFor()
})

test('a blocked account and a closed one are named, and the page goes on with an open one', async (t) => {
  const world = 'closing-lab'
  const { created } = await newWorld(stage.broker, { world, accounts: 2 })
  const [first, second] = created.accounts
  const page = await visit(t, `/?world=${world}`)
  await page.getByText('Buying power').first().waitFor()
  const inWorld = { params: { world, account_id: first.account_id } }
  await stage.operator.blockAccountOfWorld({ ...inWorld, body: { blocks: ['trading'] } } as never)
  await page.getByText('Trading is blocked: orders of this account are refused.').waitFor()
  const closed = await callAsOperator(
    stage.broker,
    'POST',
    `/v1/accounts/${first.account_id}/actions/close?empty=true`,
    {},
    { 'x-quipu-world': world },
  )
  assert.equal(closed.status, 204, JSON.stringify(closed.body))
  await page
    .getByText(`Account ${first.account_number} was closed. You see ${second.account_number}.`)
    .waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.goto(`${stage.url}/?world=${world}&account=PANONE`)
  await page.getByText(/There is no open account PANONE in this world/).waitFor()
})

test('more than 500 open orders are counted, and a long client order id fits', {
  skip: !hasAllCases,
}, async (t) => {
  const lab = await newWorld(stage.broker, { world: 'many-lab' })
  const id = `${'x'.repeat(48)}-${'W'.repeat(79)}`
  const { body: long } = await call(lab, 'POST', '/v2/orders', { ...order, client_order_id: id })
  for (let n = 0; n < 6; n++)
    await Promise.all(Array.from({ length: 100 }, () => call(lab, 'POST', '/v2/orders', order)))
  const page = await visit(t, '/?world=many-lab')
  await page.getByRole('tab', { name: 'Open orders 601' }).waitFor()
  await page.goto(`${stage.url}/orders/${long.id}?world=many-lab`)
  await page.getByText(id).waitFor()
  await page.getByRole('button', { name: /601/ }).waitFor()
})

const missing: readonly (readonly [path: string, text: RegExp])[] = [
  ['/orders/00000000-0000-4000-8000-000000000000', /Could not find the order/],
  ['/?symbol=%3Cb%3E', /This world has no asset <b>/i],
  ['/activity/nope', /Could not load the request/],
  ['/tokenization/nope', /There is no such request here/],
  ['/orders/nonsense', /Could not load the order/],
  ['/markets/NOSUCH', /This world has no asset NOSUCH/],
]
for (const [path, text] of casesOf(missing, 4))
  test(`the address ${path} names what is missing`, async (t) => {
    const page = await visit(t, path)
    await page.getByText(text).first().waitFor()
  })
