import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu, type Quipu } from '@quipu/sdk'
import type { Locator, Page } from 'playwright-core'
import { casesOf, hasAllCases } from '../support/cases.ts'
import { assertShortTasks } from './longest-task.ts'
import { NO_SCREEN, openStage, signedIn } from './stage.ts'

const { operator, broker, url } = await openStage()

/** A paused world with one rich account. */
async function newLab(world: string, symbols: readonly string[]): Promise<Quipu> {
  const start = '2026-01-05T10:00:00-05:00'
  const { accounts } = await operator.createWorld({
    body: { world, start, hours: 'always', cash: '500000000', symbols },
  })
  const { key_id: keyId, secret_key: secretKey } = accounts[0]!
  return createQuipu({ url: broker.url, keyId, secretKey })
}

/** Runs for numbers from 0, fifty at a time. */
async function times(count: number, run: (index: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - from) }, (_, at) => run(from + at)))
}

type Shown = { readonly first: number; readonly ids: readonly string[]; readonly covers: boolean }

/** The rows that are drawn, and whether they fill the region. */
const shownIn = (table: Locator): Promise<Shown> =>
  table.evaluate((region) => {
    const rows = [...region.querySelectorAll('tr[data-row]')]
    const [box, head] = [region.getBoundingClientRect(), region.querySelector('thead')!.offsetHeight]
    const [first, last] = [rows[0]?.getBoundingClientRect(), rows.at(-1)?.getBoundingClientRect()]
    const isEnd = region.scrollTop + region.clientHeight >= region.scrollHeight - 1
    return {
      first: Number(rows[0]?.getAttribute('aria-rowindex') ?? 2) - 2,
      ids: rows.map((row) => row.lastElementChild!.textContent ?? ''),
      covers: !first || (first.top <= box.top + head + 1 && (isEnd || last!.bottom >= box.bottom - 1)),
    }
  })

const scrollTo = (table: Locator, share: number): Promise<void> =>
  table.evaluate((region, part) => {
    region.scrollTop = part * region.scrollHeight
  }, share)

const topOf = (table: Locator): Promise<number> => table.evaluate(({ scrollTop }) => scrollTop)

const ROWS_MAX = 80
/** The watchlist has 26 rows in view. */
const WATCHED_MAX = 50

/** Waits until the drawn rows are those of their places in a list, and fill the table. */
async function assertRows(table: Locator, wanted: readonly string[]): Promise<void> {
  await table.locator(`table[aria-rowcount="${wanted.length + 1}"]`).waitFor()
  for (let tries = 100; ; tries -= 1) {
    const shown = await shownIn(table)
    const ids = wanted.slice(shown.first, shown.first + shown.ids.length)
    if (shown.covers && shown.ids.join() === ids.join()) {
      assert.ok(shown.ids.length < ROWS_MAX, `${shown.ids.length} rows are drawn`)
      return
    }
    if (tries === 0) assert.deepEqual(shown, { first: shown.first, ids, covers: true })
    await table.page().waitForTimeout(50)
  }
}

/** A list at rest draws the rows in view and three more at each end, because each row costs time with every message. */
async function assertFewRows(table: Locator): Promise<void> {
  const row = table.locator('tr[data-row]').first()
  const heights = await Promise.all([table, row].map(async (one) => (await one.boundingBox())!.height))
  const most = Math.ceil(heights[0]! / heights[1]!) + 1 + 2 * 3
  await table.locator('tr[data-row]').nth(most).waitFor({ state: 'detached' })
}

/** Scrolls to places of the list, and looks at the rows of each. */
async function assertScrolls(table: Locator, wanted: readonly string[]): Promise<void> {
  for (const share of [0.13, 0.5, 0.77, 1, 0]) {
    await scrollTo(table, share)
    await assertRows(table, wanted)
  }
}

const cursorOf = (table: Locator): Locator => table.locator('tr[data-cursor] td:last-child')

/** The cursor is at a row, is in view, and its row has the focus. */
async function assertCursor(table: Locator, id: string): Promise<void> {
  await cursorOf(table).getByText(id, { exact: true }).waitFor()
  await table.locator('tr[data-cursor]:focus').waitFor()
}

