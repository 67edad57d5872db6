import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@quipu/sdk'
import { type Broker, newFolder, startBroker } from './broker.ts'
import { program } from './program.ts'
import { command } from './quipu-command.ts'
import { quipu } from './quipu-process.ts'

/** A broker that ends with the test. */
async function served(t: TestContext, ...given: Parameters<typeof startBroker>): Promise<Broker> {
  const broker = await startBroker(...given)
  t.after(broker.stop)
  return broker
}

/** One server for the tests of a running server; the last tests read the data folder that it leaves. */
const kept = newFolder()
const waiting = quipu(['status', '--wait', '--json', '--data', kept])
const broker = await startBroker(['--data', kept])
after(broker.stop)

/** Runs a command on a folder and gives back its JSON answer. */
async function answer(folder: string, line: string, code = 0) {
  const done = await command([...line.split(' '), '--json', '--data', folder])
  assert.equal(done.code, code, done.stderr)
  return JSON.parse(done.stdout)
}

test('the first screen has at most 15 lines and a curl line that works when pasted', async (t) => {
  const folder = newFolder()
  const { code, stdout } = await quipu(['start', '--detach', '--port', '0', '--data', folder])
  t.after(() => quipu(['stop', '--data', folder]))
  assert.equal(code, 0)
  assert(stdout.trimEnd().split('\n').length <= 15, stdout)
  const curl = stdout.split('\n').find((line) => line.trim().startsWith('curl '))
  const order = JSON.parse(
    execFileSync('sh', ['-c', curl!], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  )
  assert.equal(order.symbol, 'AAPL')
  assert.match(order.status, /^(pending_new|accepted)$/)
})

test('the JSON line names what a first start makes; the file of it is its owner’s', () => {
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
  assert.equal(ready.dataFolder, kept)
  const file = join(kept, 'credentials.json')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(JSON.parse(readFileSync(file, 'utf8')).secretKey, ready.secretKey)
})

test('nouns and verbs work on a running server', async () => {
  const [folder, ready] = [kept, broker]
  const status = JSON.parse((await waiting).stdout)
  assert.deepEqual([status.url, status.ready], [ready.url, true])

  const key = await answer(folder, 'key create')
  const client = createClient({ url: ready.url, keyId: key.key_id, secretKey: key.secret_key })
  assert.equal((await client.getAccount()).id, ready.accountId)
  const listed = await answer(folder, 'key list')
  assert(listed.some(({ key_id }: { key_id: string }) => key_id === key.key_id))
  await answer(folder, `key delete ${key.key_id}`)
  await assert.rejects(client.getAccount(), { name: 'AuthError' })

  const world = await answer(folder, 'world create friday --seed 42 --start 2026-01-30T14:00:00Z')
  assert.equal(world.world, 'friday')
  const clock = await answer(folder, 'clock advance --by 90s --world friday')
  assert.match(clock.now, /^2026-01-30T14:01:30/)
  assert.equal((await answer(folder, 'clock show --world friday')).now, clock.now)
  assert.equal((await answer(folder, 'clock freeze --world friday')).frozen, true)
  const plan = 'action create forward_split AAPL 2026-02-02 --new-rate 4 --world friday'
  const { id, status: planned, old_rate } = await answer(folder, plan)
  assert.deepEqual([planned, old_rate], ['scheduled', '1'])
  const { stdout: actions } = await quipu(['action', 'list', '--world', 'friday', '--data', folder])
  assert.match(actions, /^ID +EX-DATE +SYMBOL +TYPE +STATUS +TERMS\n/)
  assert(actions.endsWith(`\n${id}  2026-02-02  AAPL    forward_split  scheduled  4 for 1\n`), actions)
  await answer(folder, `action delete ${id} --world friday`)
  assert.deepEqual(await answer(folder, 'action list --world friday'), [])
  const hard = await answer(folder, 'asset create HARD --price 12 --not-shortable --world friday')
  assert.deepEqual([hard.shortable, hard.easy_to_borrow, hard.tradable], [false, false, true])
  assert.equal((await answer(folder, 'world fork what-if --world friday')).parent, 'friday')
  assert.equal((await answer(folder, 'world show what-if')).world, 'what-if')
  await answer(folder, 'world delete what-if')
  const worlds = await answer(folder, 'world list')
  assert.deepEqual(
    worlds.map((one: { world: string }) => one.world),
    ['main', 'friday'],
  )
  assert.equal((await answer(folder, 'openapi')).openapi.slice(0, 3), '3.1')
})

test('what the server refuses is exit code 4, one line', async () => {
  const { code, stdout, stderr } = await quipu(['world', 'show', 'nowhere', '--data', kept])
  assert.deepEqual([code, stdout, stderr], [4, '', 'quipu world show: world not found: nowhere\n'])
})

test('without a server: exit code 3, also when one was killed', async (t) => {
  const folder = newFolder()
  assert.equal((await quipu(['status', '--data', folder])).code, 3)
  const broker = await served(t, ['--data', folder])
  await broker.kill()
  const { code, stderr } = await quipu(['world', 'list', '--data', folder])
  assert.equal(code, 3)
  assert.match(
    stderr,
    /^quipu: no server is running on \/.* \(process \d+ has ended\): start one with `quipu start`/,
  )
})

test('env prints what a shell, a .env file and programs read', async () => {
  const [folder, ready] = [kept, broker]
  const variables = await answer(folder, 'env')
  assert.deepEqual(variables, {
    APCA_API_KEY_ID: ready.keyId,
    APCA_API_SECRET_KEY: ready.secretKey,
    APCA_API_BASE_URL: ready.url,
    APCA_API_DATA_URL: ready.url,
  })
  const { stdout } = await quipu(['env', '--data', folder])
  const echoed = execFileSync('sh', ['-c', `${stdout}\nprintf %s "$APCA_API_SECRET_KEY"`], {
    encoding: 'utf8',
  })
  assert.equal(echoed, ready.secretKey)
  const dotenv = await quipu(['env', '--dotenv', '--all', '--data', folder])
  assert.match(dotenv.stdout, new RegExp(`^QUIPU_BROKER_SECRET=${ready.brokerSecret}$`, 'm'))
})

test('the audit is sound with a server and, on the same journal, without', async () => {
  const told = await answer(kept, 'audit')
  assert.deepEqual([told.sound, told.problems], [true, []])
  assert(told.postings > 0 && told.balances > 0)
  assert.equal(await broker.stop(), 0)
  assert.deepEqual(await answer(kept, 'audit'), told)
})

test('a later start knows the same keys and says what it recovered', async (t) => {
  await broker.stop()
  assert(!existsSync(join(kept, 'server.json')), 'a stopped server leaves no address')
  const { stdout } = await quipu(['start', '--detach', '--port', '0', '--data', kept])
  t.after(() => quipu(['stop', '--data', kept]))
  assert.match(stdout, /^Recovered \d+ events, 0 open orders$/m)
  assert(stdout.includes(broker.keyId))
})

test('keys given by variable are added, also to a folder that has others', async (t) => {
  await broker.stop()
  const given = { QUIPU_KEY_ID: 'PKMINE', QUIPU_SECRET_KEY: 'my-own-secret' }
  const ready = await served(t, ['--data', kept], given)
  for (const [keyId, secretKey] of [
    ['PKMINE', 'my-own-secret'],
    [broker.keyId, broker.secretKey],
  ] as const) {
    const account = await createClient({ url: ready.url, keyId, secretKey }).getAccount()
    assert.equal(account.id, broker.accountId)
  }
})

test('a background server is found and ended by its folder', async (t) => {
  const folder = newFolder()
  const { ready: _, ...done } = await detached(t, folder)
  assert.equal(done.status.ready, true)
  const stopped = await answer(folder, 'stop')
  assert.deepEqual([stopped.pid, stopped.stopped], [done.status.pid, true])
  assert.equal((await quipu(['status', '--data', folder])).code, 3)
})

test('a file left over never leads stop to a process that is not the server', async (t) => {
  const folder = newFolder()
  const broker = await served(t, ['--data', folder])
  await broker.kill()
  const bystander = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  t.after(() => bystander.kill('SIGKILL'))
  writeFileSync(
    join(folder, 'server.json'),
    JSON.stringify({ url: broker.url, pid: bystander.pid, version: '0' }),
  )
  const { code, stderr } = await quipu(['stop', '--data', folder])
  assert.match(stderr, /^quipu: no server is running on \/.*: nothing to stop$/m)
  assert.equal(code, 3)
  assert.equal(bystander.exitCode ?? bystander.signalCode, null)
})

async function detached(t: TestContext, folder: string) {
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
  return { ready: JSON.parse(stdout), status: await answer(folder, 'status') }
}

test('with --exit-with-parent the server ends when its parent lets go of stdin', async (t) => {
  const { process: child } = await served(t, ['--data', newFolder(), '--exit-with-parent'])
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
  // The pipe is closed by the last process that holds it: the server.
  await once(parent.stdout!.resume(), 'close')
  assert(!existsSync(join(folder, 'server.json')))
})

test('a stop waits for a request under way; asked once more, it does not', async (t) => {
  const { process: child, url } = await served(t, ['--data', 'memory', '--stop-grace-ms', '600000'])
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  t.after(() => socket.destroy())
  socket.write('POST /oauth/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nhalf')
  await once(socket, 'ready')
  await fetch(`${url}/healthz`)
  child.kill('SIGINT')
  child.kill('SIGTERM')
  await sleep(1000)
  assert.equal(child.exitCode, null, 'two signals at once are one')
  child.kill('SIGINT')
  const [code] = await once(child, 'exit')
  assert.equal(code, 1)
})

test('in memory nothing is kept', async (t) => {
  const ready = await served(t, ['--data', 'memory'])
  assert.equal(ready.dataFolder, undefined)
  assert.equal((await createClient(ready).getAccount()).status, 'ACTIVE')
  assert(!readdirSync('.').includes('memory'))
})

test('the settings are told with their sources, without secrets', async () => {
  const env = { QUIPU_HOURS: 'nyse', QUIPU_KEY_ID: 'PK1', QUIPU_SECRET_KEY: 'very-secret' }
  const { stdout } = await quipu(['config', 'show', '--port', '1'], { cwd: newFolder(), env })
  assert.match(stdout, /^port +--port +1$/m)
  assert.match(stdout, /^hours +QUIPU_HOURS +nyse$/m)
  assert.match(stdout, /^host +default +127\.0\.0\.1$/m)
  assert(!stdout.includes('very-secret'))
})

test('help and version need nothing', async () => {
  const help = await quipu(['--help'])
  assert.equal(help.code, 0)
  assert.match(help.stdout, /^Usage: quipu COMMAND/)
  assert.match((await quipu(['--version'])).stdout, /^\d+\.\d+\.\d+\n$/)
  assert.equal((await quipu([])).code, 2)
})
