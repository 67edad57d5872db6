import type { AccountId, ActionId, Command, KeyId, OrderId, PartnerId, Ticker } from '@quipu/core'
import { digestOf } from '../../../server/src/access/credentials.ts'
import type { World } from '../../../server/src/world/world.ts'
import type { Random } from '../../random.ts'
import { actionWish } from './actions.ts'
import { OAuthWishes } from './oauth.ts'
import { orderWish, replaceWish } from './orders.ts'
import { partnerWish } from './partners.ts'
import { MINTED, TokenWishes } from './tokens.ts'

/**
 * Something a client wants. `tag` is a text that only this wish brings into the journal, however often it is asked
 * for; a wish without one changes what is there. `isOnce`: it names itself, so it may be asked for again.
 */
export type Wish = { readonly tag?: string; readonly command: Command; readonly isOnce?: boolean }

const SYMBOLS = ['AAPL', 'KO', 'F', 'TSLA'].map((symbol) => symbol as Ticker)
/** Of these there are no tokens, so that they may go as well. */
const CHANGING = ['GE', 'F'].map((symbol) => symbol as Ticker)
const CENT = 10_000_000n

/** Makes up wishes of all kinds, from what clients were told. */
export class Wishes {
  readonly #random: Random
  #made = 0
  readonly accounts: AccountId[] = []
  readonly orders: { readonly id: OrderId; readonly accountId: AccountId }[] = []
  readonly keys: KeyId[] = []
  readonly oauth: OAuthWishes
  /** Of shares that become tokens, and come back. */
  readonly shares: TokenWishes
  readonly actions: ActionId[] = []
  /** Names that shares were given since. */
  readonly names: Ticker[] = []
  partnerId = '' as PartnerId

  constructor(random: Random) {
    this.#random = random
    this.oauth = new OAuthWishes(random, (of) => this.#tag(of))
    this.shares = new TokenWishes(random, (of) => this.#tag(of))
  }

  next(world: World): Wish {
    const luck = this.#random.next()
    if (luck < 0.5) return this.#order(world)
    if (luck < 0.56) return this.#replace(world)
    if (luck < 0.64) return this.#cancel()
    if (luck < 0.84) return this.shares.next(this.accounts, this.names)
    if (luck < 0.88) return this.#key()
    if (luck < 0.92) return this.#moved()
    if (luck < 0.96) return this.#action(world)
    if (luck < 0.985) return this.connect()
    return this.account()
  }

  account(cash = 1_000_000_000_000n): Wish {
    const exact = cash + BigInt(++this.#made) * CENT
    const command = {
      kind: 'openAccount',
      flavour: 'paper',
      partnerId: this.partnerId,
      cash: exact,
    } as Command
    return { tag: String(exact), command }
  }

  app(): Wish {
    return this.oauth.app(this.partnerId)
  }

  connect(): Wish {
    return this.oauth.next(this.partnerId, this.accounts)
  }

  #tag(of: string): string {
    return `${of}${String(++this.#made).padStart(6, '0')}`
  }

  #order(world: World): Wish {
    const random = this.#random
    const tag = this.#tag('order')
    const symbol = random.pick([...SYMBOLS, ...CHANGING, ...this.names])
    const given = { accountId: random.pick(this.accounts), symbol, tag }
    return { tag, command: orderWish(random, world, given), isOnce: true }
  }

  #replace(world: World): Wish {
    const random = this.#random
    const order = random.pick(this.orders.slice(-12))
    if (!order) return this.#key()
    const tag = this.#tag('order')
    return {
      tag,
      command: replaceWish(random, world, order, { symbol: random.pick(SYMBOLS), tag }),
      isOnce: true,
    }
  }

  #cancel(): Wish {
    const random = this.#random
    const order = random.pick(this.orders.slice(-12))
    if (!order) return this.#key()
    const accountId = random.chance(0.1) ? random.pick(this.accounts) : order.accountId
    return { command: { kind: 'cancelOrder', accountId, orderId: order.id }, isOnce: true }
  }

  #key(): Wish {
    const random = this.#random
    if (this.keys.length > 0 && random.chance(0.4))
      return { command: { kind: 'revokeKey', keyId: random.pick(this.keys) } }
    const tag = this.#tag('PK')
    const owner = { kind: 'account', accountId: random.pick(this.accounts) } as const
    return { tag, command: { kind: 'issueKey', keyId: tag as KeyId, owner, digest: digestOf(tag) } }
  }

  #moved(): Wish {
    const { accounts, partnerId } = this
    return partnerWish(this.#random, { accounts, partnerId, symbols: SYMBOLS }, ++this.#made)
  }

  #action({ now }: World): Wish {
    const random = this.#random
    const symbols = random.chance(0.4) ? [...SYMBOLS, ...MINTED] : [...CHANGING, ...this.names]
    return actionWish(random, { symbols, actions: this.actions, now }, ++this.#made)
  }
}
