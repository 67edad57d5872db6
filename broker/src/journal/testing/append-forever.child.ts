import { writeSync } from 'node:fs'
import { openFilesJournal } from '../files.ts'
import { entry } from './entries.ts'

// Appends groups of varying size and prints each number once it is acknowledged, until the test kills the process.
const [folder, segmentEvents] = process.argv.slice(2)
const journal = await openFilesJournal(folder!, { segmentEvents: Number(segmentEvents) })
for (let group = 0; ; group++) {
  const { seq } = journal.head()
  const size = 1 + ((group * 7) % 40)
  await journal.append(Array.from({ length: size }, (_, index) => entry(String(seq + index + 1))))
  writeSync(1, `${seq + size}\n`)
}
