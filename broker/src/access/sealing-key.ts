import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { errorCode } from '@quipu/core/values'
import { openFileSync } from '../data-folder/file-operations.ts'

/** The name of the key file in the data folder. */
export const KEY_FILE = 'second-factor.key'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** The first bytes name the key, so that a text of another key is not mistaken for a changed one. */
const KEY_ID_BYTES = 4

/** Where the key comes from. */
export type KeySource =
  /** The secret of the cluster, which every node has and the database has not. */
  | { readonly kind: 'cluster'; readonly secret: string }
  /** A file that the first use creates. */
  | { readonly kind: 'folder'; readonly folder: string }
  | { readonly kind: 'memory' }

/**
 * Encrypts texts that the server must read again: the secrets of authenticator apps, and challenges in forms. AES-256-GCM
 * with a random nonce; `purpose` is authenticated with the text, so that a text of one use cannot serve another.
 */
export class SealingKey {
  readonly #source: KeySource
  #key: Buffer | undefined

  constructor(source: KeySource) {
    this.#source = source
  }

  seal(text: string, purpose: string): string {
    const key = this.#read()
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(purpose))
    const content = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
    return Buffer.concat([idOf(key), nonce, cipher.getAuthTag(), content]).toString('base64url')
  }

  /** Undefined if the text was changed, is of another purpose, or of another key. */
  open(sealed: string, purpose: string): string | undefined {
    const bytes = Buffer.from(sealed, 'base64url')
    const [nonceAt, tagAt] = [KEY_ID_BYTES, KEY_ID_BYTES + NONCE_BYTES]
    const contentAt = tagAt + TAG_BYTES
    if (bytes.length < contentAt || !this.isOfThisKey(sealed)) return undefined
    const decipher = createDecipheriv(CIPHER, this.#read(), bytes.subarray(nonceAt, tagAt))
    decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(tagAt, contentAt))
    try {
      return Buffer.concat([decipher.update(bytes.subarray(contentAt)), decipher.final()]).toString('utf8')
    } catch {
      return undefined
    }
  }

  /** False after the key was lost or the secret of the cluster was changed. */
  isOfThisKey(sealed: string): boolean {
    return Buffer.from(sealed, 'base64url').subarray(0, KEY_ID_BYTES).equals(idOf(this.#read()))
  }

  #read(): Buffer {
    this.#key ??= keyOf(this.#source)
    return this.#key
  }
}

const idOf = (key: Buffer): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from('quipu key id '), key]), 'buffer').subarray(0, KEY_ID_BYTES)

function keyOf(source: KeySource): Buffer {
  switch (source.kind) {
    case 'cluster':
      return Buffer.from(hkdfSync('sha256', source.secret, '', 'quipu second factor', KEY_BYTES))
    case 'folder':
      return readKeyFile(join(source.folder, KEY_FILE)) ?? createKeyFile(source.folder)
    case 'memory':
      return randomBytes(KEY_BYTES)
  }
}

/** Copies the key of a data folder, for a backup with credentials and its restore. Returns whether there is one. */
export function copySealingKey(from: string, to: string): boolean {
  const key = readKeyFile(join(from, KEY_FILE))
  if (key && !readKeyFile(join(to, KEY_FILE))) writeKeyFile(to, key)
  return key !== undefined
}

function readKeyFile(path: string): Buffer | undefined {
  try {
    const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex')
    if (key.length === KEY_BYTES) return key
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw error
  }
  throw new Error(`${path}: expected ${2 * KEY_BYTES} hex digits; restore it from a copy`)
}

function createKeyFile(folder: string): Buffer {
  const key = randomBytes(KEY_BYTES)
  writeKeyFile(folder, key)
  return key
}

/** On disk before the first text is sealed with it. Only its owner can read it. */
function writeKeyFile(folder: string, key: Buffer): void {
  const file = openFileSync(join(folder, KEY_FILE), 'wx')
  try {
    writeSync(file, `${key.toString('hex')}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  // Windows cannot sync a folder.
  if (process.platform === 'win32') return
  const parent = openSync(folder, 'r')
  try {
    fsyncSync(parent)
  } finally {
    closeSync(parent)
  }
}
