import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activityTypes } from '@quipu/contract'
import { activityText } from '../../web/src/format/activity-text.ts'
import { openStage, visit } from './stage.ts'

const { operator } = await openStage()

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
