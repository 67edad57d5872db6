import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { NotApplied } from '@quipu/broker/journal/not-applied.ts'
import type { WorldId } from '@quipu/core'
import { call, OPEN_MONDAY, openTestServer, type TestServer } from '../testing/server.ts'
import { waitUntil } from '../testing/wait-until.ts'
import { readingHandlers } from './index.ts'
import { readSse } from './testing/reading.ts'

const servers: TestServer[] = []
after(async () => {
  for (const server of servers) await server.close()
})

async function open(limits: Parameters<typeof openTestServer>[0] = {}): Promise<TestServer> {
  const server = await openTestServer({ handlers: readingHandlers, ...limits })
  servers.push(server)
  return server
}

/** Creates events of about 1 kB each. */
async function createEvents({ world }: TestServer, count: number): Promise<void> {
  const name = 'n'.repeat(1_000)
  const submit = async (): Promise<void> => {
    try {
      await world.commands.submit({ kind: 'addPartner', name }, () => undefined)
    } catch (error) {
      // On a busy machine the query tables may be behind. A client sends the request again.
      if (!(error instanceof NotApplied)) throw error
      return submit()
    }
  }
  for (let done = 0; done < count; done += 500) await Promise.all(Array.from({ length: 500 }, submit))
}

function silentReader({ serving, operatorKey }: TestServer): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(serving.port, '127.0.0.1', () => {
      socket.write(
        [
          'GET /sim/v1/worlds/lab/events HTTP/1.1',
          `Host: 127.0.0.1:${serving.port}`,
          'Accept: text/event-stream',
          `APCA-API-KEY-ID: ${operatorKey.keyId}`,
          `APCA-API-SECRET-KEY: ${operatorKey.secretKey}`,
          '',
          '',
        ].join('\r\n'),
      )
      socket.pause()
      resolve(socket)
    })
  })
}

test('a client that does not read is disconnected and delays no other requests', async () => {
  // Long enough that the check for an open stream does not miss it.
  const server = await open({ limits: { responseReadTimeoutMs: 2_000 } })
  await createEvents(server, 20_000)
  const socket = await silentReader(server)
  await waitUntil('the stream is open', () => server.services.connections.eventStreams.size === 1)
  await createEvents(server, 1_000)
  await waitUntil('the client is disconnected', () => server.services.connections.eventStreams.size === 0)
  socket.destroy()
})

test('a client without new events stays connected', async () => {
  const server = await open({ limits: { responseReadTimeoutMs: 100 } })
  const stream = await readSse(server, '/sim/v1/worlds/lab/events?last=1', server.operatorKey)
  await stream.take(1)
  await sleep(500)
  await server.world.commands.submit({ kind: 'addPartner', name: 'late' }, () => undefined)
  assert.equal((await stream.take(1))[0]!.data['kind'], 'partnerAdded')
  stream.close()
  await waitUntil('the stream is closed', () => server.services.connections.eventStreams.size === 0)
})

test('more new events than the queue holds during the read of past events: each once, in order', async () => {
  const server = await open()
  await createEvents(server, 3_000)
  const stream = await readSse(server, '/sim/v1/worlds/lab/events', server.operatorKey)
  await stream.take(1)
  await createEvents(server, 5_000)
  const { seq } = server.world.storage.journal.head()
  const rest = await stream.take(seq - 1)
  assert.deepEqual(
    rest.map(({ id }) => Number(id)),
    Array.from({ length: seq - 1 }, (_, index) => index + 2),
  )
  stream.close()
})

test('deleting a world ends its streams, and a stop ends all streams', async () => {
  const server = await open()
  const { worlds } = server.services
  await worlds.lifecycle.create('brief' as WorldId, server.world.view.settings!, OPEN_MONDAY)
  const deleted = await readSse(server, '/sim/v1/worlds/brief/events', server.operatorKey)
  const other = await readSse(server, '/sim/v1/worlds/lab/requests', server.operatorKey)
  await worlds.lifecycle.delete('brief' as WorldId)
  await deleted.ended()
  assert.equal(server.services.connections.eventStreams.size, 1)
  server.services.connections.eventStreams.close()
  await other.ended()
})

test('HEAD of an event stream returns only the headers', async () => {
  const server = await open()
  const { status, headers } = await call(server, 'HEAD /sim/v1/worlds/lab/events', {
    key: server.operatorKey,
    headers: { accept: 'text/event-stream' },
  })
  assert.deepEqual([status, headers.get('content-type')], [200, 'text/event-stream'])
  assert.equal(server.services.connections.eventStreams.size, 0)
})
