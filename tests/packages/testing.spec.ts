import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { buildTesting } from '../../testing/build.ts'
import { nodeProgram } from '../programs/install.ts'
import { plainEnvironment } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'

const root = join(import.meta.dirname, '..', '..')
/** A project below tests/, where the test runners and the official SDK are installed. It has the built package. */
const project = mkdtempSync(join(root, 'tests', '.kit-'))
after(() => rmSync(project, { recursive: true, force: true }))
const built = join(project, 'node_modules', '@quipu', 'testing')
await buildTesting(built)

// Programs that need Jest have these beside it.
for (const name of ['expect', join('@jest', 'globals'), join('@types', 'jest')]) {
  mkdirSync(dirname(join(project, 'node_modules', name)), { recursive: true })
  symlinkSync(
    join(root, 'tests', 'programs', 'node_modules', name),
    join(project, 'node_modules', name),
    'junction',
  )
}

const read = (name: string) => readFileSync(join(built, name), 'utf8')
const programs = join(root, 'tests', 'programs', 'node_modules')
const runners = {
  vitest: [
    join(programs, 'vitest', 'vitest.mjs'),
    'run',
    '--pool=threads',
    '--poolOptions.threads.singleThread',
    // A busy machine needs more than the default of 5 seconds.
    '--testTimeout=60000',
  ],
  jest: [join(programs, 'jest', 'bin', 'jest.js'), '--colors=false', '--runInBand'],
}

type Change = { readonly file: string; readonly from: string; readonly to: string }

/**
 * Copies an example into the project, beside it a copy with one change that makes it fail, and runs both. Returns stdout and
 * stderr together.
 */
async function run(example: string, args: readonly string[], change?: Change) {
  const folder = join(project, example)
  cpSync(join(root, 'examples', example), folder, { recursive: true })
  if (change) {
    const text = readFileSync(join(folder, change.file), 'utf8')
    assert.ok(text.includes(change.from), `${change.file} has no ${change.from}`)
    writeFileSync(join(folder, `failing-${change.file}`), text.replace(change.from, change.to))
  }
  const env = plainEnvironment({ NO_COLOR: '1', CI: '1' })
  const ran = promisify(execFile)(process.execPath, args, { cwd: folder, env })
  const { stdout, stderr, code = 0 } = await ran.catch((error) => error)
  return { output: `${stdout}${stderr}`, code }
}

/** The seed, the journal hash and the last event of a failed test. */
const report = (seed: string) =>
  new RegExp(`Quipu world world-\\d+, seed "${seed}", journal hash [0-9a-f]{64}\n[^]*orderFilled`)

test('the package has no dependencies, and its declarations import only each other', () => {
  const manifest = JSON.parse(read('package.json'))
  assert.equal(manifest.engines.node, '>=22.13')
  assert.deepEqual(
    Object.keys(manifest).filter((key) => /dependencies|scripts/i.test(key)),
    [],
  )
  const declarations = globSync('dist/*.d.ts', { cwd: built })
  assert.ok(declarations.length > 5)
  const imported = declarations.flatMap((name) =>
    [...read(name).matchAll(/(?:from|import) '([^']+)'/g)].map(([, from]) => from!),
  )
  assert.deepEqual(
    imported.filter(
      (from) => !/^\.\/[a-z-]+\.js$|^(vitest|expect)$|^@quipu\/testing(\/jest-globals)?$/.test(from),
    ),
    [],
  )
  assert.match(read('THIRD-PARTY-LICENSES'), /^ws \d/m)
})

