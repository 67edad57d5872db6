import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { nodeProgram } from '../programs/install.ts'
import { newFolder } from '../support/broker.ts'
import { programs, run } from './run-process.ts'

/** The other specs use the Node of the tests. `npm run test:long` installs the older ones. */
const isAll = process.env['RUN_NODES'] === 'all'
const files = [
  'official-sdk-4.mjs',
  'official-sdk-3.cjs',
  'typescript-sdk.mjs',
  'master-chief.mjs',
  'ccxt.mjs',
] as const

for (const major of isAll ? ([20, 22] as const) : []) {
  const node = nodeProgram(major)
  for (const file of files)
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
