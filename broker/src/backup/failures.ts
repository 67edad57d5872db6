/** The folder is not a backup, or the backup is damaged. */
export class BackupUnusable extends Error {
  override readonly name = 'BackupUnusable'
}

/** The backup failed and was removed. */
export class BackupFailed extends Error {
  override readonly name = 'BackupFailed'
}

/** The store has no journal. */
export class NoJournal extends Error {
  override readonly name = 'NoJournal'
}

/** The database already has a journal or is in use. */
export class StoreInUse extends Error {
  override readonly name = 'StoreInUse'
}

/** The folder cannot be renamed, so it cannot be replaced. */
export class FolderNotMovable extends Error {
  override readonly name = 'FolderNotMovable'
}

/** The folder is not empty, and `--replace` was not given. */
export class FolderNotEmpty extends Error {
  override readonly name = 'FolderNotEmpty'
}
