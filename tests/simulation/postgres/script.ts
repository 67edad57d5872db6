import assert from 'node:assert/strict'
import { emptyState, type WorldId } from '@quipu/core'
import {
  deleteNode,
  readTable,
  renewNode,
  setDraining,
  shortenLeases,
} from '../../../broker/src/cluster/table.ts'
import type { Entry, Journal } from '../../../broker/src/journal/journal.ts'
import { Fenced } from '../../../broker/src/journal/journal.ts'
import { LeaseHeld } from '../../../broker/src/journal/lease.ts'
import { openPostgresJournal } from '../../../broker/src/journal/postgres/journal.ts'
import {
  endLease,
  type Holder,
  releaseLease,
  renewLease,
  renewLeases,
  takeLease,
} from '../../../broker/src/journal/postgres/lease.ts'
import type { LeasedJournal } from '../../../broker/src/journal/postgres/leased-journal.ts'
import { entry } from '../../../broker/src/journal/testing/entries.ts'
import {
  type ClientClass,
  connect,
  openPool,
  withConnection,
} from '../../../broker/src/postgres/connection.ts'
import { prepareState } from '../../../broker/src/query-tables/postgres/prepared-state.ts'
import {
  loadPostgresSnapshot,
  writePostgresSnapshot,
} from '../../../broker/src/query-tables/postgres/snapshot.ts'
import { lossInPostgres } from '../../../broker/src/registry/store/postgres-loss.ts'
import { plainSettings } from '../../../broker/src/world/testing/world.ts'

/** The server that receives the statements. */
export type Target = { readonly url: string; readonly Client: ClientClass }

const WORLD = 'scripted' as WorldId
const OPTIONS = { address: 'here', world: WORLD, marketModel: 1 }

const entries = (from: number, count: number): Entry[] =>
  Array.from({ length: count }, (_, index) => {
    const open = JSON.stringify({
      number: from + index,
      text: 'Ünïcödé \\ "quoted" 🪢'.repeat((from + index) % 4),
    })
    return (from + index) % 3 === 0 ? entry(open, `\0secret ${from + index}`) : entry(open)
  })

const newHolder = (name: string): Holder => ({ name, fence: 0 })

/** Renewals by a timer would come at any time between the other statements. */
const never = { add: () => undefined, remove: async () => undefined }

/** All statements of the program for a journal, its lease and its snapshots, one after the other. */
export async function script({ url, Client }: Target): Promise<void> {
  const open = (holder: Holder) =>
    openPostgresJournal({ url, Client, ...OPTIONS, holder, segmentEvents: 4, waits: false, renewals: never })
  const first = newHolder('first')
  const journal = await open(first)
  for (const [from, count] of [
    [1, 1],
    [2, 3],
    [5, 9],
    [14, 2],
  ] as const)
    await journal.append(entries(from, count))
  assert.deepEqual(await all(journal), entries(1, 15))
  await journal.hashAt(6)
  await journal.close()
  const again = await open(first)
  await again.append(entries(16, 1))
  const newer = await open(newHolder('second'))
  await assert.rejects(again.append(entries(17, 1)), Fenced)
  await assert.rejects(open(first), Fenced)
  await newer.append(entries(17, 2))
  await takeSnapshots({ url, Client }, newer)
  await newer.close()
  await failInTransaction({ url, Client })
  await waitForRow({ url, Client })
  await moveBetweenNodes({ url, Client })
}

async function all(journal: Journal): Promise<readonly Entry[]> {
  const found: Entry[] = []
  for await (const batch of journal.read(0)) found.push(...batch)
  return found
}

