import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { assertAccessible, assertFits, moveTo, openStage, visit } from './stage.ts'

const stage = await openStage()
const clockOf = (page: Page) => page.locator('.clock-face b')
const trackOf = (page: Page) => page.getByRole('slider', { name: /^Session of/ })
const cardOf = (page: Page) => page.getByRole('dialog', { name: /^Rewind to/ })

/** A world that has played from 9:30 to 12:00. */
async function played(world: string): Promise<string> {
  await stage.operator.createWorld({
    body: { world, start: '2026-01-05T14:30:00Z', hours: 'nyse', seed: '7' },
  })
  await stage.operator.advanceClock({ params: { world }, body: { to: '2026-01-05T17:00:00Z' } })
  return world
}

/** Presses the mark of the present and moves it to a share of the track. */
async function dragBack(page: Page, track: Locator, share: number): Promise<void> {
  const [mark, box] = [(await page.locator('.track .now').boundingBox())!, (await track.boundingBox())!]
  await page.mouse.move(mark.x + mark.width / 2, mark.y + mark.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * share, mark.y + 10, { steps: 5 })
}

test('dragging the mark back shows the branch, and Enter forks there; the old world stays', async (t) => {
  const world = await played('rewound')
  const page = await visit(t, `/worlds?world=${world}`)
  await clockOf(page).getByText('12:00:00').waitFor()
  await dragBack(page, trackOf(page), 0.2)
  await page.getByText('Let go, or press Enter, to choose this time.').waitFor()
  assert.equal(await page.locator('.track .ghost, .track .branch').count(), 2)
  await page.mouse.up()
  const card = cardOf(page)
  await card.getByText(/^Equity then 100,000\.00, now 100,000\.00/).waitFor()
  await card.getByText(/rewound stays at 12:00:00/).waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await assertAccessible(page, { within: '.rewind-card', onlyColours: colorScheme === 'dark' })
  }
  await page.keyboard.press('Escape')
  await card.waitFor({ state: 'detached' })
  assert.equal((await stage.operator.listWorlds()).filter(({ parent }) => parent === world).length, 0)

  await dragBack(page, trackOf(page), 0.2)
  await page.mouse.up()
  const name = await card.locator('p b').textContent()
  const text = (await card.locator('> b').textContent())!.replace('Rewind to ', '')
  await page.keyboard.press('Enter')
  await clockOf(page).getByText(text).waitFor()
  const branch = await stage.operator.getWorld({ params: { world: name! } })
  assert.deepEqual([branch.parent, branch.note], [world, `Rewound from ${world}`])
  assert.ok(branch.expires_at, 'it ends if nobody uses it')
  assert.match((await stage.operator.getWorldClock({ params: { world } })).now, /^2026-01-05T17:00:00/)
  await page.keyboard.press('u')
  await clockOf(page).getByText('12:00:00').waitFor()
  // To look at a branch is not to use it.
  const after = await stage.operator.getWorld({ params: { world: name! } })
  assert.deepEqual([after.seq, after.expires_at], [branch.seq, branch.expires_at])
})

test('no screen uses a branch by showing it, and a branch that ends on screen leads back to its world', async (t) => {
  await played('watched')
  const body = { world: 'unused', at: '2026-01-05T16:00:00Z', temporary: true, note: 'Rewound from watched' }
  const params = { world: (await stage.operator.forkWorld({ params: { world: 'watched' }, body })).world }
  const branch = await stage.operator.getWorld({ params })
  const page = await visit(t, `/worlds?world=unused`)
  const screens = [
    '/',
    '/orders',
    '/ledger',
    '/activity',
    '/activity?tab=risk',
    '/tokenization',
    '/keys',
    '/runs',
  ]
  for (const screen of screens) {
    await moveTo(page, `${screen}${screen.includes('?') ? '&' : '?'}world=unused`)
    await page.locator('main :is(.card, .empty, table, .stats)').first().waitFor()
    await page.waitForTimeout(200)
  }
  const looked = await stage.operator.getWorld({ params })
  assert.deepEqual([looked.seq, looked.expires_at], [branch.seq, branch.expires_at])
  await stage.operator.deleteWorld({ params })
  await page.getByText('There is no world unused').waitFor()
  await page.getByRole('button', { name: 'Show watched' }).click()
  await clockOf(page).getByText('12:00:00').waitFor()
})

test('z goes back by a minute each time, and arrow keys choose any minute', async (t) => {
  const world = await played('stepped')
  const page = await visit(t, `/worlds?world=${world}`)
  await clockOf(page).getByText('12:00:00').waitFor()
  await page.keyboard.press('z')
  await page.getByRole('dialog', { name: 'Rewind to 11:59:00' }).waitFor()
  await page.keyboard.press('z')
  await page.getByRole('dialog', { name: 'Rewind to 11:58:00' }).waitFor()
  await trackOf(page).focus()
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Rewind to 11:57:00' }).waitFor()
  await page.keyboard.press('Enter')
  await clockOf(page).getByText('11:57:00').waitFor()
  assert.equal(new URL(page.url()).searchParams.get('world'), 'rewind-11-57')
})

test('each world has the speed that was chosen in it, also after a reload', async (t) => {
  const world = await played('quick')
  const page = await visit(t, `/worlds?world=${world}`)
  const pressed = (name: string) =>
    page.locator('.speeds [aria-pressed="true"]').getByText(name, { exact: true })
  await pressed('60×').waitFor()
  await page.getByRole('button', { name: '600×' }).click()
  await pressed('600×').waitFor()
  const other = await played('slow')
  await page.goto(`${stage.url}/worlds?world=${other}`)
  await pressed('60×').waitFor()
  await page.goto(`${stage.url}/worlds?world=${world}`)
  await pressed('600×').waitFor()
})

test('on a phone a long press on the mark goes back, and a swipe does not', async (t) => {
  const world = await played('handheld')
  const page = await visit(t, `/worlds?world=${world}`)
  await page.setViewportSize({ width: 390, height: 844 })
  await clockOf(page).getByText('12:00:00').waitFor()
  const [mark, box] = [
    (await page.locator('.track .now').boundingBox())!,
    (await trackOf(page).boundingBox())!,
  ]
  const [x, y] = [mark.x, mark.y + 8]
  const touch = (type: string, toX: number) =>
    trackOf(page).dispatchEvent(type, {
      pointerType: 'touch',
      pointerId: 1,
      clientX: toX,
      clientY: y,
      button: 0,
    })
  await page.evaluate('Element.prototype.setPointerCapture = () => undefined')
  await touch('pointerdown', x)
  await touch('pointermove', box.x)
  await touch('pointerup', box.x)
  assert.equal(await cardOf(page).count(), 0)
  await touch('pointerdown', x)
  await page.waitForTimeout(600)
  await touch('pointermove', box.x + 5)
  await touch('pointerup', box.x + 5)
  await cardOf(page)
    .getByRole('button', { name: /^Rewind/ })
    .waitFor()
  await assertFits(page)
  await cardOf(page)
    .getByRole('button', { name: /^Put back/ })
    .click()
  await cardOf(page).waitFor({ state: 'detached' })
})
