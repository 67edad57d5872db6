import assert from 'node:assert/strict'
import type { AccountId, IssuerCode, Money, Quantity, WorldSettings } from '@quipu/core'
import { openAccount } from '../../broker/src/access/issue-keys.ts'
import { setUpIssuers } from '../../broker/src/issuer/builtin.ts'
import { decided, instant } from '../../broker/src/world/testing/world.ts'
import type { World } from '../../broker/src/world/world.ts'
import type { Clients } from './workload/clients.ts'
import { behaviour, MINTED } from './workload/tokens.ts'

/** The start time and settings of a simulated world. The name is a part of the seed. */
export type Setup = {
  readonly name: string
  readonly start: string
  readonly settings: Partial<WorldSettings>
}

const upTo = (seconds: bigint) => ({ minNs: 0n, maxNs: seconds * 1_000_000_000n, shape: 'longTail' as const })

/** Every venue behaviour, often enough that all of them meet in one run. */
const roughVenue: NonNullable<WorldSettings['venue']> = {
  latency: upTo(40n),
  rejectShare: 100_000,
  cancelLatency: upTo(600n),
  replaceLatency: upTo(600n),
  cancelRejectShare: 200_000,
  replaceRejectShare: 200_000,
  doneForDayShare: 150_000,
  fillPieces: { min: 1, max: 4 },
  fillInterval: upTo(900n),
}

/** Half of every price is lost, for good. */
const crashAt = (at: string) => ({
  kind: 'crash' as const,
  at: instant(at),
  depth: 0.5,
  minutes: 30,
  recovers: false,
})

export const setups: readonly Setup[] = [
  { name: 'a week like any other', start: '2026-01-05T15:00:00Z', settings: {} },
  {
    name: 'displayed sizes over the night that summer time begins',
    start: '2026-03-06T19:00:00Z',
    settings: { fillSize: 'displayed' },
  },
  {
    name: 'New York hours over the night that summer time ends',
    start: '2026-10-30T18:30:00Z',
    settings: { hours: 'nyse' },
  },
  {
    name: 'New York hours, displayed sizes and a latency over Thanksgiving',
    start: '2026-11-25T20:00:00Z',
    settings: { hours: 'nyse', fillSize: 'displayed', latencyNs: 2_000_000_000n },
  },
  {
    name: 'a latency over the turn of the year',
    start: '2026-12-30T20:30:00Z',
    settings: { latencyNs: 300_000_000n },
  },
]

/** Setups with venue and margin settings. */
export const roughSetups: readonly Setup[] = [
  {
    name: 'margin interest and margin calls after a crash, over the turn of the year',
    start: '2026-12-30T20:30:00Z',
    settings: {
      margin: { interestRate: 120_000, callSessions: 1 },
      marketEvents: [crashAt('2026-12-31T15:30:00Z')],
    },
  },
  {
    name: 'a slow market that rejects orders, cancels and replacements, and fills in pieces',
    start: '2026-02-03T15:00:00Z',
    settings: { fillSize: 'displayed', venue: roughVenue, margin: { interestRate: 65_000, callSessions: 1 } },
  },
  {
    name: 'a slow market in New York hours with a share of its volume, over a weekend',
    start: '2026-02-06T19:30:00Z',
    settings: { hours: 'nyse', venue: { ...roughVenue, participation: 50_000, impactBasisPoints: 5 } },
  },
]

const NANO = 1_000_000_000n

/** Creates a partner with two customers who have cash, shares and tokens, and an app. */
export async function seedData(world: World, clients: Clients): Promise<void> {
  const { generator } = clients
  const added = await decided(world, { kind: 'addPartner', name: 'Partner' })
  const [event] = added.ok ? added.value : []
  assert(event?.kind === 'partnerAdded')
  const { partnerId } = event
  generator.partnerId = partnerId
  for (const cash of [1_500n * NANO, 100_000n * NANO]) {
    const { id: accountId } = await openAccount(world, { flavour: 'paper', partnerId, cash: cash as Money })
    const positions = MINTED.map((symbol) => ({
      symbol,
      quantity: (40n * NANO) as Quantity,
      costBasis: (3_000n * NANO) as Money,
    }))
    const reset = await decided(world, { kind: 'resetAccount', accountId, cash: cash as Money, positions })
    assert(reset.ok)
    generator.accounts.push(accountId)
  }
  await setUpIssuers(world, { partnerId, link: generator.accounts })
  for (const { code, accountId } of [...world.view.issuers.values()]) {
    generator.shares.issuers.set(code, accountId)
    assert((await decided(world, { kind: 'setBehaviour', issuer: code, behaviour })).ok)
  }
  clients.send(world, generator.app())
  await clients.answered()
  for (const issuer of generator.shares.issuers.keys())
    await completeMint(world, generator.accounts.at(-1)!, issuer)
}

/** Completes a mint, so that there are tokens to redeem from the start. */
async function completeMint(world: World, accountId: AccountId, issuer: IssuerCode): Promise<void> {
  const terms = { issuer, network: 'ethereum', underlying: MINTED[0]!, wallet: 'wallet' }
  const quantity = (20n * NANO) as Quantity
  const mint = { kind: 'requestMint', accountId, ...terms, quantity, quantityText: '20' } as const
  const decision = await decided(world, mint)
  const [event] = decision.ok ? decision.value : []
  assert(event?.kind === 'mintRequested')
  const outcome = { to: 'complete', txHash: '0x0' } as const
  assert((await decided(world, { kind: 'forceRequest', requestId: event.request.id, outcome })).ok)
}
