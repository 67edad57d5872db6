import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { pythonWith } from '../programs/debian.ts'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { program } from '../support/program.ts'
import { broker } from '../support/shared-broker.ts'
import { programs, run, withoutProxies } from './run-process.ts'

/** The longest time from the summary to the end of the process. A busy machine needs more than a quiet one. */
const EXIT_MS = hasAllCases ? 5000 : 60_000
const PYTHON = '/usr/bin/python3'
const URL = 'https://paper-api.alpaca.markets/v2/account'

const python = (library: string): readonly string[] => [PYTHON, join(programs, 'account.py'), library]
const clients: Readonly<Record<string, readonly string[]>> = {
  urllib: python('urllib'),
  requests: python('requests'),
  aiohttp: python('aiohttp'),
  curl: [
    'curl',
    '-sS',
    '-o',
    '/dev/null',
    '-H',
    'APCA-API-KEY-ID: PKANY',
    '-H',
    'APCA-API-SECRET-KEY: any',
    URL,
  ],
  node: [
    process.execPath,
    '-e',
    `fetch('${URL}', { headers: { 'APCA-API-KEY-ID': 'PKANY', 'APCA-API-SECRET-KEY': 'any' } })`,
  ],
}

const isHere = ([command = '', , library]: readonly string[]): boolean =>
  spawnSync(command, library && command === PYTHON ? ['-c', `import ${library}`] : ['--version']).status === 0
const installed = Object.entries(clients).filter(([, command]) => isHere(command))

