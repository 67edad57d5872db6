import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@quipu/sdk'
import { type Broker, newFolder, startBroker } from '../support/broker.ts'
import { program } from '../support/program.ts'
import { command } from '../support/quipu-command.ts'
import { quipu } from '../support/quipu-process.ts'

/** Starts a broker that stops at the end of the test. */
async function startServer(t: TestContext, ...options: Parameters<typeof startBroker>): Promise<Broker> {
  const broker = await startBroker(...options)
  t.after(broker.stop)
  return broker
}

/** One server for most tests; the last tests read the data folder after it has stopped. */
const sharedFolder = newFolder()
const waiting = quipu(['status', '--wait', '--json', '--data', sharedFolder])
const broker = await startBroker(['--data', sharedFolder])
after(broker.stop)

/** Runs a command on a folder and returns its JSON output. */
async function runJson(folder: string, line: string, code = 0) {
  const done = await command([...line.split(' '), '--json', '--data', folder])
  assert.equal(done.code, code, done.stderr)
  return JSON.parse(done.stdout)
}

test('the JSON line has the credentials of a first start; only the owner may read their file', () => {
  const { process: _, log, stop, kill, ...ready } = broker
  assert.deepEqual(Object.keys(ready).sort(), [
    'accountId',
    'brokerKey',
    'brokerSecret',
    'dataFolder',
    'keyId',
    'oauthClientId',
    'oauthClientSecret',
    'oauthRedirectUri',
    'secretKey',
    'signInUrl',
    'url',
    'userName',
    'userPassword',
    'version',
  ])
  assert.equal(ready.dataFolder, sharedFolder)
  const file = join(sharedFolder, 'credentials.json')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).secretKey, ready.secretKey)
})

test('commands work on a running server', async () => {
  const [folder, ready] = [sharedFolder, broker]
  const status = JSON.parse((await waiting).stdout)
  assert.deepEqual([status.url, status.ready], [ready.url, true])

  const key = await runJson(folder, 'key create')
  const client = createClient({ url: ready.url, keyId: key.key_id, secretKey: key.secret_key })
  assert.equal((await client.getAccount()).id, ready.accountId)
  const listed = await runJson(folder, 'key list')
  assert(listed.some(({ key_id }: { key_id: string }) => key_id === key.key_id))
  await runJson(folder, `key delete ${key.key_id}`)
  await assert.rejects(client.getAccount(), { name: 'AuthError' })

  const world = await runJson(folder, 'world create friday --seed 42 --start 2026-01-30T14:00:00Z')
  assert.equal(world.world, 'friday')
  const clock = await runJson(folder, 'clock advance --by 90s --world friday')
  assert.match(clock.now, /^2026-01-30T14:01:30/)
  assert.equal((await runJson(folder, 'clock show --world friday')).now, clock.now)
  assert.equal((await runJson(folder, 'clock freeze --world friday')).frozen, true)
  assert.equal((await runJson(folder, 'clock stop --world friday')).now, clock.now)
  const { finished, mode } = await runJson(
    folder,
    `clock replay --to ${clock.now.slice(0, 10)} --step 1h --world friday`,
  )
  assert.deepEqual([finished, mode], [true, 'best_effort'])
  const plan = 'action create forward_split AAPL 2026-02-02 --new-rate 4 --world friday'
  const { id, status: planned, old_rate } = await runJson(folder, plan)
  assert.deepEqual([planned, old_rate], ['scheduled', '1'])
  const { stdout: actions } = await command(['action', 'list', '--world', 'friday', '--data', folder])
  assert.match(actions, /^ID +EX-DATE +SYMBOL +TYPE +STATUS +TERMS\n/)
  assert(actions.endsWith(`\n${id}  2026-02-02  AAPL    forward_split  scheduled  4 for 1\n`), actions)
  await runJson(folder, `action delete ${id} --world friday`)
  assert.deepEqual(await runJson(folder, 'action list --world friday'), [])
  const hard = await runJson(folder, 'asset create HARD --price 12 --not-shortable --world friday')
  assert.deepEqual([hard.shortable, hard.easy_to_borrow, hard.tradable], [false, false, true])
  assert.equal((await runJson(folder, 'world fork what-if --world friday')).parent, 'friday')
  assert.equal((await runJson(folder, 'world show what-if')).world, 'what-if')
  assert.equal((await runJson(folder, 'world rename what-if with-stops')).title, 'with-stops')
  assert.equal((await runJson(folder, 'world note what-if no-dips')).note, 'no-dips')
  assert.equal((await runJson(folder, 'world diff friday what-if')).equity_change, '0')
  const { stdout: same } = await command(['world', 'diff', 'friday', 'what-if', '--data', folder])
  assert.match(same, /^both at .* UTC\nthe orders are the same\n(.*\n)other .* 0.00\nequity /)
  const { stdout: tree } = await command(['world', 'list', '--data', folder])
  assert.match(tree, /\n└─ what-if .* with-stops +no-dips\n/)
  await runJson(folder, 'world delete what-if')
  const worlds = await runJson(folder, 'world list')
  assert.deepEqual(
    worlds.map((one: { world: string }) => one.world),
    ['main', 'friday'],
  )
  assert.equal((await runJson(folder, 'openapi')).openapi.slice(0, 3), '3.1')
})

