import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { hasAllCases } from '../support/cases.ts'
import { waitUntil } from '../support/wait-until.ts'
import { assertFits, NO_SCREEN, openStage, signedIn, visit } from './stage.ts'

const stage = await openStage()
const START = '2026-01-05T15:00:00Z'
const minutesOf = (page: Page) => page.locator('.clock-face b')

test('a world from flash-crash plays at 600×, and the mark of the crash becomes done', async (t) => {
  const page = await visit(t, '/worlds')
  await page.getByRole('button', { name: 'New world or scenario' }).click()
  const dialog = page.getByRole('dialog', { name: 'New world' })
  await dialog.getByRole('radio', { name: /^flash-crash/ }).check()
  await dialog.getByLabel('Name').fill('crash-lab')
  await dialog.getByRole('button', { name: 'Create the world' }).click()
  await page.getByRole('heading', { name: 'crash-lab' }).waitFor()
  // The address of the API: programs do not resolve the host name of the pages.
  await page
    .getByText(new RegExp(`APCA_API_BASE_URL=${stage.broker.url}\n.*\n.*APCA_API_SECRET_KEY=`))
    .waitFor()
  await page.locator('.schedule [data-status="pending"]').waitFor()
  await page.locator('.track .pending').waitFor()
  await page.getByRole('button', { name: '600×' }).click()
  await page.keyboard.press('Space')
  await page.locator('.schedule [data-status="done"]').waitFor()
  assert.equal(await page.locator('.track .span:not(.pending)').count(), 1)
  await page.keyboard.press('Space')
  await page.getByText('paused', { exact: false }).first().waitFor()
  const track = page.getByRole('slider', { name: /^Session of/ })
  assert.match((await track.getAttribute('aria-valuetext')) ?? '', /1 of 1 market events have happened$/)
})

test('the time bar moves by steps, by dragging and by keys, and shows what others do', async (t) => {
  const world = 'bar-lab'
  await stage.operator.createWorld({ body: { world, start: START, hours: 'nyse' } })
  const page = await visit(t, `/worlds?world=${world}`)
  const clock = minutesOf(page)
  await clock.getByText('10:00:00').waitFor()
  await page.keyboard.press('.')
  await clock.getByText('10:01:00').waitFor()
  await page.keyboard.press(',')
  await clock.getByText('10:02:00').waitFor()
  const track = page.getByRole('slider', { name: /^Session of/ })
  await track.focus()
  await page.keyboard.press('Shift+ArrowRight')
  await page.keyboard.press('Enter')
  await clock.getByText('10:12:00').waitFor()
  const box = (await track.boundingBox())!
  await page.mouse.move(box.x + box.width * 0.2, box.y + 18)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.5, box.y + 18)
  await page.mouse.up()
  // Half of the session from 9:30 to 16:00.
  await clock.getByText(/^12:4[45]/).waitFor()
  await page.waitForFunction('document.querySelector(".advancing") === null')
  await stage.operator.advanceClock({ params: { world }, body: { to: '2026-01-05T19:00:00Z' } })
  await clock.getByText('14:00:00').waitFor()
  await page.getByText('moved by another client').waitFor()
  await page.keyboard.press('c')
  await clock.getByText('16:00:00').waitFor()
})

test('an advance that takes longer than other requests, or whose response is lost, is not called a failure', async (t) => {
  const world = 'slow-lab'
  await stage.operator.createWorld({ body: { world, start: START, hours: 'nyse' } })
  const page = await signedIn(t, NO_SCREEN)
  // Stands for a server that is too slow for the usual timeout of a request.
  await page.addInitScript(`{
    const timeout = AbortSignal.timeout.bind(AbortSignal)
    AbortSignal.timeout = (ms) => (globalThis.isSlow && ms <= 60000 ? AbortSignal.abort() : timeout(ms))
  }`)
  await page.goto(`${stage.url}/worlds?world=${world}`)
  const clock = minutesOf(page)
  await clock.getByText('10:00:00').waitFor()
  await page.keyboard.press('.')
  await clock.getByText('10:01:00').waitFor()
  const answered = page.waitForResponse(/clock\/advance$/)
  await page.evaluate('isSlow = true')
  await page.keyboard.press('c')
  await (await answered).finished()
  await clock.getByText('16:00:00').waitFor()
  assert.equal(await page.getByText(/did not move|was lost/).count(), 0)

  await page.evaluate('isSlow = false')
  await page.route(/clock\/advance$/, async (route) => {
    await stage.operator.advanceClock({ params: { world }, body: { by: '1m' } })
    await route.abort()
  })
  const note = page.getByRole('alert').getByText('The response of the server was lost')
  // The key works once the page has noticed that the server is reachable again.
  await waitUntil('the note', async () => {
    await page.keyboard.press('.')
    return note.waitFor({ timeout: 3000 }).then(
      () => true,
      () => false,
    )
  })
  await clock.getByText(/16:0[1-9]:00/).waitFor()
  assert.equal(await page.getByText('The clock did not move').count(), 0)
})

