import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { type KeyPair, seedWorld } from '@quipu/broker/access/issue-keys.ts'
import { threadMicros } from '@quipu/broker/threads/thread-clock.ts'
import type { WorldId } from '@quipu/core'
import { openTestServer, type TestServer } from './testing/server.ts'

const REQUESTS = 40

test('a request of a quiet world is answered before most of forty requests of a busy one', async () => {
  const begun: string[] = []
  const server = await openTestServer({
    limits: { connectionRequestsMax: REQUESTS + 2 },
    handlers: {
      getClock: (_, { account: { world } }) => {
        begun.push(world.id)
        return { timestamp: world.id, is_open: true, next_open: '', next_close: '' }
      },
    },
  })
  const quiet = await keyOfNewWorld(server, 'quiet')
  // One write on one connection, so that the server reads all requests in the same turn.
  const busy = Array.from({ length: REQUESTS }, () => textOf(server.key))
  const responses = await responsesTo(server, [textOf(quiet), ...busy, textOf(quiet)])
  await server.close()
  assert.equal(responses.length, REQUESTS + 2)
  assert.ok(responses.every((response) => response.startsWith('200')))
  assert.ok(begun.lastIndexOf('quiet') < REQUESTS / 2, `the quiet world waited: ${begun.join(' ')}`)
})

test('one turn does not read the requests of thirty connections of another world, if that takes long', async () => {
  const server = await openTestServer({
    handlers: {
      getClock: () => {
        // Longer than the reading of a turn may take.
        for (const end = threadMicros() + 1500; threadMicros() < end; );
        return { timestamp: '', is_open: true, next_open: '', next_close: '' }
      },
    },
  })
  const other = await keyOfNewWorld(server, 'other')
  await responsesTo(server, [textOf(server.key)])
  const sockets = Array.from({ length: 30 }, () => connect(server.serving.port, '127.0.0.1'))
  const askAll = () => Promise.all(sockets.map((socket) => responsesTo(server, [textOf(other)], socket)))
  // The server knows the world of a connection from its first request.
  await askAll()
  const readByTurn = [0]
  server.serving.server.prependListener('request', () => (readByTurn[readByTurn.length - 1]! += 1))
  let isOver = false
  const countTurn = (): void => {
    readByTurn.push(0)
    if (!isOver) setImmediate(countTurn)
  }
  countTurn()
  const responses = await askAll()
  isOver = true
  for (const socket of sockets) socket.destroy()
  await server.close()
  assert.ok(responses.flat().every((response) => response.startsWith('200')))
  assert.equal(
    readByTurn.reduce((sum, count) => sum + count),
    30,
  )
  assert.ok(Math.max(...readByTurn) < 15, `requests read turn by turn: ${readByTurn.join(' ')}`)
})

async function keyOfNewWorld({ services, world }: TestServer, id: string): Promise<KeyPair> {
  const settings = world.view.settings!
  const created = await services.worlds.lifecycle.create(id as WorldId, settings, world.engine.now)
  const { accounts } = await seedWorld(created.world, { accounts: ['paper'], cash: settings.startingCash })
  return accounts[0]!
}

const textOf = ({ keyId, secretKey }: KeyPair): string =>
  `GET /v2/clock HTTP/1.1\r\nHost: localhost\r\nAPCA-API-KEY-ID: ${keyId}\r\nAPCA-API-SECRET-KEY: ${secretKey}\r\n\r\n`

/** The text of each response. */
function responsesTo(
  { serving }: TestServer,
  requests: readonly string[],
  socket = connect(serving.port, '127.0.0.1'),
): Promise<readonly string[]> {
  return new Promise((resolve, reject) => {
    let text = ''
    socket.setEncoding('latin1').on('error', reject)
    socket.on('data', (chunk) => {
      text += chunk
      const responses = text.split('HTTP/1.1 ').slice(1)
      if (responses.length < requests.length) return
      socket.removeAllListeners('data')
      resolve(responses)
    })
    socket.write(requests.join(''))
  })
}
