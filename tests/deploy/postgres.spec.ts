import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { Cluster } from '../../broker/src/postgres/testing/server.ts'
import { tableRights } from '../../server/src/doctor/roles.ts'
import { testCertificate, testKey } from '../../server/src/http/testing/certificate.ts'
import {
  call,
  callAsOperator,
  newFolder,
  newWorld,
  plainEnvironment,
  startBroker,
} from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { command } from '../support/quipu-command.ts'
import { pathWithQuipu } from '../support/quipu-process.ts'
import { backupCommands, block, blockOf } from './page.ts'

// PostgreSQL as the guide wants it: roles with passwords, and only over TLS. The role of the tests needs neither.
const hba = ['host all quipu 127.0.0.1/32 trust', 'hostssl all all 127.0.0.1/32 scram-sha-256', '']
const cluster = await Cluster.start({
  files: { 'server.crt': testCertificate, 'server.key': testKey, 'pg_hba.conf': hba.join('\n') },
  more: ['-c', 'ssl=on'],
})
after(() => cluster.stop())

const folder = newFolder()
const authority = join(folder, 'ca.pem')
writeFileSync(authority, testCertificate)
const sqlFile = (name: string) => join(import.meta.dirname, '../../docs/guides/deploy', name)
const psql = (url: string, ...line: string[]) =>
  execFileSync('psql', ['--no-psqlrc', '--quiet', '--set=ON_ERROR_STOP=1', ...line, url], { stdio: 'pipe' })

/** The URL of a role with its password, over TLS to the host of the certificate. */
const urlOf = (role: string, host = 'localhost', more = `&sslrootcert=${authority}`) =>
  `${cluster.url('quipu').replace('quipu:hunter2@127.0.0.1', `${role}:secret-of-${role}@${host}`)}?sslmode=verify-full${more}`
const [owner, server] = [urlOf('quipu_owner'), urlOf('quipu_server')]

psql(cluster.url(), `--file=${sqlFile('roles.sql')}`)
for (const role of ['quipu_owner', 'quipu_server'])
  await cluster.run(`ALTER ROLE ${role} PASSWORD 'secret-of-${role}'`)
assert.equal((await command(['store', 'migrate'], { env: { QUIPU_STORE: owner } })).code, 0)
// The guide runs it again after each migration.
for (let time = 0; time < 2; time += 1) psql(owner, `--file=${sqlFile('rights.sql')}`)

