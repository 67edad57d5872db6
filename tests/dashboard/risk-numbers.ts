import assert from 'node:assert/strict'
import type { Quipu } from '@quipu/sdk'
import { type Numbers, sum } from './instant-snapshot.ts'
import type { Stage } from './stage.ts'

type Of = {
  readonly operator: Stage['operator']
  readonly world: string
  readonly accountId: string
  readonly bot: Quipu
}

/** Value and second number of each figure of the panel, calculated from the API. */
export type RiskNumbers = {
  readonly numbers: readonly (readonly [label: string, value: number, about: number])[]
  readonly bySymbol: readonly (readonly [symbol: string, value: number])[]
  /** Of each fill, oldest first. */
  readonly slippages: Numbers
  /** Seconds of the world from the start of each market event that had a reaction. */
  readonly reactions: Numbers
}

export async function riskNumbers(of: Of): Promise<RiskNumbers> {
  const [{ equity: equityText = '0' }, positions, history, ended] = await Promise.all([
    of.bot.account.get(),
    of.bot.positions.list(),
    of.bot.client.getPortfolioHistory({ query: { period: '1D', timeframe: '1Min' } }),
    of.bot.orders.list({ status: 'closed' }),
  ])
  const equity = Number(equityText)
  const bySymbol = positions.map(({ symbol, marketValue: value }) => [symbol, Number(value)] as const)
  const gross = sum(bySymbol.map(([, value]) => Math.abs(value)))
  const net = sum(bySymbol.map(([, value]) => value))
  const values = [...history.equity.map(Number).filter((value) => value > 0), equity]
  const losses = values.map((value, index) => (value / Math.max(...values.slice(0, index + 1)) - 1) * 100)
  const fills = await fillsOf(of)
  const slippages = fills.map(({ slippage }) => slippage)
  const filled = sum(ended.map(({ filledQty: one }) => Number(one)))
  const waits = await waitsOf(of)
  const within = (share: number) => waits[Math.ceil(waits.length * share) - 1]!
  return {
    numbers: [
      ['Gross exposure', gross, (gross / equity) * 100],
      ['Net exposure', net, (net / equity) * 100],
      ['Drawdown today', losses.at(-1)!, Math.min(...losses)],
      ['Slippage', sum(slippages), (sum(slippages) / sum(fills.map(({ cash }) => cash))) * 10_000],
      [
        'Fill rate',
        (filled / sum(ended.map(({ qty }) => Number(qty)))) * 100,
        ended.filter(({ status }) => status === 'filled').length,
      ],
      ['Bot reacts within', within(0.5), within(0.95)],
    ],
    bySymbol,
    slippages,
    reactions: await reactionsOf(of),
  }
}

/** Each fill against the middle of the quote that the market data have for its instant. */
async function fillsOf({ bot }: Of): Promise<readonly { slippage: number; cash: number }[]> {
  const activities = await bot.client.listActivitiesByType({
    params: { activity_type: 'FILL' },
    query: { direction: 'asc' },
  } as never)
  const fills = activities as unknown as readonly Record<string, string>[]
  return Promise.all(
    fills.map(async ({ symbol = '', price, qty, side, transaction_time: end }) => {
      const query = { symbols: [symbol], end, sort: 'desc', limit: 1, start: '2026-01-05T14:30:00Z' }
      const { quotes } = await bot.client.stockQuotes({ query } as never)
      const { bp, ap } = quotes[symbol]![0]!
      const above = (Number(price) - (bp! + ap!) / 2) * Number(qty)
      return { slippage: side === 'buy' ? -above : above, cash: Number(price) * Number(qty) }
    }),
  )
}

/** Milliseconds from the end of a response to the next order of the same key, shortest first. */
async function waitsOf({ operator, world, accountId }: Of): Promise<Numbers> {
  const { requests } = await operator.listRequests({
    params: { world },
    query: { account_id: accountId, limit: 1000 },
  })
  const sent = requests.filter(({ source }) => source !== 'dashboard')
  return sent
    .flatMap((request, index) => {
      const before = sent.slice(0, index).findLast(({ key_id: key }) => key === request.key_id)
      if (request.operation !== 'placeOrder' || !before) return []
      return Math.max(Date.parse(request.at) - Date.parse(before.at) - before.ms, 0)
    })
    .sort((a, b) => a - b)
}

/** Asks for the request of each order, one after the other. */
async function reactionsOf({ operator, world, accountId }: Of): Promise<Numbers> {
  const params = { world }
  const marketEvents = await operator.listMarketEvents({ params })
  const orders = await operator.listWorldOrders({
    params,
    query: { account_id: accountId, status: 'all', direction: 'asc' },
  } as never)
  const [opened] = (await operator.listEvents({ params, query: { account_id: accountId } } as never)).events
  const ofPrograms: string[] = []
  for (const { id } of orders) {
    const { events } = await operator.listEvents({
      params,
      query: { order_id: id, kind: ['orderAccepted'] },
    } as never)
    const { at, request_id } = events[0]!
    const { request } = await operator.getRequest({ params: { world, request_id: request_id! } })
    assert.ok(request, 'the log still has the request')
    if (request.source !== 'dashboard') ofPrograms.push(at)
  }
  return marketEvents
    .map(({ at, from }) => at ?? from!)
    .filter((start) => start > opened!.at)
    .flatMap((start) => {
      const next = ofPrograms.toSorted().find((at) => at > start)
      return next === undefined ? [] : (Date.parse(next) - Date.parse(start)) / 1000
    })
    .sort((a, b) => a - b)
}
