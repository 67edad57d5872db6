import type { AccountId, Behaviour, IssuerCode, Outcome, RequestId, Ticker } from '@quipu/core'
import { digestOf } from '../../../server/src/access/credentials.ts'
import type { Random } from '../../random.ts'
import type { Wish } from './requests.ts'

export const MINTED = ['AAPL', 'KO'].map((symbol) => symbol as Ticker)
const NANO = 1_000_000_000n
const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7'

/** What the issuers do: most requests end by themselves, some wait for somebody's word, some tokens are late. */
export const behaviour: Behaviour = {
  delayNs: 0n,
  outcome: 'complete',
  wallets: new Map<string, Outcome>([
    ['patient', 'hold'],
    ['late', { lateNs: 5_000n * NANO }],
  ]),
}

/** What participants and issuers want of tokens. */
export class TokenWishes {
  readonly #random: Random
  readonly #tag: (of: string) => string
  /** The issuers' own accounts. */
  readonly issuers = new Map<IssuerCode, AccountId>()
  readonly requests: RequestId[] = []

  constructor(random: Random, tag: (of: string) => string) {
    this.#random = random
    this.#tag = tag
  }

  next(accounts: readonly AccountId[], names: readonly Ticker[]): Wish {
    const luck = this.#random.next()
    // The first two are known to the issuers.
    const accountId = this.#random.pick(luck < 0.95 ? accounts.slice(0, 2) : accounts)
    if (luck < 0.25 || this.requests.length === 0) return this.mint(accountId, [...MINTED, ...names])
    return luck < 0.7 ? this.#redeem(accountId) : this.#word()
  }

  mint(accountId: AccountId, symbols: readonly Ticker[]): Wish {
    const tag = this.#tag('mint')
    const idempotency = { key: tag, bodyHash: digestOf(tag) }
    const command = { kind: 'requestMint', accountId, ...this.#what(symbols), idempotency } as const
    return { tag, command, isOnce: true }
  }

  /** By the issuer, under an id of its own. */
  #redeem(accountId: AccountId): Wish {
    const tag = this.#tag('redeem')
    const what = this.#what(MINTED)
    const { issuer, underlying } = what
    const tokenSymbol = issuer === 'xstocks' ? `${underlying}x` : `t${underlying}`
    const named = { issuerRequestId: tag, txHash: '0x7', idempotency: { key: tag, bodyHash: digestOf(tag) } }
    const command = {
      kind: 'requestRedeem',
      participant: { accountId },
      tokenSymbol,
      ...what,
      ...named,
    } as const
    return { tag, command, isOnce: true }
  }

  /** The issuer calls back, or somebody decides by hand what becomes of a request. */
  #word(): Wish {
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

  #what(symbols: readonly Ticker[]) {
    const random = this.#random
    // What is left of a share after any split, or nearly anything.
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
