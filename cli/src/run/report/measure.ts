import { type Client, createClient } from '@quipu/sdk'
import { type RunEquity, type RunPrice, type RunStatistics, statisticsOf } from '@quipu/sdk/runs'
import type { Traffic } from '../gateway/traffic.ts'
import type { ReplaySummary } from '../lock-step/replay.ts'
import { curveOf, type EquityPoint } from './curve.ts'
import { type Fill, fillsSince } from './fills.ts'
import { heldBy, withHoldings, withTransfers } from './holdings.ts'
import type { Measured, MeasuredTrader } from './measured.ts'
import { type RefusedRequests, refusedByCause } from './refusals.ts'
import { type RunSymbols, SymbolWatch } from './symbols.ts'

export type UnfilledOrder = {
  readonly order_id: string
  readonly status: string
  readonly summary: string
  /** What would have filled the order. */
  readonly counterfactual: readonly string[]
}

/** What a run did. Written by --summary as JSON. */
export type RunSummary = {
  readonly world: string
  readonly account_id: string
  /** Whether the account was opened for the run. */
  readonly has_new_account?: boolean
  readonly exit_code: number
  /** By the clock of the world. */
  readonly started_at: string
  readonly ended_at: string
  readonly requests: number
  /** Those on connections that do not belong to the run. Their keys were not replaced. */
  readonly requests_of_others: number
  /** Whether a key of the program was replaced by the key of the world. */
  readonly keys_replaced: boolean
  /** Number of orders by status. */
  readonly orders: Readonly<Record<string, number>>
  readonly fills: readonly Fill[]
  readonly equity_at_start: number
  readonly equity_at_end: number
  /** The change of the equity without deposits, withdrawals, journals, mints and redeems. */
  readonly profit_loss: number
  /** All that the account paid. */
  readonly fees: number
  readonly max_drawdown: number
  readonly sharpe: number | null
  /** By cause, each with its first request. */
  readonly refusals: readonly RefusedRequests[]
  /** Lookups that found nothing, which are no refusals. */
  readonly lookups_not_found: number
  readonly symbols: RunSymbols
  readonly unfilled: readonly UnfilledOrder[]
  readonly equity: readonly RunEquity[]
  /** Prices at the end, of what the account still holds. */
  readonly prices: readonly RunPrice[]
  readonly statistics: RunStatistics
  /** Only of a replay. */
  readonly replay?: ReplaySummary
}

const SAMPLE_MS = 1000
const SAMPLES_MAX = 2000
const UNFILLED_MAX = 20

/** Samples the equity while the program runs, and collects the rest at its end. */
export class Measurement {
  readonly #measured: MeasuredTrader
  readonly #startedAt: string
  readonly #symbols: SymbolWatch
  #samples: EquityPoint[]
  #everyMs = SAMPLE_MS
  #timer: NodeJS.Timeout | undefined

  private constructor(measured: MeasuredTrader, symbols: SymbolWatch, first: EquityPoint) {
    this.#measured = measured
    this.#symbols = symbols
    this.#startedAt = first.at
    this.#samples = [first]
  }

  static async start(measured: MeasuredTrader): Promise<Measurement> {
    const symbols = await SymbolWatch.start(measured)
    const measurement = new Measurement(measured, symbols, await sample(measured))
    measurement.#sampleLater()
    return measurement
  }

