import type { AccountId, Behaviour, IssuerCode, Outcome, RequestId, Ticker } from '@quipu/core'
import type { Random } from '../../support/random.ts'
import type { ClientRequest } from './requests.ts'

export const MINTED = ['AAPL', 'KO'].map((symbol) => symbol as Ticker)
const NANO = 1_000_000_000n
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'

/** Behaviour of the issuers: most requests complete, some are held, and some tokens are late. */
export const behaviour: Behaviour = {
  delayNs: 0n,
  outcome: 'complete',
  wallets: new Map<string, Outcome>([
    ['patient', 'hold'],
    ['late', { lateNs: 5_000n * NANO }],
  ]),
}

/** Random requests of participants and issuers. */
export class TokenRequests {
  readonly #random: Random
  readonly #tag: (prefix: string) => string
  /** Custody accounts by issuer. */
  readonly issuers = new Map<IssuerCode, AccountId>()
  readonly requests: RequestId[] = []

  constructor(random: Random, tag: (prefix: string) => string) {
    this.#random = random
    this.#tag = tag
  }

  next(accounts: readonly AccountId[], names: readonly Ticker[]): ClientRequest {
    const draw = this.#random.next()
    // The first two accounts are linked with the issuers.
    const accountId = this.#random.pick(draw < 0.95 ? accounts.slice(0, 2) : accounts)
    if (draw < 0.25 || this.requests.length === 0) return this.mint(accountId, [...MINTED, ...names])
    return draw < 0.7 ? this.#redeem(accountId) : this.#decide()
  }

  mint(accountId: AccountId, symbols: readonly Ticker[]): ClientRequest {
    const tag = this.#tag('mint')
    const command = { kind: 'requestMint', accountId, ...this.#terms(symbols) } as const
    return { tag, command, isOnce: true, key: tag }
  }

  /** A redemption reported by the issuer, with the id of the issuer. */
  #redeem(accountId: AccountId): ClientRequest {
    const tag = this.#tag('redeem')
    const terms = this.#terms(MINTED)
    const { issuer, underlying } = terms
    const tokenSymbol = issuer === 'xstocks' ? `${underlying}x` : `t${underlying}`
    const ids = { issuerRequestId: tag, txHash: '0x7' }
    const command = {
      kind: 'requestRedeem',
      participant: { accountId },
      tokenSymbol,
      ...terms,
      ...ids,
    } as const
    return { tag, command, isOnce: true, key: tag }
  }

  /** A callback of the issuer, or the decision of an operator about a request. */
  #decide(): ClientRequest {
    const random = this.#random
    const requestId = random.pick(this.requests.slice(-6))
    if (random.chance(0.3))
      return { command: { kind: 'completeMint', requestId, txHash: random.pick(['0x1', '0x2']) } }
    const outcome = random.pick([
      { to: 'hold' },
      { to: 'release' },
      { to: 'release' },
      { to: 'reject', reason: 'not today' },
      { to: 'complete', txHash: '0x3' },
    ] as const)
    return { command: { kind: 'forceRequest', requestId, outcome } }
  }

  #terms(symbols: readonly Ticker[]) {
    const random = this.#random
    // Mostly a quantity that stays a whole number of tokens after any split.
    const quantity = random.chance(0.7)
      ? BigInt(random.integer(1, 40)) * 105_000_000n
      : BigInt(random.integer(1, 4_000_000_000))
    return {
      issuer: random.pick(['xstocks', 'st0x']) as IssuerCode,
      network: 'ethereum',
      underlying: random.pick(symbols),
      quantity: quantity as never,
      quantityText: String(quantity),
      wallet: random.pick([WALLET, WALLET, WALLET, ...behaviour.wallets.keys()]),
    }
  }
}