/** Receives a bar each minute, so that an advance has many steps. */
async function subscribeToBars(keyId: string, secretKey: string): Promise<WebSocket> {
  const socket = new WebSocket(`${stage.broker.url.replace('http', 'ws')}/v2/iex`)
  const answered = () => new Promise((resolve) => socket.addEventListener('message', resolve, { once: true }))
  await answered()
  for (const message of [
    { action: 'auth', key: keyId, secret: secretKey },
    { action: 'subscribe', bars: ['AAPL'] },
  ]) {
    socket.send(JSON.stringify(message))
    await answered()
  }
  return socket
}

test('an advance of another client is shown and stopped, and a drop in the past makes a branch', async (t) => {
  const world = 'stop-lab'
  const params = { world }
  const { accounts } = await stage.operator.createWorld({ body: { world, start: START, hours: 'nyse' } })
  const { key_id: keyId, secret_key: secretKey } = accounts[0]!
  const page = await visit(t, `/worlds?world=${world}`)
  await minutesOf(page).getByText('10:00:00').waitFor()
  const socket = await subscribeToBars(keyId, secretKey)
  t.after(async () => socket.close())
  const advanced = stage.operator.advanceClock({ params, body: { by: '360d' } })
  await page.getByText(/^Advancing to/).waitFor()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()
  const { stopped, now } = await advanced
  assert.equal(stopped, true)
  await page.getByRole('button', { name: /^Run the clock/ }).waitFor()
  socket.close()
  await stage.operator.advanceClock({ params, body: { until: 'next_open' } })
  await stage.operator.advanceClock({ params, body: { by: '30m' } })
  await minutesOf(page).getByText('10:00:00').waitFor()
  await page.getByRole('slider', { name: /^Session of/ }).focus()
  for (let n = 0; n < 5; n++) await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Rewind to 09:55:00' }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByText(`Rewound from ${world}`).waitFor()
  await minutesOf(page).getByText('09:55:00').waitFor()
  assert.ok(now > START)
})

test('a fork is compared with its world: equal until the fork, then orders that differ', async (t) => {
  const world = 'compare-lab'
  const params = { world }
  await stage.operator.createWorld({ body: { world, start: START, hours: 'nyse' } })
  await stage.operator.advanceClock({ params, body: { by: '10m' } })
  const page = await visit(t, `/worlds?world=${world}`)
  await page.getByText('Fork this world, change one thing, play both').waitFor()
  await page.keyboard.press('f')
  await page.waitForURL((url) => url.searchParams.get('world') !== world)
  const fork = new URL(page.url()).searchParams.get('world')!
  await page.getByText(`fork of ${world}`).waitFor()
  await page.getByText('Both worlds have the same orders').waitFor()
  const [text] = await page.locator('.keys-note pre').allInnerTexts()
  const [, keyId = '', secretKey = ''] = /KEY_ID=(\S+)\s.*SECRET_KEY=(\S+)/s.exec(text ?? '') ?? []
  const order = { symbol: 'AAPL', qty: '5', side: 'buy', type: 'market', time_in_force: 'day' }
  const response = await fetch(`${stage.broker.url}/v2/orders`, {
    method: 'POST',
    headers: { 'APCA-API-KEY-ID': keyId, 'APCA-API-SECRET-KEY': secretKey },
    body: JSON.stringify(order),
  })
  assert.equal(response.status, 200)
  await stage.operator.advanceClock({ params: { world: fork }, body: { by: '5m' } })
  // The fork is five minutes ahead; both are shown at the time of the world that is behind.
  await page.getByText(`${fork} is 5 min ahead.`).waitFor()
  await page.getByRole('row', { name: /Buy 5 AAPL market .*no such order/ }).waitFor()
  const { now } = await stage.operator.getWorldClock({ params })
  const [first] = (await stage.operator.getWorld({ params: { world: fork } })).accounts
  const shown = page.locator(`[data-number="compared.${fork}"]`)
  const equityAt = async (time: string): Promise<string> => {
    const query = { time }
    const { account } = await stage.operator.getAccountSnapshot({
      params: { world: fork, account_id: first!.account_id },
      query,
    })
    return Number(account.equity).toLocaleString('en-US', {
      minimumFractionDigits: 2,
      maximumFractionDigits: 2,
    })
  }
  const later = (await stage.operator.getWorldClock({ params: { world: fork } })).now
  // At a clock that stands, events are a nanosecond apart: both worlds are read at the end of the millisecond.
  const expected = await equityAt(new Date(Date.parse(now)).toISOString().replace('Z', '999999Z'))
  assert.notEqual(expected, await equityAt(later))
  await shown.filter({ hasText: expected }).waitFor()
})

