import assert from 'node:assert/strict'
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pack } from '../../packaging/pack.ts'
import { call, newFolder } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { debianRoot, Engine, noContainers, portToPublish } from './engine.ts'
import { buildHaproxy, buildPostgres, buildQuipu, DEBIAN, HAPROXY, NODE, POSTGRES, QUIPU } from './images.ts'

/** Minutes of work, so only in `npm run test:long`. */
const skip = process.env['CONTAINERS'] === 'all' ? (noContainers() ?? false) : 'only in npm run test:long'
const order = { symbol: 'BTC/USD', qty: '0.01', side: 'buy', type: 'market', time_in_force: 'gtc' }

describe('containers', { skip, timeout: 1_800_000 }, () => {
  if (skip !== false) return
  const engine = Engine.open()
  after(() => engine.close())

  test('the image is built: no npm, another user than root', async () => {
    await buildQuipu(engine)
    const of = (format: string) => engine.podman('image', 'inspect', QUIPU, '--format', format)
    assert.equal(of('{{.Config.User}}'), '1000:1000')
    const run = ['run', '--rm', '--entrypoint', 'sh', QUIPU, '-c']
    assert.equal(
      engine.podman(...run, 'id -u; command -v npm npx || echo none; node --version').split('\n')[1],
      'none',
    )
    assert.match(engine.podman('run', '--rm', QUIPU, '--version'), /^\d+\.\d+\.\d+/)
  })

  test('an order, health, and a restart that keeps the data; a stop gives exit code 0', async () => {
    const port = await portToPublish()
    const hardening = [
      '--read-only',
      '--read-only-tmpfs=false',
      '--cap-drop=all',
      '--security-opt=no-new-privileges',
    ]
    // Nobody serves the public URL, which the health check and other commands must not need.
    const settings = ['-e', 'QUIPU_PUBLIC_URL=https://broker.invalid']
    const published = [...settings, '-p', `127.0.0.1:${port}:7878`, '-v', 'quipu-data:/data']
    engine.podman('run', '-d', '--name', 'quipu', ...hardening, ...published, QUIPU)
    const broker = await brokerAt(port, (...line) => engine.podman('exec', 'quipu', ...line))
    assert.equal((await call(broker, 'POST', '/v2/orders', order)).status, 200)
    engine.podman('healthcheck', 'run', 'quipu')
    assert.throws(
      () => engine.podman('exec', 'quipu', 'sh', '-c', 'echo x > /opt/x'),
      /Read-only file system/,
    )
    assert.doesNotMatch(engine.podman('logs', 'quipu'), new RegExp(broker.secretKey))

    engine.podman('stop', '-t', '10', 'quipu')
    assert.equal(engine.podman('inspect', 'quipu', '--format', '{{.State.ExitCode}}'), '0')
    engine.podman('start', 'quipu')
    const again = await brokerAt(port, (...line) => engine.podman('exec', 'quipu', ...line))
    assert.equal((await call(again, 'GET', '/v2/orders?status=all')).body.length, 1)
    engine.podman('rm', '--force', '-t', '10', 'quipu')
  })

  test('a release has an image that can be loaded', () => {
    const out = join(engine.folder, 'release')
    const bases = ['--image-arg', `BASE=${DEBIAN}`, '--image-arg', `NODE=${NODE}`]
    const line = ['packaging/release.ts', '--dry-run', '--version', '9.8.7', '--out', out, ...bases]
    engine.run(process.execPath, line, { cwd: join(import.meta.dirname, '..', '..') })
    engine.podman('load', '-i', join(out, 'quipu-9.8.7-image.tar'))
    assert.equal(engine.podman('run', '--rm', 'localhost/quipu:9.8.7', '--version'), '9.8.7')
  })

  test('compose with PostgreSQL: an order, and a restart of both that keeps the data', async () => {
    buildPostgres(engine)
    const port = await portToPublish()
    const folder = join(engine.folder, 'compose')
    cpSync(join(import.meta.dirname, '..', '..', 'compose.yaml'), join(folder, 'compose.yaml'))
    writeFileSync(
      join(folder, '.env'),
      `POSTGRES_PASSWORD=not-a-guess\nPOSTGRES_IMAGE=${POSTGRES}\nQUIPU_IMAGE=${QUIPU}\nQUIPU_PORT=${port}\n`,
    )
    const compose = (...line: readonly string[]) => engine.run('podman-compose', line, { cwd: folder })
    compose('up', '-d', '--no-build')
    const container = engine
      .podman('ps', '-a', '--format', '{{.Names}}')
      .split('\n')
      .find((name) => /quipu_1$/.test(name))!
    const exec = (...line: readonly string[]) => engine.podman('exec', container, ...line)
    const broker = await brokerAt(port, exec)
    assert.equal((await call(broker, 'POST', '/v2/orders', order)).status, 200)
    assert.match(exec('quipu', 'config', 'show'), /postgres:\/\//)
    engine.podman('healthcheck', 'run', container)
    compose('down')
    compose('up', '-d', '--no-build')
    const again = await brokerAt(port, exec)
    assert.equal(again.keyId, broker.keyId)
    assert.equal((await call(again, 'GET', '/v2/orders?status=all')).body.length, 1)
    compose('down', '-v')
  })

  test('compose of a cluster: an order at HAProxy survives a killed node and a promoted standby', async () => {
    buildHaproxy(engine)
    const port = await portToPublish()
    const folder = join(engine.folder, 'cluster')
    cpSync(join(import.meta.dirname, '..', '..', 'docs', 'guides', 'deploy'), folder, { recursive: true })
    const secret = 'not-a-guess-'.repeat(4)
    const images = { POSTGRES_IMAGE: POSTGRES, QUIPU_IMAGE: QUIPU, HAPROXY_IMAGE: HAPROXY }
    const secrets = ['POSTGRES_PASSWORD', 'QUIPU_CLUSTER_SECRET', 'QUIPU_SECRET_KEY', 'QUIPU_BROKER_SECRET']
    const env = { ...images, ...Object.fromEntries(secrets.map((name) => [name, secret])), QUIPU_PORT: port }
    const lines = Object.entries(env).map(([name, value]) => `${name}=${value}\n`)
    writeFileSync(join(folder, '.env'), lines.join(''))
    const compose = (...line: readonly string[]) =>
      engine.run('podman-compose', ['-f', 'cluster-compose.yaml', ...line], { cwd: folder })
    const container = (service: string) =>
      engine
        .podman('ps', '-a', '--format', '{{.Names}}')
        .split('\n')
        .find((name) => name.endsWith(`_${service}_1`))!
    compose('up', '-d', 'postgres-1', 'postgres-2', 'quipu-1', 'quipu-2', 'quipu-3')
    const nodes = ['quipu-1', 'quipu-2', 'quipu-3']
    for (const node of nodes) {
      engine.podman('exec', container(node), 'quipu', 'status', '--wait')
      // The public URL is that of HAProxy, which needs the nodes first.
      engine.podman('healthcheck', 'run', container(node))
    }
    // A node may still open the world, which another one has given up on a busy machine.
    const haproxy = await waitUntil('quipu-1 prints the configuration of HAProxy', () => {
      try {
        return engine.podman('exec', container('quipu-1'), 'quipu', 'cluster', 'haproxy', '--bind', ':7878')
      } catch (error) {
        // A node may still open main, which another one has given up on a busy machine.
        if (!String(error).includes('nothing was applied')) throw error
        return undefined
      }
    })
    writeFileSync(join(folder, 'haproxy.cfg'), `${haproxy}\n`)
    compose('up', '-d', 'haproxy')

    const broker = { url: `http://127.0.0.1:${port}`, keyId: 'PK-OF-THE-CLUSTER', secretKey: secret }
    await orderStored(broker, 'first')
    const status = engine.podman('exec', container('quipu-2'), 'quipu', 'cluster', 'status', '--json')
    const { nodes: listed, worlds } = JSON.parse(status) as ClusterStatus
    const { address } = listed.find(({ name }) => name === worlds[0]!.node)!
    engine.podman('kill', container(new URL(address).hostname))
    await orderStored(broker, 'after a killed node')
    engine.podman('kill', container('postgres-1'))
    engine.podman('exec', '-u', 'postgres', container('postgres-2'), 'pg_ctl', 'promote')
    await orderStored(broker, 'after a promotion')
    // A busy machine may lose the world again: 503.
    const stored = await waitUntil('the cluster lists the orders', async () => {
      const listed = await call(broker, 'GET', '/v2/orders?status=all').catch(() => undefined)
      return listed?.status === 200 ? listed : undefined
    })
    assert.deepEqual(stored.body.map(({ client_order_id: id }: { client_order_id: string }) => id).sort(), [
      'after a killed node',
      'after a promotion',
      'first',
    ])
    compose('down', '-v')
  })
})

type ClusterStatus = {
  readonly nodes: readonly { readonly name: string; readonly address: string }[]
  readonly worlds: readonly { readonly node: string }[]
}

/** Sends an order until the cluster has it: without a response it may or may not have it. */
async function orderStored(broker: Parameters<typeof call>[0], id: string): Promise<void> {
  const path = `/v2/orders:by_client_order_id?client_order_id=${encodeURIComponent(id)}`
  for (let tries = 0; tries < 300; tries++) {
    const sent = await call(broker, 'POST', '/v2/orders', { ...order, client_order_id: id }).catch(
      () => undefined,
    )
    if (sent?.status === 200) return
    const found = await call(broker, 'GET', path).catch(() => undefined)
    if (found?.status === 200) return
    await sleep(200)
  }
  assert.fail(`no response to the order ${id}`)
}

/** Waits until the server in the container is ready, and reads its keys as a user does. */
async function brokerAt(port: number, exec: (...line: readonly string[]) => string) {
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; ; tries++) {
    const status = await fetch(`${url}/readyz`).then(
      (response) => response.status,
      () => 0,
    )
    if (status === 200) break
    assert(tries < 300, `the server did not get ready on ${url}: ${status}`)
    await sleep(200)
  }
  const variables = exec('quipu', 'env')
  const variable = (name: string) => new RegExp(`${name}='?([^'\\n]+)`).exec(variables)![1]!
  return { url, keyId: variable('APCA_API_KEY_ID'), secretKey: variable('APCA_API_SECRET_KEY') }
}

const SECONDS_MAX = 60

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