  #sampleLater(): void {
    this.#timer = setTimeout(async () => {
      // A broker that is gone makes the program fail, which says more than a missing sample.
      await this.#sample().catch(() => {})
      if (this.#timer) this.#sampleLater()
    }, this.#everyMs).unref()
  }

  async #sample(): Promise<EquityPoint> {
    const point = await sample(this.#measured)
    this.#samples.push(point)
    if (this.#samples.length >= SAMPLES_MAX) {
      this.#samples = this.#samples.filter((_, index) => index % 2 === 0)
      this.#everyMs *= 2
    }
    return point
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async summary(traffic: Traffic, exitCode: number): Promise<RunSummary> {
    this.stop()
    const last = await this.#sample()
    const [startedAt, measured] = [this.#startedAt, this.#measured]
    const orders = await ordersSince(measured, startedAt)
    const { fills, fees } = await fillsSince(measured, startedAt)
    const account = createClient({ ...measured.endpoint, ...measured.account })
    const prices = await heldBy(account)
    const curve = withTransfers(await curveOf(measured, this.#samples))
    const equity = await withHoldings(account, curve, fills, prices).catch(() => curve)
    const first = this.#samples[0]!
    const statistics = statisticsOf({ equity, fill: fills, price: prices, fees })
    return {
      world: measured.world,
      account_id: measured.accountId,
      exit_code: exitCode,
      started_at: startedAt,
      ended_at: last.at,
      requests: traffic.requests,
      requests_of_others: traffic.requestsOfOthers,
      keys_replaced: traffic.keysReplaced,
      orders: countBy(orders.map(({ status }) => status)),
      fills,
      equity_at_start: first.equity,
      equity_at_end: last.equity,
      profit_loss: cents(last.gain - first.gain),
      fees,
      max_drawdown: statistics.maxDrawdown,
      sharpe: statistics.daily?.sharpe?.value ?? null,
      ...refusedByCause(traffic.refusals),
      symbols: await this.#symbols.since(),
      unfilled: await unfilled(measured, orders),
      equity,
      prices,
      statistics,
    }
  }
}

/** Longer than a busy broker takes for a small request. */
const RESPONSES_WITHIN_MS = 5000

/** Throws unless the broker answers soon. Each request to a broker that is silent would take its whole timeout. */
export async function checkResponses({
  operator,
  world,
}: Pick<Measured, 'operator' | 'world'>): Promise<void> {
  const signal = AbortSignal.timeout(RESPONSES_WITHIN_MS)
  await operator.getWorldClock({ params: { world } }, { signal }).catch((error: Error) => {
    throw signal.aborted
      ? new Error(`the broker did not answer within ${RESPONSES_WITHIN_MS / 1000} s`)
      : error
  })
}

const cents = (amount: number): number => Math.round(amount * 100) / 100

async function sample({ operator, world, accountId }: Measured): Promise<EquityPoint> {
  const { at, equity, gain } = await operator.getAccountGain({ params: { world, account_id: accountId } })
  return { at, equity: Number(equity), gain: Number(gain) }
}

type Order = Awaited<ReturnType<Client['listWorldOrders']>>[number]

async function ordersSince(
  { operator, world, accountId }: Measured,
  since: string,
): Promise<readonly Order[]> {
  const orders: Order[] = []
  for (;;) {
    const last = orders.at(-1)
    const page = await operator.listWorldOrders({
      params: { world },
      query: { account_id: accountId, status: 'all', limit: 500, ...(last && { before_order_id: last.id }) },
    })
    const recent = page.filter(({ created_at }) => created_at >= since)
    orders.push(...recent)
    if (recent.length < 500) return orders.reverse()
  }
}

async function unfilled(measured: Measured, orders: readonly Order[]): Promise<readonly UnfilledOrder[]> {
  const { operator, world } = measured
  const open = orders
    .filter(({ status }) => status !== 'filled' && status !== 'replaced')
    .slice(0, UNFILLED_MAX)
  return Promise.all(
    open.map(async ({ id, status }) => {
      const { summary, counterfactual } = await operator.explainOrder({ params: { world, order_id: id } })
      return { order_id: id, status, summary, counterfactual: counterfactual.map(({ sentence }) => sentence) }
    }),
  )
}

function countBy(words: readonly string[]): Record<string, number> {
  const groups = Map.groupBy(words, (word) => word)
  return Object.fromEntries([...groups].map(([word, group]) => [word, group.length]))
}
