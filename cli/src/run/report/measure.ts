import type { Client } from '@quipu/sdk'
import type { ObservedRefusal, Traffic } from '../gateway/traffic.ts'
import type { ReplaySummary } from '../lock-step/replay.ts'
import { type EquityPoint, type Statistics, statisticsOf, withoutTransfers } from './statistics.ts'

/** The account that a run is measured by. */
export type Measured = { readonly operator: Client; readonly world: string; readonly accountId: string }

export type Fill = {
  readonly at: string
  readonly symbol: string
  readonly side: string
  readonly qty: string
  readonly price: string
  readonly order_id: string
}

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
  readonly max_drawdown: number
  readonly sharpe: number | null
  readonly refusals: readonly (Omit<ObservedRefusal, 'requestId'> & { readonly count: number })[]
  readonly unfilled: readonly UnfilledOrder[]
  readonly equity: readonly EquityPoint[]
  /** Only of a replay. */
  readonly replay?: ReplaySummary
}

const SAMPLE_MS = 1000
const SAMPLES_MAX = 2000
const UNFILLED_MAX = 20
const HISTORY_FROM_MS = 600_000

/** Samples the equity while the program runs, and collects the rest at its end. */
export class Measurement {
  readonly #measured: Measured
  readonly #startedAt: string
  #samples: EquityPoint[]
  #everyMs = SAMPLE_MS
  #timer: NodeJS.Timeout | undefined

  private constructor(measured: Measured, first: EquityPoint) {
    this.#measured = measured
    this.#startedAt = first.at
    this.#samples = [first]
  }

  static async start(measured: Measured): Promise<Measurement> {
    const measurement = new Measurement(measured, await sample(measured))
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
    const fills = await fillsSince(measured, startedAt)
    const equity = await curveOf(measured, this.#samples)
    const statistics: Statistics = statisticsOf(withoutTransfers(equity))
    const first = this.#samples[0]!
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
      max_drawdown: statistics.maxDrawdown,
      sharpe: statistics.sharpe ?? null,
      refusals: grouped(traffic.refusals),
      unfilled: await unfilled(measured, orders),
      equity,
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

const headersOf = ({ world }: Measured) => ({ 'x-quipu-world': world })
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

async function fillsSince(measured: Measured, since: string): Promise<readonly Fill[]> {
  const { operator, accountId } = measured
  const fills: Fill[] = []
  let token: string | undefined
  for (;;) {
    const page = await operator.listActivitiesByTypeForAccount({
      params: { account_id: accountId, activity_type: 'FILL' },
      headers: headersOf(measured),
      query: { after: since, direction: 'asc', page_size: 100, ...(token && { page_token: token }) },
    })
    for (const activity of page) {
      if (!('transaction_time' in activity)) continue
      const { transaction_time: at, symbol, side, qty, price, order_id } = activity
      fills.push({ at, symbol, side, qty, price, order_id })
    }
    token = page.at(-1)?.id
    if (page.length < 100) return fills
  }
}

/** A long run in world time has a better curve in the history of the account than in our samples. */
async function curveOf(measured: Measured, samples: readonly EquityPoint[]): Promise<readonly EquityPoint[]> {
  const [first, last] = [samples[0]!, samples.at(-1)!]
  const span = Date.parse(last.at) - Date.parse(first.at)
  if (span < HISTORY_FROM_MS) return samples
  const { timestamp, equity, profit_loss } = await measured.operator.getPortfolioHistoryForAccount({
    params: { account_id: measured.accountId },
    headers: headersOf(measured),
    query: { start: first.at, end: last.at, intraday_reporting: 'continuous', pnl_reset: 'no_reset' },
  })
  // The history counts its gains from another instant.
  const offset = last.gain - Number(profit_loss.at(-1) ?? 0)
  const points = timestamp.map((seconds, index) => ({
    at: new Date(Number(seconds) * 1000).toISOString(),
    equity: Number(equity[index]),
    gain: Number(profit_loss[index]) + offset,
  }))
  const inner = points.filter(({ at }) => at > first.at && at < last.at)
  return [first, ...inner, last]
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

function grouped(refusals: readonly ObservedRefusal[]): RunSummary['refusals'] {
  const groups = Map.groupBy(refusals, ({ method, path, status, message }) =>
    JSON.stringify([method, path, status, message]),
  )
  return [...groups.values()].map((group) => {
    const { requestId: _, ...refusal } = group[0]!
    return { ...refusal, count: group.length }
  })
}

function countBy(words: readonly string[]): Record<string, number> {
  const groups = Map.groupBy(words, (word) => word)
  return Object.fromEntries([...groups].map(([word, group]) => [word, group.length]))
}
