import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { readRun } from '../../sdk/src/runs/index.ts'
import { saveScreenshot } from '../browser/chromium.ts'
import { run } from '../run-command/run-process.ts'
import { newFolder } from '../support/broker.ts'
import { quipu } from '../support/quipu-process.ts'
import { runFileOf, runRecord } from '../support/run-file.ts'
import { assertAccessible, layoutProblems, NO_SCREEN, newPage, openStage, signedIn, visit } from './stage.ts'

const { broker, operator, url } = await openStage()
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
/** A run of two weeks, two seeds, and a drill. */
function withRuns(): Promise<void> {
  filled ??= fill()
  return filled
}

async function fill(): Promise<void> {
  const [program, drilled] = [join(folder, 'sma-cross.mjs'), join(folder, 'careless.mjs')]
  writeFileSync(program, bot)
  writeFileSync(drilled, careless)
  const shared = ['--url', broker.url, '--runs', join(folder, 'runs')]
  const span = ['--from', '2026-01-05', '--to', '2026-01-16']
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
  // No run has a scenario.
  assert.equal(await page.getByRole('columnheader', { name: 'Scenario' }).count(), 0)
  await saveScreenshot(page, 'runs')
  assert.deepEqual(await layoutProblems(page), [])
  await assertAccessible(page)
  const { runs } = await operator.listRuns()
  const long = runs.find(({ group, kind }) => group === undefined && kind === 'run')!
  await page.getByRole('link', { name: String(long.number), exact: true }).click()
  await page.getByRole('heading', { name: `Run ${long.number}` }).waitFor()
  assert.equal(await page.locator('.crumbs').textContent(), `Runs/Run ${long.number}`)
  const marked = page.locator('.log-lines [aria-current]')
  const first = await marked.textContent()
  assert.match(first ?? '', /Buy 100 AAPL market/)
  const position = page.getByRole('slider', { name: 'Time of the run' })
  assert.equal(await position.getAttribute('aria-valuenow'), '0')
  assert.ok(((await position.boundingBox())?.width ?? 0) > 300, 'there is room to drag')
  for (let step = 0; step < 12; step++) await page.keyboard.press('ArrowRight')
  assert.notEqual(await marked.textContent(), first)
  assert.ok(Number(await position.getAttribute('aria-valuenow')) > 5)
  const left = await page.locator('.run-marks .cursor').first().getAttribute('style')
  assert.doesNotMatch(left ?? '', /left: 0%/)
  await saveScreenshot(page, 'run')
  assert.deepEqual(await layoutProblems(page), [])
  await assertAccessible(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await assertAccessible(page, { onlyColours: true })
  await saveScreenshot(page, 'run-dark')
  for (const height of [844, 667]) {
    await page.setViewportSize({ width: 390, height })
    assert.deepEqual(await layoutProblems(page), [])
    assert.equal(await hiddenFigures(page), 0, `at ${height}`)
  }
  await saveScreenshot(page, 'run-phone')
})

/** The figures that are not above the scrubber before one scrolls, and 1 if a part of the scrubber is below the window. */
const hiddenFigures = (page: Page): Promise<number> =>
  page.evaluate(`(() => {
    const box = (element) => element.getBoundingClientRect()
    const [main, bar] = [document.getElementById('main'), document.querySelector('.run-scrubber')]
    main.scrollTo(0, 0)
    const hidden = [...document.querySelectorAll('.run-figures dd')].filter((one) => box(one).bottom > box(bar).top)
    return hidden.length + (box(bar).bottom > box(main).bottom + 0.5 ? 1 : 0)
  })()`)

test('a failed drill says what to change, and leads to the requests that prove it; two runs are compared', async (t) => {
  await withRuns()
  const { runs } = await operator.listRuns()
  const drill = runs.find(({ kind }) => kind === 'drill')!
  const page = await visit(t, `/runs/${drill.id}`)
  await page.getByText('What to change').waitFor()
  await page.getByRole('button', { name: /See the \d+ requests/ }).click()
  await page.getByRole('heading', { name: 'Requests of answer-lost' }).waitFor()
  assert.equal(
    (await page.locator('.log-lines li', { hasText: 'fault' }).count()) > 0 ||
      (await page.locator('.log-lines li', { hasText: 'no response' }).count()) > 0,
    true,
  )
  await saveScreenshot(page, 'drill')
  await assertAccessible(page)
  const [a, b] = runs.filter(({ group }) => group !== undefined)
  await page.goto(new URL(`runs?a=${a!.id}&b=${b!.id}`, page.url().replace(/runs\/.*/, '')).href)
  await page.getByRole('heading', { name: `Run ${a!.number} and Run ${b!.number}` }).waitFor()
  await saveScreenshot(page, 'runs-compare')
  await assertAccessible(page)
})