test('a market event is planned and removed, a dividend is on the time bar, and a fault uses its budget', async (t) => {
  const world = 'event-lab'
  const { accounts } = await stage.operator.createWorld({ body: { world, start: START, hours: 'nyse' } })
  const page = await visit(t, `/worlds?world=${world}`)
  await page.getByText('Nothing is planned').waitFor()
  await page.getByRole('button', { name: 'Halt stop a symbol' }).click()
  const form = page.getByRole('form', { name: 'Halt' })
  await form.getByLabel('Symbol').fill('NOPE')
  await form.getByRole('button', { name: 'Plan the halt' }).click()
  await form.getByRole('alert').waitFor()
  await form.getByLabel('Symbol').fill('msft')
  await form.getByRole('button', { name: 'Plan the halt' }).click()
  await page.getByText('Halt MSFT, until 10:17, news pending').waitFor()
  await page.getByRole('button', { name: 'Remove Halt MSFT' }).click()
  await page.getByText('Nothing is planned').waitFor()
  await stage.operator.createCorporateAction({
    params: { world },
    body: { type: 'cash_dividend', symbol: 'KO', ex_date: '2026-01-06', rate: '0.51' } as never,
  })
  await page.getByText('KO dividend 0.51, ex-date 6 Jan').waitFor()
  await stage.operator.advanceClock({ params: { world }, body: { until: 'next_open' } })
  await page.locator('.track .knot[title^="KO dividend 0.51"]').waitFor()
  await page.getByRole('button', { name: /^503 server error/ }).click()
  // No page reads watchlists here, so only the request below uses the budget.
  await page.getByRole('form', { name: '503' }).getByLabel('Operations').fill('listWatchlists')
  await page.getByRole('form', { name: '503' }).getByRole('button', { name: 'Create the rule' }).click()
  await page.getByRole('button', { name: '503 server error 0/3' }).waitFor()
  const { key_id: keyId, secret_key: secretKey } = accounts[0]!
  const headers = { 'APCA-API-KEY-ID': keyId, 'APCA-API-SECRET-KEY': secretKey }
  assert.equal((await fetch(`${stage.broker.url}/v2/watchlists`, { headers })).status, 503)
  await page.getByRole('button', { name: '503 server error 1/3' }).waitFor()
  await page.locator('.track .fault').first().waitFor()
  await page.getByRole('button', { name: 'Remove the rule 503' }).click()
  await page.getByRole('button', { name: '503 server error', exact: true }).waitFor()
})

test('a world is saved, deleted after a question, and loaded again', async (t) => {
  const world = 'file-lab'
  await stage.operator.createWorld({ body: { world, start: START } })
  const page = await visit(t, `/worlds?world=${world}`)
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as a file' }).click()
  const file = await (await downloading).path()
  await page.getByRole('button', { name: 'Delete this world' }).click()
  await page.getByRole('button', { name: `Delete ${world}` }).click()
  await page.getByRole('heading', { name: 'main' }).waitFor()
  await page.getByRole('button', { name: 'New world or scenario' }).click()
  const dialog = page.getByRole('dialog', { name: 'New world' })
  await dialog.getByRole('button', { name: 'File' }).click()
  await dialog.locator('input[type=file]').setInputFiles(file)
  await dialog.getByLabel('Name').fill('loaded-lab')
  await dialog.getByRole('button', { name: 'Load the world' }).click()
  await page.getByRole('heading', { name: 'loaded-lab' }).waitFor()
})

// The test of flash-crash plays one world, and the test of accessibility has a phone.
test('two worlds play at once in two windows; a phone shows the time bar', {
  skip: !hasAllCases,
}, async (t) => {
  for (const world of ['left-lab', 'right-lab'])
    await stage.operator.createWorld({ body: { world, start: START, hours: 'nyse' } })
  const left = await signedIn(t, '/worlds?world=left-lab')
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true }
  const right = await signedIn(t, '/worlds?world=right-lab', phone)
  await left.keyboard.press('Space')
  await right.getByRole('button', { name: /^Run the clock/ }).click()
  for (const page of [left, right]) {
    await page.getByRole('button', { name: 'Pause the clock (Space)' }).waitFor()
    await minutesOf(page)
      .getByText(/^10:0[1-9]/)
      .waitFor()
  }
  await left.getByRole('button', { name: /^right-lab .*60×/ }).waitFor()
  await assertFits(right)
})
