import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createQuipu } from '@quipu/sdk'
import type { Page } from 'playwright-core'
import { newWorld } from '../support/broker.ts'
import { settles } from './settles.ts'
import { moveTo, openStage, visit } from './stage.ts'

/** A Monday after a holiday and a weekend, played until noon. */
const world = 'chart-modes'
const { broker } = await openStage()
const lab = await newWorld(broker, { world, start: '2026-01-05T09:30:00-05:00', hours: 'nyse', seed: '7' })
await lab.advance('150m')
const { client, orders } = createQuipu(lab)

type Bar = {
  /** Seconds since 1970. */
  readonly time: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}
type Drawn = {
  readonly width: number
  /** The index at the left edge. */
  readonly from: number
  /** Pixels between two bars. */
  readonly spacing: number
  readonly bars: readonly (Bar & { readonly x: number })[]
  /** The line of the symbol to compare with. */
  readonly compared: readonly { readonly time: number; readonly value: number }[]
}

/** What the chart draws, and the pixels where the chart library draws it. */
const drawnOn = (page: Page): Promise<Drawn> =>
  // A text, because the checker of the tests knows no documents.
  page.evaluate(`(() => {
    const chart = document.querySelector('.plot')?.chart
    if (!chart) return { width: 0, from: 0, spacing: 0, bars: [], compared: [] }
    const scale = chart.timeScale()
    const series = chart.panes()[0].getSeries()
    const candles = series.find((one) => one.seriesType() === 'Candlestick')
    // The only dashed line with the indicators of a new session.
    const compared = series.find((one) => one.seriesType() === 'Line' && one.options().lineStyle === 2)
    return {
      width: chart.paneSize().width,
      from: scale.getVisibleLogicalRange()?.from ?? 0,
      spacing: scale.options().barSpacing,
      bars: candles.data().map(({ time, open, high, low, close }) =>
        ({ time, open, high, low, close, x: scale.timeToCoordinate(time) })),
      compared: (compared?.data() ?? []).map(({ time, value }) => ({ time, value })),
    }
  })()`)

/** The bars of the API since an instant. */
async function barsOf(symbol: string, timeframe: string, start: string): Promise<readonly Bar[]> {
  const { bars } = await client.stockBarSingle({
    params: { symbol },
    query: { timeframe, start, limit: 10_000 } as never,
  })
  return bars.map(({ t, o, h, l, c }) => ({ time: Date.parse(t) / 1000, open: o, high: h, low: l, close: c }))
}

const timeText = (time: number | undefined): string => new Date((time ?? 0) * 1000).toISOString()

/** What differs between drawn bars and those of the API. */
function differences(drawn: readonly Bar[], api: readonly Bar[]): readonly string[] {
  const [shown, wanted] = [drawn, api].map((bars) =>
    bars.map(({ time, open, high, low, close }) => [timeText(time), open, high, low, close].join(' ')),
  )
  if (drawn.length !== api.length) return [`${shown![0]}, ${drawn.length} for ${wanted![0]}, ${api.length}`]
  return shown!.flatMap((text, row) => (text === wanted![row] ? [] : [`${text} for ${wanted![row]}`]))
}

const plotOf = (page: Page, bars: string) =>
  page.getByRole('img', { name: new RegExp(`^AAPL, ${bars} bars from .* Low `) })
const rangeOf = (page: Page, label: string) =>
  page.getByRole('group', { name: 'Range' }).getByRole('button', { name: label, exact: true })

/** Half a label of the axis: the view begins so many pixels before a range. */
const MARGIN = 20

/** What is wrong with the bars in view, of which the first and the last ones belong to the API. */
function rangeProblems({ bars, width, from, spacing }: Drawn, api: readonly Bar[]): readonly string[] {
  const first = bars.findIndex(({ time }) => time === api[0]?.time)
  const [start, end] = [bars[first]?.x ?? Number.NaN, bars.at(-1)?.x ?? Number.NaN]
  // The margin is that of the width at which the range was chosen, which longer prices in view make a little less.
  const chosenWidth = ((bars.length - first) * MARGIN) / (first - from)
  return [
    ...(start > 0 ? [] : [`the first bar is at ${start}`]),
    ...(Math.abs(chosenWidth / width - 1) < 0.08
      ? []
      : [`the view begins at ${from}, the range at ${first}`]),
    ...(end + spacing / 2 <= width ? [] : [`the last bar is at ${end} of ${width}`]),
    ...differences(bars.slice(first), api),
  ]
}

