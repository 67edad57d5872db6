import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activityTypes } from '@quipu/contract'
import type { Page } from 'playwright-core'
import { activityText } from '../../web/src/format/activity-text.ts'
import { casesOf } from '../support/cases.ts'
import { NO_SCREEN, openStage, signedIn, visit } from './stage.ts'

const { url, operator } = await openStage()

type Activity = Parameters<typeof activityText>[0]

const fill = {
  activity_type: 'FILL',
  transaction_time: '2026-01-05T15:00:00Z',
  side: 'buy',
  qty: '45',
  symbol: 'AAPL',
  price: '206.43',
}
const other = (activity_type: string, net_amount: string, more: object = {}) => ({
  activity_type,
  net_amount,
  date: '2026-01-05',
  ...more,
})

const rows: readonly (readonly [activity: object, text: string])[] = [
  [fill, 'Bought 45 AAPL at 206.43'],
  [{ ...fill, side: 'sell', qty: '1.50' }, 'Sold 1.5 AAPL at 206.43'],
  [other('JNLC', '100000'), 'Deposit'],
  [other('JNLC', '-20'), 'Withdrawal'],
  [other('CSD', '5'), 'Deposit'],
  [other('CSW', '-5'), 'Withdrawal'],
  [other('DIV', '5', { symbol: 'KO' }), 'Dividend KO'],
  [other('DIV', '-5', { symbol: 'KO' }), 'Dividend paid on a short position KO'],
  [other('FEE', '-0.01', { activity_sub_type: 'TAF' }), 'FINRA fee'],
  [other('FEE', '-0.01'), 'Fee'],
  [other('INT', '-3', { activity_sub_type: 'MGN' }), 'Margin interest'],
  [other('NC', '0', { symbol: 'META' }), 'New symbol META'],
]

for (const [activity, text] of rows)
  test(`an activity in words: ${text}`, () => assert.equal(activityText(activity as Activity), text))

test('every activity type has words, and none is its code', () => {
  for (const type of activityTypes.filter((one) => one !== 'FILL')) {
    const text = activityText(other(type, '1') as Activity)
    assert.match(text, /^[A-Z][a-zA-Z, -]+$/)
    assert.doesNotMatch(text, /^[A-Z]{2,}$/, type)
  }
})

test('a market that is always open does not say when it closes', async (t) => {
  const page = await visit(t, '/')
  await page.locator('.phase').getByText('Open', { exact: true }).waitFor()
  await page.getByRole('tab', { name: 'Activity' }).click()
  await page.getByText('Deposit').first().waitFor()
  assert.equal(await page.getByText('closes in').count(), 0)
  await operator.createWorld({
    body: { world: 'hours-lab', start: '2026-01-05T15:00:00Z', hours: 'nyse' },
  } as never)
  const other = await visit(t, '/?world=hours-lab')
  await other.getByText('closes in 6 h').waitFor()
})

/** What must not be on screen before the data is there. */
const wrong =
  /not found|there is no|there are no|nothing (is|happened|here|yet)|no (open )?(orders?|positions?|keys|requests|runs|worlds)\b|(^|\s)0(\.00)?(\s|$)|closed|no account/i

const screens = [
  '',
  'markets',
  'orders',
  'ledger',
  'worlds',
  'activity',
  'tokenization',
  'keys',
  'operator',
  'first',
]

/** Holds every response with data, but not the session and the files of the page. */
const hold = (page: Page) =>
  page.route(/\/(v1|v2|v1beta\d|sim|metrics)\b/, () => new Promise<void>(() => undefined))

for (const screen of casesOf(screens, 4))
  test(`while it loads, the screen “${screen || 'workspace'}” says nothing wrong`, async (t) => {
    const page = await signedIn(t, NO_SCREEN)
    await hold(page)
    await page.goto(`${url}/${screen}`)
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    await page.waitForFunction('document.querySelector("main")?.childElementCount > 0')
    await page.waitForTimeout(1500)
    const text = await page.evaluate<string>(
      'document.querySelector("main").innerText + "\\n" + document.querySelector(".top").innerText + "\\n" + document.querySelector("nav").innerText',
    )
    const found = text.split('\n').filter((line) => wrong.test(line))
    assert.deepEqual(found, [])
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })
