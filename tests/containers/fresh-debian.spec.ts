import assert from 'node:assert/strict'
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { pack } from '../../packaging/pack.ts'
import { newFolder } from '../support/broker.ts'
import { debianRoot, noContainers } from './engine.ts'

const SECONDS_MAX = 60
/** Makes a Debian root at its first run, so only in `npm run test:long`. */
const skip = process.env['CONTAINERS'] === 'all' ? (noContainers() ?? false) : 'only in npm run test:long'

test('a fresh Debian with Node 24 alone: install, start and a first order', {
  skip,
  timeout: 600_000,
}, async (t) => {
  const root = newRoot()
  after(() => rmSync(root, { recursive: true, force: true }))
  const tarballs = await pack(newFolder())
  for (const { file } of tarballs) cpSync(file, join(root, 'root', basename(file)))
  const shell = (script: string) =>
    execFileSync('chroot', [root, 'sh', '-ec', `cd /root; ${script}`], options)

  const startedAt = performance.now()
  // Offline: the packages need no other package.
  shell('npm install --offline --no-audit --no-fund ./*.tgz')
  const server = spawn('chroot', [root, 'sh', '-c', 'cd /root; exec npx quipu-broker start'], {
    env: options.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  t.after(() => server.exitCode ?? process.kill(-server.pid!, 'SIGKILL'))
  let screen = ''
  for (const stream of [server.stdout, server.stderr])
    stream.on('data', (text) => {
      screen += text
    })
  shell('npx quipu-broker status --wait')
  const order = shell('npx quipu-broker order place buy AAPL 1')
  const seconds = (performance.now() - startedAt) / 1000
  t.diagnostic(`install, start and first order in a fresh Debian: ${seconds.toFixed(1)} s`)
  assert.match(order, /AAPL/)
  assert(seconds < SECONDS_MAX, `${seconds} s`)

  // The same with the SDK, as in the example.
  const example = readFileSync(join(import.meta.dirname, '..', '..', 'examples', 'first-order.ts'))
  execFileSync('tee', [join(root, 'root', 'first-order.ts')], {
    input: example,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  assert.match(shell('eval "$(npx quipu-broker env)"; node first-order.ts'), /bought 2 AAPL at \d/)
  shell('npx quipu-broker stop')
  await once(server, 'close')
  assert.match(screen, /Stop +Ctrl-C or npx quipu-broker stop/)
  assert.doesNotMatch(screen, /warning/i)
})

const options: ExecFileSyncOptionsWithStringEncoding = {
  encoding: 'utf8',
  env: { PATH: '/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' },
  stdio: ['ignore', 'pipe', 'inherit'],
}

/** A Debian root folder with the Node of the tests, and the npm of this machine as the archive of Node has it. */
function newRoot(): string {
  const root = mkdtempSync('/var/tmp/quipu-fresh-')
  execFileSync('tar', ['-C', root, '-xf', debianRoot('base', 'ca-certificates')])
  const local = join(root, 'usr', 'local')
  cpSync(process.execPath, join(local, 'bin', 'node'), { dereference: true })
  const npm = dirname(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())))
  mkdirSync(join(local, 'lib', 'node_modules'), { recursive: true })
  cpSync(npm, join(local, 'lib', 'node_modules', 'npm'), { recursive: true })
  for (const name of ['npm', 'npx'])
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name))
  return root
}
