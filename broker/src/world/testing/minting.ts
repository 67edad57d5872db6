import assert from 'node:assert/strict'
import {
  type BrokerEvent,
  definedFields,
  type Instant,
  type IssuerCode,
  type Quantity,
  type RequestId,
  SECOND,
  type Ticker,
  type TokenizationRequest,
} from '@quipu/core'
import type { Chain } from '../../chain/chain.ts'
import { simulatedChain } from '../../chain/simulated.ts'
import { builtinIssuer, setUpIssuers } from '../../issuer/builtin.ts'
import type { TokenIssuer } from '../../issuer/issuer.ts'
import type { Journal } from '../../journal/journal.ts'
import { eventOf } from '../../journal/stored-event.ts'
import { type ExternalServices, makeRunJob } from '../jobs.ts'
import { amount, buy, decided, openTestWorld, type TestWorld } from './world.ts'

export const chain = simulatedChain()
export const plain: ExternalServices = { chain, issuer: builtinIssuer(chain) }

/** Counts calls and runs `before` ahead of each. */
export function watched(before: (call: string, count: number) => Promise<void>) {
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
export async function openMintingWorld(
  external: ExternalServices,
  journal?: () => Promise<Journal>,
): Promise<TestWorld> {
  const testWorld = await openTestWorld(definedFields({ parts: { runJob: makeRunJob(external) }, journal }))
  const { world, account } = testWorld
  if (world.view.positions.size > 0) return testWorld
  const [partnerId] = world.view.partners.keys()
  await setUpIssuers(world, { partnerId: partnerId!, link: [account.id] })
  assert.ok((await decided(world, buy(account, 'AAPL', '10'))).ok)
  await world.commands.quiet()
  return testWorld
}

export async function mint({ world, account }: TestWorld, quantity: string): Promise<RequestId | string> {
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

export async function eventsOf({ world }: TestWorld): Promise<BrokerEvent[]> {
  await world.commands.quiet()
  const events: BrokerEvent[] = []
  for await (const entries of world.storage.journal.read(0)) events.push(...entries.map(eventOf))
  return events
}

export const kindsOf = (events: readonly BrokerEvent[], requestId: string): string[] =>
  events
    .filter((event) =>
      'requestId' in event ? event.requestId === requestId : event.kind === 'mintRequested',
    )
    .map(({ kind }) => kind)

export const held = ({ world, account }: TestWorld) =>
  world.view.positions.get(account.id)?.get('AAPL' as Ticker)?.quantity ?? 0n
export const advance = ({ clock }: TestWorld, seconds: bigint) =>
  clock.advance((clock.now() + seconds * SECOND) as Instant)
