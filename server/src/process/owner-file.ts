import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the first start made, for its owner: the server itself holds digests only. */
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

/** A file of the owner's that can not be read back. */
export class OwnerFileBroken extends Error {
  override readonly name = 'OwnerFileBroken'
}

/** Where a running server is. */
export type ServerFile = {
  readonly url: string
  readonly pid: number
  readonly version: string
  /** The certificate file the server was started with. */
  readonly certificate?: string
}

export const credentialsPath = (folder: string): string => join(folder, 'credentials.json')
export const serverPath = (folder: string): string => join(folder, 'server.json')

/** Only its owner can read it. */
export const writeCredentials = (folder: string, credentials: OwnerCredentials): void =>
  replaceFile(credentialsPath(folder), credentials)

/** Nothing where there is no file. */
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

// Written aside and renamed: a reader sees the old text or the new one, never half of it.
function replaceFile(path: string, value: unknown): void {
  const unfinished = `${path}.tmp`
  writeFileSync(unfinished, `${JSON.stringify(value, undefined, 2)}\n`, { mode: 0o600 })
  // The mode above counts only for a new file; one left over may have another.
  chmodSync(unfinished, 0o600)
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
    throw new OwnerFileBroken(`${path}: expected JSON: restore it from a copy, or delete it`)
  }
}
