import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Request, Response } from 'playwright-core'
import { hasAllCases } from '../support/cases.ts'
import { longestTaskMs } from './longest-task.ts'
import { NO_SCREEN, openStage, signedIn } from './stage.ts'

const KILOBYTES_MAX = 110

const { url } = await openStage()

test(`The workspace loads less than ${KILOBYTES_MAX} kB of compressed scripts, and nothing from other hosts`, async (t) => {
  const scripts = new Map<string, Request>()
  const hosts = new Set<string>()
  const page = await signedIn(t, NO_SCREEN)
  // The chart and the library that draws its candles come after the numbers, perhaps after the end of the test.
  const isLibrary = (name: string) => /chart-pane|chart-library|lightweight/.test(name)
  const note = (response: Response) => {
    const { hostname, pathname } = new URL(response.url())
    hosts.add(hostname)
    if (pathname.endsWith('.js') && !isLibrary(pathname)) scripts.set(pathname, response.request())
  }
  page.on('response', note)
  await page.goto(url)
  await page.getByText('Buying power').first().waitFor()
  // Another test gets the page.
  page.off('response', note)
  const sizes = await Promise.all([...scripts.values()].map((request) => request.sizes()))
  const total = sizes.reduce((sum, { responseBodySize }) => sum + responseBodySize, 0)
  assert.ok(total > 10_000 && total < KILOBYTES_MAX * 1000, `${total} bytes in ${[...scripts.keys()].join()}`)
  assert.deepEqual([...hosts], ['quipu.localhost'])
})

/** Marks the moment when the workspace shows the equity of the account. */
const markNumbers = `new MutationObserver((_, observer) => {
  if (!/\\d\\d,\\d{3}/.test(document.querySelector('main .summary')?.textContent ?? '')) return
  performance.mark('numbers')
  observer.disconnect()
}).observe(document, { subtree: true, childList: true, characterData: true })
globalThis.blocked = 0
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) blocked += duration - 50
}).observe({ type: 'longtask', buffered: true })`

const skip = !hasAllCases && !process.env['FIGURES']

test('The workspace paints, then shows numbers; FIGURES=1 prints when', { skip }, async (t) => {
  const page = await signedIn(t, NO_SCREEN)
  await page.addInitScript(markNumbers)
  const session = await page.context().newCDPSession(page)
  const runs = process.env['FIGURES'] ? 9 : 1
  // Thread time does not depend on other programs of the machine.
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const busyMs = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000
  }
  for (let run = 0; run < runs; run += 1) {
    await session.send('Network.clearBrowserCache')
    let [busy, paint, numbers, blocked] = [0, 0, 0, 0]
    const longest = await longestTaskMs(page, async () => {
      await page.goto(url)
      await page
        .getByText(/\d\d,\d{3}/)
        .first()
        .waitFor()
      busy = Math.round(await busyMs())
      ;[paint, numbers, blocked] = (await page.evaluate(`[
        performance.getEntriesByName('first-contentful-paint')[0].startTime,
        performance.getEntriesByName('numbers')[0].startTime,
        blocked,
      ].map(Math.round)`)) as [number, number, number]
      assert.ok(paint <= numbers)
      await page.locator('canvas').first().waitFor()
    })
    assert.ok(longest < TASK_MS_MAX, `a task of ${longest} ms`)
    if (runs > 1)
      console.error(
        `first paint ${paint}, numbers ${numbers}, blocked ${blocked}, main thread ${busy}, longest task ${longest} ms`,
      )
  }
})

const TASK_MS_MAX = 100
