import { workerData } from 'node:worker_threads'
import type { WriterData } from '../messages.ts'
import { runWriter } from '../writing.ts'
import { isDamage, isFull } from './database.ts'
import { fileSnapshots } from './file-snapshots.ts'
import { dropTables, Tables, whyUnusable } from './tables.ts'

// The writer thread of SQLite tables. It reads the journal files.
const data = workerData as WriterData
const { world, file, limits } = data

await runWriter({
  ...fileSnapshots(data),
  limits,
  snapshotThread: { url: import.meta.url, data },
  whyUnusable: () => whyUnusable(file),
  drop: () => dropTables(file),
  open: () => new Tables(file, world),
  isFull,
  isDamage,
})
