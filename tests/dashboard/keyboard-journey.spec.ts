import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu } from '@quipu/sdk'
import type { Locator, Page } from 'playwright-core'
import { screens } from '../../web/src/screens.table.ts'
import { casesOf } from '../support/cases.ts'
import { stopNow, visibleStop } from './focus.ts'
import { signInLink } from './sign-in.ts'
import { newPage, openStage } from './stage.ts'

const stage = await openStage()
const world = 'keyboard-lab'
const { accounts } = await stage.operator.createWorld({
  body: { world, start: '2026-01-05T10:00:00-05:00', hours: 'always', seed: '7' },
})
const { key_id: keyId, secret_key: secretKey } = accounts[0]!
const account = createQuipu({ url: stage.broker.url, keyId, secretKey })
const ordersNow = async () =>
  (await account.orders.list({ status: 'all' })).map(({ side, symbol, qty, status }) =>
    [side, symbol, qty, status].join(' '),
  )

async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

/** Single keys work on all elements but fields. */
const NO_FIELD = /^(?!input|select|textarea|combobox)/

const STOPS_MAX = 90

/** Moves with Tab, or with Shift Tab, to the element with this name. Each stop on the way is looked at. */
async function tabTo(page: Page, wanted: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const stops: string[] = []
  while (stops.length < STOPS_MAX) {
    await press(page, key)
    const { name, problem } = await stopNow(page)
    stops.push(name)
    // After its last element the focus leaves the page once.
    if (name === '') continue
    assert.equal(problem, undefined, `${name}: ${problem} at ${page.url()}`)
    if (wanted.test(name)) return
  }
  assert.fail(`${key} does not lead to ${wanted}: ${stops.join(' | ')}`)
}

/** The headings that are not the title of their screen. */
const headings = new Map<string, string>([
  ['worlds', world],
  ['first', 'Your broker is running.'],
])

/** Opens the search, types, and runs the result with this name. */
async function run(page: Page, text: string, result: RegExp): Promise<void> {
  await press(page, 'Control+k')
  const dialog = page.getByRole('dialog', { name: 'Search and commands' })
  await dialog.waitFor()
  await waitForStop(page, /^combobox Search/)
  await page.keyboard.type(text)
  await page.getByRole('option', { name: result, selected: true }).waitFor()
  await press(page, 'Enter')
  await dialog.waitFor({ state: 'detached' })
}

const TRIES = 200

/** Waits until a text of the page is the wanted one, and fails with the last one otherwise. */
async function waitForText(page: Page, read: () => Promise<string>, wanted: RegExp): Promise<void> {
  for (let left = TRIES; left > 0 && !wanted.test(await read()); left -= 1) await page.waitForTimeout(50)
  assert.match(await read(), wanted)
}

/** Waits until an element with this name has the focus, which must be visible and have a ring. */
async function waitForStop(page: Page, wanted: RegExp): Promise<void> {
  await waitForText(page, async () => (await stopNow(page)).name, wanted)
  await visibleStop(page)
}

/** Waits until the rows of a table have these symbols, in this order. */
const waitForSymbols = (rows: Locator, wanted: readonly string[]): Promise<void> =>
  waitForText(
    rows.page(),
    async () =>
      (await rows.allTextContents()).map((text) => /AAPL|KO|MSFT|NVDA/.exec(text)?.[0] ?? text).join(),
    new RegExp(`^${wanted.join()}$`),
  )

