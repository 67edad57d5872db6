import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  type BrokerEvent,
  faultsOf,
  type Instant,
  type IssuerCode,
  type Quantity,
  type RequestId,
  type Ticker,
  type TokenizationRequest,
} from '@quipu/core'
import type { Chain } from '../chain/chain.ts'
import { simulatedChain } from '../chain/simulated.ts'
import { builtinIssuer } from '../issuer/builtin.ts'
import { builtinIssuers } from '../issuer/builtin-issuers.ts'
import type { TokenIssuer } from '../issuer/issuer.ts'
import { setUpIssuers } from '../issuer/set-up.ts'
import { openFilesJournal } from '../journal/files.ts'
import type { Journal } from '../journal/journal.ts'
import { eventOf } from '../journal/stored-event.ts'
import { makeRunJob, type Outside } from './jobs.ts'
import { amount, buy, decided, openTestWorld, type TestWorld } from './testing/world.ts'

const SECOND = 1_000_000_000n
const chain = simulatedChain()
const plain: Outside = { chain, issuer: builtinIssuer(chain) }
const never = new Promise<never>(() => undefined)

/** Counts calls, and does with each what the test wants before it lets it through. */
function watched(before: (call: string, count: number) => Promise<void>) {
  const calls: string[] = []
  const through = async <Value>(call: string, run: () => Promise<Value>): Promise<Value> => {
    calls.push(call)
    await before(call, calls.filter((one) => one === call).length)
    return run()
  }
  const issuer: TokenIssuer = {
    ...plain.issuer,
    mint: (question) => through('mint', () => plain.issuer.mint(question)),
    confirm: (news) => through('confirm', () => plain.issuer.confirm(news)),
  }
  const watchedChain: Chain = {
    validateAddress: chain.validateAddress,
    txHash: chain.txHash,
    mint: (mint) => through('chain', () => chain.mint(mint)),
  }
  return { calls, outside: { issuer, chain: watchedChain } }
}

/** A world whose account holds ten shares and may mint. */
async function open(outside: Outside, journal?: () => Promise<Journal>): Promise<TestWorld> {
  const made = await openTestWorld({
    parts: { runJob: makeRunJob(outside) },
    ...(journal ? { journal } : {}),
  })
  const { world, account } = made
  if (world.view.positions.size > 0) return made
  const [partnerId] = world.view.partners.keys()
  await setUpIssuers(world, { partnerId: partnerId!, link: [account.id] })
  assert.ok((await decided(world, buy(account, 'AAPL', '10'))).ok)
  await world.quiet()
  return made
}

