import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

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