/** Writes more snapshots than are kept, one of them twice, and one of another journal. */
async function takeSnapshots({ url, Client }: Target, journal: LeasedJournal): Promise<void> {
  const take = async (seq: number, hash: string) =>
    withConnection(
      url,
      (connection) =>
        writePostgresSnapshot(
          connection,
          WORLD,
          { ...emptyState(), settings: plainSettings, seq },
          { hash, keep: 2, fence: journal.fence },
        ),
      { Client },
    )
  for (const seq of [3, 5, 5, 12, 9]) await take(seq, await journal.hashAt(seq))
  await take(14, 'another journal')
  const pool = openPool(url, Client)
  assert.equal((await loadPostgresSnapshot(pool, WORLD, journal))?.seq, 12)
  await pool.end()
}

async function failInTransaction({ url, Client }: Target): Promise<void> {
  const connection = await connect(url, { Client })
  const codeOf = (text: string, values?: unknown[]) =>
    connection.query(text, values).then(
      () => 'done',
      (error: { code: string }) => error.code,
    )
  const insert = 'INSERT INTO quipu_snapshots (world, seq, line, body) VALUES ($1, $2, $3, $4)'
  await connection.query('BEGIN')
  assert.equal(await codeOf(insert, ['other', 1, 0, 'body']), 'done')
  assert.equal(await codeOf(insert, ['other', 1, 0, 'body']), '23505')
  assert.equal(await codeOf('SELECT 1'), '25P02')
  await connection.query('COMMIT')
  assert.equal(await codeOf(insert, ['other', 1, 0, 'body']), 'done')
  await connection.end()
}

/** A process that takes a lease waits for another process that is taking it. */
async function waitForRow({ url, Client }: Target): Promise<void> {
  const [one, other] = [await connect(url, { Client }), await connect(url, { Client })]
  await one.query('BEGIN')
  const { fence } = await takeLease(one, OPTIONS, newHolder('third'), { waits: false })
  assert.equal(await renewLease(one, WORLD, fence), true)
  let isTaken = false
  const taking = takeLease(other, OPTIONS, newHolder('fourth'), { waits: false }).then((lease) => {
    isTaken = true
    return lease
  })
  await new Promise((resume) => setTimeout(resume, 50))
  assert.equal(isTaken, false)
  await one.query('COMMIT')
  assert.equal((await taking).fence, fence + 1)
  const renewed = [await renewLease(one, WORLD, fence), await renewLease(one, WORLD, fence + 1)]
  assert.deepEqual(renewed, [false, true])
  const held = [
    { world: WORLD, fence: fence + 1 },
    { world: 'another', fence: 1 },
  ]
  assert.deepEqual(await renewLeases(one, held), new Set([WORLD]))
  assert.deepEqual(await renewLeases(one, [{ world: WORLD, fence }]), new Set())
  await releaseLease(one, WORLD, fence + 1)
  await Promise.all([one.end(), other.end()])
}

/** The statements of nodes of a cluster: one claims a world and hands it over to another. */
async function moveBetweenNodes({ url, Client }: Target): Promise<void> {
  const pool = openPool(url, Client)
  const connection = await connect(url, { Client })
  const [one, two] = ['one', 'two'].map((name) => ({ name, address: `http://${name}`, fence: 0 }))
  for (let times = 2; times > 0; times--)
    await renewNode(pool, { ...one!, version: '1', failures: { ['main' as WorldId]: 'an error' } })
  await setDraining(pool, 'one', true)
  await setDraining(pool, 'nobody', true)
  const request = { ...OPTIONS, world: 'main' }
  const claim = (holder: Holder) => takeLease(connection, request, holder, { onlyFree: true })
  await readTable(pool)
  await shortenLeases(pool)
  const { fence } = await claim(one!)
  await assert.rejects(claim(two!), LeaseHeld)
  await readTable(pool)
  await endLease(pool, 'main', fence, two)
  // The fencing number ends with the lease.
  assert.equal(await renewLease(connection, 'main', fence), false)
  await endLease(pool, 'main', (await claim(two!)).fence)
  assert.equal((await claim({ ...one!, fence: 0 })).fence, fence + 4)
  await prepareState(pool, request.world as WorldId)
  await lossInPostgres(pool, request.world)
  await deleteNode(pool, 'one')
  await readTable(pool)
  await connection.end()
  await pool.end()
}
