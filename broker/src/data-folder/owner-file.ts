import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '@quipu/core/values'
import { isDiskFull } from './disk-space.ts'
import { overwriteFileSync, replaceFileSync } from './file-operations.ts'

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
  replaceFileSync(credentialsPath(folder), textOf(credentials))

/** Empty without a file. */
export const readCredentials = (folder: string): OwnerCredentials =>
  (readJson(credentialsPath(folder)) as OwnerCredentials | undefined) ?? {}

/** On a full disk, the file that a crash has left is overwritten: it needs no new space. */
export function writeServerFile(folder: string, server: ServerFile): void {
  try {
    replaceFileSync(serverPath(folder), textOf(server))
  } catch (error) {
    if (!isDiskFull(error) || readServerFile(folder) === undefined) throw error
    overwriteFileSync(serverPath(folder), textOf(server))
  }
}

export const readServerFile = (folder: string): ServerFile | undefined =>
  readJson(serverPath(folder)) as ServerFile | undefined

/** Removes the file, unless another process has written it meanwhile. */
export function removeServerFile(folder: string): void {
  if (readServerFile(folder)?.pid === process.pid) rmSync(serverPath(folder), { force: true })
}

const textOf = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

function readJson(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new OwnerFileUnreadable(`${path}: expected JSON; restore it from a copy, or delete it`)
  }
}
