import { signOf, slippageIn } from './costs.ts'
import type { RunFill, RunPrice } from './run-file.ts'

/** Shares that were opened by one order and closed by another, or that are still held. */
export type RunTrade = {
  readonly symbol: string
  readonly side: 'long' | 'short'
  readonly qty: number
  readonly openedAt: string
  readonly entry: number
  /** Absent: still held; then the price is that at the end of the run. */
  readonly closedAt?: string
  readonly exit?: number
  /** Without fees. Absent if no price is known. */
  readonly profit?: number
  /** What both orders cost against the middle of their quotes. Absent if a quote is not known. */
  readonly slippage?: number
}

type Lot = { readonly fill: RunFill; readonly price: number; left: number; readonly sign: 1 | -1 }
type OpenTrade = { -readonly [Field in keyof RunTrade]: RunTrade[Field] } & { readonly key: string }

const EPSILON = 1e-9

/** The trades of a run, in the order of their ends: the oldest shares are closed first. */
export function tradesOf(fills: readonly RunFill[], prices: readonly RunPrice[]): readonly RunTrade[] {
  const lots = new Map<string, Lot[]>()
  const trades = new Map<string, OpenTrade>()
  for (const fill of fills) {
    const open = lots.get(fill.symbol) ?? []
    lots.set(fill.symbol, open)
    closeLots(open, fill, trades)
  }
  const last = new Map(prices.map(({ symbol, price }) => [symbol, price]))
  for (const open of lots.values())
    for (const lot of open) addTrade(trades, lot, lot.left, undefined, last.get(lot.fill.symbol))
  return [...trades.values()].map(({ key: _, ...trade }) => trade)
}

function closeLots(open: Lot[], fill: RunFill, trades: Map<string, OpenTrade>): void {
  const sign = signOf(fill.side)
  let left = Number(fill.qty)
  for (let lot = open[0]; left > EPSILON && lot && lot.sign !== sign; lot = open[0]) {
    const qty = Math.min(left, lot.left)
    addTrade(trades, lot, qty, fill, Number(fill.price))
    left -= qty
    lot.left -= qty
    if (lot.left <= EPSILON) open.shift()
  }
  if (left > EPSILON) open.push({ fill, price: Number(fill.price), left, sign })
}

/** Fills of the same two orders are one trade. */
function addTrade(
  trades: Map<string, OpenTrade>,
  { fill: entry, price, sign }: Lot,
  qty: number,
  closing: RunFill | undefined,
  exit: number | undefined,
): void {
  const key = `${entry.symbol} ${entry.order_id} ${closing?.order_id ?? ''}`
  const known = trades.get(key)
  const total = (known?.qty ?? 0) + qty
  const mean = (before: number | undefined, now: number): number =>
    ((before ?? 0) * (total - qty) + now * qty) / total
  const profit = exit === undefined ? undefined : (known?.profit ?? 0) + sign * (exit - price) * qty
  const own = slippageOf(entry, closing, qty)
  const slippage =
    own === undefined || (known && known.slippage === undefined) ? undefined : own + (known?.slippage ?? 0)
  trades.set(key, {
    key,
    symbol: entry.symbol,
    side: sign > 0 ? 'long' : 'short',
    qty: total,
    openedAt: known?.openedAt ?? entry.at,
    entry: mean(known?.entry, price),
    ...(closing && { closedAt: closing.at }),
    ...(exit !== undefined && { exit: mean(known?.exit, exit) }),
    ...(profit !== undefined && { profit }),
    ...(slippage !== undefined && { slippage }),
  })
}

/** The part of a quantity in the slippage of both fills. */
function slippageOf(entry: RunFill, closing: RunFill | undefined, qty: number): number | undefined {
  const parts = [entry, ...(closing ? [closing] : [])].map((fill) => {
    const slippage = slippageIn(fill)
    return slippage === undefined ? undefined : (slippage * qty) / Number(fill.qty)
  })
  return parts.reduce((sum, part) => (sum === undefined || part === undefined ? undefined : sum + part), 0)
}
