import { randomBytes } from 'node:crypto'
import {
  balance,
  hasMoved,
  type Result,
  type TokenFact,
  tokens as tokenAsset,
  tokensOf,
  type View,
  WALLETS,
} from '@quipu/core'
import { fail, ok } from '@quipu/core/values'
import { addr } from 'micro-eth-signer'
import { checkAddress } from './address.ts'
import type { AddressProblem } from './chain.ts'
import { type EvmParts, isUsed, supplyOf } from './evm-mint.ts'
import type { EvmRecords } from './evm-records.ts'
import { numberIn, type Rpc, rpcAt } from './evm-rpc.ts'
import { EvmSender } from './evm-sender.ts'
import { EvmTokens, unitsOf } from './evm-tokens.ts'

export type EvmSettings = {
  readonly url: string
  /** Private key in hex. */
  readonly key: string
  readonly confirmations: number
  /** Contract addresses by token symbol, in lower case. */
  readonly contracts: ReadonlyMap<string, string>
}

/** Everything that uses one node with one key. Makes no call yet. */
export function evmParts({ url, key, confirmations, contracts }: EvmSettings): EvmParts {
  const rpc = rpcAt(url)
  const sender = new EvmSender(rpc, { key, confirmations })
  return { rpc, sender, tokens: new EvmTokens(rpc, sender, contracts), connect: connectOnce(rpc, sender) }
}

/** Mixed case is a checksum. Minting to the redemption wallet is not allowed. */
export function checkEvmAddress(
  network: string,
  address: string,
  redemptionWallet: string,
): Result<undefined, AddressProblem> {
  const checked = checkAddress(network, address)
  if (!checked.ok) return checked
  const digits = address.slice(2)
  const isMixed = digits !== digits.toLowerCase() && digits !== digits.toUpperCase()
  if (isMixed && !addr.isValid(address)) return fail('wrongChecksum')
  return address.toLowerCase() === redemptionWallet ? fail('withoutOwner') : ok(undefined)
}

/** Connects to the network once per process. Concurrent callers wait; after a failure the next call tries again. */
function connectOnce(rpc: Rpc, sender: EvmSender): EvmParts['connect'] {
  let connected: Promise<void> | undefined
  return (records) => {
    connected ??= connectWorld(rpc, sender, records).catch((error) => {
      connected = undefined
      throw error
    })
    return connected
  }
}

/** Connects a world to a network for the first time, or checks that it is the same network as before. */
async function connectWorld(rpc: Rpc, sender: EvmSender, records: EvmRecords): Promise<void> {
  const chainId = numberIn(await rpc('eth_chainId', []))
  const { processed } = records
  if (processed && processed.chainId !== chainId)
    throw new Error(
      `the node is on chain ${chainId}, but this data folder belongs to chain ${processed.chainId}`,
    )
  if (processed) return
  const salt = randomBytes(16).toString('hex')
  const block = await sender.last()
  await records.store([
    records.names.processed,
    { fact: 'processed', block: block > 0n ? block : 0n, chainId, salt },
  ])
}

/** Repeats the comparison if the ledger changed meanwhile. */
const TRIES = 5

/**
 * Contracts whose supply differs from the ledger. The ledger side counts tokens minted and not redeemed, tokens redeemed
 * and not yet burned, and mints that are on the chain but not yet recorded.
 */
export async function supplyFaults(parts: EvmParts, records: EvmRecords): Promise<readonly string[]> {
  const faults: string[] = []
  for (const token of records.tokens()) {
    if (!token.isQuipuToken) continue
    const fault = await faultOf(parts, records, token).catch(
      (error: Error) => `supply of ${token.symbol} on ${token.network} is not known: ${error.message}`,
    )
    if (fault) faults.push(fault)
  }
  return faults
}

async function faultOf(parts: EvmParts, records: EvmRecords, token: TokenFact): Promise<string | undefined> {
  let fault = ''
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const { seq } = records.view
    const expected = await expectedSupply(parts, records, token)
    const supply = await supplyOf(parts, token)
    if (supply === expected) return undefined
    fault = `supply of ${token.symbol} on ${token.network}: ${supply} units on the chain, ${expected} in the ledger`
    if (seq === records.view.seq && attempt > 0) break
  }
  return fault
}

async function expectedSupply(parts: EvmParts, records: EvmRecords, token: TokenFact): Promise<bigint> {
  const { view } = records
  let units = unitsOf(balance(view.ledger, WALLETS, tokenAsset(token.symbol, token.network)) as never, token)
  for (const request of pendingMints(view, token))
    if (await isUsed(parts, token, records.idOf(request.id))) units += unitsOf(tokensOf(request), token)
  for (const [, { symbol, redeem, units: received, dust }] of records.all('transfer')) {
    if (symbol !== token.symbol || !redeem) continue
    // The request has ended, so the ledger no longer counts these tokens.
    const isRedeemed = (view.requests.get(redeem.requestId)?.status ?? 'completed') === 'completed'
    if (isRedeemed && !(await isUsed(parts, token, records.idOf(redeem.requestId)))) units += received - dust
  }
  return units
}

const pendingMints = (view: View, { symbol, network }: TokenFact) =>
  [...view.requests.values()].filter(
    (request) =>
      request.kind === 'mint' &&
      request.tokenSymbol === symbol &&
      request.network === network &&
      hasMoved(request),
  )

export { mintOn } from './evm-mint.ts'
export { EvmRecords } from './evm-records.ts'
export { EvmWatch } from './evm-watch.ts'
