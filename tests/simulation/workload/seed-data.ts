import assert from 'node:assert/strict'
import type { AccountId, IssuerCode, Money, Quantity } from '@quipu/core'
import { openAccount } from '../../../server/src/access/issue-keys.ts'
import { setUpIssuers } from '../../../server/src/issuer/set-up.ts'
import { decided } from '../../../server/src/world/testing/world.ts'
import type { World } from '../../../server/src/world/world.ts'
import type { Clients } from './clients.ts'
import { behaviour, MINTED } from './tokens.ts'

const NANO = 1_000_000_000n

/** A partner with a poor and a rich customer, who both have shares and tokens of some, and an app. */
export async function seedData(world: World, clients: Clients): Promise<void> {
  const { wishes } = clients
  const added = await decided(world, { kind: 'addPartner', name: 'Partner' })
  const [event] = added.ok ? added.value : []
  assert(event?.kind === 'partnerAdded')
  const { partnerId } = event
  wishes.partnerId = partnerId
  for (const cash of [1_500n * NANO, 100_000n * NANO]) {
    const { id: accountId } = await openAccount(world, { flavour: 'paper', partnerId, cash: cash as Money })
    const positions = MINTED.map((symbol) => ({
      symbol,
      quantity: (40n * NANO) as Quantity,
      costBasis: (3_000n * NANO) as Money,
    }))
    const reset = await decided(world, { kind: 'resetAccount', accountId, cash: cash as Money, positions })
    assert(reset.ok)
    wishes.accounts.push(accountId)
  }
  await setUpIssuers(world, { partnerId, link: wishes.accounts })
  for (const { code, accountId } of [...world.view.issuers.values()]) {
    wishes.shares.issuers.set(code, accountId)
    assert((await decided(world, { kind: 'setBehaviour', issuer: code, behaviour })).ok)
  }
  clients.send(world, wishes.app())
  await clients.answered()
  for (const issuer of wishes.shares.issuers.keys()) await minted(world, wishes.accounts.at(-1)!, issuer)
}

/** There are tokens to come back from the first day on. */
async function minted(world: World, accountId: AccountId, issuer: IssuerCode): Promise<void> {
  const what = { issuer, network: 'ethereum', underlying: MINTED[0]!, wallet: 'wallet' }
  const quantity = (20n * NANO) as Quantity
  const mint = { kind: 'requestMint', accountId, ...what, quantity, quantityText: '20' } as const
  const made = await decided(world, mint)
  const [event] = made.ok ? made.value : []
  assert(event?.kind === 'mintRequested')
  const outcome = { to: 'complete', txHash: '0x0' } as const
  assert((await decided(world, { kind: 'forceRequest', requestId: event.request.id, outcome })).ok)
}
