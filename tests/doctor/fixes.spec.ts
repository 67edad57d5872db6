import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { parse } from 'yaml'
import { migrate } from '../../broker/src/postgres/migrations.ts'
import { Cluster } from '../../broker/src/postgres/testing/server.ts'
import type { World } from '../../broker/src/world/world.ts'
import { diskCheck } from '../../server/src/doctor/machine.ts'
import { sizesOf } from '../../server/src/doctor/readiness.ts'
import { lagChecks } from '../../server/src/start/doctor.ts'
import { alertsFile } from '../deploy/page.ts'
import { type Body, newFolder, plainEnvironment, startBroker } from '../support/broker.ts'
import { command } from '../support/quipu-command.ts'
import { pathWithQuipu } from '../support/quipu-process.ts'
import { waitUntil } from '../support/wait-until.ts'

/** Runs a fix as it is printed. Without a terminal, psql reads a new password from the input. */
function mend(fix: string, env: Readonly<Record<string, string>> = {}, input = ''): string {
  const bin = newFolder()
  writeFileSync(join(bin, 'systemctl'), '#!/bin/sh\necho systemctl "$@"\n', { mode: 0o755 })
  const { status, stdout, stderr } = spawnSync('setsid', ['--wait', 'sh', '-euc', fix], {
    env: plainEnvironment({ PATH: `${bin}:${pathWithQuipu}`, ...env }),
    encoding: 'utf8',
    input,
  })
  assert.equal(status, 0, `${fix}: ${stderr}`)
  assert.doesNotMatch(stderr, /ERROR/)
  return stdout
}