for (const count of casesOf([600, 10_000]))
  test(`${count} open orders: sorting, filter, scrolling and keys show the right rows, also while orders change`, async (t) => {
    const world = `many-${count}`
    const account = await newLab(world, ['KO', 'AAPL'])
    const idAt = (index: number): string => `many-${index}`
    const place = (index: number) =>
      account.orders.limit({
        symbol: 'KO',
        side: 'buy',
        // Each has its own quantity: 10,007 is a prime.
        qty: 1 + ((index * 7919) % 10_007),
        limitPrice: '1',
        clientOrderId: idAt(index),
      })
    const placed: string[] = []
    await times(count, async (index) => {
      placed[index] = (await place(index)).id
    })
    const page = await signedIn(t, `/?world=${world}`)
    await page.getByRole('tab', { name: `Open orders ${count}` }).click()
    const table = page.getByRole('region', { name: 'Open orders', exact: true })
    let live = Array.from({ length: count }, (_, index) => index)
    const byId = () => live.map(idAt).sort()
    const byQuantity = () => live.toSorted((a, b) => ((a * 7919) % 10_007) - ((b * 7919) % 10_007)).map(idAt)
    const head = (name: string) => table.getByRole('button', { name })

    await head('Client id').click()
    await assertRows(table, byId())
    await assertFewRows(table)
    await assertShortTasks(page, `scrolling ${count} orders`, () => assertScrolls(table, byId()))
    await assertShortTasks(page, `sorting ${count} orders`, async () => {
      await head('Filled / qty').click()
      await assertScrolls(table, byQuantity())
      await head('Filled / qty').click()
      await assertScrolls(table, byQuantity().reverse())
      await head('Client id').click()
    })
    const filter = page.getByRole('searchbox', { name: 'Filter orders' })
    await assertShortTasks(page, `a filter of ${count} orders`, async () => {
      await filter.pressSequentially('many-12')
      await assertScrolls(
        table,
        byId().filter((id) => id.startsWith('many-12')),
      )
      await filter.fill('')
      await assertRows(table, byId())
    })

    await assertShortTasks(page, `keys in ${count} orders`, async () => {
      await table.focus()
      await page.keyboard.press('End')
      await assertCursor(table, byId().at(-1)!)
      await page.keyboard.press('ArrowUp')
      await page.keyboard.press('Shift+ArrowUp')
      await page.keyboard.press('Shift+PageUp')
      await assertCursor(table, byId().at(-13)!)
      await page.getByRole('toolbar', { name: '12 selected' }).waitFor()
      await page.keyboard.press('Escape')
      await page.keyboard.press('Home')
      await assertCursor(table, byId()[0]!)
    })

    // The cursor stays in the first row. Orders that change move it, and must not scroll back to it.
    await scrollTo(table, 0.5)
    await assertRows(table, byId())
    await assertFewRows(table)
    const top = await topOf(table)
    const isEnded = (index: number) => index % Math.floor(count / 20) === 1
    await assertShortTasks(page, `changes of ${count} orders`, async () => {
      for (const index of live.filter(isEnded)) {
        await account.orders.cancel(placed[index]!)
        // The first row of all, so that all others move down.
        if (index % 3 === 0) await account.orders.limit({ ...added, clientOrderId: `a-${index}` })
      }
      live = live.filter((index) => !isEnded(index))
      const all = [...(await account.orders.list({ status: 'open', limit: 50 }))]
      const news = all.map(({ clientOrderId: id }) => id).filter((id) => id.startsWith('a-'))
      await assertRows(table, [...news, ...byId()].sort())
    })
    assert.equal(await topOf(table), top)
    // The keys go on where the cursor is, though its row was out of view.
    await page.keyboard.press('ArrowDown')
    await table.locator('tr[data-cursor]:focus').waitFor()
    if (hasAllCases) await assertEndedRows(page, account)
  })

const added = { symbol: 'AAPL', side: 'buy', qty: 1, limitPrice: '1' } as const
const ROUNDS = 15

