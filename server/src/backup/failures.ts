/** A folder that is no backup, or one that can not be relied on. The message says why. */
export class BackupUnusable extends Error {
  override readonly name = 'BackupUnusable'
}

/** The backup can not be taken; nothing is left of it. The message says why. */
export class NoBackup extends Error {
  override readonly name = 'NoBackup'
}

/** There are no books where they were looked for. */
export class NoBooks extends Error {
  override readonly name = 'NoBooks'
}

/** The database holds books already, or someone else is using it. The message says which. */
export class StoreTaken extends Error {
  override readonly name = 'StoreTaken'
}

/** The folder can not change its name, so nothing can take its place. */
export class FolderNotMovable extends Error {
  override readonly name = 'FolderNotMovable'
}

/** The folder holds something, and nobody said that it may be replaced. */
export class FolderNotEmpty extends Error {
  override readonly name = 'FolderNotEmpty'
}
