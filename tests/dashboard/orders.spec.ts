import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commonDemo } from './demo.ts'
import { assertFits, openStage, signedIn, visit } from './stage.ts'

const query = `?world=${await commonDemo()}`

test('a filled order has its story: request, events, frames, postings', async (t) => {
  const page = await visit(t, `/orders${query}`)
  await page.getByRole('row', { name: /Buy AAPL 45/ }).click()
  await page.getByRole('heading', { name: /^Buy 45 AAPL at .* or better$/ }).waitFor()
  await page
    .getByText(/^Filled 45 at/)
    .first()
    .waitFor()
  const why = page.getByRole('region', { name: 'Why' })
  for (const text of ['Placed', 'Buying power', 'Working', 'frame pending_new', 'frame fill'])
    await why.getByText(text, { exact: true }).first().waitFor()
  await page.getByRole('region', { name: 'Postings' }).getByText('AAPL').waitFor()
})

test('an order that did not fill says what would have filled it', async (t) => {
  const page = await visit(t, `/orders${query}`)
  await page.getByRole('row', { name: /Buy AAPL 30 .* Canceled/ }).click()
  await page.getByText(/^Nothing filled\. It worked for 43 min 25 s/).waitFor()
  await page.getByText('A limit of', { exact: true }).waitFor()
  await page.getByText(/would have filled at 10:3\d/).waitFor()
  await page.getByRole('button', { name: /^Try .* in a fork$/ }).waitFor()
})

test('the keyboard moves through the list and cancels; filters are part of the address', async (t) => {
  const page = await visit(t, `/orders${query}&status=open`)
  const rows = page.getByRole('region', { name: 'Orders' }).locator('tbody tr')
  await rows.first().waitFor()
  const before = await rows.count()
  await page.keyboard.press('j')
  await page.getByText(/It has been open for/).waitFor()
  await page.keyboard.press('x')
  await page.getByText(/It worked for .* until it was canceled/).waitFor()
  assert.equal(await rows.count(), before - 1)
  await page.getByRole('button', { name: 'Ended' }).click()
  await page.waitForURL(/status=closed/)
})

test('an order that ended before the stream was open is shown as it is', async (t) => {
  const page = await signedIn(t, '/keys')
  const opening = Promise.withResolvers<void>()
  await page.routeWebSocket(/\/stream/, (socket) => {
    const server = socket.connectToServer()
    socket.onMessage((message) => void opening.promise.then(() => server.send(message)))
  })
  await page.goto(`${(await openStage()).url}/orders${query}&status=open`)
  const rows = page.getByRole('region', { name: 'Orders' }).locator('tbody tr')
  await rows.first().waitFor()
  const before = await rows.count()
  await page.keyboard.press('j')
  await page.getByText(/It has been open for/).waitFor()
  const canceled = page.waitForResponse((response) => response.request().method() === 'DELETE')
  await page.keyboard.press('x')
  await canceled
  opening.resolve()
  await page.getByText(/It worked for .* until it was canceled/).waitFor()
  await rows.nth(before - 1).waitFor({ state: 'detached' })
})

test('a phone shows the list, then the order', async (t) => {
  const page = await visit(t, `/orders${query}`, { viewport: { width: 390, height: 844 } })
  await page.getByRole('row', { name: /Buy AAPL 45/ }).click()
  await page.getByRole('heading', { name: /^Buy 45 AAPL/ }).waitFor()
  await page.getByRole('link', { name: 'All orders' }).waitFor()
  await assertFits(page)
})
