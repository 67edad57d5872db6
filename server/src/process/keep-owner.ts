import { lchownSync, lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The user and the group of a file. */
export type Owner = { readonly uid: number; readonly gid: number }

const isRoot = (): boolean => process.getuid?.() === 0

/** The owner of a folder, if root must give new files to that user: the files of root would lock the user out. */
export function ownerToKeep(folder: string): Owner | undefined {
  if (!isRoot()) return undefined
  const { uid, gid } = statSync(folder, { throwIfNoEntry: false }) ?? { uid: 0, gid: 0 }
  return uid === 0 ? undefined : { uid, gid }
}

/**
 * Gives the files of root in a folder to the owner of the folder. A command of root on the data folder of a service ends
 * with it, so that the service can still open every file.
 */
export function keepOwner(folder: string): void {
  const owner = ownerToKeep(folder)
  if (owner) for (const name of readdirSync(folder)) giveTo(join(folder, name), owner)
}

/** Gives a file, or a folder with all that is in it, to an owner. Files of other users than root are unchanged. */
export function giveTo(path: string, owner: Owner | undefined): void {
  if (!owner) return
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  const isFolder = found.isDirectory()
  // A link, or a second name of a file, may lead to a file of root elsewhere.
  if (found.uid === 0 && (isFolder || (found.isFile() && found.nlink === 1)))
    ifPresent(() => lchownSync(path, owner.uid, owner.gid))
  if (isFolder) for (const name of ifPresent(() => readdirSync(path)) ?? []) giveTo(join(path, name), owner)
}

/** A running server may delete a file meanwhile. */
function ifPresent<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
