import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readRun } from '../../sdk/src/runs/index.ts'
import { launch, saveScreenshot } from '../browser/chromium.ts'
import { run } from '../run-command/run-process.ts'
import { newFolder } from '../support/broker.ts'
import { quipu } from '../support/quipu-process.ts'
import { runFileOf, runRecord } from '../support/run-file.ts'
import { accessibilityProblems, layoutProblems, openStage, signedIn } from './stage.ts'

const { broker, operator } = await openStage()
const env = { QUIPU_BROKER_KEY: broker.brokerKey, QUIPU_BROKER_SECRET: broker.brokerSecret }
const folder = newFolder()

const bot = `const url = 'https://paper-api.alpaca.markets/v2/orders'
const headers = { 'APCA-API-KEY-ID': 'any', 'APCA-API-SECRET-KEY': 'any' }
let side = 'buy'
for (;;) {
  const body = JSON.stringify({ symbol: 'AAPL', qty: '100', side, type: 'market', time_in_force: 'day' })
  const placed = await fetch(url, { method: 'POST', headers, body })
  console.log(side, 'was answered', placed.status)
  side = side === 'buy' ? 'sell' : 'buy'
  await new Promise((resolve) => setTimeout(resolve, 5 * 3_600_000))
}`

const careless = `const url = 'https://paper-api.alpaca.markets/v2/orders'
const headers = { 'APCA-API-KEY-ID': 'any', 'APCA-API-SECRET-KEY': 'any' }
const body = JSON.stringify({ symbol: 'AAPL', qty: '2', side: 'buy', type: 'market', time_in_force: 'day' })
const place = () => fetch(url, { method: 'POST', headers, body })
let order = await (await place().catch(place)).json()
while (order.status !== 'filled') order = await fetch(url + '/' + order.id, { headers }).then((one) => one.json())`

let filled: Promise<void> | undefined
/** A run of some weeks, two seeds, and a drill. */
function withRuns(): Promise<void> {
  filled ??= fill()
  return filled
}

async function fill(): Promise<void> {
  const [program, drilled] = [join(folder, 'sma-cross.mjs'), join(folder, 'careless.mjs')]
  writeFileSync(program, bot)
  writeFileSync(drilled, careless)
  const shared = ['--url', broker.url, '--runs', join(folder, 'runs')]
  const span = ['--from', '2026-01-05', '--to', '2026-02-13']
  const one = await run([...shared, ...span], [process.execPath, program], { env })
  assert.match(one.stderr, /run \d+ on the server/)
  const week = ['--from', '2026-01-05', '--to', '2026-01-07', '--seeds', '2']
  await run([...shared, ...week], [process.execPath, program], { env })
  const drills = ['drill', '--only', 'answer-lost', ...shared, '--', process.execPath, drilled]
  assert.match((await quipu(drills, { env })).stdout, /failed +answer-lost/)
}

test('the list folds seeds; a run has its trades, and one position moves chart, requests and output', async (t) => {
  await withRuns()
  const page = await signedIn(t, '/runs')
  await page.getByText('2 of 2 passed', { exact: true }).waitFor()
  await saveScreenshot(page, 'runs')
  assert.deepEqual(await layoutProblems(page), [])
  assert.deepEqual(await accessibilityProblems(page), [])
  const { runs } = await operator.listRuns()
  const long = runs.find(({ group, kind }) => group === undefined && kind === 'run')!
  await page.getByRole('link', { name: String(long.number), exact: true }).click()
  await page.getByRole('heading', { name: `Run ${long.number}` }).waitFor()
  const marked = page.locator('.log-lines [aria-current]')
  const first = await marked.textContent()
  assert.match(first ?? '', /Buy 100 AAPL market/)
  const position = page.getByRole('slider', { name: 'Time of the run' })
  assert.equal(await position.getAttribute('aria-valuenow'), '0')
  for (let step = 0; step < 60; step++) await page.keyboard.press('ArrowRight')
  assert.notEqual(await marked.textContent(), first)
  assert.ok(Number(await position.getAttribute('aria-valuenow')) > 5)
  const left = await page.locator('.run-marks .cursor').first().getAttribute('style')
  assert.doesNotMatch(left ?? '', /left: 0%/)
  await saveScreenshot(page, 'run')
  assert.deepEqual(await layoutProblems(page), [])
  assert.deepEqual(await accessibilityProblems(page), [])
  await page.emulateMedia({ colorScheme: 'dark' })
  assert.deepEqual(await accessibilityProblems(page), [])
  await saveScreenshot(page, 'run-dark')
  await page.setViewportSize({ width: 390, height: 844 })
  assert.deepEqual(await layoutProblems(page), [])
  await saveScreenshot(page, 'run-phone')
})

