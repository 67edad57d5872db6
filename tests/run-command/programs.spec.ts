import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { programs, run } from './run-process.ts'

/** Debian's Python has the packages of Debian; the first `python3` on the PATH may be another one. */
const PYTHON = '/usr/bin/python3'
const has = (command: string, ...args: readonly string[]): boolean => spawnSync(command, args).status === 0
const node = process.execPath

const files: readonly {
  readonly name: string
  readonly command: readonly string[]
  readonly order?: string
  readonly hasStream?: true
  readonly isMissing?: boolean
}[] = [
  { name: 'the official SDK 4', command: [node, 'official-sdk-4.mjs'], hasStream: true },
  { name: 'the official SDK 3.1.3', command: [node, 'official-sdk-3.cjs'], hasStream: true },
  { name: '@alpacahq/typescript-sdk', command: [node, 'typescript-sdk.mjs'] },
  { name: '@master-chief/alpaca', command: [node, 'master-chief.mjs'], hasStream: true },
  { name: 'ccxt', command: [node, 'ccxt.mjs'], order: 'BTC/USD' },
  { name: 'curl', command: ['sh', 'official-urls.sh'], isMissing: !has('curl', '--version') },
  {
    name: 'Python with requests and websockets',
    command: [PYTHON, 'script.py'],
    hasStream: true,
    isMissing: !has(PYTHON, '-c', 'import requests, websockets'),
  },
]

for (const { name, command, order = 'AAPL', hasStream, isMissing = false } of files)
  test(`an unmodified program with ${name} trades with the broker`, { skip: isMissing }, async () => {
    const [interpreter = '', file = ''] = command
    const { code, stdout, stderr } = await run([], [interpreter, join(programs, file)])
    assert.equal(code, 0, stderr)
    const expected = { cash: '100000', order, ...(hasStream ? { filled: order } : {}) }
    assert.deepEqual(JSON.parse(stdout), expected)
    assert.doesNotMatch(stderr, /WRITTENINTO|secret-of-the-program/)
  })
