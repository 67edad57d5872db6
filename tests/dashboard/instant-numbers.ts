import type { Quipu } from '@quipu/sdk'
import { sparkPath } from '../../web/src/parts/scale.ts'
import { ApiCalls } from './instant-calls.ts'
import {
  type AccountSnapshot,
  curveOf,
  type Found,
  fieldOf,
  type Numbers,
  snapshotFamilies,
  sum,
} from './instant-snapshot.ts'
import type { Stage } from './stage.ts'

/** A played world, its first account, and the other world of its comparison. */
export type Played = {
  readonly world: string
  readonly accountId: string
  readonly account: Quipu
  /** The account of each world of the tree by name, the root first. */
  readonly tree: ReadonlyMap<string, string>
}

type Operator = Stage['operator']

/** An instant of the world, with the symbols whose prices are on screen. */
export type Moment = {
  readonly event: number
  readonly time: string
  readonly symbols: readonly string[]
  /** The symbol of the ticket. */
  readonly symbol: string
}

/** When `flash-crash` begins. */
const SCENARIO_START = '2026-01-05T15:00:00Z'

/** The chart of an order has the minutes around it too. */
const MARGIN_MS = 5 * 60_000

/** The open of the session in winter; outside of it the day in New York. */
function sessionStart(time: string): string {
  const local = new Date(Date.parse(time) - 5 * 3_600_000).toISOString()
  const isOpen = local.slice(11) >= '09:30' && local.slice(11) < '16:00'
  return isOpen ? `${local.slice(0, 10)}T14:30:00Z` : local.slice(0, 10)
}

/**
 * The numbers of the API at one instant, by the names that the page gives to its numbers (`data-number`, `data-curve`,
 * `data-spark`). Names of the account snapshot are right at any instant; the other operations only return the present, so
 * they are compared while the clock stands.
 */
export class ApiNumbers {
  readonly snapshot: AccountSnapshot
  readonly #operator: Operator
  readonly #played: Played
  readonly calls: ApiCalls
  /** The symbol of the ticket. */
  readonly #symbol: string

  private constructor(operator: Operator, played: Played, snapshot: AccountSnapshot, symbol: string) {
    this.#symbol = symbol
    this.#operator = operator
    this.calls = new ApiCalls(operator, played)
    this.#played = played
    this.snapshot = snapshot
  }

  static async at(
    operator: Operator,
    played: Played,
    { event, time, symbols, symbol }: Moment,
  ): Promise<ApiNumbers> {
    const params = { world: played.world, account_id: played.accountId }
    const query = { event, time, symbols: [...symbols], curve: '1D' } as const
    const snapshot = await operator.getAccountSnapshot({ params, query })
    return new ApiNumbers(operator, played, snapshot, symbol)
  }

  /** The number with this name; undefined if there is none. */
  async number(name: string): Promise<Found> {
    const [family = '', ...rest] = name.split('.')
    const path = rest.join('.')
    const ofSnapshot = this.ofSnapshot(name)
    if (ofSnapshot !== undefined) return ofSnapshot
    const read = this.#families[family]
    return read?.(path, rest)
  }

  /** The number with this name, if the account snapshot has it. */
  ofSnapshot(name: string): Found {
    const [family = '', ...rest] = name.split('.')
    return snapshotFamilies[family]?.(this.snapshot, rest.join('.'))
  }

