import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '@quipu/sdk'
import type { Page } from 'playwright-core'
import { assertAccessible, assertFits, openStage, signedIn } from './stage.ts'

const stage = await openStage()
const phone = { viewport: { width: 390, height: 844 } }
const step = (page: Page, name: string) => page.getByRole('listitem', { name })
const done = (page: Page, name: string) => step(page, name).getByText('Done.')

test('the steps turn green by what happened, in any order', async (t) => {
  const page = await signedIn(t, '/')
  const card = page.getByRole('region', { name: 'First steps' })
  await card.getByRole('link', { name: 'First steps' }).click()
  await page.getByRole('heading', { name: 'Your broker is running.' }).waitFor()
  await page.getByText('Requests of your bot appear here').waitFor()
  await assertAccessible(page)

  // A program with a key: the step waits for it, and the stream brings it.
  await page.getByRole('button', { name: 'Create a key for it' }).click()
  const variables = page.getByRole('region', { name: 'Variables' })
  await variables.getByText(/SECRET_KEY=\w/).waitFor()
  const text = (await variables.textContent()) ?? ''
  const [, url = '', keyId = '', secretKey = ''] = /URL=(\S+)\n.*ID=(\S+)\n.*KEY=(\S+)/.exec(text) ?? []
  assert.equal(url, stage.broker.url, 'the address is that of the API, not of the pages')
  await page.getByText('Waiting for the first request').waitFor()
  await createClient({ url, keyId, secretKey }).getAccount()
  await page.getByText('Your bot is connected.').waitFor()
  await done(page, 'Point your bot here').waitFor({ state: 'attached' })
  await page.getByText('1 program').waitFor()

  // The first order.
  await step(page, 'Place your first order').getByRole('button', { name: 'Buy 1 AAPL' }).click()
  const ticket = page.getByRole('form', { name: 'Order ticket' })
  await ticket.getByRole('button', { name: 'Buy 1 AAPL' }).click()
  await page.getByRole('tab', { name: 'Activity' }).click()
  await page
    .getByText(/Bought/)
    .first()
    .waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('f')
  await done(page, 'Place your first order').waitFor({ state: 'attached' })

  // The demo world: made by its step, never in main.
  const mainBefore = (await stage.account.orders.list({ status: 'all' })).length
  await step(page, 'Crash the market').getByRole('button', { name: 'Play the crash day' }).click()
  await done(page, 'Crash the market').waitFor({ state: 'attached' })
  await page.getByRole('img', { name: /^Equity of the demo bot through the crash/ }).waitFor()
  await page.getByRole('link', { name: 'Open demo' }).waitFor()
  assert.equal((await stage.account.orders.list({ status: 'all' })).length, mainBefore)
  await assertAccessible(page)

  await step(page, 'Ask why')
    .getByRole('link', { name: /^Why did “Buy 30 AAPL at/ })
    .click()
  await page.getByText('would have filled at').waitFor()
  await page.goBack()
  await done(page, 'Ask why').waitFor({ state: 'attached' })
  await step(page, 'Fork the day').getByRole('button', { name: 'Fork it at 10:20' }).click()
  await page.waitForURL(/\/worlds/)
  await page.goto(`${stage.url}/first`)
  await page.getByText('5 of 5').waitFor()
  await page.getByRole('heading', { name: 'What next?' }).waitFor()
  await assertFits(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await assertAccessible(page, { onlyColours: true })
  await page.setViewportSize(phone.viewport)
  await assertFits(page)
  await assertAccessible(page)
  await page.goto(stage.url)
  await page.getByText('Buying power').first().waitFor()
  assert.equal(await page.getByRole('region', { name: 'First steps' }).count(), 0)
})

test('the world switcher makes the demo world at its first visit', async (t) => {
  const params = { world: 'demo' }
  await stage.operator.deleteWorld({ params }).catch(() => undefined)
  const page = await signedIn(t, '/orders')
  await page.getByRole('button', { name: /^World main/ }).click()
  await page.getByRole('menuitemradio', { name: /^demo/ }).click()
  await page.getByRole('link', { name: 'Open demo' }).waitFor()
  await page.getByRole('link', { name: 'Open demo' }).click()
  await page.waitForURL(/world=demo/)
  const fills = await stage.operator.listWorldOrders({
    params,
    query: { status: 'closed', limit: 100 } as never,
  })
  assert.ok(fills.filter(({ status }) => status === 'filled').length > 5)
})

test('the list can be hidden, and comes back', async (t) => {
  const page = await signedIn(t, '/')
  const card = page.getByRole('region', { name: 'First steps' })
  await card.getByRole('button', { name: 'Hide the first steps' }).click()
  await card.waitFor({ state: 'detached' })
  await page.goto(`${stage.url}/first`)
  await page.getByRole('button', { name: 'Show this list in the workspace' }).click()
  await page.getByRole('link', { name: 'Workspace' }).last().click()
  await card.waitFor()
})

test('without operator rights the list has the steps of an account', async (t) => {
  const page = await signedIn(t, '/first', { isOperator: false })
  await page.getByText('of 3').waitFor()
  assert.equal(await step(page, 'Fork the day').count(), 0)
  assert.equal(await page.getByText('a day you can play with').count(), 0)
})
