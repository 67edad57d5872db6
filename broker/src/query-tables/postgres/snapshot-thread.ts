import { workerData } from 'node:worker_threads'
import { runSnapshotThread } from '../snapshot/make-snapshot.ts'
import { tableSnapshots } from './table-snapshots.ts'

// Makes one snapshot in PostgreSQL, and ends.
await runSnapshotThread(tableSnapshots(workerData.store), workerData.task)
