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

test('credentials are for their owner alone, also when a file with other permissions was left over', (t) => {
  const folder = folderFor(t)
  writeFileSync(`${credentialsPath(folder)}.tmp`, 'left over', { mode: 0o644 })
  writeCredentials(folder, { keyId: 'PK1' })
  assert.equal(statSync(credentialsPath(folder)).mode & 0o777, 0o600)
  assert.deepEqual(readCredentials(folder), { keyId: 'PK1' })
})

test('no file is no credentials and no server', (t) => {
  const folder = folderFor(t)
  assert.deepEqual(readCredentials(folder), {})
  assert.equal(readServerFile(folder), undefined)
})

test('a file that is no JSON is named', (t) => {
  const folder = folderFor(t)
  writeFileSync(credentialsPath(folder), '{')
  assert.throws(() => readCredentials(folder), /credentials\.json: expected JSON/)
})

test('only the process that wrote it removes the server file', (t) => {
  const folder = folderFor(t)
  const server = { url: 'http://h', pid: process.pid + 1, version: '1' }
  writeServerFile(folder, server)
  removeServerFile(folder)
  assert.deepEqual(readServerFile(folder), server)
  writeServerFile(folder, { ...server, pid: process.pid })
  removeServerFile(folder)
  assert.throws(() => statSync(serverPath(folder)), { code: 'ENOENT' })
})
