import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Certified, newAuthority, newServerCertificate } from '../../cli/src/run/gateway/certificates.ts'
import { testCertificate, testKey } from '../../server/src/http/testing/certificate.ts'
import { newFolder, startBroker } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'

/** Starts a broker with a self-signed certificate, or another one. */
async function startServer(t: TestContext, flags: readonly string[] = [], used?: Certified) {
  const [folder, files] = [newFolder(), newFolder()]
  const [certificate, key] = [join(files, 'cert.pem'), join(files, 'key.pem')]
  writeFileSync(certificate, used?.certificate ?? testCertificate)
  writeFileSync(key, used?.key ?? testKey)
  const broker = await startBroker(['--data', folder, '--tls', `${certificate},${key}`, ...flags])
  t.after(broker.kill)
  return { ...broker, folder, certificate, key }
}

test('commands trust the certificate file of the server that runs on the data folder', async (t) => {
  const { folder, url } = await startServer(t)
  assert.match(url, /^https:/)
  for (const line of ['status --json', 'world list --json', 'openapi', 'audit-log --all'])
    assert.equal((await command([...line.split(' '), '--data', folder])).code, 0, line)
  const created = await command(['world', 'create', 'friday', '--json', '--data', folder])
  assert.equal(JSON.parse(created.stdout).world, 'friday', created.stderr)
  assert.equal((await command(['world', 'delete', 'friday', '--data', folder])).code, 0)
  assert.equal((await command(['stop', '--data', folder])).code, 0)
})

test('the certificate of the data folder is trusted for any host name', {
  skip: process.platform !== 'linux',
}, async (t) => {
  const { folder, url } = await startServer(t, ['--host', '127.0.0.2'])
  assert.match(url, /127\.0\.0\.2/)
  const { code, stderr } = await command(['world', 'list', '--data', folder])
  assert.equal(code, 0, stderr)
})

/** A certificate that expired. */
function expired(): Certified {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
  return newServerCertificate(newAuthority(daysAgo(900)), daysAgo(400))
}

test('local commands accept the certificate of the server after it expired, and status warns', async (t) => {
  const { folder, certificate } = await startServer(t, [], expired())
  const run = (line: string) => command([...line.split(' '), '--data', folder])
  const status = await run('status --wait --timeout-ms 2000 --json')
  assert.equal(status.code, 0, status.stderr)
  assert.match(
    JSON.parse(status.stdout).warning,
    /^the certificate of .*cert\.pem expired on \d{4}-\d\d-\d\d$/,
  )
  assert.match((await run('status')).stdout, /^warning +the certificate of /m)
  for (const line of ['world list', `store backup ${join(newFolder(), 'backup')}`]) {
    const { code, stderr } = await run(line)
    assert.equal(code, 0, stderr)
  }
  const { checks } = JSON.parse((await run('doctor --json')).stdout)
  const of = (name: string) => checks.find(({ check }: { check: string }) => check === name)
  assert.deepEqual([of('server').ok, of('certificate').ok], [true, false])

  // Another server at this address does not get the operator key.
  writeFileSync(certificate, expired().certificate)
  assert.equal((await run('world list')).code, 3)
})

/** Asks for the clock, and signs in to the stream of trade updates. */
const program = `
  const { APCA_API_KEY_ID: key, APCA_API_SECRET_KEY: secret } = process.env
  const headers = { 'APCA-API-KEY-ID': key, 'APCA-API-SECRET-KEY': secret }
  const { status } = await fetch('https://paper-api.alpaca.markets/v2/clock', { headers })
  const stream = new WebSocket('wss://paper-api.alpaca.markets/stream')
  stream.onopen = () => stream.send(JSON.stringify({ action: 'auth', key, secret }))
  const response = await new Promise((resolve) => {
    stream.onmessage = async ({ data }) => resolve(JSON.parse(await new Response(data).text()).data.status)
    stream.onerror = () => resolve('no stream')
  })
  process.exit(status === 200 && response === 'authorized' ? 0 : 9)`

test('a program of quipu run reaches a server whose certificate expired, and no other one', async (t) => {
  const { folder, certificate } = await startServer(t, [], expired())
  const file = join(newFolder(), 'program.mjs')
  writeFileSync(file, program)
  const run = () => command(['run', '--data', folder, '--', process.execPath, file])
  const { code, stderr } = await run()
  assert.equal(code, 0, stderr)
  writeFileSync(certificate, expired().certificate)
  assert.equal((await run()).code, 3)
})

test('without the data folder --ca sets the trusted certificate, and the error message mentions --ca', async (t) => {
  const { url, brokerKey, brokerSecret, certificate, key } = await startServer(t)
  const env = { QUIPU_BROKER_KEY: brokerKey, QUIPU_BROKER_SECRET: brokerSecret }
  const run = (...more: string[]) =>
    command(['world', 'list', '--url', url, ...more], { env, cwd: newFolder() })
  const untrusted = await run()
  assert.equal(untrusted.code, 3)
  assert.match(
    untrusted.stderr,
    /^quipu: the certificate of the server is not trusted \(self-signed certificate\): set its file with --ca$/m,
  )
  const trusted = await run('--ca', certificate)
  assert.equal(trusted.code, 0, trusted.stderr)
  const wrong = await run('--ca', key)
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /key\.pem: expected a certificate in PEM format/)
  const missing = await run('--ca', 'nowhere.pem')
  assert.match(missing.stderr, /^quipu: cannot read the certificate \/.*nowhere\.pem: ENOENT/)
})
