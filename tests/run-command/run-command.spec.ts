import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readRun, runPage } from '../../sdk/src/runs/index.ts'
import { callAsOperator, newFolder, plainEnvironment } from '../support/broker.ts'
import { program } from '../support/program.ts'
import { command } from '../support/quipu-command.ts'
import { broker } from '../support/shared-broker.ts'
import { programs, run } from './run-process.ts'

/** With a broker that runs already, a run costs half as much. */
const shared = ['--url', broker.url]
const operator = { QUIPU_BROKER_KEY: broker.brokerKey, QUIPU_BROKER_SECRET: broker.brokerSecret }

const script = (text: string): readonly string[] => [process.execPath, '-e', text]
/** One request of a program with a key of the real broker. */
const account = `fetch('https://paper-api.alpaca.markets/v2/account', {
  headers: { 'APCA-API-KEY-ID': 'PKWRITTENINTOPROGRAM', 'APCA-API-SECRET-KEY': 'secret' } })`

test('stdin, stdout and the exit code are those of the program', async () => {
  const echo = `${account}.then(async (response) => {
    await response.text()
    process.stdin.pipe(process.stdout)
    process.exitCode = 7
  })`
  const { code, stdout } = await run(shared, script(echo), { input: 'as it is\n', env: operator })
  assert.deepEqual([code, stdout], [7, 'as it is\n'])
})

test('a signal reaches the program, and its end by a signal is reported as shells do', async () => {
  const wait = `console.log('ready'); setTimeout(() => {}, 60_000)`
  const signal = (pid: number): void => void process.kill(pid, 'SIGTERM')
  const { code } = await run(shared, script(wait), { onStart: signal, env: operator })
  assert.equal(code, 128 + 15)
})

test('a program that sends no request: exit code 70, and its own exit code if it failed', async () => {
  const silent = await run(shared, ['true'], { env: operator })
  assert.equal(silent.code, 70)
  assert.match(silent.stderr, /no request of true arrived/)
  assert.equal((await run(shared, ['sh', '-c', 'exit 3'], { env: operator })).code, 3)
})

test('a command that does not exist, and a line without a command', async () => {
  const missing = await run(shared, ['no-such-program'], { env: operator })
  assert.deepEqual([missing.code, missing.stderr], [127, 'quipu run: no-such-program: command not found\n'])
  const none = await run([], [])
  assert.deepEqual([none.code, /expected/.test(none.stderr)], [2, true])
})

test('with --strict-keys a key that is written into the program is refused', async () => {
  const print = script(`${account}.then((response) => console.log(response.status))`)
  assert.equal((await run(shared, print, { env: operator })).stdout, '200\n')
  assert.equal((await run([...shared, '--strict-keys'], print, { env: operator })).stdout, '401\n')
})

test('the environment of the program', async () => {
  const folder = newFolder()
  const own = join(folder, 'own.pem')
  writeFileSync(own, '-----BEGIN CERTIFICATE-----\nof the company\n-----END CERTIFICATE-----\n')
  const print = `console.log(JSON.stringify({ env: process.env, umask: process.umask(),
    bundle: require('node:fs').readFileSync(process.env.CURL_CA_BUNDLE, 'utf8') }))`
  const before = process.umask(0o027)
  const running = run(shared, script(print), {
    env: {
      ...operator,
      XDG_STATE_HOME: folder,
      NODE_OPTIONS: '--no-deprecation',
      PYTHONPATH: '/mine',
      SSL_CERT_FILE: own,
      SSL_CERT_DIR: '/etc/ssl/certs',
      APCA_API_KEY_ID: 'PKOFTHEREALBROKER',
      APCA_API_OAUTH: 'token-of-the-real-broker',
      NO_PROXY: 'intern.example,.alpaca.markets,*',
    },
  })
  process.umask(before)
  const { env, bundle, umask } = JSON.parse((await running).stdout)
  assert.equal(umask, 0o027, 'the program has the mask of the shell')
  assert.match(env.NODE_OPTIONS, /^--no-deprecation --require "/)
  assert.match(env.PYTHONPATH, /python:\/mine$/)
  for (const name of ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'REQUESTS_CA_BUNDLE', 'GIT_SSL_CAINFO'])
    assert.equal(env[name], env.CURL_CA_BUNDLE)
  assert.match(bundle, /of the company/)
  const authority = join(folder, 'quipu', 'authority')
  assert.ok(bundle.includes(readFileSync(join(authority, 'authority.pem'), 'utf8').trim()))
  assert.match(env.APCA_API_KEY_ID, /^PK(?!OFTHEREAL)/)
  assert.equal(env.NO_PROXY, 'intern.example')
  for (const name of ['SSL_CERT_DIR', 'APCA_API_OAUTH']) assert.ok(!(name in env))
  assert.deepEqual(
    Object.keys(env).filter((name) => name.startsWith('QUIPU_')),
    [],
    'no key of the operator',
  )
  assert.ok(!existsSync(env.CURL_CA_BUNDLE), 'the files of the run are removed')
  for (const name of ['authority.key', 'server.pem'])
    assert.equal(statSync(join(authority, name)).mode & 0o777, 0o600)
})

