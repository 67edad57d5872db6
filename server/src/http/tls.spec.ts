import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:https'
import { connect } from 'node:net'
import { test } from 'node:test'
import { testCertificate, testKey } from './testing/certificate.ts'
import { openTestServer } from './testing/server.ts'

test('with a certificate the server uses https, and the log hints at http requests', async (t) => {
  const server = await openTestServer({ binding: { tls: { key: testKey, cert: testCertificate } } })
  t.after(() => server.close())
  assert.match(server.url, /^https:\/\/127\.0\.0\.1:/)
  const sent = request(`${server.url}/healthz`, { ca: testCertificate, agent: false }).end()
  const [response] = await once(sent, 'response')
  assert.deepEqual([response.statusCode, String(await response.toArray())], [200, '{"status":"ok"}'])

  const plain = connect(server.serving.port, '127.0.0.1').on('error', () => undefined)
  plain.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
  plain.resume()
  await once(plain, 'close')
  server.services.log.flush()
  assert.match(server.lines.join(''), /received http on the https port/)
})

test('a stop does not wait for a TLS handshake', async () => {
  const server = await openTestServer({
    binding: { tls: { key: testKey, cert: testCertificate } },
    limits: { stopGraceMs: 60_000 },
  })
  const silent = connect(server.serving.port, '127.0.0.1').on('error', () => undefined)
  await once(silent, 'connect')
  await server.close()
})
