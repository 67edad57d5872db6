import {
  chownSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lchownSync,
  lstatSync,
  openSync,
  readdirSync,
  statSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { errorCode } from '@quipu/core/values'

/** The user and the group of a file. */
export type Owner = { readonly uid: number; readonly gid: number }

/**
 * A name in the folder of another user leads to a file elsewhere. An attacker who is that user could have root write, read
 * or give away any file.
 */
export class LeadsOut extends Error {
  override readonly name = 'LeadsOut'

  constructor(path: string, how: string) {
    super(`${path} leads out of the folder: ${how}, and root does not follow it`)
  }
}

const isRoot = (): boolean => process.getuid?.() === 0

/** The owner of a folder, if root must give new files to that user: the files of root would lock the user out. */
export function ownerToKeep(folder: string): Owner | undefined {
  if (!isRoot()) return undefined
  const { uid, gid } = statSync(folder, { throwIfNoEntry: false }) ?? { uid: 0, gid: 0 }
  return uid === 0 ? undefined : { uid, gid }
}

/** Throws LeadsOut if root would follow a link that another user made. Links that root made are followed. */
export function refuseLinks(folder: string): void {
  if (isRoot()) refuseLinksIn(resolve(folder), ownerToKeep(folder))
}

function refuseLinksIn(path: string, owner: Owner | undefined): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  const isLink = found.isSymbolicLink()
  if (isLink && found.uid !== 0) throw new LeadsOut(path, `it is a symbolic link of user ${found.uid}`)
  if (!owner) return
  if (found.isFile() && found.nlink > 1 && found.uid !== owner.uid)
    throw new LeadsOut(path, `it is a second name of a file of user ${found.uid}`)
  const isFolder = isLink ? statSync(path, { throwIfNoEntry: false })?.isDirectory() : found.isDirectory()
  const names = isFolder ? (ifPresent(() => readdirSync(path)) ?? []) : []
  for (const name of names) refuseLinksIn(join(path, name), owner)
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
  if (owner) ifPresent(() => (hasDescriptors() ? giveOpened(path, owner) : giveNamed(path, owner)))
}

/** Linux: names a file that is neither read nor locked by it. Closing it keeps the locks of SQLite. */
const O_PATH = 0o10000000

const hasDescriptors = (): boolean => process.platform === 'linux' && existsSync('/proc/self/fd')

/** By descriptor: the owner of the folder may exchange a name for a link at any moment. */
function giveOpened(path: string, owner: Owner): void {
  const file = openSync(path, O_PATH | constants.O_NOFOLLOW)
  try {
    const opened = `/proc/self/fd/${file}`
    const found = fstatSync(file)
    if (found.isDirectory()) for (const name of readdirSync(opened)) giveTo(join(opened, name), owner)
    if (isToGive(found)) chownSync(opened, owner.uid, owner.gid)
  } finally {
    closeSync(file)
  }
}

function giveNamed(path: string, owner: Owner): void {
  const found = lstatSync(path)
  if (found.isDirectory()) for (const name of readdirSync(path)) giveTo(join(path, name), owner)
  if (isToGive(found)) lchownSync(path, owner.uid, owner.gid)
}

/** A link, or a second name of a file, may lead to a file of root elsewhere. */
const isToGive = (found: ReturnType<typeof fstatSync>): boolean =>
  found.uid === 0 && (found.isDirectory() || (found.isFile() && found.nlink === 1))

/** A running server may delete a file meanwhile. */
function ifPresent<Value>(work: () => Value): Value | undefined {
  try {
    return work()
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
