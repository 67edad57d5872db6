import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu } from '@quipu/sdk'
import type { Page } from 'playwright-core'
import { waitUntil } from '../support/wait-until.ts'
import { commonDemo } from './demo.ts'
import { signInByLink } from './sign-in.ts'
import { assertAccessible, assertFits, openStage, signedIn, visit } from './stage.ts'

const stage = await openStage()
const query = `?world=${await commonDemo()}`

type Pane = 'watchlist' | 'ticket' | 'blotter'
const gripOf = (page: Page, pane: Pane) => page.getByRole('separator', { name: `Size of the ${pane}` })
const paneOf = (page: Page, pane: Pane) =>
  page.locator(`.workspace > .${pane === 'ticket' ? 'ticket-pane' : pane}`)
/** The size on screen, which the grip reports too. */
async function sizeOf(page: Page, pane: Pane): Promise<number> {
  const box = (await paneOf(page, pane).boundingBox())!
  const size = Math.round(pane === 'blotter' ? box.height : box.width)
  assert.equal(Number(await gripOf(page, pane).getAttribute('aria-valuenow')), size)
  return size
}

/** Sizes follow in the next frame. */
async function assertSize(page: Page, pane: Pane, expected: number): Promise<void> {
  await waitUntil(
    `the ${pane} has ${expected} pixels`,
    async () => (await sizeOf(page, pane)) === expected,
    10,
  )
}

async function drag(page: Page, pane: Pane, by: number): Promise<void> {
  const box = (await gripOf(page, pane).boundingBox())!
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await (pane === 'blotter'
    ? page.mouse.move(x, y + by, { steps: 4 })
    : page.mouse.move(x + by, y, { steps: 4 }))
  await page.mouse.up()
}

test('panes are resized by mouse and keyboard within their limits, and remembered per person', async (t) => {
  const page = await signedIn(t, `/${query}`)
  await paneOf(page, 'blotter').waitFor()
  const first = { watchlist: 236, ticket: 296, blotter: 248 }
  for (const pane of ['watchlist', 'ticket', 'blotter'] as const) await assertSize(page, pane, first[pane])
  await drag(page, 'watchlist', 40)
  await assertSize(page, 'watchlist', 276)
  await drag(page, 'ticket', -50)
  await assertSize(page, 'ticket', 346)
  await drag(page, 'blotter', -60)
  await assertSize(page, 'blotter', 308)

  await gripOf(page, 'watchlist').focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Shift+ArrowLeft')
  await assertSize(page, 'watchlist', 276 + 16 - 64)
  await gripOf(page, 'blotter').focus()
  await page.keyboard.press('ArrowDown')
  await assertSize(page, 'blotter', 308 - 16)
  await page.keyboard.press('Home')
  await assertSize(page, 'blotter', 112)
  await page.keyboard.press('End')
  const chart = (await page.locator('.chart-pane').boundingBox())!
  assert.ok(chart.height >= 240, `the chart is ${chart.height} high`)
  await gripOf(page, 'ticket').focus()
  await page.keyboard.press('End')
  await assertSize(page, 'ticket', 440)

  // The narrowest watchlist has symbols only.
  await drag(page, 'watchlist', -400)
  await assertSize(page, 'watchlist', 72)
  const last = page.getByRole('columnheader', { name: 'Last' })
  await last.first().waitFor()
  assert.equal(await last.count(), 1)
  await assertFits(page)
  await page.getByRole('button', { name: 'Layout' }).click()
  await page.getByRole('checkbox', { name: 'Watchlist' }).uncheck()
  await page.keyboard.press('Escape')
  await paneOf(page, 'watchlist').waitFor({ state: 'detached' })
  await assertAccessible(page)

  await page.reload()
  await paneOf(page, 'ticket').waitFor()
  await assertSize(page, 'ticket', 440)
  assert.equal(await paneOf(page, 'watchlist').count(), 0)
  await gripOf(page, 'ticket').dblclick()
  await assertSize(page, 'ticket', 296)
  await gripOf(page, 'blotter').focus()
  await page.keyboard.press('Enter')
  await assertSize(page, 'blotter', 248)

  // Another person at the same browser has an own layout.
  const { name } = await newPerson()
  await page.context().clearCookies()
  await signInByLink(stage, page, false, name)
  await paneOf(page, 'watchlist').waitFor()
  await assertSize(page, 'watchlist', 236)
  await page.context().clearCookies()
  await signInByLink(stage, page)
  await paneOf(page, 'ticket').waitFor()
  assert.equal(await paneOf(page, 'watchlist').count(), 0)
  await page.getByRole('button', { name: 'Layout' }).click()
  await page.getByRole('button', { name: 'As at first' }).click()
  await assertSize(page, 'watchlist', 236)
})

