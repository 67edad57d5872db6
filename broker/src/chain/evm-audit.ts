import {
  balance,
  hasMoved,
  type TokenFact,
  tokens as tokenAsset,
  tokensOf,
  type View,
  WALLETS,
} from '@quipu/core'
import { type EvmParts, isUsed, supplyOf } from './evm-mint.ts'
import type { EvmRecords } from './evm-records.ts'
import { unitsOf } from './evm-tokens.ts'

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
  for (const [, { symbol, redeem, units: received, dust }] of records.transfers()) {
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
