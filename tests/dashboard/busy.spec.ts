import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu, type Quipu } from '@quipu/sdk'
import type { CDPSession, Page } from 'playwright-core'
import { hasAllCases } from '../support/cases.ts'
import { NO_SCREEN, openStage, signedIn } from './stage.ts'

/** Order updates of the burst, and minutes of live data. `FIGURES=1` prints what docs/internals/performance.md shows. */
const UPDATES = Number(process.env['DASHBOARD_UPDATES'] ?? 200)
const MINUTES = Number(process.env['DASHBOARD_MINUTES'] ?? 0)
const print = (text: string): void => {
  if (process.env['FIGURES']) console.error(text)
}

const { broker, operator, url } = await openStage()

/** A world with a frozen clock, and its account. */
async function openWorld(world: string): Promise<Quipu> {
  const start = '2026-01-05T10:00:00-05:00'
  const { accounts } = await operator.createWorld({ body: { world, start, hours: 'always' } })
  const { key_id: keyId, secret_key: secretKey } = accounts[0]!
  return createQuipu({ url: broker.url, keyId, secretKey })
}

/** Places orders far below the market, twenty at a time. */
async function place(account: Quipu, count: number): Promise<void> {
  const order = { symbol: 'AAPL', side: 'buy', qty: 1, limit_price: '1.00' } as const
  for (let placed = 0; placed < count; placed += 20)
    await Promise.all(Array.from({ length: 20 }, () => account.orders.limit(order)))
}

test('a burst of order updates is drawn once per frame, loses no key, and leaves the list of the server', async (t) => {
  const account = await openWorld('busy')
  const page = await signedIn(t, NO_SCREEN)
  await page.goto(`${url}/orders?world=busy`)
  await account.orders.limit({ symbol: 'KO', side: 'buy', qty: 1, limit_price: '1.00' })
  await page.getByRole('row', { name: /Buy KO/ }).waitFor()
  await page.evaluate(countDraws)
  await page.evaluate(countKeys)
  const session = await page.context().newCDPSession(page)
  // Thread time does not depend on other programs of the machine.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.keyboard.press('/')
  const search = page.getByRole('combobox', { name: 'Search' })
  await search.waitFor()
  await place(account, UPDATES)
  const busyBefore = await metricOf(session, 'TaskDuration')
  const startMs = performance.now()
  let isOver = false
  const typed = typeUntil(page, () => isOver)
  await account.client.cancelAllOrders()
  const last = await account.orders.limit({ symbol: 'MSFT', side: 'buy', qty: 1, limit_price: '1.00' })
  await page.getByRole('row', { name: /Buy MSFT/ }).waitFor()
  isOver = true
  const text = await typed
  print(`${UPDATES} updates, ${Math.round((UPDATES * 1000) / (performance.now() - startMs))} a second`)

  const busyMs = ((await metricOf(session, 'TaskDuration')) - busyBefore) * 1000
  print(`the main thread worked ${Math.round((busyMs * 1000) / UPDATES)} ms for 1,000 updates`)
  assert.equal(await search.inputValue(), text)
  const { draws, frames } = (await page.evaluate('counted')) as Counted
  const delays = await page.evaluate<number[]>('delays')
  print(`${draws} draws in ${frames} frames; longest input delays: ${delays.join(', ') || 'below 16'} ms`)
  // A draw follows a frame, or the response to a read.
  assert.ok(draws > 0 && draws <= frames + 2, `${draws} draws in ${frames} frames`)
  const listed = await account.orders.list({ status: 'all', limit: 20 })
  assert.equal(listed[0]!.id, last.id)
  await page.keyboard.press('Escape')
  const shown = page.getByRole('region', { name: 'Orders' }).locator('tbody tr[data-href] a')
  const ids = await shown.evaluateAll((links) => links.map((link) => String(link).split(/[/?]/)[4]))
  assert.deepEqual(
    ids.slice(0, 20),
    listed.map(({ id }) => id),
  )
})

type Counted = { readonly draws: number; readonly frames: number }

/** Counts frames and changes of the list. */
const countDraws = `{
  globalThis.counted = { draws: 0, frames: 0 }
  const frame = () => { counted.frames += 1; requestAnimationFrame(frame) }
  requestAnimationFrame(frame)
  new MutationObserver(() => { counted.draws += 1 })
    .observe(document.querySelector('.orders-list'), { subtree: true, childList: true, characterData: true })
}`

/** Keeps the longest delays of keys, in milliseconds. */
const countKeys = `{
  globalThis.delays = []
  new PerformanceObserver((list) => {
    for (const { name, startTime, processingStart } of list.getEntries())
      if (name === 'keydown') delays.push(Math.round(processingStart - startTime))
    delays.sort((a, b) => b - a).splice(5)
  }).observe({ type: 'event', durationThreshold: 16 })
}`

/** Types letters, ten a second, until it is over. */
async function typeUntil(page: Page, isOver: () => boolean): Promise<string> {
  let text = ''
  while (!isOver() || text === '') {
    const letter = 'quipu'.charAt(text.length % 5)
    await page.keyboard.press(letter)
    text += letter
    await page.waitForTimeout(100)
  }
  return text
}

