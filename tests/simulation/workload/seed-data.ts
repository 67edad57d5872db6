import assert from 'node:assert/strict'
import type { AccountId, IssuerCode, Money, Quantity } from '@quipu/core'
import { openAccount } from '../../../broker/src/access/issue-keys.ts'
import { setUpIssuers } from '../../../broker/src/issuer/builtin.ts'
import { decided } from '../../../broker/src/world/testing/world.ts'
import type { World } from '../../../broker/src/world/world.ts'
import type { Clients } from './clients.ts'
import { behaviour, MINTED } from './tokens.ts'

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
