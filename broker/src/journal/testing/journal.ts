import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = mkdtempSync(join(tmpdir(), 'quipu-'))
process.once('exit', () => rmSync(root, { recursive: true, force: true }))

/** An empty folder that is deleted when the test process ends. */
export function emptyFolder(): string {
  return mkdtempSync(join(root, 'test-'))
}