test('a refusal by the server is exit code 4 and one line', async () => {
  const { code, stdout, stderr } = await command(['world', 'show', 'nowhere', '--data', sharedFolder])
  assert.deepEqual([code, stdout, stderr], [4, '', 'quipu world show: world not found: nowhere\n'])
})

test('without a server: exit code 3, also after a kill', async (t) => {
  const folder = newFolder()
  assert.equal((await quipu(['status', '--data', folder])).code, 3)
  const broker = await startServer(t, ['--data', folder])
  await broker.kill()
  const { code, stderr } = await command(['world', 'list', '--data', folder])
  assert.equal(code, 3)
  assert.match(
    stderr,
    /^quipu: no server is running on \/.* \(process \d+ has ended\): start one with `quipu start`/,
  )
})

test('env prints variables for a shell, for a .env file and as JSON', async () => {
  const [folder, ready] = [sharedFolder, broker]
  const variables = await runJson(folder, 'env')
  assert.deepEqual(variables, {
    APCA_API_KEY_ID: ready.keyId,
    APCA_API_SECRET_KEY: ready.secretKey,
    APCA_API_BASE_URL: ready.url,
    APCA_API_DATA_URL: ready.url,
  })
  const { stdout } = await command(['env', '--data', folder])
  const echoed = execFileSync('sh', ['-c', `${stdout}\nprintf %s "$APCA_API_SECRET_KEY"`], {
    encoding: 'utf8',
  })
  assert.equal(echoed, ready.secretKey)
  const dotenv = await command(['env', '--dotenv', '--all', '--data', folder])
  assert.match(dotenv.stdout, new RegExp(`^QUIPU_BROKER_SECRET=${ready.brokerSecret}$`, 'm'))
})

test('the audit is sound with a server, and on the same journal without a server', async () => {
  const report = await runJson(sharedFolder, 'audit')
  assert.deepEqual([report.sound, report.problems], [true, []])
  assert(report.postings > 0 && report.balances > 0)
  assert.equal(await broker.stop(), 0)
  assert.deepEqual(await runJson(sharedFolder, 'audit'), report)
})

test('a later start has the same keys and reports the recovery', async (t) => {
  await broker.stop()
  assert(!existsSync(join(sharedFolder, 'server.json')), 'a stopped server leaves no server.json')
  const { stdout } = await quipu(['start', '--detach', '--port', '0', '--data', sharedFolder])
  t.after(() => quipu(['stop', '--data', sharedFolder]))
  assert.match(stdout, /^Recovered \d+ events, 0 open orders$/m)
  assert(stdout.includes(broker.keyId))
})

test('keys from environment variables are added, also to a folder that has keys', async (t) => {
  await broker.stop()
  const env = { QUIPU_KEY_ID: 'PKMINE', QUIPU_SECRET_KEY: 'my-own-secret' }
  const ready = await startServer(t, ['--data', sharedFolder], env)
  for (const [keyId, secretKey] of [
    ['PKMINE', 'my-own-secret'],
    [broker.keyId, broker.secretKey],
  ] as const) {
    const account = await createClient({ url: ready.url, keyId, secretKey }).getAccount()
    assert.equal(account.id, broker.accountId)
  }
})

