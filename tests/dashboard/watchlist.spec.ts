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
  await assertAccessible(page, { within: '.watchlist' })
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

  // Changes of two tabs do not undo each other, although neither has read the other's, also if both arrive together.
  await other.route(/\/v2\/watchlists\//, async (route) => {
    await other.waitForTimeout(120)
    await route.continue()
  })
  await Promise.all([
    listOf(page).getByRole('button', { name: 'Remove AAPL from the watchlist' }).dispatchEvent('click'),
    listOf(other).getByRole('button', { name: 'Remove JPM from the watchlist' }).dispatchEvent('click'),
  ])
  await assertShown(page, ['NVDA', 'MSFT', 'AMZN'])
  await assertShown(other, ['NVDA', 'MSFT', 'AMZN'])
  await link('AMZN').dragTo(link('NVDA'))
  await assertShown(page, ['AMZN', 'NVDA', 'MSFT'])
  for (const tab of [page, other]) await tab.unrouteAll({ behavior: 'wait' })
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
    route.request().method() === 'DELETE'
      ? route.fulfill({ status: 403, body: '{"message":"no"}' })
      : route.continue(),
  )
  await listOf(page).getByRole('button', { name: 'Remove AAPL from the watchlist' }).dispatchEvent('click')
  await page.getByText('The watchlist was not changed: no').waitFor()
  await assertShown(page, wanted)
})

test('a drag goes on when the list is drawn again, and Escape ends it', async (t) => {
  const { client } = await newLab('dragging')
  const list = await client.createWatchlist({ body: { name: 'Mine', symbols: ['AAPL', 'MSFT', 'KO'] } })
  const write = (symbols: string[]) => client.updateWatchlist({ params: { id: list.id }, body: { symbols } })
  const page = await signedIn(t, '/?world=dragging')
  await assertShown(page, ['AAPL', 'MSFT', 'KO'])
  const middleOf = async (symbol: string): Promise<[number, number]> => {
    const box = await listOf(page).locator(`[data-symbol="${symbol}"]`).boundingBox()
    return [box!.x + box!.width / 4, box!.y + box!.height / 2]
  }
  const take = async (symbol: string) => {
    await page.mouse.move(...(await middleOf(symbol)))
    await page.mouse.down()
    await page.mouse.move(...(await middleOf('MSFT')), { steps: 4 })
  }
  await take('KO')
  await listOf(page).locator('.dragged[data-symbol="KO"]').waitFor()
  // A program changes the list meanwhile: the row that is dragged gets another place.
  await write(['KO', 'TSLA', 'NVDA', 'AAPL', 'MSFT'])
  await page.evaluate(`dispatchEvent(new Event('focus'))`)
  await assertShown(page, ['KO', 'TSLA', 'NVDA', 'AAPL', 'MSFT'])
  await page.mouse.move(...(await middleOf('AAPL')), { steps: 4 })
  await page.mouse.up()
  await assertShown(page, ['TSLA', 'NVDA', 'AAPL', 'KO', 'MSFT'])
  await take('TSLA')
  await page.keyboard.press('Escape')
  await page.mouse.up()
  assert.equal(await listOf(page).locator('.dragged').count(), 0)
  await assertShown(page, ['TSLA', 'NVDA', 'AAPL', 'KO', 'MSFT'])
})
