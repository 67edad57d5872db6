import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { get } from 'node:http'
import { delimiter, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { newFolder, plainEnvironment } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'

const root = join(import.meta.dirname, '..', '..')

type Locked = { readonly version?: string; readonly integrity?: string; readonly hasInstallScript?: boolean }

const readJson = (name: string) => JSON.parse(readFileSync(join(root, name), 'utf8'))

test('the lock file has an integrity hash of every Node binary, and no package runs a script at install', () => {
  const locked: Record<string, Locked> = readJson('package-lock.json').packages
  const binaries: Record<string, string> = readJson('package.json').optionalDependencies
  assert(Object.keys(binaries).length >= 4)
  for (const [name, version] of Object.entries(binaries)) {
    const entry = locked[`node_modules/${name}`]
    assert.equal(entry?.version, version, `${name} must be in the lock file; a missing entry breaks npm ci`)
    assert.match(entry.integrity ?? '', /^sha512-/)
  }
  const scripts = Object.entries(locked).filter(([, { hasInstallScript }]) => hasInstallScript)
  // esbuild works without its script, which only replaces a wrapper by the binary.
  assert.deepEqual(
    scripts.map(([path]) => path),
    ['node_modules/esbuild'],
  )
  assert.match(readFileSync(join(root, '.npmrc'), 'utf8'), /^ignore-scripts=true$/m)
})

test('the programs that only tests use are locked by hash, run no script at install, and npm ci omits them', () => {
  const [programs, nodes] = ['tests/programs', 'tests/programs/nodes']
  const locked: Record<string, Locked> = {
    ...readJson(`${programs}/package-lock.json`).packages,
    ...readJson(`${nodes}/package-lock.json`).packages,
  }
  const { dependencies } = readJson(`${programs}/package.json`)
  const { optionalDependencies } = readJson(`${nodes}/package.json`)
  const ours: Record<string, Locked> = readJson('package-lock.json').packages
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    assert.match(locked[`node_modules/${name}`]?.integrity ?? '', /^sha512-/, name)
    // The dashboard is built with a newer one than the test kit's users have.
    if (name === 'vite') continue
    assert.equal(
      ours[`node_modules/${name}`],
      undefined,
      `${name} is also in the lock file of the repository`,
    )
  }
  for (const folder of [programs, nodes])
    assert.match(readFileSync(join(root, folder!, '.npmrc'), 'utf8'), /^ignore-scripts=true$/m)
})

// The installed Node and npm of the machine, as a new user has them, not the Node of this test.
const env = plainEnvironment({ PATH: pathWithoutPackages() })

test('a signal to npm start ends the server', (t) => startAndEnd(t, root, env, 'SIGTERM'))

// `npm run test:long` installs the packages, which costs 12 CPU seconds.
const skip = process.env['PACKAGES'] !== 'all'

test('npm start works without development packages, and a signal ends the server', { skip }, async (t) => {
  const checkout = copyCheckout()
  const installed = spawnSync('npm', ['ci', '--omit=dev', '--prefer-offline'], {
    cwd: checkout,
    env,
    encoding: 'utf8',
  })
  assert.equal(installed.status, 0, installed.stderr)
  assert.doesNotMatch(installed.stderr, /EBADENGINE/)
  const megabytes = bytesOf(join(checkout, 'node_modules')) / 1e6
  assert(megabytes < 230, `npm ci --omit=dev installs ${megabytes.toFixed()} MB with Node`)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) await startAndEnd(t, checkout, env, signal)
})

test('the first npm start answers before the dashboard is built, and shows it when it is', {
  skip,
}, async (t) => {
  const checkout = copyCheckout()
  linkPackages(checkout)
  const { url } = await start(t, checkout, env)
  const title = async (): Promise<string | undefined> => {
    const { port } = new URL(url)
    const page = await textOf(`http://127.0.0.1:${port}/`, {
      host: `quipu.localhost:${port}`,
      accept: 'text/html',
    })
    return /<title>(.*?)<\/title>/.exec(page)?.[1]
  }
  assert.equal(await title(), 'The dashboard is being built · Quipu')
  await waitUntil('the dashboard is built', async () => (await title()) === 'Quipu')
  // The search of the dashboard reads these files.
  for (const file of ['titles.json', 'commands.json']) {
    const rows = await (await fetch(`${url}/docs/${file}`)).json()
    assert((rows as readonly unknown[]).length > 100, file)
  }
})

async function startAndEnd(
  t: TestContext,
  checkout: string,
  env: Record<string, string>,
  signal: NodeJS.Signals,
): Promise<void> {
  const { npm, url } = await start(t, checkout, env)
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
  npm.kill(signal)
  await once(npm, 'exit')
  const hasEnded = () =>
    fetch(`${url}/healthz`).then(
      () => false,
      () => true,
    )
  await waitUntil(`the server ends with npm after ${signal}`, hasEnded)
}

async function start(
  t: TestContext,
  checkout: string,
  env: Record<string, string>,
): Promise<{ readonly npm: ChildProcess; readonly url: string }> {
  const npm = spawn('npm', ['start', '--', '--json', '--port', '0', '--data', 'memory'], {
    cwd: checkout,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: true,
  })
  t.after(() => endGroup(npm.pid!))
  return { npm, ...(await firstJson(npm.stdout)) }
}

/** Pages have a host name of their own, which `fetch` cannot send. */
const textOf = (url: string, headers: Record<string, string>): Promise<string> =>
  new Promise((resolve, reject) =>
    get(url, { headers }, (response) => text(response).then(resolve, reject)).on('error', reject),
  )

/** npm prints the name of the script first. */
async function firstJson(output: NodeJS.ReadableStream): Promise<{ readonly url: string }> {
  for await (const line of createInterface({ input: output }))
    if (line.startsWith('{')) return JSON.parse(line)
  throw new Error('npm start ended before the server was ready')
}

/** Hard links of one file count once. */
function bytesOf(folder: string): number {
  const sizes = new Map<number, number>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const { ino, size } = lstatSync(join(entry.parentPath, entry.name))
    if (entry.isFile()) sizes.set(ino, size)
  }
  return [...sizes.values()].reduce((total, size) => total + size, 0)
}

function copyCheckout(): string {
  const copy = newFolder()
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  })
  for (const file of files.split('\0').filter(Boolean)) {
    mkdirSync(join(copy, dirname(file)), { recursive: true })
    cpSync(join(root, file), join(copy, file))
  }
  return copy
}

/** The installed packages, and our own packages of the copy. */
function linkPackages(checkout: string): void {
  const [ours, copy] = [join(root, 'node_modules'), join(checkout, 'node_modules')]
  mkdirSync(join(copy, '@quipu'), { recursive: true })
  for (const name of readdirSync(ours).filter((one) => one !== '@quipu'))
    symlinkSync(join(ours, name), join(copy, name))
  for (const name of readdirSync(join(ours, '@quipu')))
    symlinkSync(join(checkout, name), join(copy, '@quipu', name))
}

function pathWithoutPackages(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.filter((folder) => !folder.includes('node_modules')).join(delimiter)
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}
