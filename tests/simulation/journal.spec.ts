import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openFilesJournal } from '../../broker/src/journal/files.ts'
import { AppendFailed, type Entry } from '../../broker/src/journal/journal.ts'
import { entry } from '../../broker/src/journal/testing/entries.ts'
import { Random, seed } from '../support/random.ts'
import { Disk, type Fault } from './faults/disk.ts'

const RUNS = process.env['RUNS'] === undefined ? 25 : 400

const group = (random: Random, after: number): Entry[] =>
  Array.from({ length: random.integer(1, 12) }, (_, index) =>
    entry(`${after + index + 1}${random.pick(['x', '\0', '\0x']).repeat(random.integer(0, 300))}`),
  )

/** Two faults shortly after each other combine in ways that are rare in a run of a whole world. */
for (const [first, second] of [
  ['short', 'cut'],
  ['error', 'cut'],
  ['error', 'error'],
  ['short', 'error'],
] as const satisfies readonly (readonly [Fault, Fault])[])
  test(`a journal on a disk with the faults ${first} and then ${second}, ${RUNS} times (SEED=${seed})`, async () => {
    for (let run = 0; run < RUNS; run++) {
      const random = new Random(seed, first, second, run)
      const disk = new Disk(random)
      try {
        await appendWithFaults(disk, random, [first, second])
      } catch (error) {
        throw new Error(`run ${run}: ${(error as Error).message}`, { cause: error })
      } finally {
        disk.remove()
      }
    }
  })

async function appendWithFaults(
  disk: Disk,
  random: Random,
  [first, second]: readonly [Fault, Fault],
): Promise<void> {
  const journal = await openFilesJournal(disk.folder, { operations: disk.operations })
  await journal.append(group(random, 0))
  const { seq, hash } = journal.head()
  const nth = random.integer(1, 3)
  disk.plan(nth, first)
  disk.plan(nth + random.integer(1, 3), second)
  const append = journal.append(group(random, seq)).catch((error: unknown) => error)
  const result = await Promise.race([append, disk.ended.then(() => 'cut')])
  const acknowledged = result === undefined ? journal.head() : { seq, hash }
  disk.cut()
  if (random.chance(0.8)) disk.restart()
  else disk.reconnect()
  const again = await openFilesJournal(disk.folder, { operations: disk.operations })
  assert(again.head().seq >= acknowledged.seq, 'acknowledged events are stored')
  assert.equal(await again.hashAt(acknowledged.seq), acknowledged.hash, 'acknowledged events are unchanged')
  if (result instanceof AppendFailed && result.certain)
    assert.equal(again.head().seq, seq, 'an append that certainly failed is not stored')
  await again.append(group(random, again.head().seq))
  await again.close()
}
