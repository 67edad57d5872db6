import {
  type AccountId,
  type Asset,
  type AssetId,
  apply,
  type BrokerEvent,
  type ClientOrderId,
  type Command,
  callAnswered,
  type Digest,
  decide,
  emptyState,
  type Instant,
  type IssuerCode,
  isOpen,
  isPair,
  isPending,
  type KeyId,
  type Moment,
  type Money,
  nextDue,
  type OrderId,
  type Price,
  type Quantity,
  type RequestId,
  type State,
  type Ticker,
} from '@quipu/core'
import type { Entry } from '../../journal/journal.ts'
import { storedEntry } from '../../journal/stored-event.ts'
import { idMaker } from '../../world/moment.ts'
import { OAuthSteps } from './oauth-steps.ts'
import { partnerStep } from './partner-step.ts'

const UNIT = 1_000_000_000n
const SECOND = 1_000_000_000n
const START = 1_767_625_200_000_000_000n as Instant
export const TICKERS = ['AAPL', 'MSFT', 'QQQ', 'ETH/USD'] as Ticker[]
export const ISSUER = 'xstocks' as IssuerCode
export const LABELS = ['first', 'second', '~third', '\ud83e\udea2']

/**
 * A random simulation of a world. Accounts trade, mint, cancel and wait, and due agenda items run. The core decides
 * every step, so the events are realistic.
 */
