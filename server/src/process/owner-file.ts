import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { giveTo, ownerToKeep } from './keep-owner.ts'

/** The credentials of the first start, with the keys of the settings since. The server itself stores only digests. */
export type OwnerCredentials = {
  readonly accountId?: string
  readonly keyId?: string
  readonly secretKey?: string
  readonly brokerKey?: string
  readonly brokerSecret?: string
  readonly oauthClientId?: string
  readonly oauthClientSecret?: string
  readonly oauthRedirectUri?: string
  readonly userName?: string
  readonly userPassword?: string
}

/** A credentials or server file is unreadable. */
export class OwnerFileUnreadable extends Error {
  override readonly name = 'OwnerFileUnreadable'
}

/** The addresses of a running server. */
export type ServerFile = {
  /** The server's own address, which commands on this machine use. */
  readonly url: string
  /** QUIPU_PUBLIC_URL, if set. A proxy serves it, so it can be unreachable while the server is ready. */
  readonly publicUrl?: string | undefined
  readonly pid: number
  readonly version: string
  /** Where the server stores its data. Settings of a command may lack the database. */
  readonly store: 'embedded' | 'postgres'
  /** The certificate file the server was started with. */
  readonly certificate?: string | undefined
}

export const credentialsPath = (folder: string): string => join(folder, 'credentials.json')
export const serverPath = (folder: string): string => join(folder, 'server.json')

/** Only its owner can read it. */
export const writeCredentials = (folder: string, credentials: OwnerCredentials): void =>
  replaceFile(credentialsPath(folder), credentials)

/** Empty without a file. */
export const readCredentials = (folder: string): OwnerCredentials =>
  (readJson(credentialsPath(folder)) as OwnerCredentials | undefined) ?? {}

export const writeServerFile = (folder: string, server: ServerFile): void =>
  replaceFile(serverPath(folder), server)

export const readServerFile = (folder: string): ServerFile | undefined =>
  readJson(serverPath(folder)) as ServerFile | undefined

/** Removes the file, unless another process has written it meanwhile. */
export function removeServerFile(folder: string): void {
  if (readServerFile(folder)?.pid === process.pid) rmSync(serverPath(folder), { force: true })
}

// Written to a temporary file and renamed, so that a reader never sees half of it.
function replaceFile(path: string, value: unknown): void {
  const unfinished = `${path}.tmp`
  // A leftover file may have another mode, and a link would lead root to another file: the file is always new.
  rmSync(unfinished, { force: true })
  writeFileSync(unfinished, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' })
  giveTo(unfinished, ownerToKeep(dirname(path)))
  renameSync(unfinished, path)
}

function readJson(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new OwnerFileUnreadable(`${path}: expected JSON; restore it from a copy, or delete it`)
  }
}