/** The problems that `quipu doctor` finds in one check. */
async function problemsOf(
  check: string,
  line: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Body[]> {
  const { stdout } = await command(['doctor', '--json', ...line], { env, cwd: newFolder() })
  return JSON.parse(stdout).checks.filter((one: Body) => one.check === check && !one.ok)
}

const cluster = await Cluster.start()
after(() => cluster.stop())
const { port } = new URL(cluster.url())
/** psql of a superuser on the machine of the database. */
const superuser = { PGHOST: '127.0.0.1', PGPORT: port, PGUSER: 'quipu' }

/** The URL of a role. */
const as = (role: string, url: string) => url.replace('quipu:', `${role}:`)
const problemsAt = (check: string, url: string) =>
  problemsOf(check, ['--data', newFolder()], { QUIPU_STORE: url })

/** Expects one problem, runs its fix, and expects none. */
async function mends(check: string, url: string, detail: RegExp, env = {}): Promise<void> {
  const found = await problemsAt(check, url)
  assert.equal(found.length, 1, JSON.stringify(found))
  assert.match(found[0].detail, detail)
  mend(found[0].fix, { ...superuser, ...env })
  assert.deepEqual(await problemsAt(check, url), [])
}

test('the fixes of a role: missing tables, missing rights, a right without a policy', async () => {
  const store = await cluster.database('"with-dash"').then((url) => url.replaceAll('"', ''))
  await cluster.run('CREATE ROLE "Plain" LOGIN')
  await cluster.run('CREATE ROLE late LOGIN')
  await mends('role', as('Plain', store), /^the tables are missing, and Plain may not create them$/, {
    QUIPU_STORE: store,
  })
  const late = as('late', store)
  await mends('role', late, /^late has no SELECT on quipu_meta; no SELECT, INSERT, UPDATE, DELETE on quipu_j/)
  await cluster.run('ALTER TABLE quipu_events ENABLE ROW LEVEL SECURITY', store)
  await mends('role', late, /no policy for SELECT, INSERT, DELETE on quipu_events$/)
  const events = `INSERT INTO quipu_events VALUES ('main', 1, ''), ('other', 1, '')`
  await cluster.run(events, late)
  await cluster.run('DELETE FROM quipu_events', late)
  assert.deepEqual(await cluster.run('SELECT world FROM quipu_events', late), [{ world: 'main' }])
})

test('the fix of a superuser creates a role that can replace it', async () => {
  const store = await cluster.database('open')
  await migrate(store)
  const [found] = await problemsAt('role', store)
  assert.match(found.detail, /^quipu is a superuser/)
  mend(found.fix, superuser, 'new-password\nnew-password\n')
  assert.deepEqual(await problemsAt('role', as('quipu_server', store)), [])
})

test('the fixes of a database: a setting that may lose data, and no database', async () => {
  const store = await cluster.database('settings')
  await cluster.run('ALTER SYSTEM SET full_page_writes = off')
  await cluster.run('SELECT pg_reload_conf()')
  await waitUntil('the setting is off', async () => (await problemsAt('database', store)).length > 0)
  const [found] = await problemsAt('database', store)
  mend(found.fix, superuser)
  await waitUntil('the setting is on', async () => (await problemsAt('database', store)).length === 0)
  await mends('database', cluster.url('absent'), /database "absent" does not exist/)
})

test('the fix of a missing synchronous standby', async () => {
  const store = (await cluster.database('hosts')).replace(/@([^/]+)/, '@$1,$1')
  const [found] = await problemsAt('standby', store)
  mend(found.fix, superuser)
  await waitUntil('a standby is required', async () => (await problemsAt('standby', store)).length === 0)
  await cluster.run('ALTER SYSTEM RESET synchronous_standby_names')
  await cluster.run('SELECT pg_reload_conf()')
})

test('the fix of a backup works a second time that day', async (t) => {
  const [data, backups] = [join(newFolder(), 'two words'), newFolder()]
  mkdirSync(data)
  const broker = await startBroker(['--data', data])
  t.after(broker.kill)
  const [found] = await problemsOf('backup', ['--data', data])
  const fix = found.fix.replace('/var/backups/quipu', backups)
  for (let count = 1; count <= 2; count += 1) {
    mend(fix)
    assert.equal(readdirSync(backups).length, count)
    await waitUntil('the next second', () => new Date().getMilliseconds() < 100)
  }
  assert.deepEqual(await problemsOf('backup', ['--data', data]), [])
})

test('the fix of query tables that are behind starts no server as root', async (t) => {
  const data = newFolder()
  const broker = await startBroker(['--data', data])
  t.after(broker.kill)
  assert.equal(await broker.stop(), 0)
  const world = {
    id: 'main',
    view: { seq: 50_000 },
    engine: { durable: 50_000 },
    storage: { queryTables: { position: () => 0 } },
  }
  const [{ fix }] = lagChecks([world as unknown as World], data) as [Body]
  assert.doesNotMatch(fix, /quipu start/)
  const output = mend(fix)
  assert.match(output, /^systemctl stop quipu\n[\s\S]*seq {5}\d+\n[\s\S]*\nsystemctl start quipu\n$/)
})

test('the fix of a full disk lists the folders behind the link of a unit', () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'private', 'quipu', 'journal'), { recursive: true })
  const link = join(folder, 'a link')
  symlinkSync('private/quipu', link)
  assert.match(mend(sizesOf(link)), /a link\/journal$/m)
  assert.equal(diskCheck(link).check, 'disk')
  const { groups } = parse(readFileSync(alertsFile, 'utf8'))
  const rules: Body[] = groups.flatMap((group: Body) => group.rules)
  const { fix } = rules.find(({ alert }) => alert === 'QuipuDiskFillsUp').annotations
  assert.match(mend(fix.replace('/var/lib/quipu', `'${link}'`)), /a link\/journal$/m)
})

test('a refused key, a lost database and no server have different fixes', async (t) => {
  const database = await Cluster.start()
  t.after(() => database.stop())
  const data = newFolder()
  const broker = await startBroker(['--data', data], { QUIPU_STORE: database.url() })
  t.after(broker.kill)
  const server = async (env = {}) => {
    const { stdout, stderr } = await command(['doctor', '--json'], { env: { QUIPU_DATA: data, ...env } })
    assert.notEqual(stdout, '', stderr)
    return JSON.parse(stdout).checks.find(({ check }: Body) => check === 'server')
  }
  const wrong = { QUIPU_BROKER_KEY: broker.brokerKey, QUIPU_BROKER_SECRET: 'x'.repeat(40) }
  assert.match((await server(wrong)).fix, /^export QUIPU_BROKER_KEY=/)
  await database.kill()
  const lost = await waitUntil('the database is lost', async () => {
    const found = await server()
    return !found.ok && found
  })
  assert.match(lost.detail, /^not ready: the database /)
  assert.match(lost.fix, /^systemctl status postgresql /)
  await broker.kill()
  assert.match((await server()).fix, /^systemctl start quipu /)
})
