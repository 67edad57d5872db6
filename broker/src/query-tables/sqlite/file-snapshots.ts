import { JournalReader } from '../../journal/reader.ts'
import type { WriterData } from '../messages.ts'
import type { SnapshotStore } from '../snapshot/make-snapshot.ts'
import { readSnapshot, writeSnapshot } from '../snapshot/snapshot.ts'

/** The journal and the snapshots of a world in files. */
export const fileSnapshots = ({
  journalFolder,
  snapshots,
  limits,
}: Pick<WriterData, 'journalFolder' | 'snapshots' | 'limits'>): SnapshotStore => ({
  reader: () => new JournalReader(journalFolder),
  readSnapshot,
  writeSnapshot: (state, hash) => writeSnapshot(snapshots, state, { hash, keep: limits.snapshotsKept }),
})
