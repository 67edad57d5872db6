import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** Fails if the problems do not go away: a screen reads what changed, and draws it in later frames. */
export async function settles(problemsNow: () => Promise<readonly string[]>): Promise<void> {
  let problems = await problemsNow()
  for (let left = 100; problems.length > 0 && left > 0; left -= 1) {
    await sleep(100)
    problems = await problemsNow()
  }
  assert.deepEqual(problems, [])
}
