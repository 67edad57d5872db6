import type {
  AccountId,
  ActionId,
  ActionTerms,
  CivilDate,
  Command,
  KeyId,
  OrderId,
  PartnerId,
  ScheduleAction,
  Ticker,
} from '@quipu/core'
import { digestOf } from '../../../broker/src/access/credentials.ts'
import type { World } from '../../../broker/src/world/world.ts'
import type { Random } from '../../support/random.ts'
import { newYorkClock } from '../checker/rules.ts'
import { OAuthRequests } from './oauth.ts'
import { randomOrder, randomReplace } from './orders.ts'
import { MINTED, TokenRequests } from './tokens.ts'

/**
 * A request of a client. `tag` is a text in the journal that only this request writes, even if it is repeated; a request
 * without a tag changes existing data. `isOnce`: the request has an id, so it may be repeated.
 */
export type ClientRequest = {
  readonly tag?: string
  readonly command: Command
  readonly isOnce?: boolean
  /** The idempotency key. */
  readonly key?: string
}

const SYMBOLS = ['AAPL', 'KO', 'F', 'TSLA'].map((symbol) => symbol as Ticker)
/** Symbols without tokens, which may be delisted. */
const CHANGING = ['GE', 'F'].map((symbol) => symbol as Ticker)
const CENT = 10_000_000n

/** Generates random requests with ids that clients received. */
export class RequestGenerator {
  readonly #random: Random
  #count = 0
  readonly accounts: AccountId[] = []
  readonly orders: { readonly id: OrderId; readonly accountId: AccountId }[] = []
  readonly keys: KeyId[] = []
  readonly oauth: OAuthRequests
  /** Mints and redemptions. */
  readonly shares: TokenRequests
  readonly actions: ActionId[] = []
  /** New symbols from symbol changes. */
  readonly names: Ticker[] = []
  partnerId = '' as PartnerId

  constructor(random: Random) {
    this.#random = random
    this.oauth = new OAuthRequests(random, (prefix) => this.#tag(prefix))
    this.shares = new TokenRequests(random, (prefix) => this.#tag(prefix))
  }

  next(world: World): ClientRequest {
    const draw = this.#random.next()
    if (draw < 0.5) return this.#order(world)
    if (draw < 0.56) return this.#replace(world)
    if (draw < 0.64) return this.#cancel()
    if (draw < 0.84) return this.shares.next(this.accounts, this.names)
    if (draw < 0.88) return this.#key()
    if (draw < 0.92) return this.#transfer()
    if (draw < 0.96) return this.#action(world)
    if (draw < 0.985) return this.connect()
    return this.account()
  }

  account(cash = 1_000_000_000_000n): ClientRequest {
    const exact = cash + BigInt(++this.#count) * CENT
    const command = {
      kind: 'openAccount',
      flavour: 'paper',
      partnerId: this.partnerId,
      cash: exact,
    } as Command
    return { tag: String(exact), command }
  }

  app(): ClientRequest {
    return this.oauth.app(this.partnerId)
  }

  connect(): ClientRequest {
    return this.oauth.next(this.partnerId, this.accounts)
  }

  #tag(prefix: string): string {
    return `${prefix}${String(++this.#count).padStart(6, '0')}`
  }

  #order(world: World): ClientRequest {
    const random = this.#random
    const tag = this.#tag('order')
    const symbol = random.pick([...SYMBOLS, ...CHANGING, ...this.names])
    const input = { accountId: random.pick(this.accounts), symbol, tag }
    return { tag, command: randomOrder(random, world, input), isOnce: true }
  }

  #replace(world: World): ClientRequest {
    const random = this.#random
    const order = random.pick(this.orders.slice(-12))
    if (!order) return this.#key()
    const tag = this.#tag('order')
    return {
      tag,
      command: randomReplace(random, world, order, { symbol: random.pick(SYMBOLS), tag }),
      isOnce: true,
    }
  }

  #cancel(): ClientRequest {
    const random = this.#random
    const order = random.pick(this.orders.slice(-12))
    if (!order) return this.#key()
    const accountId = random.chance(0.1) ? random.pick(this.accounts) : order.accountId
    return { command: { kind: 'cancelOrder', accountId, orderId: order.id }, isOnce: true }
  }

  #key(): ClientRequest {
    const random = this.#random
    if (this.keys.length > 0 && random.chance(0.4))
      return { command: { kind: 'revokeKey', keyId: random.pick(this.keys) } }
    const tag = this.#tag('PK')
    const owner = { kind: 'account', accountId: random.pick(this.accounts) } as const
    return { tag, command: { kind: 'issueKey', keyId: tag as KeyId, owner, digest: digestOf(tag) } }
  }

  #transfer(): ClientRequest {
    const { accounts, partnerId } = this
    return randomPartnerRequest(this.#random, { accounts, partnerId, symbols: SYMBOLS }, ++this.#count)
  }

  #action({ engine: { now } }: World): ClientRequest {
    const random = this.#random
    const symbols = random.chance(0.4) ? [...SYMBOLS, ...MINTED] : [...CHANGING, ...this.names]
    return randomAction(random, { symbols, actions: this.actions, now }, ++this.#count)
  }
}