export class Story {
  readonly state: State = emptyState()
  readonly entries: Entry[] = []
  readonly accounts: AccountId[] = []
  readonly #id: Moment['id']
  readonly #random: () => number
  #at = START
  #named = 0
  readonly #thrown = {
    up: (to: number) => this.#up(to),
    pick: <Item>(items: readonly Item[]) => this.#pick(items),
  }
  /** The next step of users, apps and machines. */
  #act = (): void => undefined

  constructor(seed: number) {
    const words = `story ${seed}`
    this.#id = idMaker(words)
    this.#random = makeRandom(seed)
    const fillSize = seed % 2 === 0 ? 'unlimited' : 'displayed'
    const settings = { seed: words, hours: 'always', fillSize, latencyNs: SECOND } as const
    this.#do({ kind: 'openWorld', settings: { ...settings, startingCash: 0n as Money } })
    this.#bootstrap()
  }

  /** Runs some steps. A step may lead to any number of events. */
  run(steps: number): this {
    for (let step = 0; step < steps; step++) {
      this.#at = (this.#at + BigInt(this.#up(20_000)) * 1_000_000n) as Instant
      this.#runDue()
      this.#step(this.#up(100))
    }
    return this
  }

  /** A client order id that an order has, or an unused one. */
  clientOrderId(number = this.#up(this.#named + 3)): ClientOrderId {
    return (number % 7 === 3 ? `odd\u0000\ud800 ${number}` : `order-${number}`) as ClientOrderId
  }

  #bootstrap(): void {
    const [partner] = this.#do({ kind: 'addPartner', name: 'Partner' })
    if (partner?.kind !== 'partnerAdded') throw new Error('bug: no partner')
    const { partnerId } = partner
    for (const flavour of ['paper', 'live', 'paper', 'paper'] as const) {
      const [event] = this.#do({ kind: 'openAccount', flavour, partnerId, cash: (100_000n * UNIT) as Money })
      if (event?.kind === 'accountOpened') this.accounts.push(event.accountId)
    }
    const steps = new OAuthSteps(this.#thrown, partnerId, this.accounts.slice(0, 3))
    for (const command of steps.first()) this.#do(command)
    this.#act = () => steps.next(this.state).forEach((command) => void this.#do(command))
    const owner = { kind: 'account', accountId: this.accounts[0]! } as const
    this.#do({ kind: 'issueKey', keyId: 'PK1' as KeyId, owner, digest: digest('key') })
    const listings = [{ underlying: TICKERS[0]!, tokenSymbol: 'AAPLx', networks: ['solana', 'ethereum'] }]
    const accountId = this.accounts[3]!
    this.#do({ kind: 'registerIssuer', code: ISSUER, name: 'Issuer', accountId, listings })
    for (const accountId of this.accounts.slice(0, 2))
      this.#do({ kind: 'linkAccount', link: { accountId, issuer: ISSUER, kind: 'affiliated' } })
  }

  #step(choice: number): void {
    if (choice < 40) this.#place()
    else if (choice < 45) this.#replace()
    else if (choice < 57) this.#do({ kind: 'observeQuote', symbol: this.#pick(TICKERS) })
    else if (choice < 60) this.#partnerStep()
    else if (choice < 68) this.#do({ kind: 'observeTrade', symbol: this.#pick(TICKERS) })
    else if (choice < 76) this.#cancel()
    else if (choice < 88) this.#mint()
    else if (choice < 92) this.#answer()
    else if (choice < 98) this.#act()
    else this.#at = (this.#at + 20_000n * SECOND) as Instant
  }

  #place(): void {
    const [symbol, isLimit] = [this.#pick(TICKERS), this.#up(3) > 0]
    const cents = 9_900n + BigInt(this.#up(200))
    const isBracket = !isPair(symbol) && this.#up(3) === 0
    this.#do({
      kind: 'placeOrder',
      accountId: this.#pick(this.accounts.slice(0, 3)),
      ...(this.#up(4) > 0 ? { clientOrderId: this.clientOrderId(++this.#named) } : {}),
      symbol,
      side: isBracket || this.#up(3) > 0 ? 'buy' : 'sell',
      type: isLimit ? 'limit' : 'market',
      timeInForce: this.#up(2) && !isPair(symbol) ? 'day' : 'gtc',
      extendedHours: isLimit && !isBracket && this.#up(4) === 0,
      quantity: (BigInt(1 + this.#up(9)) * UNIT) as Quantity,
      ...(isLimit ? { limit: price(cents) } : {}),
      ...(isBracket ? this.#exits() : {}),
    })
  }

  #exits() {
    const [up, down] = [BigInt(this.#up(100)), BigInt(this.#up(100))]
    return {
      class: 'bracket',
      takeProfit: { limit: price(10_101n + up) },
      stopLoss: { stop: price(9_880n - down) },
    } as const
  }

  #replace(): void {
    const open = [...this.state.orders.values()].filter((order) => isOpen(order) && order.kind !== 'market')
    if (open.length === 0) return
    const { accountId, id, kind } = this.#pick(open)
    const at = price(9_800n + BigInt(this.#up(400)))
    const named = this.#up(2) ? { clientOrderId: this.clientOrderId(++this.#named) } : {}
    const change = kind === 'stop' ? { stop: at } : { limit: at }
    this.#do({ kind: 'replaceOrder', accountId, orderId: id, ...named, ...change })
  }

  #cancel(): void {
    const open = [...this.state.orders.values()].filter(isOpen)
    if (open.length === 0) return
    const { accountId, id } = this.#pick(open)
    this.#do({ kind: 'cancelOrder', accountId, orderId: id as OrderId })
  }

  #mint(): void {
    const whole = 1 + this.#up(3)
    this.#do({
      kind: 'requestMint',
      accountId: this.#pick(this.accounts.slice(0, 2)),
      issuer: ISSUER,
      network: this.#pick(['solana', 'ethereum']),
      underlying: TICKERS[0]!,
      quantity: (BigInt(whole) * UNIT) as Quantity,
      quantityText: `${whole}.0`,
      wallet: 'wallet',
      ...(this.#up(2) ? { label: this.#pick(LABELS) } : {}),
    })
  }

  /** The issuer answers one of its requests, usually with approval. */
  #answer(): void {
    const requests = [...this.state.requests.values()].filter(isPending)
    if (requests.length === 0) return
    const requestId: RequestId = this.#pick(requests).id
    const isYes = this.#up(4) > 0
    const no = { ok: false, reason: 'no' } as const
    const response = isYes ? ({ ok: true, issuerRequestId: 'theirs' } as const) : no
    const confirm = isYes ? ({ ok: true } as const) : no
    this.#do({ kind: 'answerMint', requestId, response })
    if (this.#up(3)) this.#do({ kind: 'answerConfirm', requestId, response: confirm })
    if (this.#up(3)) this.#do({ kind: 'completeMint', requestId, txHash: '0x1' })
  }

  #partnerStep(): void {
    const pending = [...this.state.jobs.values()].flatMap(({ bookTransfer }) => bookTransfer?.id ?? [])
    const values = { accounts: this.accounts.slice(0, 3), tickers: TICKERS, texts: LABELS, pending }
    const [event] = this.#do(partnerStep(this.#thrown, values))
    if (event?.kind === 'transferBooked' || event?.kind === 'bookTransferMade')
      this.#answerCall(event.accountId)
  }

  /** A few keys, so that some are used again. */
  #answerCall(ownerId: AccountId): void {
    const request = { ownerId, operation: 'move', key: `key-${this.#up(40)}`, bodyHash: 'aa' }
    const event = callAnswered(this.state, this.#at, { holders: ['credential'], ...request }, '{"id":"x"}')
    apply(this.state, event)
    this.entries.push(storedEntry(event))
  }

  #runDue(): void {
    for (let next = nextDue(this.state.agenda); next && next.due <= this.#at; ) {
      if (this.#do(next.item).length === 0) throw new Error(`bug: ${next.item.kind} changed nothing`)
      next = nextDue(this.state.agenda)
    }
  }

  #do(command: Command): readonly BrokerEvent[] {
    this.#at = (this.#at + 1n) as Instant
    const decision = decide(this.state, this.#moment(), command)
    if (!decision.ok) return []
    for (const event of decision.value) {
      apply(this.state, event)
      this.entries.push(storedEntry(event))
    }
    return decision.value
  }

  #moment(): Moment {
    const at = this.#at
    const middle = (9_900n + ((at / (7n * SECOND)) % 200n)) * 10_000_000n
    const size = (5n * UNIT) as Quantity
    const [bid, ask] = [(middle - 10_000_000n) as Price, (middle + 10_000_000n) as Price]
    const quote = { at: (at - (at % (7n * SECOND))) as Instant, bid, ask, bidSize: size, askSize: size }
    const trade = { at: quote.at, price: bid, size }
    return {
      at,
      prices: { quote: () => quote, trade: () => trade },
      asset: assetOf,
      id: this.#id,
    }
  }

  #up(to: number): number {
    return Math.floor(this.#random() * to)
  }

  #pick<Item>(items: readonly Item[]): Item {
    return items[this.#up(items.length)]!
  }
}

const price = (cents: bigint): Price => (cents * 10_000_000n) as Price
const digest = (text: string): Digest => `digest of ${text}` as Digest

const assetOf = (symbol: Ticker): Asset => ({
  id: symbol as string as AssetId,
  class: isPair(symbol) ? 'crypto' : 'usEquity',
  exchange: 'NASDAQ',
  symbol,
  name: symbol,
  status: 'active',
  tradable: true,
  marginable: true,
  shortable: false,
  easyToBorrow: false,
  fractionable: true,
  tick: 10_000_000n as Price,
  lot: 1_000_000_000n as Quantity,
})

/** Mulberry32: the same seed gives the same numbers from 0 up to 1. */
function makeRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
