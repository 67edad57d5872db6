import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** More than a busy machine needs: a test that fails may take long. */
const SECONDS_MAX = 120

/** Repeats a check until it is true. */
export async function waitUntil(condition: string, isTrue: () => boolean): Promise<void> {
  for (const start = performance.now(); !isTrue(); await sleep(10))
    if (performance.now() - start > SECONDS_MAX * 1000)
      assert.fail(`not within ${SECONDS_MAX} seconds: ${condition}`)
}
