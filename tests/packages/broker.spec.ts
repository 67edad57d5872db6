import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { names } from '../../packaging/names.ts'
import { pack } from '../../packaging/pack.ts'
import { newFolder, plainEnvironment, startBroker } from '../support/broker.ts'
import { sourceProgram } from '../support/program.ts'
import { quipu } from '../support/quipu-process.ts'
import { callLazyPaths } from './lazy-paths.ts'
import { installPacked, isLongRun, programIn, runtimes } from './packed.ts'

const MEGABYTES_MAX = 6.0
/** The least part of its pages by which the better compression of the published package is smaller (measured: 8.9 %). */
const PAGES_SAVED = isLongRun ? 0 : 0.08
const folder = await installPacked()
const installed = join(folder, 'node_modules', names.broker)

// All other tests start a bundle on Node 24, so the short run uses the oldest Node that the package supports.
for (const runtime of runtimes(...(isLongRun ? ([22, 24] as const) : ([24] as const))))
  callLazyPaths(folder, runtime)

test('the package has no dependencies, and both commands', () => {
  const { dependencies, bin, engines } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
  assert.equal(dependencies, undefined)
  assert.deepEqual(Object.keys(bin), ['quipu', 'quipu-broker'])
  assert.equal(engines.node, '>=22.13')
  assert.deepEqual(readdirSync(join(folder, 'node_modules')).sort(), [
    '.bin',
    '.package-lock.json',
    names.broker,
  ])
})

/** The library of passkeys is one file, which the first passkey loads. It does not count. */
const isOfPasskeys = (path: string): boolean =>
  path.endsWith('.js') && readFileSync(path, 'utf8').includes('verifyAttestationAndroidKey')

test(`the package takes less than ${MEGABYTES_MAX} MB, without the library of passkeys`, () => {
  const files = readdirSync(installed, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => join(file.parentPath, file.name))
  assert.equal(files.filter(isOfPasskeys).length, 1)
  const bytes = files
    .filter((path) => !isOfPasskeys(path))
    .map((path) => lstatSync(path).size * (path.endsWith('pages.br') ? 1 - PAGES_SAVED : 1))
    .reduce((total, size) => total + size)
  assert(bytes < MEGABYTES_MAX * 1e6, `${bytes} bytes`)
})

test('the licence of every bundled library is in the package', () => {
  const text = readFileSync(join(installed, 'THIRD-PARTY-LICENSES'), 'utf8')
  const { dependencies } = JSON.parse(
    readFileSync(join(import.meta.dirname, '..', '..', 'cli', 'package.json'), 'utf8'),
  )
  // esbuild makes the bundle; only a checkout needs it.
  const isBundled = (name: string): boolean => !name.startsWith('@quipu/') && name !== 'esbuild'
  for (const name of Object.keys(dependencies).filter(isBundled))
    assert.match(text, new RegExp(`^${name} [\\d.]+ \\((MIT|ISC)\\)$`, 'm'))
  assert.match(text, /^pg-types [\d.]+ \(MIT\)\n\nThe MIT License \(MIT\)\n\nCopyright/m)
})

test('an older Node gets one clear line', { skip: runtimes(20).length === 0 }, async () => {
  const [old] = runtimes(20)
  const done = await quipu(['start'], { file: programIn(folder), node: old!.node })
  assert.equal(done.code, 1)
  assert.match(done.stderr, /^quipu needs Node 22\.13 or newer, this is v20\.\d+\.\d+\n$/)
  assert.equal(done.stdout, '')
})

test('the server runs in the background and stops, and its screen names commands that exist', async () => {
  const options = { file: programIn(folder), cwd: newFolder() }
  const at = ['--data', newFolder()]
  const npx = { npm_lifecycle_event: 'npx', npm_package_name: 'bot' }
  const started = await quipu(['start', '--detach', '--port', '0', ...at], { ...options, env: npx })
  assert.equal(started.code, 0, started.stderr)
  assert.match(started.stdout, /Stop +npx quipu-broker stop --data/)
  assert.doesNotMatch(started.stdout, /npm run/)
  const stopped = await quipu(['stop', ...at], options)
  assert.equal(stopped.code, 0, stopped.stderr)
})

test('the same sources give the same tarball', { skip: !isLongRun }, async () => {
  const [first, second] = [await pack(newFolder(), [names.broker]), await pack(newFolder(), [names.broker])]
  assert(readFileSync(first[0]!.file).equals(readFileSync(second[0]!.file)))
})

test('a first start takes at most half as long as in a checkout', { skip: !isLongRun }, async (t) => {
  const checkout = await startMs(sourceProgram)
  const packed = await startMs(programIn(folder))
  t.diagnostic(`first start: checkout ${checkout.toFixed()} ms, package ${packed.toFixed()} ms`)
  assert(packed <= checkout / 2)
})

/** The best of three first starts: an empty data folder and an empty compile cache. */
async function startMs(file: string): Promise<number> {
  const times: number[] = []
  for (let turn = 0; turn < 3; turn++) {
    const before = performance.now()
    const broker = await startBroker(['--data', newFolder()], { NODE_COMPILE_CACHE: newFolder() }, file)
    times.push(performance.now() - before)
    await broker.stop()
  }
  return Math.min(...times)
}

test('npx starts the server', { skip: !isLongRun }, async () => {
  const child = spawn('npx', [names.broker, 'start', '--json', '--port', '0', '--data', 'memory'], {
    cwd: folder,
    env: { ...plainEnvironment(), PATH: `${join(process.execPath, '..')}:${process.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  })
  const [line] = (await once(child.stdout, 'data')) as [Buffer]
  const { url } = JSON.parse(String(line))
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  process.kill(-child.pid!, 'SIGTERM')
  await once(child, 'exit')
})
