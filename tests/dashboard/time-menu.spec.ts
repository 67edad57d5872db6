import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { newWorld } from '../support/broker.ts'
import { assertAccessible, assertFits, openStage, signedIn, visit } from './stage.ts'

const stage = await openStage()
const crash = { kind: 'crash', at: '2026-01-05T10:26:00-05:00', depth: '0.06', minutes: 14, recovers: true }

/** A paused world at noon, with a crash in the morning. */
async function played(world: string): Promise<void> {
  const start = '2026-01-05T09:30:00-05:00'
  const lab = await newWorld(stage.broker, { world, start, hours: 'nyse', seed: '7', market_events: [crash] })
  await lab.advance('150m')
}

const drawn = (page: Page) => page.getByRole('img', { name: /^AAPL, five-minute bars from .* Low / })
const menuOf = (page: Page) => page.getByRole('menu', { name: 'At this time' })
const eventsOf = (world: string) => stage.operator.listMarketEvents({ params: { world } })

/** Opens the menu with a right click at a part of the plot's width. */
async function openAt(page: Page, share: number): Promise<void> {
  await drawn(page).waitFor()
  await page.locator('.overlay').waitFor()
  const box = (await page.locator('.candles .plot').boundingBox())!
  await page.mouse.click(box.x + box.width * share, box.y + 60, { button: 'right' })
  await menuOf(page).waitFor()
}

/** The world of the address, after the page has gone to a branch. */
async function branchOf(page: Page, world: string): Promise<string> {
  await page.waitForURL((url) => (url.searchParams.get('world') ?? world) !== world)
  return new URL(page.url()).searchParams.get('world')!
}

test('a crash at a past time is in a new branch that was forked at that instant', async (t) => {
  const world = 'menu-crash'
  await played(world)
  const page = await visit(t, `/markets/AAPL?world=${world}`)
  await openAt(page, 0.5)
  await page.getByText(`This time is past: all act in a new branch. ${world} does not change.`).waitFor()
  await assertAccessible(page, { within: '.time-menu' })
  await page.getByRole('menuitem', { name: /^Crash here/ }).click()
  await page.getByText('In a new branch. This world does not change.').waitFor()
  await page.getByLabel('Falls by').fill('9')
  await assertAccessible(page, { within: '.time-menu' })
  await page.keyboard.press('Enter')
  const branch = await branchOf(page, world)
  const made = (await stage.operator.listWorlds()).find((one) => one.world === branch)
  assert.equal(made?.parent, world)
  const planned = (await eventsOf(branch)).filter(({ depth }) => depth === 0.09)
  assert.equal(planned.length, 1)
  // Quotes of the next minute may be sent already, so the event begins within two minutes.
  const waits = Date.parse(planned[0]!.at!) - Date.parse(made!.forked_at!)
  assert.ok(waits > 0 && waits <= 120_000, `${waits} ms after the fork`)
  assert.equal((await eventsOf(world)).length, 1)
})

test('the keyboard opens the menu at the crosshair, forks there, and says why the price moved', async (t) => {
  const world = 'menu-keys'
  await played(world)
  const page = await visit(t, `/markets/AAPL?world=${world}`)
  await drawn(page).waitFor()
  await page.locator('.overlay').waitFor()
  // A pointer over the chart would be a crosshair.
  await page.mouse.move(0, 0)
  await drawn(page).focus()
  // 11:55 is the newest bar; the crash began in the bar of 10:25, 18 bars before it.
  for (let step = 0; step < 19; step += 1) await page.keyboard.press('ArrowLeft')
  await page.locator('.bar-text', { hasText: '10:25' }).waitFor()
  await page.keyboard.press('Shift+F10')
  await menuOf(page).waitFor()
  await page.getByText('At 10:25:00').waitFor()
  await page.keyboard.press('w')
  await page.getByText(/^The bar of 10:25 moved −/).waitFor()
  await page.getByText(/^Crash −6 % from 10:26 to 10:40\.$/).waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('f')
  const branch = await branchOf(page, world)
  const made = (await stage.operator.listWorlds()).find((one) => one.world === branch)
  assert.equal(new Date(made!.forked_at!).toISOString(), '2026-01-05T15:25:00.000Z')
})

test('a time that is not played yet gets a market event of this world, and cannot be forked', async (t) => {
  const world = 'menu-future'
  await played(world)
  const page = await visit(t, `/markets/AAPL?world=${world}&bars=1h`)
  await page.getByRole('img', { name: /^AAPL, hourly bars from .* Low / }).waitFor()
  await page.locator('.overlay .future').waitFor()
  const future = (await page.locator('.overlay .future').boundingBox())!
  await page.mouse.click(future.x + future.width / 2, future.y + 60, { button: 'right' })
  await page.getByText('This time is not played yet: a market event is planned here.').waitFor()
  assert.equal(await page.getByRole('menuitem', { name: 'Fork here' }).getAttribute('aria-disabled'), 'true')
  await page.getByRole('menuitem', { name: /^Halt AAPL here/ }).click()
  assert.equal(await page.getByRole('textbox', { name: 'Symbol', exact: true }).last().inputValue(), 'AAPL')
  await page.getByRole('button', { name: 'Plan the halt' }).click()
  await menuOf(page).waitFor({ state: 'detached' })
  await page.getByText(/^Halt planned at/).waitFor()
  const halts = (await eventsOf(world)).filter(({ kind }) => kind === 'halt')
  assert.deepEqual(
    halts.map(({ symbol, status }) => [symbol, status]),
    [['AAPL', 'pending']],
  )
  assert.equal(new URL(page.url()).searchParams.get('world'), world)
})

test('who may not act on a world sees why, and may still ask why the price moved', async (t) => {
  const page = await visit(t, '/markets/AAPL', { isOperator: false })
  // A new `main` has few bars, at the left.
  await openAt(page, 0.03)
  await page
    .getByText(/operator/)
    .first()
    .waitFor()
  for (const name of [/^Fork here/, /^Crash here/, /^Halt AAPL/, /^Gap at/])
    assert.equal(await page.getByRole('menuitem', { name }).getAttribute('aria-disabled'), 'true')
  await assertAccessible(page, { within: '.time-menu' })
  await page.getByRole('menuitem', { name: /^Why did it move/ }).click()
  await page.getByText('No market event, halt or corporate action covers this time.').waitFor()
})

test('on a phone a long press opens the menu, and it fits', async (t) => {
  const world = 'menu-phone'
  await played(world)
  const page = await signedIn(t, `/markets/AAPL?world=${world}`, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
  })
  await drawn(page).waitFor()
  await page.locator('.overlay').waitFor()
  const box = (await page.locator('.candles .plot').boundingBox())!
  const session = await page.context().newCDPSession(page)
  const touchPoints = [{ x: box.x + 120, y: box.y + 60 }]
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
  await menuOf(page).waitFor()
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await menuOf(page).waitFor()
  await assertFits(page)
})
