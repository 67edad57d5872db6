import {
  balance,
  hasMoved,
  type TokenFact,
  tokens as tokenAsset,
  tokensOf,
  type View,
  WALLETS,
} from '@quipu/core'
import type { EvmBook } from './evm-book.ts'
import { type EvmParts, isUsed, supplyOf } from './evm-mint.ts'
import { unitsOf } from './evm-tokens.ts'

/** Both sides are read again where the books moved meanwhile. */
const TRIES = 5

/**
 * Contracts of ours whose supply is not what the books say: all that was minted and not redeemed, what is redeemed and
 * not burned yet, and mints that are on the chain already and still on their way into the books.
 */
export async function supplyFaults(parts: EvmParts, book: EvmBook): Promise<readonly string[]> {
  const faults: string[] = []
  for (const token of book.tokens()) {
    if (!token.ours) continue
    const fault = await faultOf(parts, book, token).catch(
      (error: Error) => `supply of ${token.symbol} on ${token.network} is not known: ${error.message}`,
    )
    if (fault) faults.push(fault)
  }
  return faults
}

async function faultOf(parts: EvmParts, book: EvmBook, token: TokenFact): Promise<string | undefined> {
  let told = ''
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const { seq } = book.view
    const expected = await expectedSupply(parts, book, token)
    const supply = await supplyOf(parts, token)
    if (supply === expected) return undefined
    told = `supply of ${token.symbol} on ${token.network}: ${supply} units on the chain, ${expected} by the books`
    if (seq === book.view.seq && attempt > 0) break
  }
  return told
}

async function expectedSupply(parts: EvmParts, book: EvmBook, token: TokenFact): Promise<bigint> {
  const { view } = book
  let units = unitsOf(balance(view.ledger, WALLETS, tokenAsset(token.symbol, token.network)) as never, token)
  for (const request of underWay(view, token))
    if (await isUsed(parts, token, book.idOf(request.id))) units += unitsOf(tokensOf(request), token)
  for (const [, { symbol, redeem, units: came, dust }] of book.transfers()) {
    if (symbol !== token.symbol || !redeem) continue
    // Ended and let go, or ended just now: the books count these tokens no more.
    const isRedeemed = (view.requests.get(redeem.requestId)?.status ?? 'completed') === 'completed'
    if (isRedeemed && !(await isUsed(parts, token, book.idOf(redeem.requestId)))) units += came - dust
  }
  return units
}

const underWay = (view: View, { symbol, network }: TokenFact) =>
  [...view.requests.values()].filter(
    (request) =>
      request.kind === 'mint' &&
      request.tokenSymbol === symbol &&
      request.network === network &&
      hasMoved(request),
  )
