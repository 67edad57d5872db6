import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import {
  credentialsPath,
  readCredentials,
  readServerFile,
  removeServerFile,
  serverPath,
  writeCredentials,
  writeServerFile,
} from './owner-file.ts'

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'quipu-owner-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

test('only the owner can read the credentials, also after a leftover file with other permissions', (t) => {
  const folder = folderFor(t)
  writeFileSync(`${credentialsPath(folder)}.tmp`, 'left over', { mode: 0o644 })
  writeCredentials(folder, { keyId: 'PK1' })
  assert.equal(statSync(credentialsPath(folder)).mode & 0o777, 0o600)
  assert.deepEqual(readCredentials(folder), { keyId: 'PK1' })
})

test('without files there are no credentials and no server', (t) => {
  const folder = folderFor(t)
  assert.deepEqual(readCredentials(folder), {})
  assert.equal(readServerFile(folder), undefined)
})

test('the error names a file that is not JSON', (t) => {
  const folder = folderFor(t)
  writeFileSync(credentialsPath(folder), '{')
  assert.throws(() => readCredentials(folder), /credentials\.json: expected JSON/)
})

test('only the process that wrote it removes the server file', (t) => {
  const folder = folderFor(t)
  const server = { url: 'http://h', pid: process.pid + 1, version: '1', store: 'embedded' as const }
  writeServerFile(folder, server)
  removeServerFile(folder)
  assert.deepEqual(readServerFile(folder), server)
  writeServerFile(folder, { ...server, pid: process.pid })
  removeServerFile(folder)
  assert.throws(() => statSync(serverPath(folder)), { code: 'ENOENT' })
})
