import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, assertFits, openStage, visit } from './stage.ts'

const stage = await openStage()
const START = '2026-01-05T14:30:00Z'
const rowOf = (page: Page, name: string) => page.locator('.tip-row').filter({ hasText: name })

/** A world at noon with an unnamed branch that was not played, and a named one of it. */
async function grow(world: string): Promise<void> {
  const { operator } = stage
  const params = { world }
  await operator.createWorld({ body: { world, start: START, hours: 'nyse', seed: '7' } })
  const crash = (name: string, at: string, depth: string) =>
    operator.createMarketEvent({
      params: { world: name },
      body: { kind: 'crash', at, depth, minutes: 10, recovers: true } as never,
    })
  await crash(world, '2026-01-05T15:00:00Z', '0.06')
  await operator.advanceClock({ params, body: { to: '2026-01-05T17:00:00Z' } })
  const at = '2026-01-05T15:30:00Z'
  await operator.forkWorld({
    params,
    body: { world: `${world}-a`, at, title: 'With stops', note: 'No dips' },
  })
  await crash(`${world}-a`, '2026-01-05T16:00:00Z', '0.12')
  await operator.advanceClock({ params: { world: `${world}-a` }, body: { to: '2026-01-05T17:00:00Z' } })
  await operator.forkWorld({
    params: { world: `${world}-a` },
    body: { world: `${world}-b`, temporary: true },
  })
}

test('worlds are a tree with the equity of each tip; a click shows a world, Shift click compares it', async (t) => {
  await grow('oak')
  const page = await visit(t, '/worlds?world=oak')
  await page.getByRole('region', { name: 'Branches of oak' }).getByText('2 branches').waitFor()
  for (const name of ['oak', 'With stops', 'oak-b'])
    await rowOf(page, name).first().getByText('100,000.00').waitFor()
  await rowOf(page, 'With stops')
    .getByText(/^oak-a · No dips$/)
    .waitFor()
  await rowOf(page, 'oak-b')
    .getByText(/^ends in 60 min/)
    .waitFor()
  assert.equal(await page.locator('.tree-drawing circle.fork').count(), 2)
  // The crash of the root is a band over all lines, that of a branch only over its own and not those of its forks.
  const bands = page.locator('.tree-drawing .band')
  assert.deepEqual(await bands.allTextContents(), ['Crash −6 %', 'Crash −12 %'])
  const heights = await bands
    .locator('rect')
    .evaluateAll((all) => all.map((one) => Number(one.getAttribute('height'))))
  assert.ok(heights[0]! > 2 * heights[1]!, heights.join())
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await assertAccessible(page, { within: '.tree-card', onlyColours: colorScheme === 'dark' })
  }
  await assertFits(page)
  await rowOf(page, 'With stops')
    .getByRole('button')
    .click({ modifiers: ['Shift'] })
  await rowOf(page, 'With stops').getByText('against', { exact: true }).waitFor()
  const difference = page.getByRole('region', { name: 'Difference of two worlds' })
  await difference.getByText('both at 12:00:00').waitFor()
  await difference.getByRole('columnheader', { name: 'With stops' }).waitFor()
  await rowOf(page, 'With stops').getByRole('button').click()
  await page.getByRole('heading', { name: 'oak-a', exact: true }).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('world'), 'oak-a')
  const table = page.getByRole('table', { name: 'Branches' })
  await table.getByRole('row', { name: /^oak-b oak-a 12:00:00/ }).waitFor()
})

test('a double click or a key edits the name or the note, which keeps a branch', async (t) => {
  await grow('elm')
  const page = await visit(t, '/worlds?world=elm-b')
  await rowOf(page, 'elm-b').getByText('elm-b', { exact: true }).dblclick()
  await page.getByLabel('Title of elm-b').fill('Gap at the open')
  await page.keyboard.press('Enter')
  await rowOf(page, 'Gap at the open').waitFor()
  await page.keyboard.press('e')
  await page.getByLabel('Note of elm-b').fill('Both limits canceled')
  await page.keyboard.press('Enter')
  await rowOf(page, 'Gap at the open').getByText('elm-b · Both limits canceled').waitFor()
  const { title, note, expires_at: end } = await stage.operator.getWorld({ params: { world: 'elm-b' } })
  assert.deepEqual([title, note, end], ['Gap at the open', 'Both limits canceled', undefined])
  await page.keyboard.press('r')
  await page.getByLabel('Title of elm-b').fill('Another')
  await page.keyboard.press('Escape')
  await rowOf(page, 'Gap at the open').waitFor()
})

test('a second fork of one instant asks, as long as nothing was done in the first', async (t) => {
  await stage.operator.createWorld({ body: { world: 'twice', start: START, hours: 'nyse' } })
  const forks = async () =>
    (await stage.operator.listWorlds()).filter(({ parent }) => parent === 'twice').map(({ world }) => world)
  const page = await visit(t, '/worlds?world=twice')
  // Keys of the new world work at once, also if its clock is read late.
  await page.route(/\/clock$/, async (route) => {
    await page.waitForTimeout(300)
    await route.continue()
  })
  await page.getByRole('button', { name: 'Fork from here' }).first().click()
  // The page shows a fork after its response. Its notice may still be that of an earlier fork.
  const forkShown = () => page.waitForURL((url) => url.searchParams.get('world') !== 'twice')
  await forkShown()
  await page.keyboard.press('u')
  const [first] = await forks()
  await page.unrouteAll({ behavior: 'wait' })
  await page.getByRole('heading', { name: 'twice', exact: true }).waitFor()
  await page.getByRole('button', { name: 'Fork from here' }).first().click()
  await page.getByRole('button', { name: `Keep only ${first}` }).click()
  assert.deepEqual(await forks(), [first])
  await stage.operator.advanceClock({ params: { world: first! }, body: { by: '1m' } })
  await rowOf(page, first!).getByText('at 09:31:00').waitFor()
  await page.getByRole('button', { name: 'Fork from here' }).first().click()
  await forkShown()
  assert.equal((await forks()).length, 2)
})

test('on a phone the tree is an indented list', async (t) => {
  await grow('ash')
  const page = await visit(t, '/worlds?world=ash', { viewport: { width: 390, height: 844 } })
  const left = async (name: string) => (await rowOf(page, name).first().getByRole('button').boundingBox())!.x
  await rowOf(page, 'ash-b').waitFor()
  assert.ok((await left('With stops')) < (await left('ash-b')))
  assert.equal(await page.locator('.tree-drawing').isVisible(), false)
  await assertFits(page)
  await assertAccessible(page, { within: '.tree-card' })
})
