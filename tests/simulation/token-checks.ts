import assert from 'node:assert/strict'
import type { BrokerEvent, CorporateAction } from '@quipu/core'
import { assertMoves, OwnLedger, pair, settled } from './books.ts'

type OwnIssuer = { readonly account: string; readonly underlyings: ReadonlyMap<string, string> }
type OwnRequest = {
  readonly kind: 'mint' | 'redeem'
  readonly accountId: string
  readonly issuer: string
  readonly underlying: string
  /** As the ledger calls it. */
  readonly token: string
  readonly tokens: bigint
  state: 'asked' | 'moved' | 'ended'
}
type Rate = { readonly shares: bigint; readonly tokens: bigint }
type Of<Kind> = Extract<BrokerEvent, { kind: Kind }>

/**
 * What is owed behind tokens, kept from the events by rules of its own: for each issuer and share, the shares in its
 * account are those behind all tokens that exist or are about to, and they move for no other reason than a request or
 * a split. It shares no code with what it checks.
 */
export class OwnTokens {
  readonly #ledger = new OwnLedger()
  readonly #issuers = new Map<string, OwnIssuer>()
  readonly #requests = new Map<string, OwnRequest>()
  readonly #planned = new Map<string, CorporateAction>()
  readonly #rates = new Map<string, Rate>()
  readonly happened = new Set<string>()
  #at = 0n

  take(event: BrokerEvent): void {
    // What one decision led to shares its instant, and is right as a whole.
    if (event.at > this.#at) this.assertConserved()
    this.#at = event.at
    this.happened.add(event.kind)
    if ('posting' in event) this.#ledger.post(event.posting)
    const check = this.#checks[event.kind] as ((event: never) => void) | undefined
    check?.(event as never)
  }

  assertConserved(): void {
    for (const [code, { account, underlyings }] of this.#issuers)
      for (const [token, underlying] of underlyings) {
        const { shares, tokens } = this.#rateOf(underlying)
        const owed = (this.#tokensOut(code, token, underlying) * shares) / tokens
        const kept = this.#ledger.owned(account, underlying)
        assert.equal(kept, owed, `${code} keeps ${kept} ${underlying}, and owes ${owed}`)
      }
  }

  readonly #checks: { readonly [Kind in BrokerEvent['kind']]?: (event: Of<Kind>) => void } = {
    issuerRegistered: ({ issuer, accountId }) => {
      const underlyings = issuer.listings.map(
        ({ tokenSymbol, underlying }) => [tokenSymbol, underlying] as const,
      )
      this.#issuers.set(issuer.code, { account: accountId, underlyings: new Map(underlyings) })
    },
    actionScheduled: ({ action }) => void this.#planned.set(action.id, action),
    actionApplied: ({ actionId }) => this.#split(this.#planned.get(actionId)!),
    mintRequested: ({ request }) => this.#ask(request),
    redeemRequested: ({ request }) => this.#ask(request),
    mintTransferred: ({ requestId, moved, posting }) => {
      const { accountId, issuer, underlying } = this.#move(requestId, 'asked', 'moved')
      assert.deepEqual([moved.from, moved.to], [accountId, this.#issuers.get(issuer)!.account])
      assertMoves(posting, pair(underlying, moved.quantity, settled(moved.from), settled(moved.to)))
    },
    mintCompleted: ({ requestId, posting }) => {
      const { token, tokens, issuer } = this.#move(requestId, 'moved', 'ended')
      assertMoves(posting, pair(token, tokens, `supply:${issuer}`, 'wallets'))
    },
    mintRejected: ({ requestId, moved }) => {
      const { state } = this.#requests.get(requestId)!
      assert.equal(moved !== undefined, state === 'moved', 'shares that had moved come back, and no others')
      this.#move(requestId, state, 'ended')
    },
    redeemCompleted: ({ requestId, moved, posting }) => {
      const { accountId, issuer, underlying, token, tokens } = this.#move(requestId, 'asked', 'ended')
      assert.deepEqual([moved.from, moved.to], [this.#issuers.get(issuer)!.account, accountId])
      assertMoves(posting, [
        ...pair(underlying, moved.quantity, settled(moved.from), settled(moved.to)),
        ...pair(token, tokens, 'wallets', `supply:${issuer}`),
      ])
    },
    redeemRejected: ({ requestId }) => void this.#move(requestId, 'asked', 'ended'),
  }

  #ask(request: Of<'mintRequested'>['request']): void {
    const { id, kind, accountId, issuer, underlying, tokenSymbol, network, quantity } = request
    assert(!this.#requests.has(id), 'a request is made once')
    const rate = this.#rateOf(underlying)
    assert.equal((quantity * rate.tokens) % rate.shares, 0n, 'only what tokens can stand for')
    const tokens = (quantity * rate.tokens) / rate.shares
    const token = `${tokenSymbol}@${network}`
    this.#requests.set(id, { kind, accountId, issuer, underlying, token, tokens, state: 'asked' })
  }

  /** Each step is taken once. */
  #move(id: string, from: OwnRequest['state'], to: OwnRequest['state']): OwnRequest {
    const request = this.#requests.get(id)!
    assert.equal(request.state, from, `a step of ${id}`)
    assert.notEqual(from, 'ended', 'an end is never left')
    request.state = to
    return request
  }

  #split(action: CorporateAction): void {
    if (action.kind !== 'split') return
    const { shares, tokens } = this.#rateOf(action.symbol)
    const [more, fewer] = [shares * action.newRate, tokens * action.oldRate]
    const common = commonOf(more, fewer)
    this.#rates.set(action.symbol, { shares: more / common, tokens: fewer / common })
  }

  #rateOf(underlying: string): Rate {
    return this.#rates.get(underlying) ?? { shares: 1n, tokens: 1n }
  }

  #tokensOut(code: string, token: string, underlying: string): bigint {
    const supply = this.#ledger.of(`supply:${code}`)
    const minted = supply.list().filter(([name]) => name.split('@')[0] === token)
    const moved = [...this.#requests.values()].filter(
      (one) => one.state === 'moved' && one.issuer === code && one.underlying === underlying,
    )
    return (
      moved.reduce((sum, { tokens }) => sum + tokens, 0n) - minted.reduce((sum, [, some]) => sum + some, 0n)
    )
  }
}

const commonOf = (a: bigint, b: bigint): bigint => (b === 0n ? a : commonOf(b, a % b))
