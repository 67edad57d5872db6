import { X509Certificate } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { Certified } from './certificates.ts'

/** The files of the local certificate authority. */
export type CertificateFiles = {
  /** The certificate of the authority, for programs that shall trust it. */
  readonly authority: string
  /** The certificate of the listener and its private key, in one file. */
  readonly server: string
}

const RENEW_BEFORE_MS = 30 * 86_400_000

/**
 * The authority of this user. It is created once; its key is readable by the owner alone and signs only certificates of
 * the listener. A server certificate that ends within 30 days is replaced.
 */
export async function certificateFiles(folder: string, now = new Date()): Promise<CertificateFiles> {
  const files = { authority: join(folder, 'authority.pem'), server: join(folder, 'server.pem') }
  const key = join(folder, 'authority.key')
  if (!existsSync(key) || isEnding(files.authority, now)) await createAuthority(folder, now)
  if (isEnding(files.server, now)) {
    const { newServerCertificate } = await import('./certificates.ts')
    const authority = { certificate: readFileSync(files.authority, 'utf8'), key: readFileSync(key, 'utf8') }
    replaceFile(files.server, joined(newServerCertificate(authority, now)), 0o600)
  }
  return files
}

/** Created in another folder and renamed, so that two first runs at once get the same authority. */
async function createAuthority(folder: string, now: Date): Promise<void> {
  const { newAuthority, newServerCertificate } = await import('./certificates.ts')
  mkdirSync(dirname(folder), { recursive: true, mode: 0o700 })
  const unfinished = mkdtempSync(`${folder}-`)
  const authority = newAuthority(now)
  replaceFile(join(unfinished, 'authority.key'), authority.key, 0o600)
  replaceFile(join(unfinished, 'server.pem'), joined(newServerCertificate(authority, now)), 0o600)
  replaceFile(join(unfinished, 'authority.pem'), authority.certificate, 0o644)
  const ended = isEnding(join(folder, 'authority.pem'), now)
  if (ended) rmSync(folder, { recursive: true, force: true })
  try {
    renameSync(unfinished, folder)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(join(folder, 'authority.key'))) throw error
  }
}

const joined = ({ certificate, key }: Certified): string => certificate + key

function replaceFile(path: string, text: string, mode: number): void {
  const unfinished = `${path}.${process.pid}.tmp`
  writeFileSync(unfinished, text, { mode: 0o600 })
  chmodSync(unfinished, mode)
  renameSync(unfinished, path)
}

/** Whether a certificate is missing or ends soon. */
function isEnding(file: string, now: Date): boolean {
  if (!existsSync(file)) return true
  return new X509Certificate(readFileSync(file)).validToDate.getTime() - now.getTime() < RENEW_BEFORE_MS
}
