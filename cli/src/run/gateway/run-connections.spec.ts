import assert from 'node:assert/strict'
import { type ExecFileException, execFile, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, mock, suite, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { preloadText } from '../preload.ts'
import { pythonSiteText } from '../python-site.ts'
import { type CertificateFiles, certificateFiles } from './certificate-files.ts'
import { type OpenGateway, openGateway } from './gateway.ts'
import { GatewayKeys } from './keys.ts'
import { Traffic } from './traffic.ts'

/** A broker that answers with the key that it received. */
const broker = createServer((incoming, response) => response.end(incoming.headers['apca-api-key-id']))
const folder = mkdtempSync(join(tmpdir(), 'quipu-'))
const traffic = new Traffic()
const HOST = 'paper-api.alpaca.markets'
const PYTHON = '/usr/bin/python3'
let files: CertificateFiles
let gateway: OpenGateway

// Hooks of a suite: other specs of the process need our real user.
suite('connections of a run', () => {
  before(async () => {
    await once(broker.listen(0, '127.0.0.1'), 'listening')
    files = await certificateFiles(join(folder, 'authority'))
    const account = { keyId: 'PKOFTHERUN', secretKey: 'of-the-run' }
    gateway = await openGateway({
      upstream: { url: `http://127.0.0.1:${(broker.address() as AddressInfo).port}` },
      traffic,
      keys: new GatewayKeys({ account }, async () => false, traffic),
      certificate: files.server,
    })
  })
  /** To the gateway, connections of this process are those of another user. */
  const ourUser = process.getuid?.()
  let getuid: ReturnType<typeof mock.method>
  before(() => {
    getuid = mock.method(process as { getuid: () => number }, 'getuid', () => 12_345)
  })
  after(async () => {
    getuid.mock.restore()
    await gateway.close()
    broker.close().closeAllConnections()
    rmSync(folder, { recursive: true, force: true })
  })

  /** The key that the broker receives from a connection that begins with these texts. */
  async function keyAfter(texts: readonly string[], host = HOST): Promise<string> {
    const socket = connect({ port: gateway.tlsPort, host: '127.0.0.1', noDelay: true })
    for (const text of texts) {
      socket.write(text)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const secure = connectTls({ socket, servername: HOST, rejectUnauthorized: false })
    const sent = request({
      createConnection: () => secure,
      headers: { host, 'apca-api-key-id': 'PKANY' },
    }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    const body = Buffer.concat(await response.toArray()).toString()
    secure.destroy()
    return response.statusCode === 200 ? body : String(response.statusCode)
  }

  test('the key of a request is replaced only after the line with the secret of the run', async () => {
    const { secretLine } = gateway
    assert.equal(await keyAfter([secretLine]), 'PKOFTHERUN')
    assert.equal(
      await keyAfter([secretLine.slice(0, 4), secretLine.slice(4, 30), secretLine.slice(30)]),
      'PKOFTHERUN',
    )
    assert.equal(await keyAfter([]), 'PKANY')
    assert.equal(await keyAfter([secretLine.replace(/..\n/, '??\n')]), 'PKANY')
    assert.equal(traffic.requestsOfOthers, 2)
  })

  test('also with the secret, a host that is not ours is refused', async () =>
    assert.equal(await keyAfter([gateway.secretLine], 'evil.example'), '403'))

  test('Linux names the user that opened a connection', { skip: process.platform !== 'linux' }, async () => {
    getuid.mock.mockImplementationOnce(() => ourUser!)
    assert.equal(await keyAfter([]), 'PKOFTHERUN')
  })

  /** What a program prints that knows neither the gateway nor its proxy. */
  async function printed(
    command: string,
    args: readonly string[],
    env: Record<string, string>,
  ): Promise<string> {
    const certificates = { NODE_EXTRA_CA_CERTS: files.authority, SSL_CERT_FILE: files.authority }
    const options = { env: { PATH: process.env['PATH'], ...certificates, ...env } }
    return new Promise((resolve, reject) =>
      execFile(command, args, options, (error: ExecFileException | null, stdout: string) =>
        error ? reject(error) : resolve(stdout.trim()),
      ),
    )
  }

  test('a Node program sends the line: to an official host, and to the address of the listener', async () => {
    const preload = join(folder, 'preload.cjs')
    const settings = { port: gateway.tlsPort, secretLine: gateway.secretLine }
    writeFileSync(preload, await preloadText('official-hosts', settings))
    const text = `const headers = { 'apca-api-key-id': 'PKANY' }
    for (const url of ['https://${HOST}/', 'https://localhost:${gateway.tlsPort}/'])
      console.log(await (await fetch(url, { headers })).text())
    const { get } = await import('node:https')
    get('https://${HOST}/', { headers, timeout: 60_000 }, (response) => response.pipe(process.stdout))`
    const args = ['--require', preload, '--input-type=module', '-e', text]
    assert.equal(await printed(process.execPath, args, {}), 'PKOFTHERUN\nPKOFTHERUN\nPKOFTHERUN')
  })

  test('a Python program sends the line, with blocking sockets and with asyncio', {
    skip: spawnSync(PYTHON, ['--version']).status !== 0,
  }, async () => {
    const site = join(folder, 'python')
    mkdirSync(site)
    writeFileSync(join(site, 'sitecustomize.py'), pythonSiteText(gateway.tlsPort, gateway.secretLine))
    const text = `import asyncio, ssl
from urllib.request import Request, urlopen
print(urlopen(Request("https://${HOST}/", headers={"APCA-API-KEY-ID": "PKANY"})).read().decode())

async def read():
    reader, writer = await asyncio.open_connection("${HOST}", 443, ssl=ssl.create_default_context())
    writer.write(b"GET / HTTP/1.0\\r\\nHost: ${HOST}\\r\\nAPCA-API-KEY-ID: PKANY\\r\\n\\r\\n")
    print((await reader.read()).decode().split()[-1])
    writer.close()

asyncio.run(read())`
    assert.equal(await printed(PYTHON, ['-c', text], { PYTHONPATH: site }), 'PKOFTHERUN\nPKOFTHERUN')
  })
})
