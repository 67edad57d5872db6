import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  auditFaults,
  type BrokerEvent,
  definedFields,
  type Instant,
  type IssuerCode,
  type Quantity,
  type RequestId,
  type Ticker,
  type TokenizationRequest,
} from '@quipu/core'
import type { Chain } from '../chain/chain.ts'
import { simulatedChain } from '../chain/simulated.ts'
import { builtinIssuer, builtinIssuers, setUpIssuers } from '../issuer/builtin.ts'
import type { TokenIssuer } from '../issuer/issuer.ts'
import { openFilesJournal } from '../journal/files.ts'
import type { Journal } from '../journal/journal.ts'
import { eventOf } from '../journal/stored-event.ts'
import { type ExternalServices, makeRunJob } from './jobs.ts'
import { amount, buy, decided, openTestWorld, type TestWorld } from './testing/world.ts'

const SECOND = 1_000_000_000n
const chain = simulatedChain()
const plain: ExternalServices = { chain, issuer: builtinIssuer(chain) }
const never = new Promise<never>(() => undefined)

/** Counts calls and runs `before` ahead of each. */
function watched(before: (call: string, count: number) => Promise<void>) {
  const calls: string[] = []
  const through = async <Value>(call: string, run: () => Promise<Value>): Promise<Value> => {
    calls.push(call)
    await before(call, calls.filter((one) => one === call).length)
    return run()
  }
  const issuer: TokenIssuer = {
    ...plain.issuer,
    mint: (request) => through('mint', () => plain.issuer.mint(request)),
    confirm: (notification) => through('confirm', () => plain.issuer.confirm(notification)),
  }
  const watchedChain: Chain = {
    validateAddress: chain.validateAddress,
    txHash: chain.txHash,
    mint: (mint) => through('chain', () => chain.mint(mint)),
  }
  return { calls, external: { issuer, chain: watchedChain } }
}

/** A world whose account holds ten shares and may mint. */
async function open(external: ExternalServices, journal?: () => Promise<Journal>): Promise<TestWorld> {
  const testWorld = await openTestWorld(definedFields({ parts: { runJob: makeRunJob(external) }, journal }))
  const { world, account } = testWorld
  if (world.view.positions.size > 0) return testWorld
  const [partnerId] = world.view.partners.keys()
  await setUpIssuers(world, { partnerId: partnerId!, link: [account.id] })
  assert.ok((await decided(world, buy(account, 'AAPL', '10'))).ok)
  await world.commands.quiet()
  return testWorld
}

async function mint({ world, account }: TestWorld, quantity: string): Promise<RequestId | string> {
  const { value } = await world.commands.submit(
    {
      kind: 'requestMint',
      accountId: account.id,
      issuer: 'xstocks' as IssuerCode,
      network: 'base',
      underlying: 'AAPL' as Ticker,
      quantity: amount<Quantity>(quantity),
      quantityText: quantity,
      wallet: '0x52908400098527886e0f7030069857d2e4169ee7',
    },
    (_, decision) =>
      decision.ok ? (decision.value[0] as { request: TokenizationRequest }).request.id : decision.reason.code,
  )
  return value
}

async function eventsOf({ world }: TestWorld): Promise<BrokerEvent[]> {
  await world.commands.quiet()
  const events: BrokerEvent[] = []
  for await (const entries of world.storage.journal.read(0)) events.push(...entries.map(eventOf))
  return events
}

const kindsOf = (events: readonly BrokerEvent[], requestId: string): string[] =>
  events
    .filter((event) =>
      'requestId' in event ? event.requestId === requestId : event.kind === 'mintRequested',
    )
    .map(({ kind }) => kind)

const held = ({ world, account }: TestWorld) =>
  world.view.positions.get(account.id)?.get('AAPL' as Ticker)?.quantity ?? 0n
const advance = ({ clock }: TestWorld, seconds: bigint) =>
  clock.advance((clock.now() + seconds * SECOND) as Instant)

test('a mint runs from hold to tokens while the clock is stopped', async () => {
  const testWorld = await open(plain)
  const requestId = await mint(testWorld, '2.5')
  const events = await eventsOf(testWorld)
  assert.deepEqual(kindsOf(events, requestId), [
    'mintRequested',
    'jobStarted',
    'mintAccepted',
    'mintTransferred',
    'jobStarted',
    'mintConfirmed',
    'jobStarted',
    'mintCompleted',
  ])
  const completed = events.find((event) => event.kind === 'mintCompleted')
  assert.match(completed!.txHash, /^0x[0-9a-f]{64}$/)
  assert.equal(held(testWorld), amount('7.5'))
  assert.equal(testWorld.world.view.jobs.size, 0)
  assert.deepEqual(auditFaults(testWorld.world.view), [])
  assert.deepEqual(testWorld.failures, [])
})

