import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkNames } from '@quipu/contract'
import { migrate } from '../../broker/src/postgres/migrations.ts'
import { freePort } from '../../broker/src/postgres/testing/free-port.ts'
import { Cluster } from '../../broker/src/postgres/testing/server.ts'
import type { World } from '../../broker/src/world/world.ts'
import { newAuthority, newServerCertificate } from '../../cli/src/run/gateway/certificates.ts'
import { testCertificate, testKey } from '../../server/src/http/testing/certificate.ts'
import { lagChecks } from '../../server/src/start/doctor.ts'
import { type Body, newFolder, plainEnvironment, startBroker } from '../support/broker.ts'
import { program } from '../support/program.ts'
import { command } from '../support/quipu-command.ts'

const DAY_MS = 86_400_000
const seen = new Set<string>()

/** Runs `quipu doctor`, and returns the problems of each check as text. */
async function doctor(line: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await command(['doctor', '--json', ...line], { env, cwd: newFolder() })
  assert.equal(stderr, '')
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Body[] }
  assert.equal(code, ok ? 0 : 1)
  const problems = checks.filter((check) => !check.ok)
  for (const { check, fix } of problems) {
    assert.match(fix, /\w/)
    seen.add(check)
  }
  const of = (name: string) =>
    problems
      .filter(({ check }) => check === name)
      .map(({ detail }) => detail)
      .join('\n')
  return { code, checks, problems, of }
}

test('a server without problems: exit code 0, and a line for each check', async (t) => {
  const data = newFolder()
  const broker = await startBroker(['--data', data])
  t.after(broker.stop)
  const first = await doctor(['--data', data])
  assert.deepEqual(
    first.problems.map(({ check, detail }) => [check, detail]),
    [['backup', 'no backup is known']],
  )
  const backup = join(newFolder(), 'backup')
  assert.equal((await command(['store', 'backup', backup, '--data', data])).code, 0)
  const { code, stdout } = await command(['doctor', '--data', data])
  assert.equal(code, 0, stdout)
  assert.match(stdout, /^ok +server +version \S+, ready$/m)
  assert.match(stdout, /^ok +backup +the last backup is 0 hours old$/m)

  const file = join(data, 'last-backup.json')
  const at = new Date(Date.now() - 3 * DAY_MS).toISOString()
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), at }))
  assert.equal((await doctor(['--data', data])).of('backup'), 'the last backup is 3 days old')
})

/** A certificate that expired, and its key. */
function expired() {
  const authority = newAuthority(new Date(Date.now() - 900 * DAY_MS))
  const { certificate, key } = newServerCertificate(authority, new Date(Date.now() - 400 * DAY_MS))
  return { cert: certificate, key }
}

test('a small disk, a full disk, and few open files', async (t) => {
  const data = newFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=700', 'tmpfs', data], { stdio: 'pipe' })
  } catch {
    return t.skip('this user may not mount a file system')
  }
  t.after(() => execFileSync('umount', ['--lazy', data]))
  const start = `ulimit -n 200; exec "$0" "${program}" start --json --port 0 --data "${data}"`
  const child = spawn('sh', ['-c', start, process.execPath], {
    env: plainEnvironment(),
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  t.after(() => child.kill('SIGKILL'))
  await once(createInterface({ input: child.stdout }), 'line')
  const { of } = await doctor(['--data', data])
  assert.match(of('disk'), /has \d+ MB free, expected 268 MB$/)
  assert.match(of('files'), /^open files allow \d+ connections, QUIPU_CONNECTIONS_MAX is \d+$/)
  execFileSync('sh', ['-c', `cat /dev/zero > ${data}/filler || true`], { stdio: 'ignore' })
  // The server measures its disk every 50 ms.
  await sleep(100)
  assert.match((await doctor(['--data', data])).of('server'), /not ready: the disk is full/)
})

/** The address of a program that answers every request with this body. */
async function serverWith(t: TestContext, body: object, tls?: { cert: string; key: string }) {
  const received: RequestListener = (_, response) => {
    const headers = { 'Content-Type': 'application/json', ...(tls && { 'X-Quipu-Version': '1' }) }
    response.writeHead(200, headers).end(JSON.stringify(body))
  }
  const server = tls ? createTlsServer(tls, received) : createServer(received)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  return `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** What `quipu doctor` finds at a server of another version whose clock is off and that has this public URL. */
async function behind(t: TestContext, public_url: string) {
  const url = await serverWith(t, {
    version: '99.0.0',
    at: new Date(Date.now() - 60_000).toISOString(),
    public_url,
    checks: [],
  })
  return doctor(['--url', url], { QUIPU_BROKER_KEY: 'CK1', QUIPU_BROKER_SECRET: 'x'.repeat(40) })
}

test('another version, a clock that is off, and addresses that clients cannot use', async (t) => {
  const nowhere = `http://127.0.0.1:${await freePort()}`
  const { of } = await behind(t, nowhere)
  assert.match(of('versions'), /^this command has version \S+, the server 99\.0\.0$/)
  assert.match(of('clock'), /^the clock of the server is 6\d s behind$/)
  assert.match(of('address'), new RegExp(`^${nowhere} cannot be reached: `))
  const other = await serverWith(t, {})
  assert.equal((await behind(t, other)).of('address'), `${other} leads to another program (status 200)`)
})

