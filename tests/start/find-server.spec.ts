import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { newFolder, plainEnvironment, startBroker } from '../support/broker.ts'
import { program } from '../support/program.ts'
import { command } from '../support/quipu-command.ts'

/** A new user, who does not see the servers of other tests. */
const newUser = () => ({ XDG_STATE_HOME: newFolder() })

async function startServer(t: TestContext, env: Readonly<Record<string, string>>, folder = newFolder()) {
  const broker = await startBroker(['--data', folder], env)
  t.after(broker.kill)
  return { ...broker, folder }
}

test('quipu finds the only server of this user from any folder', async (t) => {
  const env = newUser()
  const cwd = newFolder()
  const none = await command(['world', 'list'], { env, cwd })
  assert.equal(none.code, 3)
  const { url, folder, kill } = await startServer(t, env)
  const status = JSON.parse((await command(['status', '--json'], { env, cwd })).stdout)
  assert.equal(status.url, url)
  const worlds = await command(['world', 'list', '--json'], { env, cwd })
  assert.equal(JSON.parse(worlds.stdout)[0].world, 'main', worlds.stderr)

  const other = await startServer(t, env)
  const several = await command(['world', 'list'], { env, cwd })
  assert.equal(several.code, 3)
  assert(several.stderr.startsWith('quipu: 2 servers are running: select one with --data: '), several.stderr)
  for (const name of [folder, other.folder, url, other.url]) assert(several.stderr.includes(name))
  // These read a folder or a database that the line names, and no server.
  const backup = join(newFolder(), 'backup')
  const backedUp = await command(['store', 'backup', backup, '--data', folder], { env, cwd })
  assert.equal(backedUp.code, 0, backedUp.stderr)
  const verified = await command(['store', 'verify', backup], { env, cwd })
  assert.equal(verified.code, 0, verified.stderr)
  const database = { ...env, QUIPU_STORE: 'postgres://nobody@127.0.0.1:1/none' }
  for (const line of ['store verify', `store backup ${backup}-2`, 'store rebuild', 'journal print'])
    assert.match((await command(line.split(' '), { env: database, cwd })).stderr, /127\.0\.0\.1:1/)
  const listed = await command(['status'], { env, cwd })
  assert.equal(listed.code, 0, listed.stderr)
  assert.match(listed.stdout, /^DATA +URL +PROCESS +VERSION\n/)
  assert(listed.stdout.includes(`${folder}  ${url}`) && listed.stdout.includes(other.folder))

  // A killed server is not counted.
  await kill()
  const remaining = JSON.parse((await command(['status', '--json'], { env, cwd })).stdout)
  assert.equal(remaining.url, other.url)
  await other.stop()
  assert.equal((await command(['status'], { env, cwd })).code, 3)
})

test('a data folder in the working folder comes first, also while another server is running', async (t) => {
  const env = newUser()
  const cwd = newFolder()
  const local = await startServer(t, env, join(cwd, '.quipu'))
  await local.stop()
  const other = await startServer(t, env)
  const { code, stderr } = await command(['world', 'list'], { env, cwd })
  assert.equal(code, 3)
  assert(stderr.includes(`no server is running on ${join(cwd, '.quipu')}`), stderr)
  assert(stderr.endsWith(`; running: --data ${other.folder} (${other.url})\n`), stderr)
})

test('after eval "$(quipu env --all)" a shell can stop, import and start', async (t) => {
  const env = newUser()
  const cwd = newFolder()
  const folder = newFolder()
  const other = newFolder()
  t.after(() => Promise.all([folder, other].map((data) => command(['stop', '--data', data], { env }))))
  const script = `
    set -e
    q() { "${process.execPath}" "${program}" "$@"; }
    q start --detach --json --port 0 --data "${folder}" > /dev/null
    eval "$(q env --all --data "${folder}")"
    printf 'time,open,high,low,close,volume\\n2024-01-02T14:30:00Z,1,1,1,1,1\\n' > ZZZ_1Min.csv
    q import ZZZ_1Min.csv > /dev/null
    q stop
    q start --detach --json --port 0 > /dev/null
    q status --json
    q start --detach --json --port 0 --data "${other}" > /dev/null
    q account list --json --data "${other}"
    q stop --data "${other}"
    q stop`
  const printed = execFileSync('sh', ['-c', script], {
    cwd,
    env: plainEnvironment(env),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [, status, accounts] = printed.split('\n')
  assert.equal(JSON.parse(status!).ready, true)
  assert.equal(JSON.parse(accounts!).length, 2)
  assert.equal(printed.match(/^stopped /gm)?.length, 3, printed)
})

test('--data has precedence over QUIPU_URL and an operator key in the environment', async (t) => {
  const env = newUser()
  const [first, second] = [await startServer(t, env), await startServer(t, env)]
  const variables = {
    ...env,
    QUIPU_URL: first.url,
    QUIPU_BROKER_KEY: first.brokerKey,
    QUIPU_BROKER_SECRET: first.brokerSecret,
  }
  const run = (...line: string[]) => command([...line, '--data', second.folder], { env: variables })
  assert.equal(JSON.parse((await run('status', '--json')).stdout).url, second.url)
  const listed = await run('account', 'list', '--json')
  assert(listed.stdout.includes(second.accountId), listed.stdout + listed.stderr)
  assert.equal((await run('stop')).code, 0)
  // QUIPU_URL of another server must not stop the server of this folder.
  const { code, stderr } = await command(['stop'], { env: { ...variables, QUIPU_DATA: second.folder } })
  assert.equal(code, 2)
  assert.match(stderr, /^quipu: stop works on a data folder of this machine: set --data/)
})

test('status --wait ends at its timeout when the server is silent', async (t) => {
  const silent = createServer((socket) => socket.setTimeout(4000, () => socket.destroy())).listen(
    0,
    '127.0.0.1',
  )
  t.after(() => silent.close())
  await once(silent, 'listening')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const started = performance.now()
  const { code, stderr } = await command(['status', '--wait', '--timeout-ms', '300', '--url', url])
  assert.equal(code, 3, stderr)
  assert(performance.now() - started < 3000)
})
