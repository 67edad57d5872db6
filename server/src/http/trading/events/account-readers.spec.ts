import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import type { Committed } from '@quipu/broker/journal/committed.ts'
import { AppendFailed, type Entry, type Journal } from '@quipu/broker/journal/journal.ts'
import { openMemoryJournal } from '@quipu/broker/journal/memory.ts'
import { buy, decided, openTestWorld } from '@quipu/broker/world/testing/world.ts'
import {
  type AccountId,
  type ActivityPosition,
  activitiesOf,
  decodeActivity,
  type Instant,
} from '@quipu/core'
import { partId } from '../../../wire/event-id.ts'
import { followReading } from '../../reading/follow.ts'
import { TRADES } from '../../testing/events.ts'
import { openTestServer } from '../../testing/server.ts'
import { waitUntil } from '../../testing/wait-until.ts'
import { accountEventHandlers } from '../events.ts'
import { accountSource, type EventFormat } from './account-source.ts'

test('a client that never reads is disconnected and delays no other requests', async (t) => {
  const server = await openTestServer({
    handlers: accountEventHandlers,
    limits: { responseReadTimeoutMs: 200 },
  })
  t.after(() => server.close())
  const { keyId, secretKey } = server.key
  const socket = connect(server.serving.port, '127.0.0.1')
  t.after(() => socket.destroy())
  socket.pause()
  socket.on('error', () => undefined)
  socket.write(
    `GET ${TRADES} HTTP/1.1\r\nHost: localhost\r\nAPCA-API-KEY-ID: ${keyId}\r\nAPCA-API-SECRET-KEY: ${secretKey}\r\n\r\n`,
  )
  await waitUntil('the stream is open', () => server.services.connections.eventStreams.size === 1)
  const account = server.world.view.accounts.get(server.accountId)!
  const resting = () => decided(server.world, buy(account, 'AAPL', '1', '1'))
  // More than the buffers of the two sockets hold.
  for (let round = 0; round < 60 && server.services.connections.eventStreams.size === 1; round++)
    await Promise.all(Array.from({ length: 250 }, resting))
  await waitUntil('the client is disconnected', () => server.services.connections.eventStreams.size === 0)
})

/** A journal that stores a group but reports a failure, as often as `failures.count`. */
function forgetfulJournal() {
  const journal = openMemoryJournal()
  const failures = { count: 0 }
  const open = async (): Promise<Journal> => ({
    append: async (entries: readonly Entry[]) => {
      await journal.append(entries)
      if (failures.count-- > 0) throw new AppendFailed(false, 'the response was lost')
    },
    read: (after) => journal.read(after),
    isCurrentHolder: () => journal.isCurrentHolder(),
    head: () => journal.head(),
    hashAt: (seq) => journal.hashAt(seq),
    fork: (at) => journal.fork(at),
    close: async () => undefined,
  })
  return { open, failures }
}

const idOf = ({ at, seq, n }: ActivityPosition): string => partId(at, seq, n)
const formatOf = (accountId: AccountId): EventFormat => {
  const messageOf = (position: ActivityPosition) => ({
    id: idOf(position),
    at: position.at,
    seq: position.seq,
    data: '',
  })
  return {
    messagesOf: ({ event, seq, order }: Committed) => activitiesOf(event, seq, order).map(messageOf),
    past: async (queryTables, query) =>
      (await queryTables.history({ ...query, part: 'activity' })).map((record) => {
        const activity = decodeActivity(accountId, record)
        return { messages: [messageOf(activity)], position: activity }
      }),
  }
}

test('events that became durable while their response was lost are sent after the rebuild, each once', async () => {
  const { open, failures } = forgetfulJournal()
  const { world, account } = await openTestWorld({ journal: open })
  const leaving = new AbortController()
  const { id: accountId } = account
  const format = formatOf(accountId)
  const source = accountSource({ world, accountId, format, from: 0n as Instant })
  const received: string[] = []
  const reading = (async () => {
    for await (const some of followReading(source, { signal: leaving.signal }))
      received.push(...some.map(({ id }) => id))
  })()
  const fills = async () =>
    (await world.storage.queryTables.history({ accountId, part: 'activity', direction: 'asc' })).map(
      (record) => idOf(decodeActivity(accountId, record)),
    )
  const buyOne = async () => {
    const decision = await decided(world, buy(account, 'AAPL', '1'))
    assert.ok(decision.ok)
    await world.commands.quiet()
  }
  await buyOne()
  failures.count = 1
  await assert.rejects(decided(world, buy(account, 'AAPL', '1')))
  await waitUntil('the world is back', () => isServing(world))
  await world.commands.quiet()
  await world.storage.queryTables.reached(world.engine.durable)
  const all = await fills()
  await waitUntil('all events are received', () => received.length >= all.length)
  assert.ok(all.length >= 3, `${all.length}`)
  assert.deepEqual(received, all)
  leaving.abort()
  await reading
  await world.close()
})

function isServing(world: { readonly view: unknown }): boolean {
  try {
    return world.view !== undefined
  } catch {
    return false
  }
}