test('drills that are replays show how many passed, the figures of each, and those of the run without faults', async (t) => {
  await withRuns()
  const program = join(folder, 'sma-cross.mjs')
  const span = ['--from', '2026-01-05', '--to', '2026-01-06', '--runs', join(folder, 'replays')]
  const drills = ['drill', '--only', 'answer-lost,rate-limited,stream-closed', ...span, '--url', broker.url]
  const { stdout } = await quipu([...drills, '--', process.execPath, program], { env })
  const { runs } = await operator.listRuns()
  const stored = runs.find(({ kind, program }) => kind === 'drill' && program === 'sma-cross.mjs')!
  assert.ok(stored.drills, stdout)
  const { run, parts } = await readRun(await operator.getRunFile({ params: { run: stored.id } }))
  const page = await visit(t, `/runs/${stored.id}`)
  const { passed, failed, skipped } = stored.drills
  await page.getByText(`${passed} passed, ${failed} failed, ${skipped} skipped`).waitFor()
  await page.getByText('5 Jan 26 – 6 Jan 26', { exact: true }).waitFor()
  const measured = parts.drill.filter(({ result }) => result !== 'skipped')
  assert.ok(
    measured.some(({ profit_loss: profit = 0 }) => profit !== 0),
    stdout,
  )
  for (const { drill, profit_loss: profit = Number.NaN, requests, orders } of measured) {
    const item = page.locator('.run-drills li', { hasText: drill })
    const figures = (await item.locator('dl').textContent())?.replace('−', '-').replaceAll(',', '')
    assert.equal(figures, `P/L${profit > 0 ? '+' : ''}${profit.toFixed(2)}Requests${requests}Orders${orders}`)
    assert.equal(requests, parts.request.filter((one) => one.drill === drill).length)
  }
  const facts = page.getByRole('region', { name: 'Figures' })
  await facts.getByText('Provenance').waitFor()
  assert.ok(run.fills_hash && (await facts.textContent())?.includes(run.fills_hash))
  await saveScreenshot(page, 'drill-replays')
  assert.deepEqual(await layoutProblems(page), [])
  await assertAccessible(page)
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
    const page = await visit(t, `/runs/${id}`)
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
  const begun = runRecord(77, {
    program: 'live-bot.js',
    scenario: 'flash-crash',
    verdict: 'running',
    started_at: new Date().toISOString(),
  })
  const page = await signedIn(t, NO_SCREEN)
  // The page reads where the log ends: a run that is stored before the response is not in the rows that follow.
  const store = async (route: Route) => {
    await operator.storeRun({ body: runFileOf(begun) })
    await route.continue()
  }
  await page.route('**/worlds/main/journal', store, { times: 1 })
  await page.goto(`${url}/runs`)
  const row = page.getByRole('row').filter({ hasText: 'live-bot.js' })
  await row.getByText('Running').waitFor()
  await row.getByRole('cell', { name: 'flash-crash' }).waitFor()
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
  const colored = { part: 'output', at: begun.from, stream: 'stdout', text: 'order \x1b[1;32mfilled\x1b[0m' }
  await operator.storeRun({ body: runFileOf({ ...begun, verdict: 'passed' }, fill, colored) })
  await page.locator('.runs-head').getByText('Passed').waitFor()
  await page.getByRole('cell', { name: 'AAPL' }).waitFor()
  await page.getByText('order filled', { exact: true }).waitFor()
  // As if it had been the oldest when space was needed.
  await operator.deleteRun({ params: { run: begun.id } })
  await page.reload()
  const problem = page.getByRole('alert').getByText('Could not find the run')
  await problem.waitFor()
  const base = page.url().replace(/runs\/.*/, '')
  const [kept] = (await operator.listRuns()).runs
  await page.goto(new URL(`runs?a=${kept!.id}&b=${begun.id}`, base).href)
  await problem.waitFor()
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
  const alone = await newPage(t, { offline: true })
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
  const page = await visit(t, '/runs', { isOperator: false })
  await page.getByText('No run is stored on this server').waitFor()
  assert.deepEqual(await layoutProblems(page), [])
})
