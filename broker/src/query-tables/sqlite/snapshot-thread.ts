import { workerData } from 'node:worker_threads'
import { runSnapshotThread } from '../snapshot/make-snapshot.ts'
import { fileSnapshots } from './file-snapshots.ts'

// Makes one snapshot in files, and ends.
await runSnapshotThread(fileSnapshots(workerData.store), workerData.task)
