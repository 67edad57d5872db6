import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seed } from '../support/random.ts'
import { type Kind, simulate } from './whole-world.ts'

const RUNS = 2

/** Every call to the store with its outcome, every response and every event. */
async function traceOf(kind: Kind, run: number): Promise<readonly string[]> {
  const lines: string[] = []
  const note = (line: string) => void lines.push(line)
  await simulate({ seed: `${seed}-replay-${run}`, steps: 24, kind, note })
  return lines
}

for (const kind of ['files', 'postgres'] as const)
  test(`the same seed gives the same calls, responses and events: ${kind} (SEED=${seed})`, async () => {
    for (let run = 0; run < RUNS; run++) {
      const [once, again] = [await traceOf(kind, run), await traceOf(kind, run)]
      assert(once.length > 100)
      assert.deepEqual(again, once)
    }
  })
