import assert from 'node:assert/strict'
import type { BrokerEvent, CorporateAction, Leg } from '@quipu/core'
import { assertMoves, type CheckerLedger, pair, type Sums, settled, unsettled } from './ledger.ts'

type TrackedIssuer = { readonly account: string; readonly underlyings: Map<string, string> }
type TrackedRequest = {
  readonly kind: 'mint' | 'redeem'
  readonly accountId: string
  /** The account whose shares are held until they move. */
  readonly holder: string
  readonly issuer: string
  underlying: string
  /** The asset name in the ledger. */
  readonly token: string
  readonly tokens: bigint
  readonly quantity: bigint
  state: 'requested' | 'moved' | 'ended'
}
type Rate = { readonly shares: bigint; readonly tokens: bigint }
type Of<Kind> = Extract<BrokerEvent, { kind: Kind }>

/**
 * Checks the shares behind tokens, calculated from the events without code of the core: for each issuer and symbol, the
 * custody account has exactly the shares behind all existing and pending tokens. They move only for a request or a
 * corporate action. The owner of the ledger posts into it.
 */
export class CheckerTokens {
  readonly #ledger: CheckerLedger
  /** The shares of an account in a symbol that are not held. */
  readonly #free: (accountId: string, symbol: string) => bigint
  readonly #issuers = new Map<string, TrackedIssuer>()
  /** Issuer codes by custody account. */
  readonly #custodians = new Map<string, string>()
  readonly #requests = new Map<string, TrackedRequest>()
  readonly #pending = new Set<TrackedRequest>()
  readonly #planned = new Map<string, CorporateAction>()
  readonly #rates = new Map<string, Rate>()
  readonly eventKinds = new Map<string, number>()
  /** Tokens or custody shares have changed since the last check. */
  #isMoved = false

  constructor(ledger: CheckerLedger, free: (accountId: string, symbol: string) => bigint = () => MANY) {
    this.#ledger = ledger
    this.#free = free
  }

  take(event: BrokerEvent): void {
    this.eventKinds.set(event.kind, (this.eventKinds.get(event.kind) ?? 0) + 1)
    const check = this.#checks[event.kind] as ((event: never) => void) | undefined
    check?.(event as never)
    this.#isMoved ||= check !== undefined || ('posting' in event && event.posting.some(this.#isTokenLeg))
  }

  /** Events that a set of runs must have. */
  get counts(): Readonly<Record<string, number>> {
    const kinds = ['mintCompleted', 'mintRejected', 'redeemCompleted']
    return Object.fromEntries(kinds.map((kind) => [kind, this.eventKinds.get(kind) ?? 0]))
  }

