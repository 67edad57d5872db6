import { workerData } from 'node:worker_threads'
import { JournalReader } from '../journal/reader.ts'
import { isDamage, isFull } from './database.ts'
import type { WriterData } from './messages.ts'
import { readSnapshot, writeSnapshot } from './snapshot.ts'
import { dropTables, Tables, whyUnusable } from './tables.ts'
import { runWriter } from './writing.ts'

// The writer thread of SQLite tables. It reads the journal files.
const { world, file, journalFolder, snapshots, limits } = workerData as WriterData

await runWriter({
  limits,
  whyUnusable: () => whyUnusable(file),
  drop: () => dropTables(file),
  open: () => new Tables(file, world),
  reader: () => new JournalReader(journalFolder),
  readSnapshot,
  writeSnapshot: (state, hash) => writeSnapshot(snapshots, state, { hash, keep: limits.snapshotsKept }),
  isFull,
  isDamage,
})