async function mint({ world, account }: TestWorld, quantity: string): Promise<RequestId | string> {
  const { value } = await world.submit(
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
  await world.quiet()
  const events: BrokerEvent[] = []
  for await (const entries of world.journal.read(0)) events.push(...entries.map(eventOf))
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

test('a mint runs from hold to tokens in a world whose clock stands still', async () => {
  const made = await open(plain)
  const requestId = await mint(made, '2.5')
  const events = await eventsOf(made)
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
  assert.equal(held(made), amount('7.5'))
  assert.equal(made.world.view.jobs.size, 0)
  assert.deepEqual(faultsOf(made.world.view), [])
  assert.deepEqual(made.failures, [])
})

test('the issuer is asked in its own words, and told by our id', async () => {
  const questions: unknown[] = []
  const issuer: TokenIssuer = {
    ...plain.issuer,
    mint: async (question) => {
      questions.push(question)
      return plain.issuer.mint(question)
    },
    confirm: async (news) => {
      questions.push(news)
      return { ok: true }
    },
  }
  const made = await open({ chain, issuer })
  const requestId = await mint(made, '1.50')
  await made.world.quiet()
  const participant = { accountId: made.account.id }
  const answer = await plain.issuer.mint(questions[0] as never)
  assert.deepEqual(questions, [
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
    { requestId, issuer: 'xstocks', issuerRequestId: answer.ok && answer.issuerRequestId, participant },
  ])
})

for (const [when, patch, then, left] of [
  ['the first question', { mint: async () => ({ ok: false, reason: 'no' }) }, ['mintRejected'], '10'],
  [
    'the news',
    { confirm: async () => ({ ok: false, reason: 'no' }) },
    ['mintAccepted', 'mintTransferred', 'mintRejected'],
    '10',
  ],
] as readonly (readonly [string, Partial<TokenIssuer>, readonly string[], string])[])
  test(`an issuer that says no to ${when} leaves the shares with their owner`, async () => {
    const made = await open({ chain, issuer: { ...plain.issuer, ...patch } })
    const requestId = await mint(made, '4')
    const kinds = kindsOf(await eventsOf(made), requestId)
    assert.deepEqual(
      kinds.filter((kind) => kind !== 'mintRequested' && kind !== 'jobStarted'),
      then,
    )
    assert.equal(held(made), amount(left))
    assert.equal(made.world.view.jobs.size, 0)
    assert.deepEqual(faultsOf(made.world.view), [])
  })

for (const failing of ['mint', 'confirm', 'chain'])
  test(`a call that fails (${failing}) is made again after a pause, and then goes on`, async () => {
    const { calls, outside } = watched(async (call, count) => {
      if (call === failing && count <= 2) throw new Error('nobody answers')
    })
    const made = await open(outside)
    const requestId = await mint(made, '4')
    await made.world.quiet()
    const [job] = made.world.view.jobs.values()
    assert.equal(job?.problem, 'nobody answers')
    await advance(made, 10n)
    const kinds = kindsOf(await eventsOf(made), requestId)
    assert.equal(kinds.filter((kind) => kind === 'jobFailed').length, 2)
    assert.equal(kinds.at(-1), 'mintCompleted')
    assert.equal(calls.filter((call) => call === failing).length, 3)
    assert.equal(kinds.filter((kind) => kind === 'mintTransferred').length, 1)
    assert.deepEqual(made.failures, [])
  })

test('of two mints racing for the last share one passes', async () => {
  const made = await open(plain)
  const answers = await Promise.all([mint(made, '10'), mint(made, '10')])
  assert.equal(answers.filter((one) => one === 'tokenizationInsufficientPosition').length, 1)
  await made.world.quiet()
  assert.equal(held(made), 0n)
  assert.deepEqual(faultsOf(made.world.view), [])
})

/** How a world comes back: what the next life reads. */
const restarts: readonly (readonly [string, (made: TestWorld, folder: string) => Promise<Journal>])[] = [
  [
    'memory',
    async ({ world }) => {
      const journal = await world.journal.fork()
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
    test(`${store}: a world that ends during the call "${step}" goes on after it, and moves the shares once`, async (t) => {
      const folder = mkdtempSync(join(tmpdir(), 'quipu-jobs-'))
      t.after(() => rmSync(folder, { recursive: true }))
      const first = watched((call) => (call === step ? never : Promise.resolve()))
      const before = await open(first.outside, store === 'files' ? () => openFilesJournal(folder) : undefined)
      const requestId = await mint(before, '4')
      while (!first.calls.includes(step)) await new Promise((resume) => setImmediate(resume))
      const journal = await restart(before, folder)
      const second = watched(async () => undefined)
      const after = await open(second.outside, async () => journal)
      assert.equal(after.world.view.jobs.size, 1)
      // A call that was cut off is made again soon, not when its answer would have been overdue.
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
      assert.deepEqual(faultsOf(after.world.view), [])
      assert.deepEqual([...before.failures, ...after.failures], [])
      await after.world.close()
    })

/** Every call once, in order, and the one that was cut off twice. */
const callsWith = (repeated: string): string[] =>
  ['mint', 'confirm', 'chain'].flatMap((call) => (call === repeated ? [call, call] : [call]))

test('an answer that comes after the world has gone changes nothing and disturbs nobody', async () => {
  let answer = (): void => undefined
  const { outside, calls } = watched(
    () =>
      new Promise<void>((resolve) => {
        answer = resolve
      }),
  )
  const made = await open(outside)
  await mint(made, '4')
  while (calls.length === 0) await new Promise((resume) => setImmediate(resume))
  const { seq } = made.world.view
  const journal = await made.world.journal.fork()
  await made.world.close()
  answer()
  await new Promise((resume) => setImmediate(resume))
  assert.equal(journal.head().seq, seq)
  assert.deepEqual(made.failures, [])
})

test('issuers are set up once, however often; each with an account that does not trade', async () => {
  const made = await open(plain)
  const { world, account } = made
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