  readonly #families: Readonly<Record<string, (path: string, parts: readonly string[]) => Promise<Found>>> = {
    order: async (path) => fieldOf(path, await this.calls.orders()),
    order_profit: async (id) => {
      const order = (await this.calls.orders()).find((one) => one.id === id)
      const last = order && this.ofSnapshot(`prices.${order.symbol}.last`)
      if (order === undefined || last === undefined) return undefined
      const gain = Number(order.filled_qty) * (last - Number(order.filled_avg_price))
      return order.side === 'buy' ? gain : -gain
    },
    balance: (path) => this.calls.balance(path),
    posting: async (_, [number, asset]) => this.calls.moved((leg) => leg.number === Number(number), asset),
    balance_after: async (_, [number, asset]) =>
      this.calls.moved((leg) => leg.number <= Number(number), asset),
    leg: async (_, [number, leg]) => this.calls.leg(Number(number), Number(leg)),
    leg_size: async (_, [number, leg]) => Math.abs(await this.calls.leg(Number(number), Number(leg))),
    tip: (world) => this.calls.equityOf(world),
    tip_gain: async (world) =>
      (await this.calls.equityOf(world)) - (await this.calls.equityOf([...this.#played.tree.keys()][0]!)),
    compared: async (world) => Number((await this.calls.compared(world)).account.equity),
    compared_gain: async () => {
      const [left, right] = await Promise.all(this.calls.pair().map((world) => this.calls.compared(world)))
      return Number(right!.account.equity) - Number(left!.account.equity)
    },
    difference: async (_, [left, right]) => {
      const [world = '', against = ''] = this.calls.pair()
      const { rows, rest } = await this.calls.once('difference', () =>
        this.#operator.getWorldDifference({ params: { world }, query: { against } }),
      )
      const idOf = (order: { readonly order_id: string } | null) => order?.order_id ?? 'none'
      const row = rows.find((one) => idOf(one.world_order) === left && idOf(one.against_order) === right)
      return left === 'rest' ? Number(rest.equity_change) : row && Number(row.equity_change)
    },
    customer: async (_, [id, field]) => {
      const of = { world: this.#played.world, account_id: id! }
      // A row of another world, before the list is read again, has no number here.
      const found = await this.calls.once(`customer ${id}`, () =>
        this.#operator.getAccountSnapshot({ params: of, query: {} }).catch(() => undefined),
      )
      if (!found) return undefined
      const { account, positions } = found
      return field === 'positions' ? positions.length : Number(account[field as 'equity'])
    },
    preview: async (field) => {
      const symbol = this.#symbol
      const body = { symbol, qty: '1', side: 'buy', type: 'market', time_in_force: 'day' }
      const { client } = this.#played.account
      const read = await this.calls.once('preview', () => client.previewOrder({ body } as never))
      if (field === 'closed_gain')
        return this.ofSnapshot(`position.${symbol}.avg_entry_price`)! - Number(read.estimated_value)
      if (field !== 'fees') return Number(read[field as 'estimated_value'])
      return sum((read.fees ?? []).flatMap(({ asset, amount }) => (asset === 'USD' ? [Number(amount)] : [])))
    },
    trade: async (_, [symbol, index, field]) => {
      const { trades } = await this.calls.once(`trades ${symbol}`, () =>
        this.#played.account.client.stockTrades({
          query: { symbols: [symbol!], sort: 'desc', limit: 50, start: '2026-01-01' } as never,
        }),
      )
      return trades[symbol!]?.[Number(index)]?.[field === 'price' ? 'p' : 's']
    },
    slippage: async (index) => (await this.calls.slippages())[Number(index)]?.amount,
    risk: async (field) => this.#risk(field),
  }

  async #risk(field: string): Promise<Found> {
    const { positions, account } = this.snapshot
    const values = positions.map(({ market_value: value }) => Number(value))
    const gross = sum(values.map(Math.abs))
    const share = (value: number) => (value / Number(account.equity)) * 100
    const figures: Readonly<Record<string, () => Found | Promise<Found>>> = {
      gross: () => gross,
      gross_about: () => share(gross),
      net: () => sum(values),
      net_about: () => share(sum(values)),
      drawdown: () => this.#drawdowns().at(-1),
      drawdown_about: () => Math.min(...this.#drawdowns()),
      slippage: async () => sum((await this.calls.slippages()).map(({ amount }) => amount)),
      slippage_about: async () => {
        const all = await this.calls.slippages()
        return (sum(all.map(({ amount }) => amount)) / sum(all.map(({ cash }) => cash))) * 10_000
      },
      fill_rate: async () => {
        const ended = await this.calls.ended()
        const wanted = sum(ended.map(({ qty }) => Number(qty)))
        return (sum(ended.map(({ filled_qty: filled }) => Number(filled))) / wanted) * 100
      },
      fill_rate_about: async () =>
        (await this.calls.ended()).filter(({ status }) => status === 'filled').length,
    }
    return figures[field]?.()
  }

  /** Drawdown in per cent at each point of the curve of the day. */
  #drawdowns(): Numbers {
    const { curve, account } = this.snapshot
    const values = [...(curve?.equity ?? []).filter((value) => value > 0), Number(account.equity)]
    let highest = 0
    return values.map((value) => {
      highest = Math.max(highest, value)
      return (value / highest - 1) * 100
    })
  }

  /** The values of a curve in the order of its table: newest row first, its columns from left to right. */
  async curve(name: string): Promise<Numbers> {
    const [family, symbol = ''] = name.split('.')
    if (family === 'curve') return curveOf(this.snapshot)
    if (family === 'compared') return this.calls.comparedCurves()
    if (family === 'minutes_low' || family === 'minutes_high') {
      // The order was placed in the first minute of the world. At Max its day may end.
      const start = new Date(Date.parse(SCENARIO_START) - MARGIN_MS).toISOString()
      const ended = (await this.calls.orders()).find((order) => order.symbol === symbol)?.expired_at
      const end = ended == null ? undefined : new Date(Date.parse(ended) + MARGIN_MS).toISOString()
      const bars = await this.calls.bars(symbol, '1Min', start, end)
      return bars.map((bar) => (family === 'minutes_low' ? bar.l : bar.h)).reverse()
    }
    throw new Error(`${name}: no curve of the API has this name; add its family`)
  }

  /** The path of a small curve. */
  async spark(name: string): Promise<string> {
    const [family, symbol = ''] = name.split('.')
    if (family === 'equity') {
      const values = curveOf(this.snapshot).toReversed()
      return sparkPath(values, this.snapshot.curve?.base_value || undefined).path
    }
    const start = sessionStart(this.snapshot.time)
    const closes = (await this.calls.bars(symbol, '15Min', start)).map(({ c }) => c)
    const before = this.ofSnapshot(`prices.${symbol}.previous_close`)
    const last = this.ofSnapshot(`prices.${symbol}.last`)
    if (family === 'day') return sparkPath(closes, before).path
    if (family === 'day_and_last') return sparkPath([...closes, last!], before).path
    throw new Error(`${name}: no small curve of the API has this name; add its family`)
  }
}