test('a server with the small role trades, creates, resets and deletes worlds, and backs up', async () => {
  const data = newFolder()
  const broker = await startBroker(['--data', data], { QUIPU_STORE: server })
  const order = { symbol: 'AAPL', qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
  assert.equal((await call(broker, 'POST', '/v2/orders', order)).status, 200)
  for (const world of ['friday', 'monday']) {
    const made = await newWorld(broker, { world, durable: true })
    assert.equal((await call(made, 'POST', '/v2/orders', order)).status, 200)
  }
  assert.equal((await callAsOperator(broker, 'POST', '/sim/v1/worlds/monday/reset', {})).status, 200)
  assert.equal((await callAsOperator(broker, 'DELETE', '/sim/v1/worlds/friday')).status, 204)
  const backup = join(newFolder(), 'backup')
  const env = { QUIPU_STORE: server }
  const made = await command(['store', 'backup', backup, '--data', data], { env })
  assert.equal(made.code, 0, made.stderr)
  const doctor = await command(['doctor', '--data', data], { env })
  assert.equal(doctor.code, 0, doctor.stdout)
  assert.equal(await broker.stop(), 0)
  for (const line of casesOf(['store rebuild', 'store verify', 'audit']))
    assert.equal((await command([...line.split(' '), '--data', data], { env })).code, 0, line)
  assert.doesNotMatch(broker.log(), /denied|secret-of/)
})

test('the backup of the timer reads the database of the secrets; without them the command says what is missing', async (t) => {
  const [data, folder] = [newFolder(), newFolder()]
  writeFileSync(join(folder, 'store'), `${server}\n`)
  for (const name of ['broker-secret', 'secret-key']) writeFileSync(join(folder, name), 'x'.repeat(48))
  const settings = [...block('ini', 'LoadCredential').matchAll(/(QUIPU_\w+)=(\S+)/g)]
  const secrets = Object.fromEntries(settings.map(([, name, value]) => [name!, value!.replace('%d', folder)]))
  const broker = await startBroker(['--data', data], secrets)
  t.after(broker.kill)
  const backUp = async (env: Readonly<Record<string, string>>) => {
    const script = backupCommands(join(newFolder(), 'backups')).join('\n')
    const set = plainEnvironment({ PATH: pathWithQuipu, QUIPU_DATA: data, ...env })
    return promisify(execFile)('sh', ['-euc', script], { env: set })
  }
  await backUp(secrets)
  await assert.rejects(backUp({}), /the data is in PostgreSQL: set QUIPU_STORE or QUIPU_STORE_FILE/)
  for (const line of ['store verify', 'store rebuild', 'journal print']) {
    const { code, stderr } = await command([...line.split(' '), '--data', data])
    assert.equal(code, 1)
    assert.match(stderr, /the data is in PostgreSQL: set QUIPU_STORE or QUIPU_STORE_FILE/)
  }
  assert.equal(await broker.stop(), 0)
})

test('with that role nobody changes an event, deletes one of main, or creates a table', async () => {
  const events = async () =>
    (await cluster.run("SELECT count(*) FROM quipu_events WHERE world = 'main'", cluster.url('quipu')))[0]
  const before = await events()
  for (const [sql, refusal] of [
    ["UPDATE quipu_events SET open = ''", /permission denied for table quipu_events/],
    ['TRUNCATE quipu_events', /permission denied for table quipu_events/],
    ['CREATE TABLE other (id text)', /permission denied for schema public/],
    ['ALTER TABLE quipu_events DISABLE ROW LEVEL SECURITY', /must be owner/],
  ] as const)
    assert.throws(() => psql(server, `--command=${sql}`), refusal)
  psql(server, "--command=DELETE FROM quipu_events WHERE world = 'main'")
  assert.deepEqual(await events(), before)
})

test('the roles of the guide for a database that exists: its tables get the new owner, and the server its data', async (t) => {
  const other = await Cluster.start()
  t.after(() => other.stop())
  await other.run('CREATE ROLE earlier LOGIN')
  await other.run('CREATE DATABASE quipu OWNER earlier')
  const as = (role: string) => other.url('quipu').replace('quipu:hunter2', role)
  const data = newFolder()
  const before = await startBroker(['--data', data], { QUIPU_STORE: as('earlier') })
  assert.equal(await before.stop(), 0)
  for (let time = 0; time < 2; time += 1) psql(other.url(), `--file=${sqlFile('roles.sql')}`)
  const { port } = new URL(other.url())
  const env = { PGHOST: '127.0.0.1', PGPORT: port, PGUSER: 'quipu' }
  const reassign = blockOf('operations.md', 'sh', 'REASSIGN').replace('BY quipu', 'BY earlier')
  execFileSync('sh', ['-euc', reassign], { env: plainEnvironment(env), stdio: 'pipe' })
  psql(as('quipu_owner'), `--file=${sqlFile('rights.sql')}`)
  const after = await startBroker(['--data', data], { QUIPU_STORE: as('quipu_server') })
  t.after(after.kill)
  assert.equal((await call({ ...before, url: after.url }, 'GET', '/v2/account')).status, 200)
})

test('the guide gives the rights that the server needs, and no others', () => {
  const text = readFileSync(sqlFile('rights.sql'), 'utf8')
  const granted: Record<string, string[]> = {}
  for (const [, rights, tables] of text.matchAll(/^GRANT ([A-Z, ]+) ON (quipu_[\w,\s]+?) TO/gm))
    for (const table of tables!.split(/,\s+/)) granted[table] = rights!.split(', ')
  assert.deepEqual(granted, tableRights)
})

test('verify-full refuses a certificate of another authority or for another name', async () => {
  for (const [url, refusal] of [
    [urlOf('quipu_server', 'localhost', ''), /self-signed certificate/],
    [urlOf('quipu_server', '127.1'), /does not match certificate/],
  ] as const) {
    const { code, stderr } = await command(['audit', '--data', newFolder()], { env: { QUIPU_STORE: url } })
    assert.equal(code, 1)
    assert.match(stderr, refusal)
    assert.doesNotMatch(stderr, /secret-of/)
  }
})

test('a shell reads the settings of a node as systemd does: the URL of the store is whole', () => {
  const settings = blockOf('cluster.md', 'sh', 'QUIPU_NODE_URL')
  const file = join(newFolder(), 'quipu.env')
  writeFileSync(file, settings)
  const [, url] = /^QUIPU_STORE=(?:'(.+)')$/m.exec(settings)!
  assert.match(url!, /&/)
  const read = execFileSync('sh', ['-euc', `set -a; . ${file}; printenv QUIPU_STORE`], { encoding: 'utf8' })
  assert.equal(read.trim(), url)
})
