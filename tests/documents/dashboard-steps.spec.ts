import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClient } from '@quipu/sdk'
import type { Page } from 'playwright-core'
import { openStage, signedIn } from '../dashboard/stage.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'tutorial.md'), 'utf8')
const section = /^## \d\. The first five minutes in the dashboard\n(.*?)^## /ms.exec(page)?.[1] ?? ''

/** The words in bold of each step: names of buttons and links, and what the screen then says. */
const steps = section
  .split(/^\d\. /m)
  .map((text) => [...text.matchAll(/\*\*(.+?)\*\*/g)].map(([, name]) => name!))

const { operator } = await openStage()
/** Read as the operator: a request with the key of an account would be that of a bot. */
const ordersInMain = () =>
  operator.listWorldOrders({ params: { world: 'main' }, query: { status: 'all' } as never })

test('every step of the first five minutes in the dashboard works as the tutorial says', async (t) => {
  const [
    [list = ''] = [],
    [first = '', second = ''] = [],
    [play = ''] = [],
    [why = ''] = [],
    [fork = ''] = [],
    bot = [],
  ] = steps
  const shown = await signedIn(t, '/')
  const press = (name: string, at: Page | ReturnType<Page['getByRole']> = shown) =>
    at.getByRole('button', { name }).or(at.getByRole('link', { name })).first().click()
  const backToList = async () => {
    await shown.keyboard.press('g')
    await shown.keyboard.press('f')
    await shown.getByRole('heading', { name: 'Your broker is running.' }).waitFor()
  }
  const isGreen = (name: string) =>
    shown.getByRole('listitem', { name }).getByText('Done.').waitFor({ state: 'attached' })

  const card = shown.getByRole('region', { name: list })
  await press(list, card)
  await press(first)
  await press(second, shown.getByRole('form', { name: 'Order ticket' }))
  await shown.getByRole('region', { name: 'Positions' }).getByRole('row', { name: /AAPL/ }).waitFor()
  const before = (await ordersInMain()).length
  await backToList()
  await isGreen('Place your first order')

  await press(play)
  await isGreen('Crash the market')
  await press(why)
  await shown.getByText('would have filled at').waitFor()
  await backToList()
  await isGreen('Ask why')
  await press(fork)
  await shown.waitForURL(/\/worlds/)
  assert.equal((await ordersInMain()).length, before, 'main does not change')

  await backToList()
  await isGreen('Fork the day')
  const [create = '', connected = ''] = bot
  await press(create)
  await shown.getByText('The secret is shown only now.').waitFor()
  const variables = (await shown.getByRole('region', { name: 'Variables' }).textContent()) ?? ''
  const [, url = '', keyId = '', secretKey = ''] = /URL=(\S+)\n.*ID=(\S+)\n.*KEY=(\S+)/.exec(variables) ?? []
  for (const language of ['curl', 'TypeScript', 'Python', 'Go'])
    await shown.getByRole('button', { name: language, exact: true }).waitFor()
  await createClient({ url, keyId, secretKey }).getAccount()
  await shown.getByText(connected).waitFor()
})