/** Runs a program and returns how the process ended: its exit code, or `still running` some time after its summary. */
async function endOf(flags: readonly string[], command: readonly string[]): Promise<number | string | null> {
  const child = spawn(process.execPath, [program, 'run', ...flags, '--', ...command], {
    env: withoutProxies(plainEnvironment(operator)),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let [stderr, ended] = ['', undefined as NodeJS.Timeout | undefined]
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    if (/P\/L/.test(stderr)) ended ??= setTimeout(() => child.kill('SIGKILL'), EXIT_MS)
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  clearTimeout(ended)
  assert.match(stderr, /quipu run: [1-9]\d* requests?,/)
  return signal === 'SIGKILL' ? 'still running' : code
}

const operator = { QUIPU_BROKER_KEY: broker.brokerKey, QUIPU_BROKER_SECRET: broker.brokerSecret }

test('the process ends after its summary, whatever state its connections are in', async () => {
  // Each client closes its connections in its own way; Python resets them now and then.
  const times = { urllib: hasAllCases ? 5 : 2, requests: 1 }
  const lines = installed.flatMap(([name, command]) =>
    Array.from({ length: times[name as keyof typeof times] ?? 0 }, () => command.map(quoted).join(' ')),
  )
  assert.equal(await endOf(['--url', broker.url], ['sh', '-ec', lines.join('\n')]), 0)
})

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

if (hasAllCases)
  for (const [name, command] of installed)
    test(`${name}: six runs with a new broker end after their summary`, async () => {
      for (let count = 0; count < 6; count++) assert.equal(await endOf([], command), 0)
    })

const PRESSES = 5

/** Runs a command in a new terminal that none of its files is, and presses Ctrl-C a few times when the file READY exists. */
const pressing = `
import os, pty, sys, time
pid, terminal = pty.fork()
if pid == 0:
    null = os.open('/dev/null', os.O_RDWR)
    for descriptor in range(3): os.dup2(null, descriptor)
    os.execvp(sys.argv[1], sys.argv[1:])
deadline = time.time() + 30
while not os.path.exists(os.environ['READY']) and time.time() < deadline: time.sleep(0.02)
for press in range(${PRESSES}):
    time.sleep(0.2)
    os.write(terminal, b'\\x03')
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`

/** Counts its interrupts. */
const counting = `
  const { writeFileSync } = require('node:fs')
  let count = 0
  process.on('SIGINT', () => { count += 1 })
  setTimeout(() => { writeFileSync(process.env.COUNT, String(count)); process.exit(5) }, 2500)
  writeFileSync(process.env.READY, '')`

/** Starts the counting program in `quipu run`, by another program or by itself. */
function start(by: readonly string[]) {
  const folder = newFolder()
  const [READY, COUNT] = [join(folder, 'ready'), join(folder, 'count')]
  const command = [
    process.execPath,
    program,
    'run',
    '--url',
    broker.url,
    '--',
    process.execPath,
    '-e',
    counting,
  ]
  const [first, ...rest] = [...by, ...command] as [string, ...string[]]
  const env = { ...withoutProxies(plainEnvironment(operator)), READY, COUNT }
  return { child: spawn(first, rest, { env, stdio: 'ignore', detached: true }), READY, COUNT }
}

test('Ctrl-C reaches a program once, also if stdin, stdout and stderr are redirected', {
  skip: process.platform !== 'linux',
}, async () => {
  const { child, COUNT } = start([pythonWith(['pty']), '-c', pressing])
  assert.deepEqual(await once(child, 'exit'), [5, null])
  const count = Number(readFileSync(COUNT, 'utf8'))
  // A process that is busy gets two signals that arrive together as one.
  assert.ok(count >= 1 && count <= PRESSES, `${count} interrupts`)
})

test('an interrupt of quipu alone is forwarded to the program', async () => {
  const { child, READY, COUNT } = start([])
  const waiting = setInterval(() => {
    if (!existsSync(READY)) return
    clearInterval(waiting)
    child.kill('SIGINT')
  }, 10)
  assert.deepEqual(await once(child, 'exit').finally(() => clearInterval(waiting)), [5, null])
  assert.equal(readFileSync(COUNT, 'utf8'), '1')
})

/** A signal before or after the program does not leave a key behind. */

const headers = `{ 'APCA-API-KEY-ID': 'PKANY', 'APCA-API-SECRET-KEY': 'any' }`
const earlyProgram = `fetch('https://paper-api.alpaca.markets/v2/account', { headers: ${headers} }).then(() => process.exit(7))`

/** Runs the program through a proxy that sends SIGTERM to `quipu run` before it forwards the first such request. */
async function runAndEnd(t: TestContext, isMoment: (request: string) => boolean) {
  const seen: string[] = []
  let pid: number | undefined
  const proxy = createServer(async (request, response) => {
    const name = `${request.method} ${request.url}`
    if (!seen.some(isMoment) && isMoment(name)) process.kill(pid!, 'SIGTERM')
    seen.push(name)
    const { host: _, connection: __, ...sent } = request.headers
    const body = Buffer.from(await new Response(Readable.toWeb(request) as ReadableStream).arrayBuffer())
    const received = await fetch(broker.url + request.url, {
      method: request.method!,
      headers: sent as Record<string, string>,
      body: body.length > 0 ? body : null,
    })
    const text = await received.text()
    response.writeHead(received.status, { 'Content-Type': 'application/json' }).end(text)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  t.after(() => proxy.close())
  t.after(() => proxy.closeAllConnections())
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const { code, stderr } = await run(['--url', url], [process.execPath, '-e', earlyProgram], {
    env: operator,
    timeoutMs: 30_000,
    onSpawn: (of) => {
      pid = of
    },
  })
  const count = (pattern: RegExp): number => seen.filter((name) => pattern.test(name)).length
  return { code, stderr, keys: [count(/^POST \/sim.*\/keys$/), count(/^DELETE \/sim.*\/keys\//)] }
}

test('a signal while a run is prepared: the program does not start, and the key is deleted', async (t) => {
  const { code, stderr, keys } = await runAndEnd(t, (name) => /^POST \/sim.*\/keys$/.test(name))
  assert.equal(code, 143, stderr)
  assert.deepEqual(keys, [1, 1])
  assert.match(stderr, /interrupted before the program started/)
})

test('a signal after the program: its exit code stays, and the key is deleted', async (t) => {
  const { code, stderr, keys } = await runAndEnd(t, (name) => name.startsWith('DELETE '))
  assert.equal(code, 7, stderr)
  assert.deepEqual(keys, [1, 1])
})
