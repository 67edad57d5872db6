import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { definedFields } from '@quipu/core'
import { openTestServer } from '../testing/server.ts'
import { flavourOf, makeHostGuard } from './host.ts'

const rows: readonly (readonly [string, string, boolean, string?])[] = [
  // bound to     Host                              served
  ['127.0.0.1', 'localhost:7878', true],
  ['127.0.0.1', 'LocalHost', true],
  ['127.0.0.1', '127.0.0.1:1', true],
  ['127.0.0.1', '[::1]:7878', true],
  ['127.0.0.1', 'quipu.localhost:7878', true],
  ['127.0.0.1', 'paper-api.alpaca.markets', true],
  ['127.0.0.1', 'stream.data.alpaca.markets:443', true],
  ['127.0.0.1', 'evil.example', false],
  ['127.0.0.1', 'evil.example:7878', false],
  ['127.0.0.1', 'alpaca.markets.evil.example', false],
  ['127.0.0.1', 'notalpaca.markets', false],
  ['127.0.0.1', 'localhost.evil.example', false],
  ['127.0.0.1', '', false],
  ['::1', '[::1]:7878', true],
  ['::1', 'evil.example', false],
  ['localhost', 'evil.example', false],
  ['127.0.0.1', 'broker.example', true, 'https://broker.example/'],
  ['0.0.0.0', 'anything.example', true],
  ['192.168.1.5', 'anything.example', true],
]

for (const [host, header, served, publicUrl] of rows)
  test(`bound to ${host}${publicUrl ? ` as ${publicUrl}` : ''}, Host ${header || 'empty'}: ${served ? 'served' : 'refused'}`, () => {
    const guard = makeHostGuard({ host, ...definedFields({ publicUrl }) })
    assert.equal(guard(header), served)
    assert.equal(guard(header), served, 'the cached result')
  })

for (const [host, flavour] of [
  ['api.alpaca.markets', 'live'],
  ['live.localhost:7878', 'live'],
  ['paper-api.alpaca.markets', 'paper'],
  ['localhost', 'paper'],
  [undefined, 'paper'],
] as const)
  test(`Host ${host} selects the ${flavour} account`, () => assert.equal(flavourOf(host), flavour))

test('an unknown Host gets 403, for requests and streams', async (t) => {
  const server = await openTestServer({ upgrade: (_, socket) => socket.destroy() })
  t.after(() => server.close())
  for (const headers of [{}, { Connection: 'Upgrade', Upgrade: 'websocket' }]) {
    const [status, body] = await get(server.serving.port, { Host: 'evil.example', ...headers })
    assert.equal(status, 403)
    assert.deepEqual(
      [JSON.parse(body).code, JSON.parse(body).message],
      [40310000, 'host "evil.example" is not served here'],
    )
  }
})

const get = (port: number, headers: Record<string, string>): Promise<[number | undefined, string]> =>
  new Promise((resolve, reject) => {
    request({ port, path: '/healthz', headers }, async (response) => {
      const chunks = await response.toArray()
      resolve([response.statusCode, Buffer.concat(chunks).toString()])
    })
      .on('error', reject)
      .end()
  })