test('the issuer receives its own symbols, and our request id', async () => {
  const requests: unknown[] = []
  const issuer: TokenIssuer = {
    ...plain.issuer,
    mint: async (request) => {
      requests.push(request)
      return plain.issuer.mint(request)
    },
    confirm: async (notification) => {
      requests.push(notification)
      return { ok: true }
    },
  }
  const testWorld = await open({ chain, issuer })
  const requestId = await mint(testWorld, '1.50')
  await testWorld.world.commands.quiet()
  const participant = { accountId: testWorld.account.id }
  const response = await plain.issuer.mint(requests[0] as never)
  assert.deepEqual(requests, [
    {
      requestId,
      issuer: 'xstocks',
      underlying: 'AAPL',
      tokenSymbol: 'AAPLx',
      network: 'base',
      quantityText: '1.50',
      wallet: '0x52908400098527886e0f7030069857d2e4169ee7',
      participant,
    },
    { requestId, issuer: 'xstocks', issuerRequestId: response.ok && response.issuerRequestId, participant },
  ])
})

for (const [when, patch, then, left] of [
  ['the mint request', { mint: async () => ({ ok: false, reason: 'no' }) }, ['mintRejected'], '10'],
  [
    'the confirmation',
    { confirm: async () => ({ ok: false, reason: 'no' }) },
    ['mintAccepted', 'mintTransferred', 'mintRejected'],
    '10',
  ],
] as readonly (readonly [string, Partial<TokenIssuer>, readonly string[], string])[])
  test(`an issuer that rejects ${when} leaves the shares with their owner`, async () => {
    const testWorld = await open({ chain, issuer: { ...plain.issuer, ...patch } })
    const requestId = await mint(testWorld, '4')
    const kinds = kindsOf(await eventsOf(testWorld), requestId)
    assert.deepEqual(
      kinds.filter((kind) => kind !== 'mintRequested' && kind !== 'jobStarted'),
      then,
    )
    assert.equal(held(testWorld), amount(left))
    assert.equal(testWorld.world.view.jobs.size, 0)
    assert.deepEqual(auditFaults(testWorld.world.view), [])
  })

for (const failing of ['mint', 'confirm', 'chain'])
  test(`a failed call (${failing}) is retried after a pause, and the request completes`, async () => {
    const { calls, external } = watched(async (call, count) => {
      if (call === failing && count <= 2) throw new Error('no response')
    })
    const testWorld = await open(external)
    const requestId = await mint(testWorld, '4')
    await testWorld.world.commands.quiet()
    const [job] = testWorld.world.view.jobs.values()
    assert.equal(job?.problem, 'no response')
    await advance(testWorld, 10n)
    const kinds = kindsOf(await eventsOf(testWorld), requestId)
    assert.equal(kinds.filter((kind) => kind === 'jobFailed').length, 2)
    assert.equal(kinds.at(-1), 'mintCompleted')
    assert.equal(calls.filter((call) => call === failing).length, 3)
    assert.equal(kinds.filter((kind) => kind === 'mintTransferred').length, 1)
    assert.deepEqual(testWorld.failures, [])
  })

test('of two mints for the last share one succeeds', async () => {
  const testWorld = await open(plain)
  const responses = await Promise.all([mint(testWorld, '10'), mint(testWorld, '10')])
  assert.equal(responses.filter((one) => one === 'tokenizationInsufficientPosition').length, 1)
  await testWorld.world.commands.quiet()
  assert.equal(held(testWorld), 0n)
  assert.deepEqual(auditFaults(testWorld.world.view), [])
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
      const first = watched((call) => (call === step ? never : Promise.resolve()))
      const openJournal = store === 'files' ? () => openFilesJournal(folder) : undefined
      const before = await open(first.external, openJournal)
      const requestId = await mint(before, '4')
      while (!first.calls.includes(step)) await new Promise((resume) => setImmediate(resume))
      const journal = await restart(before, folder)
      const second = watched(async () => undefined)
      const after = await open(second.external, async () => journal)
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

test('a response that arrives after the world has closed changes nothing', async () => {
  let answer = (): void => undefined
  const { external, calls } = watched(
    () =>
      new Promise<void>((resolve) => {
        answer = resolve
      }),
  )
  const testWorld = await open(external)
  await mint(testWorld, '4')
  while (calls.length === 0) await new Promise((resume) => setImmediate(resume))
  const { seq } = testWorld.world.view
  const journal = await testWorld.world.storage.journal.fork()
  await testWorld.world.close()
  answer()
  await new Promise((resume) => setImmediate(resume))
  assert.equal(journal.head().seq, seq)
  assert.deepEqual(testWorld.failures, [])
})

test('issuers are set up once; each has an account that does not trade', async () => {
  const testWorld = await open(plain)
  const { world, account } = testWorld
  const { seq, accounts } = world.view
  const [partnerId] = world.view.partners.keys()
  await setUpIssuers(world, { partnerId: partnerId!, link: [account.id] })
  assert.equal(world.view.seq, seq)
  assert.equal(accounts.size, 1 + builtinIssuers.length)
  for (const { accountId, code } of world.view.issuers.values()) {
    assert.equal(accounts.get(accountId)?.issuer, code)
    const decision = await decided(world, buy(accounts.get(accountId)!, 'AAPL', '1'))
    assert.equal(decision.ok, false)
  }
})
