import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { plainEnvironment } from '../support/broker.ts'
import { hasAllCases } from '../support/cases.ts'
import { program } from '../support/program.ts'
import { broker } from '../support/shared-broker.ts'
import { programs, withoutProxies } from './run-process.ts'

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
  const times = { urllib: 5, requests: 1 }
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