test('a viewer without a mouse signs in, trades, cancels, sorts, filters, runs commands and visits screens', async (t) => {
  for (const [symbol, qty] of [
    ['MSFT', 3],
    ['KO', 2],
  ] as const)
    await account.orders.limit({ symbol, side: 'buy', qty, limitPrice: '1', timeInForce: 'gtc' })
  const page = await newPage(t)
  const navigation = page.getByRole('navigation', { name: 'Main' })

  await page.goto(await signInLink(stage))
  await waitForStop(page, /^button Sign in as/)
  await press(page, 'Enter')
  await navigation.waitFor()
  await press(page, 'Tab')
  await waitForStop(page, /^a Skip to content/)

  // Another world, and another symbol on the chart.
  await run(page, world, new RegExp(`^${world}`))
  await page.waitForURL(new RegExp(`world=${world}`))
  await page.getByRole('img', { name: /^AAPL, five-minute bars/ }).waitFor()
  await tabTo(page, /^a NVDA/)
  await press(page, 'Enter')
  await page.getByRole('img', { name: /^NVDA, five-minute bars/ }).waitFor()
  await visibleStop(page)

  // A limit order of the ticket.
  await press(page, 'b')
  const ticket = page.getByRole('form', { name: 'Order ticket' })
  await ticket.getByRole('button', { name: 'Buy 1 NVDA' }).waitFor()
  await waitForStop(page, /^input Quantity/)
  await page.keyboard.type('4')
  await tabTo(page, /^select Type/, 'Shift+Tab')
  await page.keyboard.type('Limit')
  await tabTo(page, /^input Limit price/)
  await press(page, 'Control+a')
  await page.keyboard.type('20')
  await ticket.getByText('waits, all 4').waitFor()
  await tabTo(page, /^button Buy 4 NVDA/)
  await press(page, 'Enter')
  await ticket.getByRole('link', { name: 'Show the order' }).waitFor()

  // The blotter: sort by a head, filter, and cancel a row.
  await press(page, '2')
  const rows = page.getByRole('region', { name: 'Open orders', exact: true }).locator('tr[data-row]')
  await waitForSymbols(rows, ['NVDA', 'KO', 'MSFT'])
  await tabTo(page, /^button Symbol/, 'Shift+Tab')
  await press(page, 'Enter')
  await waitForSymbols(rows, ['KO', 'MSFT', 'NVDA'])
  await press(page, 'Enter')
  await waitForSymbols(rows, ['NVDA', 'MSFT', 'KO'])
  await tabTo(page, /^input Filter orders/, 'Shift+Tab')
  await page.keyboard.type('msft')
  await waitForSymbols(rows, ['MSFT'])
  await tabTo(page, /^region Open orders/)
  await press(page, 'ArrowDown')
  await waitForStop(page, /^tr .*MSFT/)
  await press(page, 'Space', 'Shift+X')
  await rows.first().waitFor({ state: 'detached' })
  assert.deepEqual(await ordersNow(), ['buy NVDA 4 new', 'buy KO 2 new', 'buy MSFT 3 canceled'])
  await tabTo(page, /^input Filter orders/, 'Shift+Tab')
  await press(page, 'Control+a', 'Delete')
  await waitForSymbols(rows, ['NVDA', 'KO'])

  // A command with an effect on the market.
  await run(page, 'halt AMD 10m', /^Halt AMD at .*, for 10 min/)
  const [event] = await stage.operator.listMarketEvents({ params: { world } })
  assert.deepEqual([event?.kind, event?.symbol], ['halt', 'AMD'])

  // The search gives the focus back to the field; the keys of the screens work outside of it.
  await waitForStop(page, /^input Filter orders/)
  await tabTo(page, /^region Open orders/)
  for (const { key, name, title } of casesOf([...screens.slice(1), screens[0]], 2)) {
    await press(page, 'g', key)
    const heading = headings.get(name) ?? title
    await page.locator('main h1', { hasText: heading }).first().waitFor({ state: 'attached' })
    await tabTo(page, NO_FIELD)
  }

  // The sheet of keys gives the focus back, closed by its button too.
  const opener = await visibleStop(page)
  await press(page, '?')
  const sheet = page.getByRole('dialog', { name: 'Keys' })
  await sheet.waitFor()
  await waitForStop(page, /^button Close/)
  await press(page, 'Enter')
  await sheet.waitFor({ state: 'detached' })
  assert.equal(await visibleStop(page), opener)
})
