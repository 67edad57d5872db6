import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { hasAllCases } from '../support/cases.ts'

type TraceEvent = {
  readonly name: string
  readonly tid: number
  readonly pid: number
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/**
 * Runs something, and returns the longest task of the main thread of a page meanwhile, in milliseconds of its CPU time, so
 * that other programs do not count.
 */
export async function longestTaskMs(page: Page, run: () => Promise<void>): Promise<number> {
  const browser = page.context().browser()!
  await browser.startTracing(page, { categories: ['toplevel', 'disabled-by-default-devtools.timeline'] })
  await run()
  const trace = await browser.stopTracing()
  const { traceEvents: events } = JSON.parse(trace.toString()) as { traceEvents: readonly TraceEvent[] }
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  const main = new Set(
    events
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  )
  const tasks = events.filter((event) => event.name.endsWith('RunTask') && main.has(threadOf(event)))
  assert.ok(tasks.length > 0, 'the trace has tasks')
  return Math.round(tasks.reduce((most, { tdur = 0 }) => Math.max(most, tdur), 0) / 1000)
}

/** The longest task in CPU time. `npm test` does not trace the browser. */
const TASK_MS_MAX = 100
const print = (text: string): void => {
  if (hasAllCases) console.error(text)
}

/** Prints the longest task of a run in the long run. */
export async function printLongestTask(page: Page, what: string, run: () => Promise<void>): Promise<number> {
  if (!hasAllCases) {
    await run()
    return 0
  }
  const longest = await longestTaskMs(page, run)
  print(`${what}: the longest task takes ${longest} ms of CPU time`)
  return longest
}

/** A busy machine makes any task long: what is always long is a fault. `times`: how often a run may be repeated. */
export async function assertShortTasks(
  page: Page,
  what: string,
  run: () => Promise<void>,
  times = 1,
): Promise<void> {
  const longest = await printLongestTask(page, what, run)
  if (longest > TASK_MS_MAX && times > 1) return assertShortTasks(page, what, run, times - 1)
  assert.ok(longest <= TASK_MS_MAX, `${what}: a task of ${longest} ms`)
}