test('a failed drill says what to change, and leads to the requests that prove it; two runs are compared', async (t) => {
  await withRuns()
  const { runs } = await operator.listRuns()
  const drill = runs.find(({ kind }) => kind === 'drill')!
  const page = await signedIn(t, `/runs/${drill.id}`)
  await page.getByText('What to change').waitFor()
  await page.getByRole('button', { name: /See the \d+ requests/ }).click()
  await page.getByRole('heading', { name: 'Requests of answer-lost' }).waitFor()
  assert.equal(
    (await page.locator('.log-lines li', { hasText: 'fault' }).count()) > 0 ||
      (await page.locator('.log-lines li', { hasText: 'no response' }).count()) > 0,
    true,
  )
  await saveScreenshot(page, 'drill')
  assert.deepEqual(await accessibilityProblems(page), [])
  const [a, b] = runs.filter(({ group }) => group !== undefined)
  await page.goto(new URL(`runs?a=${a!.id}&b=${b!.id}`, page.url().replace(/runs\/.*/, '')).href)
  await page.getByRole('heading', { name: `Run ${a!.number} and Run ${b!.number}` }).waitFor()
  await saveScreenshot(page, 'runs-compare')
  assert.deepEqual(await accessibilityProblems(page), [])
})

test('a world is opened at a request: a fork of the kept world, and without it the orders again', async (t) => {
  await withRuns()
  const { runs } = await operator.listRuns()
  const kept = runs.find(({ group, kind }) => group === undefined && kind === 'run')!
  assert.ok(kept.world)
  const seed = runs.find(({ group }) => group !== undefined)!
  assert.equal(seed.world, undefined)
  for (const { id } of [kept, seed]) {
    const { parts } = await readRun(await operator.getRunFile({ params: { run: id } }))
    const position = 3
    const request = parts.request[position]!
    const page = await signedIn(t, `/runs/${id}`)
    await page.getByRole('heading', { name: /^Run \d/ }).waitFor()
    for (let step = 0; step < position; step++) await page.keyboard.press('ArrowRight')
    await page.getByRole('button', { name: /^Fork at / }).click()
    await page.waitForURL(/workspace.*world=|\?world=/)
    const world = new URL(page.url()).searchParams.get('world')!
    const { now } = await operator.getWorld({ params: { world } })
    assert.equal(Date.parse(now), Date.parse(request.at))
    const [account] = await operator.listWorldAccounts({ params: { world } })
    const orders = await operator.listWorldOrders({ params: { world }, query: { status: 'all' } })
    // The order of the request itself may be the last.
    assert.ok([position, position + 1].includes(orders.length), String(orders.length))
    const { equity } = await operator.getAccountGain({ params: { world, account_id: account!.id } })
    const then = parts.equity.findLast(({ at }) => at <= request.at)!
    assert.ok(Math.abs(Number(equity) - then.equity) < 200, `${equity} ${then.equity}`)
  }
})

test('a run that is stored while the list is open appears, as Running until it has ended', async (t) => {
  const page = await signedIn(t, '/runs')
  await page.getByRole('heading', { name: 'Runs and drills' }).waitFor()
  const begun = runRecord(77, {
    program: 'live-bot.js',
    verdict: 'running',
    started_at: new Date().toISOString(),
  })
  await operator.storeRun({ body: runFileOf(begun) })
  const row = page.getByRole('row').filter({ hasText: 'live-bot.js' })
  await row.getByText('Running').waitFor()
  await row.click()
  await page.getByRole('heading', { name: /^Run \d/ }).waitFor()
  const fill = {
    part: 'fill',
    at: begun.from,
    symbol: 'AAPL',
    side: 'buy',
    qty: '1',
    price: '10',
    order_id: 'a',
  }
  await operator.storeRun({ body: runFileOf({ ...begun, verdict: 'passed' }, fill) })
  await page.locator('.runs-head').getByText('Passed').waitFor()
  await page.getByRole('cell', { name: 'AAPL' }).waitFor()
  await operator.deleteRun({ params: { run: begun.id } })
})

test('a run file opens read-only in the page, and its HTML opens without a network', async (t) => {
  await withRuns()
  const runsFolder = join(folder, 'runs')
  const file = join(runsFolder, readdirSync(runsFolder).find((name) => name.includes('sma-cross'))!)
  const page = await signedIn(t, '/runs')
  await page.getByLabel('Open a run file').setInputFiles(file)
  await page.getByRole('heading', { name: 'Run file' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'As HTML' }).click(),
  ])
  const saved = join(newFolder(), 'run.html')
  await download.saveAs(saved)
  assert.doesNotMatch(readFileSync(saved, 'utf8'), /<script/)
  const offline = await launch()
  t.after(() => offline.close())
  const context = await offline.newContext({ offline: true })
  const alone = await context.newPage()
  const requests: string[] = []
  alone.on('request', (request) => requests.push(request.url()))
  await alone.goto(`file://${saved}`)
  await alone.getByRole('heading', { name: 'sma-cross.mjs' }).waitFor()
  await alone.getByRole('img', { name: /^Equity from/ }).waitFor()
  await saveScreenshot(alone, 'run-html')
  assert.deepEqual(requests, [`file://${saved}`])
})

test('a person who is no operator sees no run of others', async (t) => {
  await withRuns()
  const page = await signedIn(t, '/runs', { isOperator: false })
  await page.getByText('No run is stored on this server').waitFor()
  assert.deepEqual(await layoutProblems(page), [])
})
