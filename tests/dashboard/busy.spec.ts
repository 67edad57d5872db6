import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu, type Quipu } from '@quipu/sdk'
import type { CDPSession, Page } from 'playwright-core'
import { hasAllCases } from '../support/cases.ts'
import { longestTaskMs } from './longest-task.ts'
import { NO_SCREEN, openStage, signedIn } from './stage.ts'

/** Order updates of the burst. `FIGURES=1` prints what docs/internals/performance.md shows. */
const UPDATES = Number(process.env['DASHBOARD_UPDATES'] ?? 200)
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
  const order = { symbol: 'AAPL', side: 'buy', qty: 1, limitPrice: '1.00' } as const
  for (let placed = 0; placed < count; placed += 20)
    await Promise.all(Array.from({ length: 20 }, () => account.orders.limit(order)))
}

test('a burst of order updates is drawn once per frame, loses no key, and leaves the list of the server', async (t) => {
  const account = await openWorld('busy')
  const page = await signedIn(t, NO_SCREEN)
  await page.goto(`${url}/orders?world=busy`)
  await account.orders.limit({ symbol: 'KO', side: 'buy', qty: 1, limitPrice: '1.00' })
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
  const last = await account.orders.limit({ symbol: 'MSFT', side: 'buy', qty: 1, limitPrice: '1.00' })
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
  const shown = page.getByRole('region', { name: 'Orders' }).locator('tr[data-row] a:has(> b)')
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

/** Updates of a round, which is a second at least: an order is placed, and canceled. */
const ROUND_UPDATES = 1000
/** Rounds after which the lists of the page have as many rows as they keep. */
const ROUNDS_BEFORE = 20
const SAMPLE_ROUNDS = 10
const SAMPLES = 3
/** A key waits for the task that runs, which is one frame of the workspace. CPU time of the page. */
const TASK_MS_MAX = 100
/** Between samples the table may draw a page of other rows. What is kept of each update would be many times more. */
const GROWN_MAX: Memory = { kilobytes: 3000, nodes: 1000, listeners: 400 }

test('updates without a pause beside a running clock: a key waits for one frame at most, and memory stays flat', {
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
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  // An hour of the world each minute.
  await operator.runClock({ params, body: { speed: 60 } })
  let [updates, playedMs] = [0, 0]
  // The runner ends a spec in which no test begins or ends for minutes.
  const play = (name: string, rounds = SAMPLE_ROUNDS): Promise<void> =>
    t.test(name, async () => {
      const startMs = performance.now()
      for (let round = 1; round <= rounds; round += 1) {
        await place(account, ROUND_UPDATES / 2)
        await account.client.cancelAllOrders()
        updates += ROUND_UPDATES
        await page.waitForTimeout(Math.max(0, startMs + round * 1000 - performance.now()))
      }
      playedMs += performance.now() - startMs
    })
  await play('until the lists are full', ROUNDS_BEFORE)
  await page.evaluate(countKeys)
  await page.keyboard.press('/')
  const search = page.getByRole('combobox', { name: 'Search' })
  await search.waitFor()
  let isOver = false
  const typed = typeUntil(page, () => isOver)
  const longest = await longestTaskMs(page, () => play('beside keys'))
  isOver = true
  const text = await typed
  assert.equal(await search.inputValue(), text)
  print(
    `longest input delays: ${(await page.evaluate<number[]>('delays')).join(', ') || 'below 16'} ms; longest task ${longest} ms`,
  )
  assert.ok(longest < TASK_MS_MAX, `a task of ${longest} ms`)
  await page.keyboard.press('Escape')
  const busyBefore = await metricOf(session, 'TaskDuration')
  const samples: Memory[] = []
  for (let sample = 1; sample <= SAMPLES; sample += 1) {
    await play(`sample ${sample}`)
    samples.push(await memoryOf(session))
  }
  const busyMs = ((await metricOf(session, 'TaskDuration')) - busyBefore) * 1000
  print(`${Math.round((updates * 1000) / playedMs)} updates a second`)
  print(`the main thread worked ${Math.round(busyMs / (SAMPLES * SAMPLE_ROUNDS))} ms for 1,000 updates`)
  const all = samples.map((one) => JSON.stringify(one)).join(', then ')
  print(`memory: ${all}`)
  const [first, last] = [samples[0]!, samples.at(-1)!]
  for (const part of ['kilobytes', 'nodes', 'listeners'] as const)
    assert.ok(last[part] < first[part] + GROWN_MAX[part], `${part}: ${all}`)
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