  /** Checks after all events of a decision that custody shares match the tokens. */
  assertConserved(): void {
    if (!this.#isMoved) return
    this.#isMoved = false
    for (const [code, { account }] of this.#issuers)
      for (const underlying of this.#sharesOf(code)) {
        const [custody, owed] = [this.#ledger.owned(account, underlying), this.#owed(code, underlying)]
        assert.equal(custody, owed, `${code} has ${custody} ${underlying}, but owes ${owed}`)
      }
  }

  /** Shares held for requests whose shares have not moved. */
  held(accountId: string, symbol: string): bigint {
    let sum = 0n
    for (const { state, holder, underlying, quantity } of this.#pending)
      if (state === 'requested' && holder === accountId && underlying === symbol) sum += quantity
    return sum
  }

  /** The shares that a custody account must have; undefined for any other account. */
  custodyOf(accountId: string, symbol: string): bigint | undefined {
    const code = this.#custodians.get(accountId)
    return code === undefined ? undefined : this.#owed(code, symbol)
  }

  readonly #isTokenLeg = ({ account }: Leg): boolean =>
    account.startsWith('supply:') || this.#custodians.has(account.split(':')[1] ?? '')

  readonly #checks: { readonly [Kind in BrokerEvent['kind']]?: (event: Of<Kind>) => void } = {
    issuerRegistered: ({ issuer, accountId }) => {
      const underlyings = issuer.listings.map(
        ({ tokenSymbol, underlying }) => [tokenSymbol, underlying as string] as const,
      )
      this.#issuers.set(issuer.code, { account: accountId, underlyings: new Map(underlyings) })
      this.#custodians.set(accountId, issuer.code)
    },
    actionScheduled: ({ action }) => void this.#planned.set(action.id, action),
    actionApplied: ({ actionId }) => this.#act(this.#planned.get(actionId)!),
    mintRequested: ({ request }) => {
      const { accountId, underlying, quantity } = request
      assert(quantity > 0n && quantity <= this.#free(accountId, underlying), 'only free shares are minted')
      this.#addRequest(request, accountId)
    },
    redeemRequested: ({ request }) => {
      const { account } = this.#issuers.get(request.issuer)!
      const { underlying, quantity } = request
      assert(quantity > 0n && quantity <= this.#free(account, underlying), 'only free shares are redeemed')
      this.#addRequest(request, account)
    },
    mintTransferred: ({ requestId, moved, posting }) => {
      const { accountId, issuer, underlying, quantity } = this.#move(requestId, 'requested', 'moved')
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
      assert.equal(moved !== undefined, state === 'moved', 'exactly the moved shares are returned')
      this.#move(requestId, state, 'ended')
      if (!moved) return assert.deepEqual(posting, [])
      assert.deepEqual([moved.from, moved.to], [this.#issuers.get(issuer)!.account, accountId])
      assertMoves(posting, pair(underlying, moved.quantity, settled(moved.from), settled(moved.to)))
    },
    redeemCompleted: ({ requestId, moved, posting }) => {
      const { accountId, issuer, underlying, token, tokens, quantity } = this.#move(
        requestId,
        'requested',
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
    redeemRejected: ({ requestId }) => void this.#move(requestId, 'requested', 'ended'),
  }

  #addRequest(request: Of<'mintRequested'>['request'], holder: string): void {
    const { id, kind, accountId, issuer, underlying, tokenSymbol, network, quantity } = request
    assert(!this.#requests.has(id), 'a request id is used once')
    const rate = this.#rateOf(underlying)
    assert.equal((quantity * rate.tokens) % rate.shares, 0n, 'the quantity is a whole number of tokens')
    const tokens = (quantity * rate.tokens) / rate.shares
    const token = `${tokenSymbol}@${network}`
    const tracked: TrackedRequest = {
      kind,
      accountId,
      holder,
      issuer,
      underlying,
      token,
      tokens,
      quantity,
      state: 'requested',
    }
    this.#requests.set(id, tracked)
    this.#pending.add(tracked)
  }

  /** Each step happens once. */
  #move(id: string, from: TrackedRequest['state'], to: TrackedRequest['state']): TrackedRequest {
    const request = this.#requests.get(id)!
    assert.equal(request.state, from, `a step of ${id}`)
    assert.notEqual(from, 'ended', 'an ended request stays ended')
    request.state = to
    if (to === 'ended') this.#pending.delete(request)
    return request
  }

  /** Before an action, pending requests of the symbol have moved their shares. */
  #act(action: CorporateAction): void {
    if (action.kind === 'dividend') return
    for (const { state, underlying } of this.#pending)
      assert(
        state === 'moved' || underlying !== action.symbol,
        'requests that only hold shares end before the action',
      )
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

  /** Symbols with custody shares, tokens or pending requests of an issuer. */
  #sharesOf(code: string): ReadonlySet<string> {
    const { account, underlyings } = this.#issuers.get(code)!
    const shares = new Set(
      [settled(account), unsettled(account)].flatMap((name) => this.#ledger.of(name).names()),
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
    let circulating = 0n
    for (const token of supply.names())
      if (underlyings.get(token.split('@')[0]!) === underlying) circulating -= supply.get(token)
    for (const one of this.#pending)
      if (one.state === 'moved' && one.issuer === code && one.underlying === underlying)
        circulating += one.tokens
    return (circulating * shares) / tokens
  }

  #supplyOf(code: string): Sums {
    return this.#ledger.of(`supply:${code}`)
  }
}

/** More than any account has. */
const MANY = 10n ** 30n

const commonOf = (a: bigint, b: bigint): bigint => (b === 0n ? a : commonOf(b, a % b))
