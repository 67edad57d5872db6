import { writeSync } from 'node:fs'
import { QueryTablesFolder } from './query-tables-folder.ts'
import { openOnDisk, place } from './world-on-disk.ts'

// Places orders and prints each client order id once it is acknowledged, until the test kills the process.
const [path, round] = process.argv.slice(2)
const folder = new QueryTablesFolder({ snapshotEvents: 40, batchEventsMax: 8 }, path)
const testWorld = await openOnDisk(folder)
for (let group = 0; ; group++) {
  const ids = Array.from({ length: 1 + (group % 5) }, (_, index) => `${round}-${group}-${index}`)
  const placed = await Promise.all(ids.map((id) => place(testWorld, id)))
  if (!placed.every(({ ok }) => ok)) throw new Error(`refused: ${JSON.stringify(placed)}`)
  writeSync(1, ids.map((id) => `${id}\n`).join(''))
}
