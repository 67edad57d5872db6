import assert from 'node:assert/strict'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Chain } from '../chain.ts'
import { openFilesJournal } from '../files.ts'
import { entry } from '../testing/entries.ts'
import { emptyFolder } from '../testing/journal.ts'
import { walkInParallel } from './parallel.ts'
import { walk } from './walk.ts'

const segmentEvents = 10

/** A journal with events in groups of these sizes, in rotation. */
async function journalOf(events: number, sizes: readonly number[]): Promise<string> {
  const folder = emptyFolder()
  const journal = await openFilesJournal(folder, { segmentEvents })
  for (let seq = 0, turn = 0; seq < events; turn++) {
    const size = sizes[turn % sizes.length]!
    await journal.append(Array.from({ length: size }, (_, index) => entry(`event ${seq + index}`)))
    seq += size
  }
  await journal.close()
  return folder
}

const alone = async (folder: string) => {
  const chain = new Chain(segmentEvents)
  return { last: await walk(folder, chain), chain }
}
const inParallel = (folder: string) => walkInParallel(folder, { segmentEvents, filesMin: 2 })

for (const sizes of [[10], [1], [3], [7, 1, 12], [25], [4, 31]])
  test(`several threads give the same result as one, with groups of ${sizes}`, async () => {
    const folder = await journalOf(130, sizes)
    const [one, many] = [await alone(folder), await inParallel(folder)]
    assert.deepEqual(many.chain.position, one.chain.position)
    assert.deepEqual(many.chain.seeds, one.chain.seeds)
    assert.deepEqual(many.last, one.last)
  })

type Damage = (path: string) => void
const flip: Damage = (path) => {
  const bytes = readFileSync(path)
  bytes[200]! ^= 1
  writeFileSync(path, bytes)
}

for (const [what, damage] of [
  ['has a changed byte', flip],
  ['is missing', (path) => rmSync(path)],
  ['was cut', (path) => writeFileSync(path, readFileSync(path).subarray(0, statSync(path).size / 2))],
  ['has no header', (path) => writeFileSync(path, readFileSync(path).subarray(9))],
] as const satisfies readonly (readonly [string, Damage])[])
  for (const at of [0, 3, 6, -1])
    test(`several threads report the same error as one when file ${at} ${what}`, async () => {
      const folder = await journalOf(130, [7, 1, 12])
      damage(join(folder, readdirSync(folder).sort().at(at)!))
      const results = await Promise.all(
        [alone, inParallel].map((walk) =>
          walk(folder).then(
            ({ chain, last }) => ({ position: chain.position, last }),
            (error: Error) => error.message,
          ),
        ),
      )
      assert.deepEqual(results[1], results[0])
    })
