import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { testCertificate, testKey } from '../server/src/http/testing/certificate.ts'
import { newFolder, startBroker } from './broker.ts'
import { command } from './quipu-command.ts'

/** Starts a broker with a self-signed certificate. */
async function startServer(t: TestContext, ...flags: string[]) {
  const [folder, files] = [newFolder(), newFolder()]
  const [certificate, key] = [join(files, 'cert.pem'), join(files, 'key.pem')]
  writeFileSync(certificate, testCertificate)
  writeFileSync(key, testKey)
  const broker = await startBroker(['--data', folder, '--tls', `${certificate},${key}`, ...flags])
  t.after(broker.stop)
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
  const { folder, url } = await startServer(t, '--host', '127.0.0.2')
  assert.match(url, /127\.0\.0\.2/)
  const { code, stderr } = await command(['world', 'list', '--data', folder])
  assert.equal(code, 0, stderr)
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