test('a background server is found and stopped by its folder', async (t) => {
  const folder = newFolder()
  const { ready: _, ...done } = await startDetached(t, folder)
  assert.equal(done.status.ready, true)
  const stopped = await runJson(folder, 'stop')
  assert.deepEqual([stopped.pid, stopped.stopped], [done.status.pid, true])
  assert.equal((await command(['status', '--data', folder])).code, 3)
})

test('stop does not end another process that a leftover server.json names', async (t) => {
  const folder = newFolder()
  const broker = await startServer(t, ['--data', folder])
  await broker.kill()
  const otherProcess = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  t.after(() => otherProcess.kill('SIGKILL'))
  writeFileSync(
    join(folder, 'server.json'),
    JSON.stringify({ url: broker.url, pid: otherProcess.pid, version: '0' }),
  )
  const { code, stderr } = await command(['stop', '--data', folder])
  assert.match(stderr, /^quipu: no server is running on \/.*: nothing to stop$/m)
  assert.equal(code, 3)
  assert.equal(otherProcess.exitCode ?? otherProcess.signalCode, null)
})

async function startDetached(t: TestContext, folder: string) {
  const { stdout, stderr, code } = await quipu([
    'start',
    '--detach',
    '--json',
    '--port',
    '0',
    '--data',
    folder,
  ])
  assert.equal(code, 0, stderr)
  t.after(() => quipu(['stop', '--data', folder]))
  return { ready: JSON.parse(stdout), status: await runJson(folder, 'status') }
}

test('with --exit-with-parent the server ends when its parent closes stdin', async (t) => {
  const { process: child } = await startServer(t, ['--data', newFolder(), '--exit-with-parent'])
  child.stdin!.end()
  const [code] = await once(child, 'exit')
  assert.equal(code, 0)
})

test('with --exit-with-parent the server ends when its parent is killed', async () => {
  const folder = newFolder()
  const script = `
    const { spawn } = require('node:child_process')
    const child = spawn(process.execPath, process.argv.slice(1), { stdio: ['ignore', 'inherit', 'inherit'] })
    setInterval(() => {}, 1000)`
  const line = ['start', '--json', '--port', '0', '--data', folder, '--exit-with-parent']
  const parent = spawn(process.execPath, ['-e', script, program, ...line], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(parent.stdout!, 'data')
  parent.kill('SIGKILL')
  // The server is the last process with the pipe open.
  await once(parent.stdout!.resume(), 'close')
  assert(!existsSync(join(folder, 'server.json')))
})

test('a stop waits for an open request; a second stop does not', async (t) => {
  const { process: child, url } = await startServer(t, ['--data', 'memory', '--stop-grace-ms', '600000'])
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  t.after(() => socket.destroy())
  socket.write('POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf')
  await once(socket, 'ready')
  await fetch(`${url}/healthz`)
  child.kill('SIGINT')
  child.kill('SIGTERM')
  await sleep(1000)
  assert.equal(child.exitCode, null, 'two signals at once count as one')
  child.kill('SIGINT')
  const [code] = await once(child, 'exit')
  assert.equal(code, 1)
})

test('--data memory writes no files', async (t) => {
  const ready = await startServer(t, ['--data', 'memory'])
  assert.equal(ready.dataFolder, undefined)
  assert.equal((await createClient(ready).getAccount()).status, 'ACTIVE')
  assert(!readdirSync('.').includes('memory'))
})

test('config show lists settings with their sources, without secrets', async () => {
  const env = { QUIPU_HOURS: 'nyse', QUIPU_KEY_ID: 'PK1', QUIPU_SECRET_KEY: 'very-secret' }
  const { stdout } = await command(['config', 'show', '--port', '1'], { cwd: newFolder(), env })
  assert.match(stdout, /^port +--port +1$/m)
  assert.match(stdout, /^hours +QUIPU_HOURS +nyse$/m)
  assert.match(stdout, /^host +default +127\.0\.0\.1$/m)
  assert(!stdout.includes('very-secret'))
})

test('help and version need no server and no data folder', async () => {
  const { code, stdout } = await quipu(['--help'])
  assert.deepEqual([code, stdout.slice(0, 20)], [0, 'Usage: quipu COMMAND'])
  for (const word of ['--version', 'version']) assert.match((await quipu([word])).stdout, /^\d+\.\d+\.\d+\n$/)
  assert.equal((await quipu([])).code, 2)
})
