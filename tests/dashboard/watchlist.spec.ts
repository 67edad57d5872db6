import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu, type Quipu } from '@quipu/sdk'
import type { Page } from 'playwright-core'
import { waitUntil } from '../support/wait-until.ts'
import { assertAccessible, openStage, signedIn } from './stage.ts'

const stage = await openStage()

async function newLab(world: string): Promise<Quipu> {
  const { accounts } = await stage.operator.createWorld({
    body: { world, start: '2026-01-05T10:00:00-05:00', hours: 'always', seed: '7' },
  })
  const { key_id: keyId, secret_key: secretKey } = accounts[0]!
  return createQuipu({ url: stage.broker.url, keyId, secretKey })
}

const listOf = (page: Page) => page.getByRole('region', { name: 'Watchlist' })
const shown = (page: Page): Promise<string[]> =>
  page.evaluate(
    `[...document.querySelectorAll('.watchlist [data-symbol]')].map((row) => row.getAttribute('data-symbol'))`,
  )

/** Waits until the list on screen has these symbols. */
async function assertShown(page: Page, wanted: readonly string[]): Promise<void> {
  for (let tries = 400; ; tries -= 1) {
    const found = await shown(page)
    if (found.join() === wanted.join() || tries === 0) return assert.deepEqual(found, wanted)
    await page.waitForTimeout(50)
  }
}

test('symbols are added, removed and moved in the list of the API, also in another tab', async (t) => {
  const account = await newLab('watching')
  const { client } = account
  const first = ['AAPL', 'MSFT', 'KO', 'TSLA', 'NVDA']
  const list = await client.createWatchlist({ body: { name: 'Mine', symbols: first } })
  const stored = async () =>
    ((await client.getWatchlist({ params: { id: list.id } })).assets ?? []).map(({ symbol }) => symbol)
  const page = await signedIn(t, '/?world=watching')
  await assertShown(page, first)
  const other = await page.context().newPage()
  await other.goto(page.url())
  await assertShown(other, first)

  // Three moves and two additions, faster than the server answers.
  await page.route(/\/v2\/watchlists\//, async (route) => {
    await page.waitForTimeout(120)
    await route.continue()
  })
  const link = (symbol: string) => listOf(page).getByRole('link', { name: symbol, exact: true })
  await link('NVDA').focus()
  for (let count = 0; count < 3; count += 1) await page.keyboard.press('Alt+ArrowUp')
  await assertShown(page, ['AAPL', 'NVDA', 'MSFT', 'KO', 'TSLA'])
  await listOf(page).getByRole('button', { name: 'Add a symbol' }).click()
  const field = page.getByLabel('Symbol or company to add')
  for (const symbol of ['AMZN', 'JPM']) {
    await field.fill(symbol)
    await listOf(page).locator('.found', { hasText: symbol }).first().waitFor()
    await field.press('Enter')
  }
  await assertShown(page, ['AAPL', 'NVDA', 'MSFT', 'KO', 'TSLA', 'AMZN', 'JPM'])
  await assertAccessible(page)
  await field.press('Escape')
  await link('KO').focus()
  await page.keyboard.press('Delete')
  await assertShown(page, ['AAPL', 'NVDA', 'MSFT', 'TSLA', 'AMZN', 'JPM'])
  // The keyboard goes on at the next row.
  await page.keyboard.press('Delete')
  const wanted = ['AAPL', 'NVDA', 'MSFT', 'AMZN', 'JPM']
  await assertShown(page, wanted)
  await assertShown(other, wanted)
  assert.deepEqual(await stored(), wanted)

  // Changes of two tabs do not undo each other, although neither has read the other's.
  await Promise.all([
    listOf(page).getByRole('button', { name: 'Remove AAPL from the watchlist' }).dispatchEvent('click'),
    listOf(other).getByRole('button', { name: 'Remove JPM from the watchlist' }).dispatchEvent('click'),
  ])
  await assertShown(page, ['NVDA', 'MSFT', 'AMZN'])
  await assertShown(other, ['NVDA', 'MSFT', 'AMZN'])
  // The browser drops what is dragged when the list is drawn again at that moment.
  await waitUntil(
    'AMZN is moved',
    async () => {
      await link('AMZN').dragTo(link('NVDA'))
      await page.waitForTimeout(200)
      return (await shown(page))[0] === 'AMZN'
    },
    20,
  )
  await assertShown(page, ['AMZN', 'NVDA', 'MSFT'])
  await page.unrouteAll({ behavior: 'wait' })
  // A reload ends requests that are not answered yet.
  await waitUntil('the moves are stored', async () => (await stored()).join() === 'AMZN,NVDA,MSFT', 20)
  await page.reload()
  await assertShown(page, ['AMZN', 'NVDA', 'MSFT'])
  assert.deepEqual(await stored(), ['AMZN', 'NVDA', 'MSFT'])
})

test('the first change of an account without a list makes one; a refused change is taken back', async (t) => {
  const account = await newLab('no-list')
  const page = await signedIn(t, '/?world=no-list')
  await listOf(page).getByRole('link', { name: 'AAPL', exact: true }).waitFor()
  const before = await shown(page)
  for (const symbol of ['MSFT', 'NVDA'])
    await listOf(page)
      .getByRole('button', { name: `Remove ${symbol} from the watchlist` })
      .dispatchEvent('click')
  const wanted = before.filter((symbol) => symbol !== 'MSFT' && symbol !== 'NVDA')
  await assertShown(page, wanted)
  await waitUntil(
    'the removals are stored',
    async () => {
      const [list] = await account.client.listWatchlists()
      const found = list && (await account.client.getWatchlist({ params: { id: list.id } })).assets
      return found?.map(({ symbol }) => symbol).join() === wanted.join()
    },
    20,
  )
  await page.reload()
  await assertShown(page, wanted)
  const lists = await account.client.listWatchlists()
  assert.equal(lists.length, 1)
  await page.route(/\/v2\/watchlists\//, (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 403, body: '{"message":"no"}' })
      : route.continue(),
  )
  await listOf(page).getByRole('button', { name: 'Remove AAPL from the watchlist' }).dispatchEvent('click')
  await page.getByText('The watchlist was not changed: no').waitFor()
  await assertShown(page, wanted)
})
