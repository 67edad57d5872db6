import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { connect as connectTls, createServer as createTlsServer } from 'node:tls'
import { testCertificate, testKey } from '../testing/certificate.ts'
import { resetConnection } from './reset-connection.ts'

type Pair = { readonly accepted: Socket; readonly client: Socket }

/** Both ends of a connection. The client does not end its own direction. */
async function openPair(isTls: boolean): Promise<Pair> {
  const server = isTls
    ? createTlsServer({ key: testKey, cert: testCertificate })
    : createServer({ allowHalfOpen: true })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const to = { port, host: '127.0.0.1', allowHalfOpen: true }
  const client = isTls ? connectTls({ ...to, ca: testCertificate }) : connect(to)
  const [[accepted]] = (await Promise.all([
    once(server, isTls ? 'secureConnection' : 'connection'),
    once(client, isTls ? 'secureConnect' : 'connect'),
  ])) as [[Socket], unknown]
  server.close()
  return { accepted, client: client.resume() }
}

/** Waits for the end of a connection. Returns the code of its error. */
const endOf = (socket: Socket): Promise<string | undefined> =>
  new Promise((resolve) => {
    let code: string | undefined
    socket.on('error', (error: NodeJS.ErrnoException) => {
      code = error.code
    })
    socket.on('close', () => resolve(code))
  })

for (const isTls of [false, true]) {
  const name = isTls ? 'TLS' : 'TCP'

  test(`${name}: the other side sees a reset`, async () => {
    const { accepted, client } = await openPair(isTls)
    const ends = Promise.all([accepted, client].map(endOf))
    resetConnection(accepted)
    assert.deepEqual(await ends, [undefined, 'ECONNRESET'])
  })

  test(`${name}: also while bytes before the end are unsent`, async () => {
    const { accepted, client } = await openPair(isTls)
    const ends = Promise.all([accepted, client].map(endOf))
    accepted.end(Buffer.alloc(32 << 20))
    resetConnection(accepted)
    assert.equal((await ends)[1], 'ECONNRESET')
  })

  // Node does not close the handle of a socket that is reset during its shutdown, and then spins when it exits.
  test(`${name}: a connection whose end is being sent is closed`, async () => {
    const { accepted, client } = await openPair(isTls)
    const end = endOf(accepted)
    accepted.end('the last bytes')
    const reset = (): void => {
      if (accepted.writableLength > 0) setImmediate(reset)
      else resetConnection(accepted)
    }
    reset()
    assert.equal(await end, undefined)
    client.destroy()
  })
}