/** The bars of each range and the instant after which the API has them; the newest bar is of Monday, 11:55. */
const ranges = [
  ['1D', 'five-minute', '5Min', '2026-01-05T09:30:00-05:00'],
  // Thursday was a holiday.
  ['5D', '15-minute', '15Min', '2025-12-29T09:30:00-05:00'],
  ['1M', 'hourly', '1Hour', '2025-12-05T11:00:00-05:00'],
  ['3M', 'daily', '1Day', '2025-10-05T00:00:00-05:00'],
  ['1Y', 'daily', '1Day', '2025-01-04T00:00:00-05:00'],
  ['All', 'weekly', '1Week', '1990-01-01T00:00:00-05:00'],
] as const

test('each range shows exactly the bars that the API has for it', async (t) => {
  const page = await visit(t, `/markets/AAPL?world=${world}`)
  for (const [label, bars, timeframe, start] of ranges) {
    await rangeOf(page, label).click()
    await plotOf(page, bars).waitFor()
    const api = await barsOf('AAPL', timeframe, start)
    assert.ok(api.length >= 30, `${label} has ${api.length} bars`)
    await settles(async () => rangeProblems(await drawnOn(page), api).map((text) => `${label}: ${text}`))
  }
})

test('a range stays when the chart gets another width', async (t) => {
  const page = await visit(t, `/markets/AAPL?world=${world}&bars=15m&range=5D`)
  await plotOf(page, '15-minute').waitFor()
  const api = await barsOf('AAPL', '15Min', '2025-12-29T09:30:00-05:00')
  await settles(async () => rangeProblems(await drawnOn(page), api))
  const { from: wanted, width: before } = await drawnOn(page)
  for (const width of [1240, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await settles(async () => {
      const { from, width: now } = await drawnOn(page)
      const isDrawn = now < before === width < 1440 && Math.abs(from - wanted) < 0.01
      return isDrawn ? [] : [`${now} of ${before} pixels from ${from} for ${wanted}`]
    })
  }
})

test('a chart that is left while it reads the bars of a range draws them nowhere', async (t) => {
  const page = await visit(t, `/markets/BTC%2FUSD?world=${world}`)
  const { promise: isLeft, resolve: left } = Promise.withResolvers<void>()
  const older = /crypto\/.*\/bars\?.*page_token=/
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(older, async (route) => {
    await isLeft
    await route.continue().catch(() => undefined)
    release()
  })
  const reads = page.waitForRequest(older)
  await rangeOf(page, '1M').click()
  await reads
  await moveTo(page, `/orders?world=${world}`)
  await page.getByRole('heading', { name: 'Orders' }).waitFor()
  left()
  await released
  await page.unroute(older)
})

const percent = (close: number, base: number): number => 100 * (close / base - 1)

/** What is wrong with the line of SPY: it has the gain of SPY since the first bar that is wholly in view. */
function compareProblems(drawn: Drawn, own: readonly Bar[], others: readonly Bar[]): readonly string[] {
  const { bars, compared, spacing } = drawn
  const left = bars.find(({ x }) => x - spacing / 2 > -1.01)?.time
  const closeOf = (all: readonly Bar[], time = 0) => all.findLast((bar) => bar.time <= time)?.close ?? 0
  const [ownBase, otherBase] = [closeOf(own, left), closeOf(others, left)]
  if (compared.length !== bars.length) return [`${compared.length} points for ${bars.length} bars`]
  return compared.flatMap(({ time, value }) => {
    const [shown, wanted] = [percent(value, ownBase), percent(closeOf(others, time), otherBase)]
    return Math.abs(shown - wanted) < 1e-6 ? [] : [`${timeText(time)} ${shown} % for ${wanted} %`]
  })
}

test('a compared symbol has its own gain since the left edge, also after the chart was moved', async (t) => {
  const page = await visit(t, `/markets/AAPL?world=${world}&bars=15m&range=5D&compare=SPY`)
  await plotOf(page, '15-minute').waitFor()
  const [own, others] = await Promise.all(
    ['AAPL', 'SPY'].map((symbol) => barsOf(symbol, '15Min', '2025-10-01T00:00:00Z')),
  )
  const assertCompared = () =>
    settles(async () => compareProblems(await drawnOn(page), own!, others!).slice(0, 5))
  await assertCompared()
  const before = await drawnOn(page)
  await page.locator('.candles .plot').hover()
  await settles(async () => {
    await page.mouse.wheel(-400, 0)
    const { length } = (await drawnOn(page)).bars
    return length > before.bars.length ? [] : [`no older bars than ${length}`]
  })
  await assertCompared()
})

/** The pixels of prices from the top of the plot. */
const heights = (page: Page, prices: readonly number[]): Promise<readonly number[]> =>
  page.evaluate(`(() => {
    const series = document.querySelector('.plot').chart.panes()[0].getSeries()
    const candles = series.find((one) => one.seriesType() === 'Candlestick')
    return ${JSON.stringify(prices)}.map((price) => candles.priceToCoordinate(price))
  })()`)

test('a logarithmic scale has equal pixels for equal ratios, for the candles and for an open order', async (t) => {
  const bars = await barsOf('AAPL', '1Day', '2025-01-04T00:00:00-05:00')
  const limit = Math.floor(bars.at(-1)!.close * 0.95)
  await orders.limit({ symbol: 'AAPL', qty: 1, side: 'buy', limitPrice: `${limit}` })
  const page = await visit(t, `/markets/AAPL?world=${world}&bars=1D&range=1Y`)
  await plotOf(page, 'daily').waitFor()
  await page.locator('.order-line').waitFor({ state: 'attached' })
  const low = Math.min(...bars.map((bar) => bar.low))
  const high = Math.max(...bars.map((bar) => bar.high))
  // Equal ratios between the lowest price of the year and the highest.
  const prices = [0, 0.25, 0.5, 0.75, 1].map((part) => low * (high / low) ** part)
  const stepsNow = async () => {
    const places = await heights(page, prices)
    return places.slice(1).map((y, index) => places[index]! - y)
  }
  const spread = (steps: readonly number[]) => Math.max(...steps) - Math.min(...steps)
  const log = page.getByRole('button', { name: 'Log', exact: true })
  const orderY = () => page.evaluate<number>(`parseFloat(document.querySelector('.order-line').style.top)`)
  const linear = await stepsNow()
  assert.ok(spread(linear) > 3, `without the scale, the steps are ${linear}`)
  await log.click()
  await settles(async () => {
    const steps = await stepsNow()
    const [bottom, top] = await heights(page, [low, high])
    const wanted = bottom! - (Math.log(limit / low) / Math.log(high / low)) * (bottom! - top!)
    return [
      ...(steps[0]! > 20 && spread(steps) < 0.05 ? [] : [`steps of ${steps}`]),
      ...(Math.abs((await orderY()) - wanted) < 0.1
        ? []
        : [`the order is at ${await orderY()} for ${wanted}`]),
    ]
  })
  await log.click()
  await settles(async () => {
    const off = (await stepsNow()).map((step, index) => Math.abs(step - linear[index]!))
    return Math.max(...off) < 0.1 ? [] : [`steps differ by ${off} after the scale was linear again`]
  })
})

test('a night, a holiday and a weekend are as wide as two bars of a session', async (t) => {
  const page = await visit(t, `/markets/AAPL?world=${world}&bars=15m&range=5D`)
  await plotOf(page, '15-minute').waitFor()
  const api = await barsOf('AAPL', '15Min', '2025-12-29T09:30:00-05:00')
  await settles(async () => rangeProblems(await drawnOn(page), api))
  const { bars } = await drawnOn(page)
  const xOf = (at: string) => bars.find(({ time }) => time === Date.parse(at) / 1000)?.x ?? Number.NaN
  const width = (from: string, to: string) => xOf(to) - xOf(from)
  const session = width('2026-01-05T10:00:00-05:00', '2026-01-05T10:15:00-05:00')
  assert.ok(session > 1, `${session} pixels`)
  for (const [from, to] of [
    ['2025-12-29T19:45:00-05:00', '2025-12-30T04:00:00-05:00'],
    ['2025-12-31T19:45:00-05:00', '2026-01-02T04:00:00-05:00'],
    ['2026-01-02T19:45:00-05:00', '2026-01-05T04:00:00-05:00'],
  ] as const)
    assert.ok(Math.abs(width(from, to) - session) < 1e-6, `${width(from, to)} for ${session} from ${from}`)
})
