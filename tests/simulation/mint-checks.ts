import assert from 'node:assert/strict'
import type { MintCompleted, MintRejected, MintRequested, MintTransferred } from '@quipu/core'
import { assertMoves, pair, settled } from './books.ts'

type OwnMint = { readonly of: MintRequested['request']; holds: boolean; hasMoved: boolean }

/** Requests for tokens, kept from the events. `free` is what an account has of a symbol and nothing else holds. */
export class OwnMints {
  readonly #mints = new Map<string, OwnMint>()

  held(accountId: string, symbol: string): bigint {
    return [...this.#mints.values()]
      .filter(({ of, holds }) => holds && of.accountId === accountId && of.underlying === symbol)
      .reduce((sum, { of }) => sum + of.quantity, 0n)
  }

  checks(free: (accountId: string, symbol: string) => bigint) {
    return {
      mintRequested: ({ accountId, request }: MintRequested) => {
        const { underlying, quantity } = request
        assert(quantity > 0n && quantity <= free(accountId, underlying), 'only free shares become tokens')
        this.#mints.set(request.id, { of: request, holds: true, hasMoved: false })
      },
      mintTransferred: ({ requestId, moved, posting }: MintTransferred) => {
        const mint = this.#mints.get(requestId)!
        const { accountId, underlying, quantity } = mint.of
        assert.deepEqual([moved.from, moved.quantity], [accountId, quantity])
        assertMoves(posting, pair(underlying, quantity, settled(moved.from), settled(moved.to)))
        Object.assign(mint, { holds: false, hasMoved: true })
      },
      mintCompleted: ({ requestId, posting }: MintCompleted) => {
        const { tokenSymbol, network, quantity, issuer } = this.#mints.get(requestId)!.of
        assertMoves(posting, pair(`${tokenSymbol}@${network}`, quantity, `supply:${issuer}`, 'wallets'))
      },
      mintRejected: ({ requestId, moved }: MintRejected) => {
        const mint = this.#mints.get(requestId)!
        assert.equal(moved !== undefined, mint.hasMoved, 'shares that had moved come back, and no others')
        mint.holds = false
      },
    }
  }
}
