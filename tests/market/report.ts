import { builtInListing, makeMarket } from '@quipu/core'
import { nightStatistics, sundayOf } from './nights.ts'
import { historyOf, measure } from './statistics.ts'

/**
 * `npm run market-report`: the statistics of the prices of a seed with their expected ranges, and a plot of ten years
 * of SPY. `npm run market-report -- main a b` measures several seeds.
 */
const seeds = process.argv.slice(2)
for (const seed of seeds.length > 0 ? seeds : ['main']) report(seed)

function report(seed: string): void {
  console.log(`seed ${seed}: ten years up to 13 November 2026\n`)
  const scope = { seed, days: 2520, everyCompany: 1, sessions: 10 }
  for (const { name, value, least, most } of [...measure(scope), ...nightStatistics(scope)]) {
    const isExpected = value >= least && value <= most
    const range = `${number(least)} to ${number(most)}`
    console.log(`${isExpected ? ' ' : '!'} ${name.padEnd(64)} ${number(value).padStart(9)}   ${range}`)
  }
  for (const symbol of ['SPY', 'AAPL', 'KO', 'NVR']) {
    const { minutes, fewest, quotesPerTrade } = sundayOf(seed, symbol)
    console.log(`  Sunday with hours=always, ${symbol}: trades in ${minutes} of 1440 minutes,`)
    console.log(`    at least ${fewest} in any ten, ${number(quotesPerTrade)} quotes per trade`)
  }
  const market = makeMarket({ seed, hours: 'nyse', profiles: builtInListing().profiles })
  for (const symbol of ['SPY', 'SQQQ'])
    console.log(`\n${symbol}, closes in dollars\n${plotOf(historyOf(market, symbol, 2520).closes)}\n`)
}

function number(value: number): string {
  return value.toFixed(Math.abs(value) < 100 ? 3 : 0)
}

const WIDTH = 100
const HEIGHT = 16

/** A text chart of prices in cents: each column is a time range, drawn from its low to its high. */
export function plotOf(closes: readonly number[]): string {
  const columns = Array.from({ length: WIDTH }, (_, column) => {
    const [from, to] = [column, column + 1].map((edge) => Math.floor((edge * closes.length) / WIDTH))
    const part = closes.slice(from, to)
    return { low: Math.min(...part), high: Math.max(...part) }
  })
  const [low, high] = [Math.min(...closes), Math.max(...closes)]
  const rowOf = (price: number): number => Math.round(((HEIGHT - 1) * (price - low)) / (high - low))
  return Array.from({ length: HEIGHT }, (_, line) => {
    const row = HEIGHT - 1 - line
    const price = (low + ((high - low) * row) / (HEIGHT - 1)) / 100
    const text = columns.map((column) => (rowOf(column.low) <= row && row <= rowOf(column.high) ? '█' : ' '))
    return `${price.toFixed(2).padStart(10)} ${text.join('')}`.trimEnd()
  }).join('\n')
}
