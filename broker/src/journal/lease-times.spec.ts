import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import pg from 'pg'
import { connect, disconnect } from '../postgres/connection.ts'
import { Cluster } from '../postgres/testing/server.ts'
import { AppendFailed, Fenced } from './journal.ts'
import { LEASE_MS, LeaseHeld, RESPONSE_MS } from './lease.ts'
import { openPostgresJournal } from './postgres/journal.ts'
import { endLease, newHolder, takeLease } from './postgres/lease.ts'
import { Renewals } from './postgres/renewals.ts'
import { events } from './testing/journal-suite.ts'

const cluster = await Cluster.start()
after(() => cluster.stop())

/** The monotonic clock of the holder. It moves only while a response of the database is on its way. */
const clock = { nowMs: 0 }
/** The statement whose response is late, by its name, by how much, and what happens meanwhile. */
const late = { statement: '', byMs: 0, meanwhile: async (): Promise<unknown> => undefined }

class Client extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of the driver
  override async query(...query: readonly any[]): Promise<any> {
    const response = await Reflect.apply(super.query, this, query)
    if (query[0]?.name !== late.statement) return response
    await late.meanwhile()
    clock.nowMs += late.byMs
    late.statement = ''
    return response
  }
}

const nowMs = () => clock.nowMs

async function openHeld(world: string) {
  const renewals = new Renewals(cluster.url(), Client as typeof pg.Client, nowMs)
  const options = { url: cluster.url(), world, marketModel: 1, waits: false, nowMs, renewals }
  return openPostgresJournal({ ...options, Client: Client as typeof pg.Client })
}

/** The next response to this statement is late. */
function delay(statement: string, byMs: number, meanwhile = async (): Promise<unknown> => undefined): void {
  Object.assign(late, { statement, byMs, meanwhile })
}

const until = async (isDone: () => boolean): Promise<void> => {
  while (!isDone()) await new Promise(setImmediate)
}

test('the lease counts from when an append was sent, not from its response', async () => {
  const journal = await openHeld('append')
  delay('append', RESPONSE_MS - 100)
  await journal.append(events(1))
  assert.equal(journal.isCurrentHolder(), true)
  assert.equal(journal.leaseAgeMs?.(), RESPONSE_MS - 100)
  await journal.close()
})

test('the lease counts from when a renewal was sent, not from its response', async () => {
  const journal = await openHeld('renewal')
  delay('renew all', RESPONSE_MS + 100)
  await until(() => late.statement === '')
  await new Promise(setImmediate)
  assert.equal(journal.isCurrentHolder(), false)
  await journal.close()
})

test('an append whose response is late is acknowledged after the lease is renewed', async () => {
  const journal = await openHeld('late')
  delay('append', RESPONSE_MS + 100)
  await journal.append(events(1))
  assert.equal(journal.isCurrentHolder(), true)
  assert.equal(journal.leaseAgeMs?.(), 0)
  await journal.close()
})

test('an append whose response is late is not acknowledged if another holder has the world', async () => {
  const journal = await openHeld('taken')
  delay('append', LEASE_MS + 100, () =>
    cluster.run("UPDATE quipu_journals SET fence = fence + 1 WHERE world = 'taken'"),
  )
  await assert.rejects(journal.append(events(1)), (error) => error instanceof AppendFailed && !error.certain)
})

test('a node keeps the lease of a closed journal, such as during a reset, until it ends the renewals', async () => {
  const renewed = new Set<object>()
  const renewals = {
    add: (journal: object) => void renewed.add(journal),
    remove: async (journal: object) => void renewed.delete(journal),
  }
  const open = (name: string) => {
    const holder = { name, address: `http://${name}`, fence: 0 }
    const options = { url: cluster.url(), world: 'kept', marketModel: 1, onlyFree: true, isMigrated: true }
    return openPostgresJournal({ ...options, holder, renewals })
  }
  const journal = await open('one')
  await journal.close()
  assert.equal(renewed.size, 1)
  await assert.rejects(open('two'), LeaseHeld)
  await journal.endRenewals()
  assert.equal(renewed.size, 0)
})

test('a process that lost a world does not end the lease of the next holder', async (t) => {
  const world = 'taken-over'
  await (await openHeld(world)).endRenewals()
  const connection = await connect(cluster.url())
  t.after(() => disconnect(connection))
  const request = { address: '', world, marketModel: 1 }
  const [lost, next] = [newHolder(), newHolder()]
  for (const holder of [lost, next]) await takeLease(connection, request, holder, { waits: false })
  await assert.rejects(takeLease(connection, request, lost), Fenced)
  await endLease(connection, world, lost.fence)
  const { rows } = await connection.query('SELECT fence, expires_at FROM quipu_journals WHERE world = $1', [
    world,
  ])
  assert.equal(Number(rows[0].fence), next.fence)
  assert.notEqual(rows[0].expires_at, null)
})
