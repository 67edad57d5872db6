import assert from 'node:assert/strict'
import type { BrokerEvent, CorporateAction, Leg } from '@quipu/core'
import { assertMoves, type OwnLedger, pair, type Sums, settled, unsettled } from './ledger.ts'

type OwnIssuer = { readonly account: string; readonly underlyings: Map<string, string> }
type OwnRequest = {
  readonly kind: 'mint' | 'redeem'
  readonly accountId: string
  /** Whose shares are kept back until they move. */
  readonly holder: string
  readonly issuer: string
  underlying: string
  /** As the ledger calls it. */
  readonly token: string
  readonly tokens: bigint
  readonly quantity: bigint
  state: 'asked' | 'moved' | 'ended'
}
type Rate = { readonly shares: bigint; readonly tokens: bigint }
type Of<Kind> = Extract<BrokerEvent, { kind: Kind }>

/**
 * What is owed behind tokens, kept from the events by rules of its own: for each issuer and share, the shares in its
 * account are those behind all tokens that exist or are about to, and they move for no other reason than a request or
 * a corporate action. It shares no code with what it checks. Whoever keeps the ledger posts into it.
 */
export class OwnTokens {
  readonly #ledger: OwnLedger
  /** What an account has of a symbol and nothing else holds. */
  readonly #free: (accountId: string, symbol: string) => bigint
  readonly #issuers = new Map<string, OwnIssuer>()
  /** By the account that keeps its shares. */
  readonly #keepers = new Map<string, string>()
  readonly #requests = new Map<string, OwnRequest>()
  readonly #pending = new Set<OwnRequest>()
  readonly #planned = new Map<string, CorporateAction>()
  readonly #rates = new Map<string, Rate>()
  readonly happened = new Map<string, number>()
  /** Something moved that must be as it should before time goes on. */
  #isMoved = false

  constructor(ledger: OwnLedger, free: (accountId: string, symbol: string) => bigint = () => MANY) {
    this.#ledger = ledger
    this.#free = free
  }

  take(event: BrokerEvent): void {
    this.happened.set(event.kind, (this.happened.get(event.kind) ?? 0) + 1)
    const check = this.#checks[event.kind] as ((event: never) => void) | undefined
    check?.(event as never)
    this.#isMoved ||= check !== undefined || ('posting' in event && event.posting.some(this.#isOfTokens))
  }

