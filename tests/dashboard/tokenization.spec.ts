import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { assertAccessible, assertFits, openStage, signedIn, visit } from './stage.ts'

const stage = await openStage()
const world = 'token-lab'
const params = { world }

// A paused clock keeps the delays of issuers until the test advances it.
const { accounts } = await stage.operator.createWorld({
  body: { world, start: '2026-01-05T15:00:00Z', hours: 'nyse' },
})
const { key_id: keyId, secret_key: secretKey } = accounts[0]!

const advance = (by: string) => stage.operator.advanceClock({ params, body: { by } })

async function buyShares(): Promise<void> {
  const response = await fetch(`${stage.broker.url}/v2/orders`, {
    method: 'POST',
    headers: { 'APCA-API-KEY-ID': keyId, 'APCA-API-SECRET-KEY': secretKey },
    body: JSON.stringify({ symbol: 'AAPL', qty: '5', side: 'buy', type: 'market', time_in_force: 'day' }),
  })
  assert.equal(response.status, 200)
  await advance('1m')
}

/** The steps of the chosen request. */
const stepsOf = (page: Page) => page.locator('.request-card .cord b')
const firstRow = (page: Page) =>
  page.getByRole('region', { name: 'List of requests' }).getByRole('row').nth(1)

test('a share is minted in the browser; an operator holds and releases a request', async (t) => {
  await buyShares()
  const page = await visit(t, `/tokenization?world=${world}`)
  await page.getByText('You hold 5 AAPL.').waitFor()
  await page.getByLabel('xStocks').selectOption('Complete after 30 s')
  await page.getByRole('button', { name: 'Mint 1 AAPL' }).click()
  const form = page.getByRole('form', { name: 'Mint' })
  await form.getByRole('button', { name: 'Fill in a test wallet' }).click()
  await form.getByLabel('Shares').fill('900')
  await form.getByRole('button', { name: 'Mint', exact: true }).click()
  await form.getByRole('alert').waitFor()
  await form.getByLabel('Shares').fill('1')
  await form.getByRole('button', { name: 'Mint', exact: true }).click()
  await firstRow(page).getByText('No tokens yet').waitFor()
  await page.getByRole('img', { name: /Issuer notified 1 \(no tokens/ }).waitFor()
  await page.getByText('1 in flight').waitFor()
  await advance('31s')
  await firstRow(page).getByText('Completed').waitFor()
  await stepsOf(page).getByText('Completed').waitFor()
  assert.deepEqual(await stepsOf(page).allInnerTexts(), [
    'Received',
    'Validating',
    'Accepted',
    'Shares moved',
    'Issuer notified',
    'Completed',
  ])
  await page.getByRole('row', { name: 'AAPLx 1 4' }).waitFor()
  await page.getByText('1 base').waitFor()

  await page.keyboard.press('m')
  await form.getByRole('button', { name: 'Mint', exact: true }).click()
  await firstRow(page).getByText('No tokens yet').waitFor()
  await page.getByRole('button', { name: 'Hold', exact: true }).click()
  await firstRow(page).getByText('Held').waitFor()
  await page.getByRole('button', { name: 'Release' }).click()
  await firstRow(page).getByText('Completed').waitFor()

  await page.keyboard.press('m')
  await form.getByRole('button', { name: 'Mint', exact: true }).click()
  await firstRow(page).getByText('No tokens yet').waitFor()
  await page.getByRole('button', { name: 'Reject' }).click()
  await page.getByRole('button', { name: 'Reject the mint' }).click()
  await firstRow(page).getByText('Rejected').waitFor()
  await page.getByRole('img', { name: /Rejected 1 \(shares came back\)/ }).waitFor()
})

test('an operator simulates a redemption on a phone', async (t) => {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true }
  const page = await signedIn(t, `/tokenization?world=${world}`, phone)
  await page.getByRole('button', { name: 'Simulate a redemption' }).click()
  const form = page.getByRole('form', { name: 'Simulate a redemption' })
  await form.getByRole('button', { name: 'Simulate the transfer' }).click()
  await page.getByRole('heading', { name: 'Redeem 1 AAPL' }).waitFor()
  await stepsOf(page).getByText('Completed').waitFor()
  await page.getByRole('link', { name: 'Close' }).click()
  await page.locator('.flow-card .cord').getByText('Rejected').waitFor()
  await assertFits(page)
})

test('without operator rights, the screen shows the own requests and holdings only', async (t) => {
  const page = await visit(t, '/tokenization', { isOperator: false })
  await page.getByText('Mint turns shares into tokens').waitFor()
  await stage.account.orders.market({ symbol: 'AAPL', qty: 2, side: 'buy' })
  // Other specs trade the same account.
  await page.getByText(/You hold \d+ AAPL\./).waitFor()
  assert.equal(await page.getByRole('heading', { name: 'What issuers do' }).count(), 0)
  assert.equal(await page.getByRole('heading', { name: 'Custody and supply' }).count(), 0)
  await stage.account.tokenization.mint({
    underlying_symbol: 'AAPL',
    qty: '1',
    issuer: 'xstocks',
    network: 'base',
    wallet_address: 'w1',
  })
  await firstRow(page).getByText('Completed').waitFor()
  await firstRow(page).getByRole('link', { name: 'Mint' }).click()
  await stepsOf(page).getByText('Issuer notified').waitFor()
  await page
    .getByText(/my account, .*/)
    .first()
    .waitFor()
})

test('an account without operator rights sees how to redeem', async (t) => {
  const page = await visit(t, '/tokenization', { isOperator: false })
  await page.getByRole('button', { name: 'Redeem …' }).click()
  const guide = page.getByRole('region', { name: 'How to redeem' })
  await guide.getByText(/Send the tokens, from a wallet that a mint of account PA\w+ used/).waitFor()
  await guide.getByText('/tokenization/redemptions', { exact: false }).waitFor()
  await assertAccessible(page)
  await guide.getByRole('button', { name: 'Close' }).click()
  await guide.waitFor({ state: 'detached' })
})
