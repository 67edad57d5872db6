import assert from 'node:assert/strict'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../server/src/process/testing/free-port.ts'
import { call } from '../broker.ts'
import { Engine, noContainers } from './engine.ts'
import { buildPostgres, buildQuipu, DEBIAN, NODE, POSTGRES, QUIPU } from './images.ts'

/** Minutes of work, so only in `npm run test:long`. */
const skip = process.env['CONTAINERS'] === 'all' ? (noContainers() ?? false) : 'only in npm run test:long'
const order = { symbol: 'BTC/USD', qty: '0.01', side: 'buy', type: 'market', time_in_force: 'gtc' }

describe('containers', { skip, timeout: 900_000 }, () => {
  if (skip !== false) return
  const engine = new Engine()
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
    const port = await freePort()
    const hardening = [
      '--read-only',
      '--read-only-tmpfs=false',
      '--cap-drop=all',
      '--security-opt=no-new-privileges',
    ]
    const published = ['-p', `127.0.0.1:${port}:7878`, '-v', 'quipu-data:/data']
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
    const port = await freePort()
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
    compose('down')
    compose('up', '-d', '--no-build')
    const again = await brokerAt(port, exec)
    assert.equal(again.keyId, broker.keyId)
    assert.equal((await call(again, 'GET', '/v2/orders?status=all')).body.length, 1)
    compose('down', '-v')
  })
})

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
