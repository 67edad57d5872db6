import { workerData } from 'node:worker_threads'
import { fileSnapshots } from './file-snapshots.ts'
import { runSnapshotThread } from './make-snapshot.ts'

// Makes one snapshot in files, and ends.
await runSnapshotThread(fileSnapshots(workerData.store), workerData.task)
