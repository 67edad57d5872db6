import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { nodeProgram } from '../programs/install.ts'
import { newFolder } from '../support/broker.ts'
import { casesOf } from '../support/cases.ts'
import { programs, run } from './run-process.ts'

/** Debian's Python has the packages of Debian; the first `python3` on the PATH may be another one. */
const PYTHON = '/usr/bin/python3'
const has = (command: string, ...args: readonly string[]): boolean => spawnSync(command, args).status === 0
const node = process.execPath

type Program = {
  readonly name: string
  readonly command: readonly string[]
  readonly order?: string
  readonly hasStream?: true
  readonly isMissing?: boolean
}

/** `npm test` runs one program of each language. */
const files = casesOf<Program>(
  [
    { name: 'the official SDK 4', command: [node, 'official-sdk-4.mjs'], hasStream: true },
    { name: 'curl', command: ['sh', 'official-urls.sh'], isMissing: !has('curl', '--version') },
    {
      name: 'Python with requests and websockets',
      command: [PYTHON, 'script.py'],
      hasStream: true,
      isMissing: !has(PYTHON, '-c', 'import requests, websockets'),
    },
    { name: 'the official SDK 3.1.3', command: [node, 'official-sdk-3.cjs'], hasStream: true },
    { name: '@alpacahq/typescript-sdk', command: [node, 'typescript-sdk.mjs'] },
    { name: '@master-chief/alpaca', command: [node, 'master-chief.mjs'], hasStream: true },
    { name: 'ccxt', command: [node, 'ccxt.mjs'], order: 'BTC/USD' },
  ],
  3,
)

/** All programs under one `quipu run`: each prints one line. A broker for each would double the cost. */
const ran = run(
  [],
  [
    'sh',
    '-c',
    files
      .filter(({ isMissing }) => !isMissing)
      .map(shellLine)
      .join('\n'),
  ],
)

function shellLine({ name, command: [interpreter = '', file = ''] }: (typeof files)[number]): string {
  return `printf '%s\\t' '${name}'; '${interpreter}' '${join(programs, file)}' || echo '"exit code '$?'"'`
}

for (const [index, { name, order = 'AAPL', hasStream, isMissing = false }] of files.entries())
  test(`an unmodified program with ${name} trades with the broker`, { skip: isMissing }, async () => {
    const { code, stdout, stderr } = await ran
    assert.equal(code, 0, stderr)
    const [, printed = ''] =
      stdout
        .split('\n')
        .map((line) => line.split('\t'))
        .find(([one]) => one === name) ?? []
    const { cash, ...rest } = JSON.parse(printed)
    assert.deepEqual(rest, { order, ...(hasStream ? { filled: order } : {}) }, stderr)
    // Later programs use the account of the earlier ones.
    if (index === 0) assert.equal(cash, '100000')
    else assert.ok(Number(cash) > 90_000 && Number(cash) < 100_000, cash)
  })

test('keys that are written into programs do not appear in the output of the run', async () =>
  assert.doesNotMatch((await ran).stderr, /WRITTENINTO|secret-of-the-program/))

/** The other specs use the Node of the tests. `npm run test:long` installs the older ones. */
const isAll = process.env['RUN_NODES'] === 'all'
const oldNodeFiles = [
  'official-sdk-4.mjs',
  'official-sdk-3.cjs',
  'typescript-sdk.mjs',
  'master-chief.mjs',
  'ccxt.mjs',
] as const

for (const major of isAll ? ([20, 22] as const) : []) {
  const node = nodeProgram(major)
  for (const file of oldNodeFiles)
    test(`${file} on Node ${major}`, { skip: node === undefined }, async () => {
      const { code, stdout, stderr } = await run([], [node!, join(programs, file)])
      assert.equal(code, 0, stderr)
      assert.equal(JSON.parse(stdout).order, file === 'ccxt.mjs' ? 'BTC/USD' : 'AAPL')
    })

  test(`the time of the world on Node ${major}`, { skip: node === undefined }, async () => {
    const world = ['--world', 'fast', '--start', '2026-03-02T15:00:00Z', '--speed', '60']
    const { code, stdout, stderr } = await run(world, [node!, join(programs, 'clock.mjs')])
    assert.equal(code, 0, stderr)
    const { start, later, isDate } = JSON.parse(stdout)
    assert.equal(new Date(start).toISOString().slice(0, 11), '2026-03-02T')
    assert.ok(isDate && later - start >= 300_000)
  })
}

/** The compiler needs half a minute when its cache is empty. */
const hasGo = isAll && spawnSync('go', ['version']).status === 0
const isRoot = process.platform === 'linux' && process.getuid?.() === 0

if (hasGo)
  test('Go: through the proxy, and with --hosts also without it', async () => {
    const file = join(newFolder(), 'program')
    const built = spawnSync('go', ['build', '-o', file, join(programs, 'official-hosts.go')], {
      encoding: 'utf8',
    })
    assert.equal(built.status, 0, built.stderr)
    const { stdout, stderr } = await run([], [file])
    assert.equal(stdout, '200\nnot reached\n', stderr)
    if (isRoot) assert.equal((await run(['--hosts'], [file])).stdout, '200\n200\n')
  })
