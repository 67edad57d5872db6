import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { certificateFiles } from './certificate-files.ts'
import { newAuthority, newServerCertificate } from './certificates.ts'
import { officialHosts } from './hosts.ts'

const NOW = new Date()
const DAY_MS = 86_400_000

test('the server certificate is valid for every official host and for this machine, and for no other name', () => {
  const authority = newAuthority(NOW)
  const server = new X509Certificate(newServerCertificate(authority, NOW).certificate)
  const issuer = new X509Certificate(authority.certificate)
  assert.ok(server.checkIssued(issuer) && server.verify(issuer.publicKey) && issuer.ca && !server.ca)
  for (const name of [...officialHosts, 'localhost']) assert.ok(server.checkHost(name), name)
  assert.ok(server.checkIP('127.0.0.1'))
  assert.equal(server.checkHost('example.com'), undefined)
})

test('a client refuses a certificate of the authority for another name', async () => {
  const authority = newAuthority(NOW)
  const foreign = newServerCertificate(authority, NOW, ['example.com'])
  const server = createServer({ cert: foreign.certificate, key: foreign.key }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const ca = authority.certificate
  const problem = await new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, servername: 'example.com', ca }, () =>
      resolve('trusted'),
    )
    socket.once('error', (error) => resolve(error.message))
  })
  server.close()
  assert.equal(problem, 'permitted subtree violation')
})

test('the authority is created once, and the server certificate is replaced before it ends', async (t) => {
  const parent = await mkdtemp(join(tmpdir(), 'quipu-'))
  t.after(() => rm(parent, { recursive: true, force: true }))
  const folder = join(parent, 'authority')
  const [files] = await Promise.all([certificateFiles(folder, NOW), certificateFiles(folder, NOW)])
  const read = () => [files.authority, files.server].map((file) => readFileSync(file, 'utf8'))
  const [authority, server] = read()
  await certificateFiles(folder, new Date(NOW.getTime() + 300 * DAY_MS))
  assert.deepEqual(read(), [authority, server])
  await certificateFiles(folder, new Date(NOW.getTime() + 380 * DAY_MS))
  const [kept, renewed] = read()
  assert.deepEqual([kept === authority, renewed === server], [true, false])
  assert.equal(statSync(join(folder, 'authority.key')).mode & 0o777, 0o600)
})
