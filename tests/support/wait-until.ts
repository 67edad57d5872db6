import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** Repeats a check until it returns a value, and returns that value. */
export async function waitUntil<Value>(
  condition: string,
  check: () => Value | undefined | false | Promise<Value | undefined | false>,
  seconds = 120,
): Promise<Value> {
  for (const start = performance.now(); performance.now() - start < seconds * 1000; await sleep(50)) {
    const value = await check()
    if (value !== undefined && value !== false) return value
  }
  return assert.fail(`not within ${seconds} seconds: ${condition}`)
}