test('the summary: orders, fills, profit and loss, refusals and what would have filled an order', async () => {
  const folder = newFolder()
  const [json, page, runs] = ['summary.json', 'report.html', 'runs'].map((name) => join(folder, name)) as [
    ...[string, string, string],
  ]
  const { code, stdout, stderr } = await run(
    ['--seed', '42', '--runs', runs, '--summary', json, '--report', page],
    [process.execPath, join(programs, 'orders.mjs')],
  )
  assert.deepEqual([code, stdout], [0, ''])
  const summary = JSON.parse(readFileSync(json, 'utf8'))
  assert.deepEqual(summary.orders, { filled: 1, new: 1 })
  const [fill, ...others] = summary.fills
  assert.deepEqual([fill.symbol, fill.side, fill.qty, others.length], ['AAPL', 'buy', '10', 0])
  assert.equal(summary.profit_loss, Math.round((summary.equity_at_end - 100_000) * 100) / 100)
  assert.deepEqual(summary.refusals, [
    {
      cause: 'insufficientBuyingPower',
      method: 'POST',
      path: '/v2/orders',
      status: 403,
      message: 'insufficient buying power',
      count: 2,
    },
  ])
  assert.match(summary.unfilled[0].counterfactual[0], /would have filled at once/)
  assert.match(stderr, /2 orders \(1 filled, 1 new\), 1 fill\n/)
  assert.match(stderr, /refused {3}POST \/v2\/orders: 403 insufficient buying power \(2 times\)/)
  assert.match(stderr, /unfilled {2}buy 10 AAPL at 10 or better/)
  // The page is the one of `quipu runs export --html`.
  const [file, ...files] = readdirSync(runs)
  assert.deepEqual(files, [])
  const html = readFileSync(page, 'utf8')
  assert.equal(html, runPage(await readRun(readFileSync(join(runs, file!)))))
  assert.match(html, /POST \/v2\/orders: 403 insufficient buying power <span class="soft">2 times/)
  assert.match(html, /A limit of [\d.]+ or more would have filled at once/)
})

test('with --quiet and a running broker: no output of ours, and the key of the run is deleted', async () => {
  const print = script(`console.log(process.env.APCA_API_KEY_ID); ${account}`)
  const { code, stdout, stderr } = await run([...shared, '--quiet'], print, { env: operator })
  assert.deepEqual([code, stderr], [0, ''])
  const { body } = await callAsOperator(broker, 'GET', '/sim/v1/worlds/main/keys')
  const ids = body.map((key: { key_id: string }) => key.key_id)
  assert.deepEqual([ids.includes(broker.keyId), ids.includes(stdout.trim())], [true, false])
})

test('with a running broker a run has its own account; --account shares one', async () => {
  const print = script(`${account}.then(async (response) => console.log((await response.json()).id))`)
  const own = await run(shared, print, { env: operator })
  assert.notEqual(own.stdout.trim(), broker.accountId)
  assert.ok(own.stderr.includes(`  account   ${own.stdout.trim()}, opened for this run\n`))
  const first = await run([...shared, '--account', 'first'], print, { env: operator })
  assert.deepEqual([first.stdout.trim(), /opened/.test(first.stderr)], [broker.accountId, false])
  const nobody = '00000000-0000-4000-8000-000000000000'
  const { code, stderr } = await command(['run', ...shared, '--account', nobody, '--', 'true'], {
    env: operator,
  })
  assert.deepEqual([code, stderr], [4, 'quipu run: account not found\n'])
})

test('Python loads the sitecustomize that ours hides, and resolves official hosts to this machine', {
  skip: spawnSync('/usr/bin/python3', ['--version']).status !== 0,
}, async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'sitecustomize.py'), 'import builtins\nbuiltins.mine = "loaded"\n')
  const text = `import builtins, socket, sys
print(builtins.mine, sys.modules["sitecustomize"].__file__ == "${folder}/sitecustomize.py")
print(socket.getaddrinfo("paper-api.alpaca.markets", 443)[0][4][0], socket.getaddrinfo(b"API.alpaca.markets.", "https")[0][4][0])
print(socket.getaddrinfo("localhost", 80, socket.AF_INET)[0][4])`
  const env = { ...operator, PYTHONPATH: folder }
  const { stdout, stderr } = await run(shared, ['/usr/bin/python3', '-c', text], { env })
  assert.equal(stdout, `loaded True\n127.0.0.1 127.0.0.1\n('127.0.0.1', 80)\n`, stderr)
})

const isRoot = process.platform === 'linux' && process.getuid?.() === 0
const can = (...command: readonly [string, ...string[]]): boolean =>
  spawnSync(command[0], command.slice(1)).status === 0
const canMount = isRoot && can('unshare', '--mount', 'true') && can('curl', '--version')

test('--hosts: a program that ignores proxies has its own /etc/hosts', { skip: !canMount }, async () => {
  const url = 'https://paper-api.alpaca.markets/v2/account'
  const curl = [
    'curl',
    '-sS',
    '--noproxy',
    '*',
    '-H',
    'APCA-API-KEY-ID: PKANY',
    '-H',
    'APCA-API-SECRET-KEY: any',
    url,
  ]
  const { code, stdout, stderr } = await run(['--hosts'], curl)
  assert.deepEqual([code, JSON.parse(stdout).cash], [0, '100000'], stderr)
  assert.doesNotMatch(readFileSync('/etc/hosts', 'utf8'), /alpaca/)
})

test('--hosts without the right to listen on port 443 names the setting', { skip: !canMount }, async () => {
  const line = [process.execPath, program, 'run', '--hosts', '--', 'true']
  const { status, stderr } = spawnSync('setpriv', ['--bounding-set', '-net_bind_service', ...line], {
    env: plainEnvironment(),
    encoding: 'utf8',
  })
  const sentence = 'allow it with `sysctl net.ipv4.ip_unprivileged_port_start=443`'
  assert.deepEqual([status, stderr], [1, `quipu: --hosts needs to listen on port 443: ${sentence}\n`])
})
