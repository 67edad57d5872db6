import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { program } from '../support/program.ts'
import { withoutProxies } from './run-process.ts'

type Running = {
  /** The environment of the program. */
  readonly env: Readonly<Record<string, string>>
  end(): Promise<void>
}

/** Runs a program that sends one request with a key of its own, prints its environment, and waits. */
async function startRun(
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Running> {
  const text = `fetch('https://paper-api.alpaca.markets/v2/account', { headers: ${JSON.stringify(headers)} })
    .then((response) => { if (!response.ok) process.exit(9) })
    .then(() => console.log(JSON.stringify(process.env)))
  process.stdin.resume()`
  const child = spawn(
    process.execPath,
    [program, 'run', '--quiet', ...flags, '--', process.execPath, '-e', text],
    {
      env: withoutProxies(plainEnvironment(env)),
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const ended = once(child, 'exit')
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  return {
    env: JSON.parse(line),
    async end() {
      child.stdin.end()
      assert.deepEqual(await ended, [0, null])
    },
  }
}

const headers = { 'APCA-API-KEY-ID': 'PKANY', 'APCA-API-SECRET-KEY': 'any' }
const NOBODY = 65534

/** What curl prints, as another user of the machine or as this one: status and body. */
function curl(user: number, ...args: readonly string[]): string {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const line = ['-sS', '-k', '--max-time', '10', '-w', ' %{http_code}', ...given, ...args]
  const { stdout } = spawnSync('curl', line, {
    uid: user,
    gid: user,
    env: { PATH: process.env['PATH'] },
    encoding: 'utf8',
  })
  return stdout
}

const isRoot = process.platform === 'linux' && process.getuid?.() === 0
const canAttack = isRoot && spawnSync('curl', ['--version']).status === 0

test('another user of the machine gets nothing through the gateway, and the program no rights of an operator', {
  skip: !canAttack,
}, async (t) => {
  const run = await startRun(['--data', newFolder()])
  t.after(() => run.end())
  const base = run.env['APCA_API_BASE_URL']!
  const { host, username, password } = new URL(run.env['HTTPS_PROXY']!)
  const official = ['-H', 'Host: broker-api.alpaca.markets']
  const newKey = ['-H', 'Content-Type: application/json', '-d', '{"kind":"operator"}']
  const path = '/sim/v1/worlds/main/keys'
  const attacks: readonly (readonly string[])[] = [
    [...official, ...newKey, `${base}${path}`],
    [...official, ...newKey, `http://${host}${path}`],
    ['-x', `http://${host}`, ...newKey, `https://broker-api.alpaca.markets${path}`],
    ['-x', `http://${host}`, ...newKey, `http://broker-api.alpaca.markets${path}`],
    [...official, `${base}/v1/accounts`],
    [`${base}/v2/account`],
    ['-x', `http://${username}:wrong@${host}`, 'https://paper-api.alpaca.markets/v2/account'],
  ]
  for (const attack of attacks) assert.match(curl(NOBODY, ...attack), / (401|403|407|000)$/, attack.join(' '))

  // The same line works for the program: its partner has accounts, but no rights over the server.
  const proxy = ['-x', `http://${username}:${password}@${host}`]
  assert.match(curl(0, ...proxy, 'https://paper-api.alpaca.markets/v2/account'), / 200$/)
  assert.match(curl(0, ...proxy, 'https://broker-api.alpaca.markets/v1/accounts'), / 200$/)
  assert.match(curl(0, ...proxy, ...newKey, `https://broker-api.alpaca.markets${path}`), / 403$/)
  // A program of the same user that knows no proxy.
  assert.match(curl(0, `${base}/v2/account`), / 200$/)
  const upgrade = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13']
  const toSocket = [...upgrade, `Sec-WebSocket-Key: ${btoa('0123456789abcdef')}`].flatMap((line) => [
    '-H',
    line,
  ])
  for (const address of [
    [`${base}//v2/account`],
    ['--http1.1', ...toSocket, `${base}//stream`],
    [...proxy, 'https://paper-api.alpaca.markets//v2/account'],
    [...proxy, 'http://paper-api.alpaca.markets//v2/account'],
  ])
    assert.match(curl(0, ...address), /endpoint not found.* 404$/, address.join(' '))
})
