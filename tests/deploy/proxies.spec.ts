import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { freePort } from '../../broker/src/postgres/testing/free-port.ts'
import { testCertificate, testKey } from '../../server/src/http/testing/certificate.ts'
import { type Broker, newFolder, startBroker } from '../support/broker.ts'
import { waitUntil } from '../support/wait-until.ts'
import { block, without } from './page.ts'

/** The host name of the test certificate. */
const HOST = 'localhost'
const order = { symbol: 'BTC/USD', qty: '0.01', side: 'buy', type: 'market', time_in_force: 'gtc' }

for (const [name, start] of [
  ['nginx', startNginx],
  ['caddy', startCaddy],
] as const)
  describe(`behind ${name}`, { skip: without(name), timeout: 60_000 }, () => {
    test('orders, streams and events pass, and Quipu knows that the client uses https', async () => {
      const [port, inside] = [await freePort(), await freePort()]
      const settings = Object.fromEntries(
        [...block('sh', 'QUIPU_TRUST_PROXY').matchAll(/^(QUIPU_\w+)=(.+)$/gm)].map(([, key, value]) => [
          key!,
          value!.replace('broker.example.com', `${HOST}:${port}`),
        ]),
      )
      const broker = await startBroker(['--data', newFolder(), '--port', String(inside)], settings)
      const proxy = start(newFolder(), port, inside)
      after(async () => {
        await stop(proxy)
        assert.equal(await broker.stop(), 0)
      })
      await ready(port)
      const placed = await send(broker, port, 'POST', '/v2/orders', order)
      assert.equal(placed.status, 200, placed.text)
      assert.match(placed.headers['strict-transport-security'] ?? '', /max-age/, 'the scheme is https')
      await readStream(broker, port)
      await readEvents(broker, port)
      const document = JSON.parse((await send(broker, port, 'GET', '/openapi.json')).text)
      assert.equal(document.servers[0].url, `https://${HOST}:${port}`)
    })
  })

function startNginx(folder: string, port: number, inside: number): ChildProcess {
  const site = block('nginx', 'proxy_pass')
    .replace('listen 443 ssl http2', `listen 127.0.0.1:${port} ssl http2`)
    .replace('127.0.0.1:7878', `127.0.0.1:${inside}`)
    .replace('broker.example.com;', `${HOST};`)
    .replace('/etc/ssl/broker.example.com.pem', writeIn(folder, 'cert.pem', testCertificate))
    .replace('/etc/ssl/private/broker.example.com.key', writeIn(folder, 'key.pem', testKey))
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${folder}/${kind};`,
  )
  const text = `pid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${temporary.join('\n')}\n${site}}\n`
  const file = writeIn(folder, 'nginx.conf', text)
  return spawn('nginx', ['-e', join(folder, 'error.log'), '-c', file, '-g', 'daemon off;'], {
    stdio: 'inherit',
  })
}

function startCaddy(folder: string, port: number, inside: number): ChildProcess {
  const certificate = [writeIn(folder, 'cert.pem', testCertificate), writeIn(folder, 'key.pem', testKey)]
  const site = block('caddyfile')
    .replace('broker.example.com {', `https://${HOST}:${port} {\n\ttls ${certificate.join(' ')}`)
    .replace('127.0.0.1:7878', `127.0.0.1:${inside}`)
  const file = writeIn(folder, 'Caddyfile', `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${site}`)
  mkdirSync(join(folder, 'home'))
  return spawn('caddy', ['run', '--config', file, '--adapter', 'caddyfile'], {
    env: { PATH: process.env['PATH'], HOME: join(folder, 'home') },
    stdio: 'ignore',
  })
}

function writeIn(folder: string, name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const ready = (port: number) =>
  waitUntil('the proxy answers', async () => {
    const { status } = await get(port, '/readyz').catch(() => ({ status: 0 }))
    return status === 200
  })

type Response = { readonly status: number; readonly text: string; readonly headers: NodeJS.Dict<string> }

const get = (port: number, path: string) => exchange(port, 'GET', path, {})
const keysOf = ({ keyId, secretKey }: Broker) => ({
  'APCA-API-KEY-ID': keyId,
  'APCA-API-SECRET-KEY': secretKey,
})
const send = (broker: Broker, port: number, method: string, path: string, body?: object) =>
  exchange(port, method, path, keysOf(broker), body && JSON.stringify(body))

function exchange(
  port: number,
  method: string,
  path: string,
  headers: object,
  body?: string,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const options = { host: HOST, port, method, path, headers: { ...headers }, ca: testCertificate }
    const sent = request(options, async (response) => {
      const text = (await response.setEncoding('utf8').toArray()).join('')
      resolve({ status: response.statusCode!, text, headers: response.headers as NodeJS.Dict<string> })
    })
    sent.on('error', reject).end(body)
  })
}

/** The stream of trade updates sends an update of an order. */
async function readStream(broker: Broker, port: number): Promise<void> {
  const socket = new WebSocket(`wss://${HOST}:${port}/stream`, { ca: testCertificate })
  const messages: string[] = []
  socket.on('message', (data) => messages.push(String(data)))
  await once(socket, 'open')
  const { keyId: key, secretKey: secret } = broker
  socket.send(JSON.stringify({ action: 'auth', key, secret }))
  socket.send(JSON.stringify({ action: 'listen', data: { streams: ['trade_updates'] } }))
  while (!messages.some((text) => text.includes('"listening"'))) await sleep(20)
  await send(broker, port, 'POST', '/v2/orders', order)
  while (!messages.some((text) => text.includes('"fill"'))) await sleep(20)
  socket.close()
  await once(socket, 'close')
}

/** Server-sent events arrive while the response is open. */
async function readEvents(broker: Broker, port: number): Promise<void> {
  const path = '/v2/events/trades'
  const sent = request({ host: HOST, port, path, headers: keysOf(broker), ca: testCertificate }).end()
  const [response] = (await once(sent, 'response')) as [NodeJS.ReadableStream & { statusCode: number }]
  assert.equal(response.statusCode, 200)
  const arrived = once(response, 'data')
  await send(broker, port, 'POST', '/v2/orders', order)
  await arrived
  sent.destroy()
}

async function stop(proxy: ChildProcess): Promise<void> {
  if (proxy.exitCode !== null) return
  proxy.kill('SIGTERM')
  await once(proxy, 'exit')
}
