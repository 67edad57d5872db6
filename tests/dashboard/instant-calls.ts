import type { Played } from './instant-numbers.ts'
import { type AccountSnapshot, type Numbers, pointsOf, sum } from './instant-snapshot.ts'
import type { Stage } from './stage.ts'

const ROWS_MAX = 1000

/** Operations that return the present of a world. Each is called once. */
export class ApiCalls {
  readonly #operator: Stage['operator']
  readonly #played: Played
  readonly #known = new Map<string, Promise<unknown>>()

  constructor(operator: Stage['operator'], played: Played) {
    this.#operator = operator
    this.#played = played
  }

  /** The bars of a symbol, oldest first, with the unfinished one. */
  async bars(symbol: string, timeframe: string, start?: string, end?: string) {
    const query = {
      symbols: [symbol],
      timeframe,
      sort: 'desc',
      limit: 600,
      ...(symbol.includes('/') ? {} : { adjustment: ['split'] }),
      start: start ?? '2025-01-01',
      ...(end && { end }),
    }
    const { client } = this.#played.account
    const { bars } = await this.once(`bars ${JSON.stringify(query)}`, () =>
      symbol.includes('/')
        ? client.cryptoBars({ params: { loc: 'us' }, query } as never)
        : client.stockBars({ query } as never),
    )
    return (bars[symbol] ?? []).toReversed()
  }

  once<Value>(key: string, call: () => Promise<Value>): Promise<Value> {
    const known = this.#known.get(key) as Promise<Value> | undefined
    if (known) return known
    const called = call()
    this.#known.set(key, called)
    return called
  }

  orders() {
    const { world, accountId } = this.#played
    const query = { account_id: accountId, status: 'all', limit: 500 } as const
    return this.once('orders', () => this.#operator.listWorldOrders({ params: { world }, query }))
  }

  async ended() {
    return (await this.orders()).filter(({ status }) => /^(filled|canceled|expired|rejected)$/.test(status))
  }

  async slippages(): Promise<readonly { readonly amount: number; readonly cash: number }[]> {
    const { world, accountId } = this.#played
    const query = { last: ROWS_MAX, limit: ROWS_MAX, account_id: accountId, kind: ['orderFilled'] }
    const { events } = await this.once('fills', () =>
      this.#operator.listEvents({ params: { world }, query: query as never }),
    )
    const orders = await this.orders()
    return events.map(({ event, order_id: id }) => {
      const { price, quantity, cash, quote } = event as unknown as FilledEvent
      const middle = (Number(quote.bid) + Number(quote.ask)) / 2
      const above = (Number(price) - middle) * Number(quantity)
      const isBuy = orders.find((order) => order.id === id)?.side === 'buy'
      return { amount: isBuy ? -above : above, cash: Number(cash) }
    })
  }

  /** The amount of an asset that an account has: `mine.USD`. */
  async balance(path: string): Promise<number> {
    const amounts = (await this.#balances()).filter((one) => `${this.#ownerOf(one)}.${one.asset}` === path)
    return sum(amounts.map(({ amount }) => Number(amount)))
  }

  #balances() {
    const { world } = this.#played
    const query = { limit: ROWS_MAX }
    return this.once('balances', async () => {
      const { balances } = await this.#operator.listBalances({ params: { world }, query } as never)
      return balances
    })
  }

  #ownerOf({
    account_id: id,
    ledger_account: name,
  }: {
    account_id?: string | undefined
    ledger_account: string
  }): string {
    return id === undefined ? name : id === this.#played.accountId ? 'mine' : id
  }

  async #legs() {
    const { world, accountId } = this.#played
    const query = { account_id: accountId, limit: ROWS_MAX }
    const { postings } = await this.once('postings', () =>
      this.#operator.listPostings({ params: { world }, query } as never),
    )
    return postings
  }

  async leg(number: number, leg: number): Promise<number> {
    const found = (await this.#legs()).find((one) => one.number === number && one.leg === leg)
    return Number(found?.amount)
  }

  async moved(isWanted: (leg: { readonly number: number }) => boolean, asset = 'USD'): Promise<number> {
    const { accountId } = this.#played
    const own = (await this.#legs()).filter((leg) => leg.account_id === accountId && leg.asset === asset)
    return sum(own.filter(isWanted).map(({ amount }) => Number(amount)))
  }

  async equityOf(world: string): Promise<number> {
    const params = { world, account_id: this.#played.tree.get(world)! }
    const { account } = await this.once(`tip ${world}`, () =>
      this.#operator.getAccountSnapshot({ params, query: {} }),
    )
    return Number(account.equity)
  }

  /** The world on screen, and its parent or fork. */
  pair(): readonly string[] {
    const { world, tree } = this.#played
    return [world, ...[...tree.keys()].filter((one) => one !== world)].slice(0, 2)
  }

  /** A world of the comparison at the millisecond of the one that is behind. */
  async compared(world: string): Promise<AccountSnapshot> {
    const read = (name: string, time?: string) =>
      this.once(`compared ${name} ${time}`, () =>
        this.#operator.getAccountSnapshot({
          params: { world: name, account_id: this.#played.tree.get(name)! },
          query: { curve: '1D', ...(time && { time }) },
        }),
      )
    const own = await read(world)
    const times = await Promise.all(this.pair().map(async (name) => Date.parse((await read(name)).time)))
    const behindMs = Math.min(...times)
    if (Date.parse(own.time) === behindMs) return own
    return read(world, new Date(behindMs).toISOString().replace('Z', '999999Z'))
  }

  async comparedCurves(): Promise<Numbers> {
    const both = await Promise.all(this.pair().map((world) => this.compared(world)))
    const columns = both.toReversed().map((snapshot) => new Map(pointsOf(snapshot)))
    const times = [...new Set(columns.flatMap((column) => [...column.keys()]))].sort((a, b) => b - a)
    return times.flatMap((at) => columns.map((column) => column.get(at)).filter((one) => one !== undefined))
  }
}

type FilledEvent = {
  readonly price: string
  readonly quantity: string
  readonly cash: string
  readonly quote: { readonly bid: string; readonly ask: string }
}