/** Compiles programs in the project and returns the messages of the compiler. */
function compile(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(project, 'types-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    types: ['node'],
    lib: ['es2023', 'esnext.disposable'],
    allowImportingTsExtensions: true,
    // The declarations of Vitest and Jest need more than the language of this project.
    skipLibCheck: true,
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: Object.keys(files) }))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  try {
    return execFileSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

const isLongRun = process.env['PACKAGES'] === 'all'
const example = (name: string) => readFileSync(join(root, 'examples', 'tests-vitest', name), 'utf8')

/** Programs with one argument that may be wrong. */
const programsWith = (until: string, clientOrderId: string) => ({
  'program.ts': `
    import { alpacaOptions, startQuipu, withWorld, type World } from '@quipu/testing'
    export const check = withWorld(async (world: World) => world.advance({ until: '${until}' }), { cash: 5 })
    export const broker = await startQuipu({ clock: new Date(0) })
    export const { fetchApi } = alpacaOptions(await broker.world())`,
  'jest.test.ts': `
    import { expect } from '@jest/globals'
    import { withWorld } from '@quipu/testing'
    import '@quipu/testing/jest-globals'
    export const check = withWorld(async (world) => expect(world).toHaveOneOrder(${clientOrderId}))`,
  'jest-types.test.ts': `
    /// <reference types="jest" />
    import { withWorld } from '@quipu/testing'
    import '@quipu/testing/jest'
    export const check = withWorld(async (world) => expect(world).toHaveOneOrder(${clientOrderId}))`,
  'dip-buyer.ts': example('dip-buyer.ts'),
  'dip-buyer.test.ts': example('dip-buyer.test.ts').replace("'dip'", clientOrderId),
})

test('the declarations compile with those of Vitest, @jest/globals and @types/jest, and wrong calls do not', () => {
  assert.equal(compile(programsWith('next_open', "'dip'")), '')
  const messages = compile(programsWith('tomorrow', '7'))
  for (const name of ['program', 'jest.test', 'jest-types.test', 'dip-buyer.test'])
    assert.match(messages, new RegExp(`${name}\\.ts.*error TS`))
})

test('the example for Vitest passes, and a failing test prints the report', async () => {
  const { output, code } = await run('tests-vitest', runners.vitest, {
    file: 'dip-buyer.test.ts',
    from: "toHaveNetPosition('TSLA', 10)",
    to: "toHaveNetPosition('TSLA', 11)",
  })
  assert.equal(code, 1, output)
  assert.match(output, /✓ dip-buyer\.test\.ts \(2 tests\)/)
  assert.match(output, /1 failed \| 3 passed/)
  assert.match(output, /expected a net position of 11 TSLA, received 10/)
  assert.match(output, report('dips'))
})

/** A file of Vitest with 8 tests at a time, each in a world of its own. */
const concurrentFile = (file: number) => `
import { appendFileSync } from 'node:fs'
import { Alpaca } from '@alpacahq/alpaca-trade-api'
import { alpacaOptions, withWorld } from '@quipu/testing/vitest'
import { describe, expect, test } from 'vitest'

describe.concurrent('file ${file}', () => {
  for (let number = 0; number < 8; number++)
    test('world ' + number, withWorld(async (world) => {
      appendFileSync('urls.txt', world.url + '\\n')
      const alpaca = new Alpaca(alpacaOptions(world))
      for (let day = 0; day < 5; day++) {
        await alpaca.trading.orders.market({ symbol: 'AAPL', qty: 1, side: 'buy', clientOrderId: 'day-' + day })
        await world.advance('1d')
      }
      await expect(world).toHaveNetPosition('AAPL', 5)
    }, { seed: 'file-${file}-' + number }))
})
`

test('4 files with 8 worlds at a time pass in the time that Vitest gives a test, on one broker', {
  skip: !isLongRun,
}, async (t) => {
  const folder = mkdtempSync(join(project, 'concurrent-'))
  for (const file of [1, 2, 3, 4]) writeFileSync(join(folder, `file-${file}.test.mjs`), concurrentFile(file))
  const before = performance.now()
  // Vitest's own limit of 5 seconds, and its own choice of processes.
  const args = [join(programs, 'vitest', 'vitest.mjs'), 'run', '--reporter=json', '--outputFile=result.json']
  const ran = promisify(execFile)(process.execPath, args, { cwd: folder, env: plainEnvironment({ CI: '1' }) })
  const { stdout, stderr } = await ran.catch((error) => error)
  const seconds = (performance.now() - before) / 1000
  const result = JSON.parse(readFileSync(join(folder, 'result.json'), 'utf8'))
  assert.deepEqual([result.numPassedTests, result.numTotalTests], [32, 32], `${stdout}${stderr}`)
  const tests: { duration: number }[] = result.testResults.flatMap(
    (file: { assertionResults: { duration: number }[] }) => file.assertionResults,
  )
  const slowest = Math.max(...tests.map(({ duration }) => duration))
  t.diagnostic(`${seconds.toFixed(1)} s, the slowest test ${slowest.toFixed()} ms`)
  const urls = new Set(readFileSync(join(folder, 'urls.txt'), 'utf8').trim().split('\n'))
  assert.equal(urls.size, 1)
  await waitUntil('the broker has ended', () =>
    fetch(`${[...urls][0]}/readyz`).then(
      () => false,
      () => true,
    ),
  )
})

// `npm run test:long` runs the package with Jest and with the oldest Node that it supports.
const oldest = isLongRun ? nodeProgram(22) : undefined

test('the example for Jest passes, and a failing test prints the report', { skip: !isLongRun }, async () => {
  const { output, code } = await run('tests-jest', runners.jest, {
    file: 'first-order.test.js',
    from: "await world.advance('1m')",
    to: "await world.advance('1m')\nexpect(1).toBe(2)",
  })
  assert.equal(code, 1, output)
  assert.match(output, /^PASS \.\/first-order\.test\.js$/m)
  assert.match(output, /1 failed, 1 passed/)
  assert.match(output, /The test failed: .*toBe/)
  assert.match(output, report('first-order'))
})

test('the example for node:test and the first test of the guide pass', async () => {
  const guide = readFileSync(join(root, 'docs', 'guides', 'testing.md'), 'utf8')
  const [, first] = /```ts\n(.*?)```/s.exec(guide)!
  writeFileSync(join(project, 'guide.test.ts'), first!)
  const files = ['first-order.test.ts', join('..', 'guide.test.ts')]
  const { output, code } = await run('tests-node', ['--test', '--test-reporter=tap', ...files])
  assert.equal(code, 0, output)
  assert.match(output, /^# pass 3$/m)
})

test('import and require work with the oldest Node, without a warning', { skip: !oldest }, async () => {
  const file = join(project, 'oldest.mjs')
  writeFileSync(
    file,
    `import { createRequire } from 'node:module'
     import { startQuipu } from '@quipu/testing'
     const required = createRequire(import.meta.url)('@quipu/testing')
     for (const start of [startQuipu, required.startQuipu]) {
       const world = await (await start({ cash: 12 })).world()
       console.log(await world.cash())
     }`,
  )
  const { stdout, stderr } = await promisify(execFile)(oldest!, [file], { env: plainEnvironment() })
  assert.deepEqual([stdout, stderr], ['12\n12\n', ''])
})
