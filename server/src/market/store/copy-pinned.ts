import { databasePath, openDatabase, reading } from './database.ts'
import { readPins, storePins } from './pins.ts'
import { seriesName } from './series-key.ts'
import { openStore } from './store.ts'

/** Copies the series that a world uses into another store. Copied blocks are used by the world only. */
export function copyPinned(world: string, from: string, to: string): void {
  const records = readPins(from, world)
  if (records.length === 0) return
  const [source, target] = [openStore(from), openDatabase(to, true)!]
  const newest = Math.max(...records.map(({ generation }) => generation))
  try {
    reading(databasePath(to), () => {
      target.exec('BEGIN IMMEDIATE')
      const insert = target.prepare(
        `INSERT OR REPLACE INTO blocks (series, period, since, until, rows, first, last, sha256, data)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      )
      for (const record of records)
        for (const { period, rows, first, last, sha256, data } of source.blocksOf(record)) {
          const { generation } = record
          insert.run(seriesName(record), period, generation, generation + 1, rows, first, last, sha256, data)
        }
      target.prepare('UPDATE store SET generation = max(generation, ?)').run(newest + 1)
      target.exec('COMMIT')
    })
  } finally {
    target.close()
    source.close()
  }
  storePins(to, world, records)
}
