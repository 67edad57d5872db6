import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seed } from '../random.ts'
import { type Kind, simulate } from './whole-world.ts'

const LIVES = 2

/** Every call to the store with what became of it, every answer, every event. */
async function traceOf(kind: Kind, life: number): Promise<readonly string[]> {
  const lines: string[] = []
  const note = (line: string) => void lines.push(line)
  await simulate({ seed: `${seed}-replay-${life}`, steps: 24, kind, note })
  return lines
}

for (const kind of ['files', 'postgres'] as const)
  test(`the same seed is the same life, call by call and answer by answer: ${kind} (SEED=${seed})`, async () => {
    for (let life = 0; life < LIVES; life++) {
      const [once, again] = [await traceOf(kind, life), await traceOf(kind, life)]
      assert(once.length > 100)
      assert.deepEqual(again, once)
    }
  })