const NANO = 1_000_000_000n

export type PartnerRequest = { readonly tag?: string; readonly command: Command }

/** Accounts and symbols for transfers. */
export type PartnerInput = {
  readonly accounts: readonly AccountId[]
  readonly symbols: readonly Ticker[]
  readonly partnerId: PartnerId
}

/** A random deposit, withdrawal, transfer of cash or shares, reset or closing of an account. */
export function randomPartnerRequest(
  random: Random,
  { accounts, symbols, partnerId }: PartnerInput,
  n: number,
): PartnerRequest {
  const tag = `moved${String(n).padStart(6, '0')}`
  const caller = random.chance(0.5)
    ? { partnerId }
    : random.chance(0.1)
      ? { partnerId: 'nobody' as never }
      : {}
  const accountId = random.pick(accounts)
  const amount = (BigInt(random.pick([1, random.integer(1, 50_000), 10_000_000])) * CENT) as never
  const draw = random.next()
  if (draw < 0.4) {
    const direction = random.pick(['in', 'out'] as const)
    return {
      tag,
      command: { kind: 'transferMoney', accountId, direction, method: 'ach', amount, note: tag, ...caller },
    }
  }
  if (draw < 0.8) {
    const between = { from: accountId, to: random.pick(accounts), description: tag, ...caller }
    const quantity = BigInt(random.integer(1, 4_000_000_000)) as never
    const what = random.chance(0.4)
      ? ({ kind: 'cash', amount } as const)
      : ({ kind: 'shares', symbol: random.pick(symbols), quantity } as const)
    return { tag, command: { kind: 'makeBookTransfer', ...between, what } }
  }
  if (draw > 0.97)
    return { command: { kind: 'closeAccount', accountId, empty: random.chance(0.5), ...caller } }
  // A reset has no text, so its unique cash amount identifies it.
  const cash = 3_000_000_000_000n + BigInt(n) * CENT
  const positions = random.chance(0.5)
    ? []
    : [{ symbol: random.pick(symbols), quantity: (3n * NANO) as never }]
  return {
    tag: String(cash),
    command: { kind: 'resetAccount', accountId, cash: cash as never, positions, ...caller },
  }
}

const DAY = 86_400n * NANO

export type ActionRequest = { readonly tag?: string; readonly command: Command }

/** Symbols for new actions, and scheduled actions that can be canceled. */
export type ActionInput = {
  readonly symbols: readonly Ticker[]
  readonly actions: readonly ActionId[]
  readonly now: bigint
}

/** A split, a dividend, a symbol change or a delisting on one of the next days, or the cancel of an action. */
export function randomAction(
  random: Random,
  { symbols, actions, now }: ActionInput,
  n: number,
): ActionRequest {
  if (actions.length > 0 && random.chance(0.15))
    return { command: { kind: 'cancelAction', actionId: random.pick(actions) } }
  const date = (days: number): CivilDate => newYorkClock(now + BigInt(days) * DAY).date as CivilDate
  const days = random.pick([1, 1, 1, 2, 3])
  const exDate = date(days)
  const { tag, terms } = random.pick(KINDS)({
    random,
    n,
    exDate,
    payDate: date(days + random.pick([0, 0, 1, 5])),
  })
  const command: ScheduleAction = { kind: 'scheduleAction', symbol: random.pick(symbols), exDate, terms }
  return tag === undefined ? { command } : { tag, command }
}

type Case = {
  readonly random: Random
  readonly n: number
  readonly exDate: CivilDate
  readonly payDate: CivilDate
}
type Kind = (input: Case) => { readonly tag?: string; readonly terms: ActionTerms }

const split: Kind = ({ random }) => {
  const [newRate, oldRate] = random.pick([
    [2n, 1n],
    [3n, 2n],
    [7n, 5n],
    [1n, 2n],
    [2n, 7n],
  ] as const)
  return { terms: { kind: 'split', newRate: newRate * NANO, oldRate: oldRate * NANO } }
}
/** Each dividend has a unique rate. */
const dividend: Kind = ({ random, n, exDate: recordDate, payDate }) => {
  const rate = BigInt(random.pick([0, 100_000, 400_000]) + 10_000 + n) * 1000n
  const terms = { kind: 'dividend', rate: rate as never, recordDate, payDate, special: false } as const
  return { tag: String(rate), terms }
}
const symbolChange: Kind = ({ n }) => {
  const tag = `NEW${String(n).padStart(6, '0')}`
  return { tag, terms: { kind: 'symbolChange', newSymbol: tag as Ticker } }
}
const delisting: Kind = ({ random }) => ({
  terms: { kind: 'delisting', ...(random.chance(0.7) && { price: (3n * NANO + 330_000_000n) as never }) },
})
const KINDS = [split, split, split, dividend, dividend, symbolChange, delisting]