/** Updates of a round: an order is placed, and canceled. */
const ROUND_UPDATES = 1000
/** Rounds after which the lists of the page have as many rows as they keep. */
const ROUNDS_BEFORE = 20
const SAMPLE_ROUNDS = 10
const SAMPLES = 6

test('1,000 updates a second beside a running clock: no key is lost; FIGURES=1 prints the memory', {
  skip: !hasAllCases,
}, async (t) => {
  const params = { world: 'steady' }
  const account = await openWorld(params.world)
  const page = await signedIn(t, '/?world=steady')
  await page.getByText('100,000.00').first().waitFor()
  await page.keyboard.press('2')
  await page.getByLabel('with those ended today').check()
  // A check box takes keys for itself.
  await page.getByLabel('with those ended today').blur()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  // An hour of the world each minute.
  await operator.runClock({ params, body: { speed: 60 } })
  let [updates, playedMs] = [0, 0]
  const play = async (rounds: number): Promise<void> => {
    const startMs = performance.now()
    for (let round = 1; round <= rounds; round += 1) {
      await place(account, ROUND_UPDATES / 2)
      await account.client.cancelAllOrders()
      updates += ROUND_UPDATES
      await page.waitForTimeout(Math.max(0, startMs + round * 1000 - performance.now()))
    }
    playedMs += performance.now() - startMs
  }
  await play(ROUNDS_BEFORE)
  await page.evaluate(countKeys)
  await page.keyboard.press('/')
  const search = page.getByRole('combobox', { name: 'Search' })
  await search.waitFor()
  let isOver = false
  const typed = typeUntil(page, () => isOver)
  await play(SAMPLE_ROUNDS)
  isOver = true
  const text = await typed
  assert.equal(await search.inputValue(), text)
  print(`longest input delays: ${(await page.evaluate<number[]>('delays')).join(', ') || 'below 16'} ms`)
  await page.keyboard.press('Escape')
  const samples: Memory[] = []
  // The runner ends a spec in which no test begins or ends for minutes.
  for (let sample = 1; sample <= SAMPLES; sample += 1)
    await t.test(`sample ${sample}`, async (step) => {
      await play(SAMPLE_ROUNDS)
      const memory = await memoryOf(session)
      samples.push(memory)
      step.diagnostic(JSON.stringify(memory))
    })
  print(`${Math.round((updates * 1000) / playedMs)} updates a second`)
  const halves = [samples.slice(0, SAMPLES / 2), samples.slice(SAMPLES / 2)]
  print(`memory: ${halves.map((half) => JSON.stringify(half)).join(', then ')}`)
})

test('memory does not grow with the number of updates', { skip: !hasAllCases }, async (t) => {
  const account = await openWorld('hour')
  const page = await signedIn(t, '/?world=hour')
  await page.getByText('100,000.00').first().waitFor()
  await page.keyboard.press('2')
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const play = async (rounds: number, endMs = 0) => {
    for (let round = 0; round < rounds || Date.now() < endMs; round += 1) {
      await place(account, 20)
      await page
        .getByRole('row', { name: /Buy AAPL/ })
        .first()
        .waitFor()
      await account.client.cancelAllOrders()
      await operator.advanceClock({ params: { world: 'hour' }, body: { by: '1s' } })
      await page.getByText('No open orders').waitFor()
      if (endMs > 0) await page.waitForTimeout(1000)
    }
    return memoryOf(session)
  }
  const before = await play(hasAllCases ? 2 : 1)
  const startMs = Date.now()
  // The runner ends a spec in which no test begins or ends for minutes.
  for (let minute = 2; minute < MINUTES; minute += 2)
    await t.test(`minute ${minute}`, async (step) =>
      step.diagnostic(JSON.stringify(await play(1, startMs + minute * 60_000))),
    )
  const after = await play(hasAllCases ? 3 : 1, MINUTES > 0 ? startMs + MINUTES * 60_000 : 0)
  // A row has 20 nodes and 2 listeners.
  const grown = `${JSON.stringify(before)}, then ${JSON.stringify(after)}`
  assert.ok(after.nodes < before.nodes + 50 && after.listeners < before.listeners + 10, grown)
  assert.ok(after.kilobytes < before.kilobytes + 2000, grown)
})

type Memory = { readonly kilobytes: number; readonly nodes: number; readonly listeners: number }

async function memoryOf(session: CDPSession): Promise<Memory> {
  // A second collection frees what the first one finalized.
  for (let times = 0; times < 2; times += 1) await session.send('HeapProfiler.collectGarbage')
  return {
    kilobytes: Math.round((await metricOf(session, 'JSHeapUsedSize')) / 1000),
    nodes: await metricOf(session, 'Nodes'),
    listeners: await metricOf(session, 'JSEventListeners'),
  }
}

async function metricOf(session: CDPSession, name: string): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find((metric) => metric.name === name)!.value
}