  /** What one decision led to shares its instant, and is right as a whole. */
  assertConserved(): void {
    if (!this.#isMoved) return
    this.#isMoved = false
    for (const [code, { account }] of this.#issuers)
      for (const underlying of this.#sharesOf(code)) {
        const [kept, owed] = [this.#ledger.owned(account, underlying), this.#owed(code, underlying)]
        assert.equal(kept, owed, `${code} keeps ${kept} ${underlying}, and owes ${owed}`)
      }
  }

  /** What is kept back for requests whose shares have not moved. */
  held(accountId: string, symbol: string): bigint {
    let sum = 0n
    for (const { state, holder, underlying, quantity } of this.#pending)
      if (state === 'asked' && holder === accountId && underlying === symbol) sum += quantity
    return sum
  }

  /** Of an account in custody, the shares it must have by now; nothing of any other. */
  custodyOf(accountId: string, symbol: string): bigint | undefined {
    const code = this.#keepers.get(accountId)
    return code === undefined ? undefined : this.#owed(code, symbol)
  }

  readonly #isOfTokens = ({ account }: Leg): boolean =>
    account.startsWith('supply:') || this.#keepers.has(account.split(':')[1] ?? '')

  readonly #checks: { readonly [Kind in BrokerEvent['kind']]?: (event: Of<Kind>) => void } = {
    issuerRegistered: ({ issuer, accountId }) => {
      const underlyings = issuer.listings.map(
        ({ tokenSymbol, underlying }) => [tokenSymbol, underlying as string] as const,
      )
      this.#issuers.set(issuer.code, { account: accountId, underlyings: new Map(underlyings) })
      this.#keepers.set(accountId, issuer.code)
    },
    actionScheduled: ({ action }) => void this.#planned.set(action.id, action),
    actionApplied: ({ actionId }) => this.#act(this.#planned.get(actionId)!),
    mintRequested: ({ request }) => {
      const { accountId, underlying, quantity } = request
      assert(quantity > 0n && quantity <= this.#free(accountId, underlying), 'only free shares become tokens')
      this.#ask(request, accountId)
    },
    redeemRequested: ({ request }) => {
      const { account } = this.#issuers.get(request.issuer)!
      const { underlying, quantity } = request
      assert(quantity > 0n && quantity <= this.#free(account, underlying), 'only free shares come back')
      this.#ask(request, account)
    },
    mintTransferred: ({ requestId, moved, posting }) => {
      const { accountId, issuer, underlying, quantity } = this.#move(requestId, 'asked', 'moved')
      assert.deepEqual(
        [moved.from, moved.to, moved.quantity],
        [accountId, this.#issuers.get(issuer)!.account, quantity],
      )
      assertMoves(posting, pair(underlying, quantity, settled(moved.from), settled(moved.to)))
    },
    mintCompleted: ({ requestId, posting }) => {
      const { token, tokens, issuer } = this.#move(requestId, 'moved', 'ended')
      assertMoves(posting, pair(token, tokens, `supply:${issuer}`, 'wallets'))
    },
    mintRejected: ({ requestId, moved, posting }) => {
      const { state, accountId, underlying, issuer } = this.#requests.get(requestId)!
      assert.equal(moved !== undefined, state === 'moved', 'shares that had moved come back, and no others')
      this.#move(requestId, state, 'ended')
      if (!moved) return assert.deepEqual(posting, [])
      assert.deepEqual([moved.from, moved.to], [this.#issuers.get(issuer)!.account, accountId])
      assertMoves(posting, pair(underlying, moved.quantity, settled(moved.from), settled(moved.to)))
    },
    redeemCompleted: ({ requestId, moved, posting }) => {
      const { accountId, issuer, underlying, token, tokens, quantity } = this.#move(
        requestId,
        'asked',
        'ended',
      )
      assert.deepEqual(
        [moved.from, moved.to, moved.quantity],
        [this.#issuers.get(issuer)!.account, accountId, quantity],
      )
      assertMoves(posting, [
        ...pair(underlying, quantity, settled(moved.from), settled(moved.to)),
        ...pair(token, tokens, 'wallets', `supply:${issuer}`),
      ])
    },
    redeemRejected: ({ requestId }) => void this.#move(requestId, 'asked', 'ended'),
  }

  #ask(request: Of<'mintRequested'>['request'], holder: string): void {
    const { id, kind, accountId, issuer, underlying, tokenSymbol, network, quantity } = request
    assert(!this.#requests.has(id), 'a request is made once')
    const rate = this.#rateOf(underlying)
    assert.equal((quantity * rate.tokens) % rate.shares, 0n, 'only what tokens can stand for')
    const tokens = (quantity * rate.tokens) / rate.shares
    const token = `${tokenSymbol}@${network}`
    const asked = {
      kind,
      accountId,
      holder,
      issuer,
      underlying,
      token,
      tokens,
      quantity,
      state: 'asked',
    } as const
    const own: OwnRequest = { ...asked }
    this.#requests.set(id, own)
    this.#pending.add(own)
  }

  /** Each step is taken once. */
  #move(id: string, from: OwnRequest['state'], to: OwnRequest['state']): OwnRequest {
    const request = this.#requests.get(id)!
    assert.equal(request.state, from, `a step of ${id}`)
    assert.notEqual(from, 'ended', 'an end is never left')
    request.state = to
    if (to === 'ended') this.#pending.delete(request)
    return request
  }

  /** Nothing is left that only holds the shares: what is under way has moved already. */
  #act(action: CorporateAction): void {
    if (action.kind === 'dividend') return
    for (const { state, underlying } of this.#pending)
      assert(state === 'moved' || underlying !== action.symbol, 'what only holds the shares ends before')
    if (action.kind === 'split') this.#split(action.symbol, action.newRate, action.oldRate)
    if (action.kind === 'symbolChange') this.#rename(action.symbol, action.newSymbol)
  }

  #split(symbol: string, newRate: bigint, oldRate: bigint): void {
    const { shares, tokens } = this.#rateOf(symbol)
    const [more, fewer] = [shares * newRate, tokens * oldRate]
    const common = commonOf(more, fewer)
    this.#rates.set(symbol, { shares: more / common, tokens: fewer / common })
  }

  #rename(from: string, to: string): void {
    this.#rates.set(to, this.#rateOf(from))
    this.#rates.delete(from)
    for (const { underlyings } of this.#issuers.values())
      for (const [token, underlying] of underlyings) if (underlying === from) underlyings.set(token, to)
    for (const request of this.#pending) if (request.underlying === from) request.underlying = to
  }

  #rateOf(underlying: string): Rate {
    return this.#rates.get(underlying) ?? { shares: 1n, tokens: 1n }
  }

  /** Shares that an issuer keeps, has tokens of, or is about to. */
  #sharesOf(code: string): ReadonlySet<string> {
    const { account, underlyings } = this.#issuers.get(code)!
    const shares = new Set(
      [settled(account), unsettled(account)].flatMap((of) => this.#ledger.of(of).names()),
    )
    shares.delete('USD')
    for (const token of this.#supplyOf(code).names()) shares.add(underlyings.get(token.split('@')[0]!)!)
    for (const { issuer, underlying } of this.#pending) if (issuer === code) shares.add(underlying)
    return shares
  }

  /** Rounded down once, over all tokens. */
  #owed(code: string, underlying: string): bigint {
    const { shares, tokens } = this.#rateOf(underlying)
    const { underlyings } = this.#issuers.get(code)!
    const supply = this.#supplyOf(code)
    let out = 0n
    for (const token of supply.names())
      if (underlyings.get(token.split('@')[0]!) === underlying) out -= supply.get(token)
    for (const one of this.#pending)
      if (one.state === 'moved' && one.issuer === code && one.underlying === underlying) out += one.tokens
    return (out * shares) / tokens
  }

  #supplyOf(code: string): Sums {
    return this.#ledger.of(`supply:${code}`)
  }
}

/** More than anyone has. */
const MANY = 10n ** 30n

const commonOf = (a: bigint, b: bigint): bigint => (b === 0n ? a : commonOf(b, a % b))