/** All orders end. Then others come and end, and keys are answered. */
async function assertEndedRows(page: Page, account: Quipu): Promise<void> {
  await page.getByLabel('with those ended today').check()
  await account.client.cancelAllOrders()
  const table = page.getByRole('region', { name: 'Orders', exact: true })
  await page
    .getByRole('tab', { name: 'Open orders' })
    .and(page.getByText(/^Open orders0?$/))
    .waitFor()
  await page.getByLabel('with those ended today').blur()
  await page.keyboard.press('/')
  const search = page.getByRole('combobox', { name: 'Search' })
  await search.waitFor()
  await assertShortTasks(page, 'updates beside 10,000 ended orders', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await times(50, (index) => account.orders.limit({ ...added, clientOrderId: `new-${round}-${index}` }))
      await page.keyboard.press('q')
      await account.client.cancelAllOrders()
    }
  })
  assert.equal(await search.inputValue(), 'q'.repeat(ROUNDS))
  await page.keyboard.press('Escape')
  await page.getByRole('searchbox', { name: 'Filter orders' }).fill('new-')
  const news = Array.from({ length: ROUNDS * 50 }, (_, at) => `new-${Math.floor(at / 50)}-${at % 50}`)
  await assertScrolls(table, news.sort())
}

for (const count of casesOf([60, 500]))
  test(`${count} positions: the right rows while the clock runs`, async (t) => {
    const world = `held-${count}`
    const symbols = Array.from({ length: count }, (_, index) => `Q${String(index).padStart(3, '0')}`)
    const account = await newLab(
      world,
      symbols.map((symbol) => `${symbol}:20`),
    )
    await times(count, (index) =>
      account.orders.market({ symbol: symbols[index]!, side: 'buy', qty: index + 1 }),
    )
    const params = { world }
    await operator.advanceClock({ params, body: { by: '1s' } })
    assert.equal((await account.positions.list()).length, count)
    const page = await signedIn(t, NO_SCREEN)
    const table = page.getByRole('region', { name: 'Positions', exact: true })
    // The watchlist of an account without a list has its positions too.
    const watchRows = page.getByRole('region', { name: 'Symbols' }).locator('[data-symbol]')
    const load = async (): Promise<void> => {
      await page.goto(`${url}/?world=${world}`)
      await table.locator('tr[data-row]').first().waitFor()
      await watchRows.first().locator('[data-spark]').waitFor()
    }
    await assertShortTasks(page, `loading ${count} positions`, load, 3)
    const watched = await watchRows.count()
    assert.ok(watched > 10 && watched < WATCHED_MAX, `${watched} rows of the watchlist are drawn`)
    // The name of a created symbol is long, so rows are known by their quantity.
    await table.getByRole('button', { name: 'Quantity' }).click()
    const shown = (): Promise<(readonly [number, string])[]> =>
      table
        .locator('tr[data-row]')
        .evaluateAll((rows) =>
          rows.map((row) => [
            Number(row.getAttribute('aria-rowindex')) - 2,
            row.querySelector('b')!.textContent ?? '',
          ]),
        )
    const assertPositions = async (wanted: readonly string[]) => {
      for (const share of [0.5, 1, 0]) {
        await table.evaluate(
          '(element, share) => { element.scrollTop = share * element.scrollHeight }',
          share,
        )
        await page.waitForTimeout(100)
        const rows = await shown()
        assert.ok(rows.length > 0 && rows.length < ROWS_MAX, `${rows.length} rows are drawn`)
        for (const [index, symbol] of rows) assert.equal(symbol, wanted[index])
      }
    }
    await table.locator(`table[aria-rowcount="${count + 1}"]`).waitFor()
    await assertPositions(symbols)
    await operator.runClock({ params, body: { speed: 60 } })
    // All prices change in each message, and the layout of new rows is in the same task.
    const rounds = Array.from({ length: hasAllCases ? 10 : 1 }, () => symbols)
    const scroll = async (): Promise<void> => {
      for (const wanted of rounds) await assertPositions(wanted)
    }
    await assertShortTasks(page, `${count} positions beside a running clock`, scroll, 3)
    await operator.freezeClock({ params })
    await table.getByRole('button', { name: 'Open P/L' }).click()
    const held = await account.positions.list()
    const ofRow = new Map(held.map((one) => [one.symbol, Number(one.unrealizedPl)]))
    const wanted = [...ofRow.values()].sort((a, b) => a - b)
    for (let tries = 40; ; tries -= 1) {
      const rows = await shown()
      if (rows.every(([index, symbol]) => ofRow.get(symbol) === wanted[index])) break
      assert.ok(tries > 0, rows.map(([index, symbol]) => `${index} ${symbol}`).join())
      await page.waitForTimeout(50)
    }
  })
