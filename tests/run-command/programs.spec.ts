import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
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
