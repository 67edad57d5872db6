import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AccountId,
  type ActivityPosition,
  activitiesOf,
  decodeActivity,
  type Instant,
} from '@quipu/core'
import type { Committed } from '../../../journal/committed.ts'
import { AppendFailed, type Entry, type Journal } from '../../../journal/journal.ts'
import { openMemoryJournal } from '../../../journal/memory.ts'
import { partId } from '../../../wire/event-id.ts'
import { buy, decided, openTestWorld } from '../../../world/testing/world.ts'
import { follow } from '../../reading/follow.ts'
import { TRADES } from '../../testing/events.ts'
import { openTestServer } from '../../testing/server.ts'
import { accountEventHandlers } from '../events.ts'
import { accountLine, type Telling } from './account-source.ts'

async function eventually(what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; !holds(); tries++) {
    assert.ok(tries < 800, `never: ${what}`)
    await sleep(10)
  }
}

test('a socket on which nobody ever reads is cut off, and holds nobody up', async (t) => {
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
  await eventually('it is counted', () => server.services.eventStreams.size === 1)
  const account = server.world.view.accounts.get(server.accountId)!
  const resting = () => decided(server.world, buy(account, 'AAPL', '1', '1'))
  // More than the buffers between two sockets take.
  for (let round = 0; round < 60 && server.services.eventStreams.size === 1; round++)
    await Promise.all(Array.from({ length: 250 }, resting))
  await eventually('it is cut off', () => server.services.eventStreams.size === 0)
})

/** A journal that keeps a group and loses its answer, once for each time it is told to. */
function forgetfulJournal() {
  const kept = openMemoryJournal()
  const told = { losesAnswers: 0 }
  const open = async (): Promise<Journal> => ({
    append: async (entries: readonly Entry[]) => {
      await kept.append(entries)
      if (told.losesAnswers-- > 0) throw new AppendFailed(false, 'the answer was lost')
    },
    read: (after) => kept.read(after),
    isCurrentHolder: () => kept.isCurrentHolder(),
    head: () => kept.head(),
    hashAt: (seq) => kept.hashAt(seq),
    fork: (at) => kept.fork(at),
    close: async () => undefined,
  })
  return { open, told }
}

const idOf = ({ at, seq, n }: ActivityPosition): string => partId(at, seq, n)
const tellingOf = (accountId: AccountId): Telling => {
  const toldOf = (place: ActivityPosition) => ({ id: idOf(place), at: place.at, seq: place.seq, data: '' })
  return {
    part: 'activity',
    tell: ({ event, seq, order }: Committed) => activitiesOf(event, seq, order).map(toldOf),
    read: (record) => {
      const activity = decodeActivity(accountId, record)
      return { told: [toldOf(activity)], place: activity }
    },
  }
}

test('events that became durable while their answer was lost are sent after the rebuild, each once', async () => {
  const { open, told } = forgetfulJournal()
  const { world, account } = await openTestWorld({ journal: open })
  const leaving = new AbortController()
  const { id: accountId } = account
  const telling = tellingOf(accountId)
  const line = accountLine({ world, accountId, telling, from: 0n as Instant })
  const heard: string[] = []
  const reading = (async () => {
    for await (const some of follow(line, { signal: leaving.signal })) heard.push(...some.map(({ id }) => id))
  })()
  const fills = async () =>
    (await world.views.history({ accountId, part: 'activity', direction: 'asc' })).map((record) =>
      idOf(decodeActivity(accountId, record)),
    )
  const buyOne = async () => {
    const decision = await decided(world, buy(account, 'AAPL', '1'))
    assert.ok(decision.ok)
    await world.quiet()
  }
  await buyOne()
  told.losesAnswers = 1
  await assert.rejects(decided(world, buy(account, 'AAPL', '1')))
  await eventually('the world is back', () => isServing(world))
  await world.quiet()
  await world.views.reached(world.engine.durable)
  const all = await fills()
  await eventually('everything is heard', () => heard.length >= all.length)
  assert.ok(all.length >= 3, `${all.length}`)
  assert.deepEqual(heard, all)
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
