import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditFaults } from '@quipu/core'
import { builtinIssuers, setUpIssuers } from '../issuer/builtin.ts'
import type { TokenIssuer } from '../issuer/issuer.ts'
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
import { amount, buy, decided } from './testing/world.ts'

test('a mint runs from hold to tokens while the clock is stopped', async () => {
  const testWorld = await openMintingWorld(plain)
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
  const testWorld = await openMintingWorld({ chain, issuer })
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
    const testWorld = await openMintingWorld({ chain, issuer: { ...plain.issuer, ...patch } })
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
    const testWorld = await openMintingWorld(external)
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
  const testWorld = await openMintingWorld(plain)
  const responses = await Promise.all([mint(testWorld, '10'), mint(testWorld, '10')])
  assert.equal(responses.filter((one) => one === 'tokenizationInsufficientPosition').length, 1)
  await testWorld.world.commands.quiet()
  assert.equal(held(testWorld), 0n)
  assert.deepEqual(auditFaults(testWorld.world.view), [])
})

test('a response that arrives after the world has closed changes nothing', async () => {
  let answer = (): void => undefined
  const { external, calls } = watched(
    () =>
      new Promise<void>((resolve) => {
        answer = resolve
      }),
  )
  const testWorld = await openMintingWorld(external)
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
  const testWorld = await openMintingWorld(plain)
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
