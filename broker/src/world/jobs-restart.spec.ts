import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  type AccountId,
  auditFaults,
  type Command,
  type Instant,
  type IssuerCode,
  MINUTE,
  SECOND,
  type Ticker,
} from '@quipu/core'
import { openFilesJournal } from '../journal/files.ts'
import { AppendFailed, type Journal } from '../journal/journal.ts'
import { openMemoryJournal } from '../journal/memory.ts'
import { NotApplied } from '../journal/not-applied.ts'
import { openMemoryQueryTables } from '../query-tables/memory.ts'
import { makeRunJob } from './jobs.ts'
import {
  advance,
  chain,
  eventsOf,
  held,
  kindsOf,
  mint,
  openMintingWorld,
  plain,
  watched,
} from './testing/minting.ts'
import { amount, buy, decided, instant, openTestWorld, type TestWorld } from './testing/world.ts'

const WALLET = '0x52908400098527886e0f7030069857d2e4169ee7'

/** Runs jobs with an issuer that never responds, and counts the calls. */
function silentIssuer() {
  const calls: string[] = []
  const mint = ({ requestId }: { readonly requestId: string }) => {
    calls.push(requestId)
    return new Promise<never>(() => undefined)
  }
  return { calls, parts: { runJob: makeRunJob({ chain, issuer: { ...plain.issuer, mint } }) } }
}

const mintOne = (accountId: AccountId): Command => ({
  kind: 'requestMint',
  accountId,
  issuer: 'xstocks' as IssuerCode,
  network: 'base',
  underlying: 'AAPL' as Ticker,
  quantity: amount('1'),
  quantityText: '1',
  wallet: WALLET,
})

const shortPause = () => new Promise((resume) => setTimeout(resume, 20))

test('a call that is overdue at a restart is made once', async () => {
  const first = silentIssuer()
  const { world, clock, account } = await openTestWorld({ parts: first.parts })
  assert.ok((await decided(world, buy(account, 'AAPL', '10'))).ok)
  await clock.advance((clock.now() + SECOND) as Instant)
  assert.ok((await decided(world, mintOne(account.id))).ok)
  while (first.calls.length === 0) await shortPause()
  const journal = await world.storage.journal.fork()
  await world.close()

  const second = silentIssuer()
  const start = (instant('2026-01-05T15:00:00Z') + 5n * MINUTE) as Instant
  const again = await openTestWorld({ parts: second.parts, start, journal: async () => journal })
  while (second.calls.length === 0) await shortPause()
  // While a response may still come, the call is not repeated.
  void again.clock.advance((again.clock.now() + 10n * SECOND) as Instant)
  await shortPause()
  assert.equal(second.calls.length, 1)
  const [job] = again.world.view.jobs.values()
  assert.deepEqual([job?.attempts, job?.problem], [2, undefined])
  await again.world.close()
})

test('a call whose response is lost in a rebuild is repeated soon', async () => {
  const { promise: reopened, resolve: reopen } = Promise.withResolvers<Journal>()
  const journals: Promise<Journal>[] = [Promise.resolve(openMemoryJournal()), reopened]
  let failQueryTables: (error: unknown) => void = () => undefined
  const responses: PromiseWithResolvers<never>[] = []
  const mint = () => {
    responses.push(Promise.withResolvers())
    return responses.at(-1)!.promise
  }
  const { world, clock, account } = await openTestWorld({
    journal: () => journals.shift()!,
    parts: {
      runJob: makeRunJob({ chain, issuer: { ...plain.issuer, mint } }),
      openQueryTables(journal, failed) {
        failQueryTables = failed
        return openMemoryQueryTables(journal)
      },
    },
  })
  assert.ok((await decided(world, buy(account, 'AAPL', '10'))).ok)
  await clock.advance((clock.now() + SECOND) as Instant)
  assert.ok((await decided(world, mintOne(account.id))).ok)
  while (responses.length === 0) await shortPause()

  const journal = await world.storage.journal.fork()
  failQueryTables(new Error('the database is unavailable'))
  while (journals.length > 0) await shortPause()
  responses[0]!.reject(new Error('the issuer is not available'))
  await shortPause()
  reopen(journal)
  while (!world.status.isUp) await shortPause()
  void clock.advance((clock.now() + 2n * SECOND) as Instant)
  while (responses.length === 1) await shortPause()
  const [job] = world.view.jobs.values()
  assert.deepEqual([job?.attempts, job?.problem], [2, 'cut off by a restart'])
  await world.close()
})