/** A person with an account in main. */
async function newPerson(): Promise<{ readonly name: string }> {
  const params = { world: 'main' }
  const name = 'second-person'
  await stage.operator.createUser({ params, body: { name, accounts: [{}] } } as never)
  return { name }
}

test('a narrow window has a grip for the blotter, and the ticket and the watchlist over the chart', async (t) => {
  const page = await visit(t, `/${query}`, { viewport: { width: 1024, height: 768 } })
  await paneOf(page, 'blotter').waitFor()
  const before = await sizeOf(page, 'blotter')
  await gripOf(page, 'blotter').focus()
  await page.keyboard.press('ArrowUp')
  await assertSize(page, 'blotter', before + 16)
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'AAPL', exact: true }).click()
  await page.getByRole('region', { name: 'Watchlist' }).getByRole('link', { name: 'MSFT' }).click()
  await page.getByRole('heading', { name: 'MSFT' }).waitFor()
  await page.keyboard.press('b')
  await page.getByRole('complementary', { name: 'Order' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('complementary', { name: 'Order' }).waitFor({ state: 'detached' })
})

/** Whether two parts of the top bar lie over each other. */
const overlaps = (page: Page): Promise<readonly string[]> =>
  page.evaluate(`(() => {
    const parts = [...document.querySelectorAll('.top > :not(.crumbs), .crumbs > span:not(.sep)')]
      .filter((one) => one.getBoundingClientRect().width > 0)
    const boxes = parts.map((one) => [one.className, one.getBoundingClientRect()])
    return boxes.flatMap(([name, a], index) => boxes.slice(index + 1)
      .filter(([, b]) => a.right > b.left + 0.5 && b.right > a.left + 0.5)
      .map(([other]) => name + ' lies over ' + other))
  })()`)

test('the top bar of a phone has space for its parts, also with a long name of the world', async (t) => {
  const world = 'a-world-with-a-very-long-name'
  await stage.operator.createWorld({ body: { world, start: '2026-01-05T10:00:00-05:00', hours: 'nyse' } })
  for (const path of [`/${query}`, `/tokenization?world=${world}`, '/operator']) {
    const page = await visit(t, path, { viewport: { width: 390, height: 844 } })
    await page.getByRole('button', { name: 'Search' }).waitFor()
    if (path !== '/operator') await page.locator('.as-of').waitFor()
    assert.deepEqual(await overlaps(page), [], path)
    await assertFits(page)
  }
})

test('on a phone a tap opens a row and only a long press selects it, while prices change', async (t) => {
  const world = 'taps'
  const { accounts } = await stage.operator.createWorld({
    body: { world, start: '2026-01-05T10:00:00-05:00', hours: 'always', seed: '7' },
  })
  const { key_id: keyId, secret_key: secretKey } = accounts[0]!
  const account = createQuipu({ url: stage.broker.url, keyId, secretKey })
  for (const symbol of ['AAPL', 'MSFT']) await account.orders.market({ symbol, qty: 1, side: 'buy' })
  await stage.operator.runClock({ params: { world }, body: { speed: '60' } } as never)
  // The specs that follow share the broker, and their pages get the clock of a running world ten times a second.
  t.after(async () => void (await stage.operator.freezeClock({ params: { world } })))
  const page = await signedIn(t, `/?world=${world}`, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  })
  const table = page.getByRole('region', { name: 'Positions', exact: true })
  const row = table.locator('tr[data-row]', { hasText: 'MSFT' })
  await row.scrollIntoViewIfNeeded()
  const session = await page.context().newCDPSession(page)
  const press = async (ms: number) => {
    await row.scrollIntoViewIfNeeded()
    // A long press on a story opens the story.
    const box = (await row.locator('td:not(.story-cell)').first().boundingBox())!
    const touchPoints = [{ x: box.x + box.width / 2, y: box.y + box.height / 2 }]
    await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
    await page.waitForTimeout(ms)
    await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  }
  // The row is drawn again while the finger is down: prices change several times a second.
  await press(250)
  await page.getByRole('heading', { name: 'MSFT' }).waitFor()
  await page.waitForTimeout(600)
  assert.equal(await page.getByRole('toolbar').count(), 0)
  await press(700)
  await page.getByRole('toolbar', { name: '1 selected' }).waitFor()
  await page.waitForTimeout(100)
  assert.equal(await row.getAttribute('aria-selected'), 'true')
  await assertFits(page)
  await page.getByRole('button', { name: 'Clear the selection' }).click()
  await page.getByRole('toolbar').waitFor({ state: 'detached' })
})