test('an address with a response that does not end', async (t) => {
  const server = createServer((_, response) => {
    const timer = setInterval(() => response.write(': still here\n\n'), 100)
    // Not for ever, or a doctor that waits for the end would keep the test.
    setTimeout(() => response.end(), 10_000).unref()
    response.on('close', () => clearInterval(timer))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.closeAllConnections())
  t.after(() => server.close())
  const endless = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const started = performance.now()
  assert.equal((await behind(t, endless)).of('address'), `${endless} leads to another program (status 200)`)
  assert(performance.now() - started < 8000)
})

test('a certificate that expired, or that clients do not trust', async (t) => {
  const secure = await serverWith(t, {}, expired())
  const old = await behind(t, secure)
  assert.equal(old.of('address'), '')
  assert.match(old.of('certificate'), /^the certificate of https:\S+ expired on \d{4}-\d\d-\d\d$/)
  const untrusted = await serverWith(t, {}, { cert: testCertificate, key: testKey })
  assert.match(
    (await behind(t, untrusted)).of('certificate'),
    /^clients do not trust .*: DEPTH_ZERO_SELF_SIGNED_CERT$/,
  )
  const file = join(newFolder(), 'cert.pem')
  writeFileSync(file, expired().cert)
  const { of } = await doctor(['--data', newFolder()], { QUIPU_TLS: `${file},key.pem` })
  assert.match(of('certificate'), /cert\.pem expired on/)
})

test('query tables that are behind, and events that are not stored', () => {
  const world = (seq: number, durable: number, position: number) =>
    ({
      id: 'main',
      view: { seq },
      engine: { durable },
      storage: { queryTables: { position: () => position } },
    }) as unknown as World
  assert.equal(lagChecks([world(20_000, 15_000, 10_000)], undefined)[0]!.ok, true)
  const [unstored, behindTables] = lagChecks([world(50_000, 30_000, 10_000)], undefined)
  assert.equal(unstored!.detail, '20000 events of main wait for the disk or the database')
  assert.equal(behindTables!.detail, 'the query tables of main are 20000 events behind')
  seen.add('lag')
})

const cluster = await Cluster.start()
after(() => cluster.stop())
const store = await cluster.database('doctor')

test('without a server: the database, its role, its standby, its clock, and the nodes of the cluster', async (t) => {
  const examine = (url = store) => doctor(['--data', newFolder()], { QUIPU_STORE: url })
  await cluster.run('CREATE ROLE plain LOGIN')
  const plain = store.replace('quipu:', 'plain:')
  assert.equal((await examine(plain)).of('role'), 'the tables are missing, and plain may not create them')
  await migrate(store)
  await cluster.run('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO plain', store)
  const sound = await examine(plain)
  assert.deepEqual(
    sound.problems.map(({ check }) => check),
    ['server', 'backup'],
  )
  assert.match(sound.of('server'), /no server is running/)

  await cluster.run('REVOKE DELETE ON quipu_worlds FROM plain', store)
  const [missing] = (await examine(plain)).problems.filter(({ check }) => check === 'role')
  assert.equal(missing.detail, 'plain has no DELETE on quipu_worlds')
  assert.equal(missing.fix, "psql -d doctor -c 'GRANT DELETE ON quipu_worlds TO plain'")
  await cluster.run('GRANT DELETE ON quipu_worlds TO plain', store)
  assert.equal((await examine(plain)).of('role'), '')
  assert.match((await examine()).of('role'), /^quipu is a superuser/)

  await cluster.run('ALTER SYSTEM SET full_page_writes = off')
  await cluster.run('SELECT pg_reload_conf()')
  assert.match((await examine()).of('database'), /full_page_writes = off/)
  assert.match(
    (await examine(plain.replace('/doctor', '/none'))).of('database'),
    /database "none" does not exist/,
  )

  const twoHosts = plain.replace(/@([^/]+)/, '@$1,$1')
  assert.match((await examine(twoHosts)).of('standby'), /several hosts, and no standby is synchronous/)

  const now = Date.now
  t.mock.method(Date, 'now', () => now() - 90_000)
  assert.equal((await examine()).of('clock'), 'the clock of the database is 90 s ahead')
  t.mock.restoreAll()

  const addNode = (name: string, version: string) =>
    cluster.run(
      `INSERT INTO quipu_nodes (name, address, version, expires_at, draining, failures)
       VALUES ('${name}', 'http://${name}:7878', '${version}', now() + interval '50 s', false, '{"main":"no imported data"}')`,
      store,
    )
  await addNode('one', '1.9.0')
  await addNode('two', '1.10.0')
  const nodes = await examine()
  assert.equal(nodes.of('versions'), 'the node http://one:7878 has version 1.9.0, another 1.10.0')
  assert.equal(
    nodes.of('leases'),
    'main is held by no node; http://one:7878 could not open it: no imported data; ' +
      'http://two:7878 could not open it: no imported data',
  )
})

test('each check has a row in the guide, and was seen to fail', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../docs/guides/operations.md'), 'utf8')
  const [, table] = guide.split('| Check | A problem is |')
  assert.deepEqual(
    [...table!.split('\n\n')[0]!.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name),
    checkNames,
  )
  assert.deepEqual(
    checkNames.filter((name) => !seen.has(name)),
    [],
  )
})