test('a call that waits after a failure is not postponed by restarts', async () => {
  const mint = async () => {
    throw new Error('the issuer is not available')
  }
  const parts = { runJob: makeRunJob({ chain, issuer: { ...plain.issuer, mint } }) }
  const { world, clock, account } = await openTestWorld({ parts })
  assert.ok((await decided(world, buy(account, 'AAPL', '10'))).ok)
  await clock.advance((clock.now() + SECOND) as Instant)
  assert.ok((await decided(world, mintOne(account.id))).ok)
  const jobOf = ({ view }: typeof world) => [...view.jobs.values()][0]
  while (!jobOf(world)?.problem) await shortPause()
  const waiting = jobOf(world)
  const start = clock.now()
  const journal = await world.storage.journal.fork()
  await world.close()
  const again = await openTestWorld({ parts, start, journal: async () => journal })
  await again.world.commands.quiet()
  assert.deepEqual(jobOf(again.world), waiting)
  await again.world.close()
})

test('a job whose attempt is not stored adds no error to that of the journal', async () => {
  const stored = openMemoryJournal()
  const append = stored.append.bind(stored)
  let isBroken = false
  Object.assign(stored, {
    append: (group: Parameters<Journal['append']>[0]) =>
      isBroken ? Promise.reject(new AppendFailed(true, 'the connection broke')) : append(group),
  })
  const journals: Journal[] = [stored]
  const { calls, parts } = silentIssuer()
  const { world, clock, account, failures } = await openTestWorld({
    journal: async () => journals.pop()!,
    parts,
  })
  assert.ok((await decided(world, buy(account, 'AAPL', '10'))).ok)
  await clock.advance((clock.now() + SECOND) as Instant)
  journals.push(await stored.fork())
  isBroken = true
  await assert.rejects(decided(world, mintOne(account.id)), NotApplied)
  while (!world.status.isUp) await shortPause()
  assert.deepEqual([failures.map(String), calls], [['AppendFailed: the connection broke'], []])
  await world.close()
})

/** How a world restarts: the journal that the next incarnation reads. */
const restarts: readonly (readonly [string, (testWorld: TestWorld, folder: string) => Promise<Journal>])[] = [
  [
    'memory',
    async ({ world }) => {
      const journal = await world.storage.journal.fork()
      await world.close()
      return journal
    },
  ],
  [
    'files',
    async ({ world }, folder) => {
      await world.close()
      return openFilesJournal(folder)
    },
  ],
]

for (const [store, restart] of restarts)
  for (const step of ['mint', 'confirm', 'chain'])
    test(`${store}: a world that stops during the call "${step}" resumes after it, and moves the shares once`, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'quipu-jobs-'))
      t.after(() => rmSync(folder, { recursive: true }))
      const first = watched((call) =>
        call === step ? new Promise<never>(() => undefined) : Promise.resolve(),
      )
      const openJournal = store === 'files' ? () => openFilesJournal(folder) : undefined
      const before = await openMintingWorld(first.external, openJournal)
      const requestId = await mint(before, '4')
      while (!first.calls.includes(step)) await new Promise((resume) => setImmediate(resume))
      const journal = await restart(before, folder)
      const second = watched(async () => undefined)
      const after = await openMintingWorld(second.external, async () => journal)
      assert.equal(after.world.view.jobs.size, 1)
      // An interrupted call is repeated soon, not only when its response would be overdue.
      await advance(after, 2n)
      const events = await eventsOf(after)
      const kinds = kindsOf(events, requestId)
      assert.deepEqual([...first.calls, ...second.calls], callsWith(step))
      for (const once of [
        'mintRequested',
        'mintAccepted',
        'mintTransferred',
        'mintConfirmed',
        'mintCompleted',
      ])
        assert.equal(kinds.filter((kind) => kind === once).length, 1, once)
      assert.equal(held(after), amount('6'))
      assert.deepEqual(auditFaults(after.world.view), [])
      assert.deepEqual([...before.failures, ...after.failures], [])
      await after.world.close()
    })

/** Every call once, in order, and the interrupted one twice. */
const callsWith = (repeated: string): string[] =>
  ['mint', 'confirm', 'chain'].flatMap((call) => (call === repeated ? [call, call] : [call]))
