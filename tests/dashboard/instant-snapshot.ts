import type { Output } from '@quipu/sdk'

export type AccountSnapshot = Output<'getAccountSnapshot'>
export type Numbers = readonly number[]
/** undefined: the API has no such number. */
export type Found = number | undefined

export const sum = (values: Numbers): number => values.reduce((total, value) => total + value, 0)

/** The points of the equity curve, oldest first: its frames, and the equity of the instant. */
export function pointsOf({ curve, time, account }: AccountSnapshot): readonly (readonly [number, number])[] {
  const points = new Map<number, number>()
  const nowMs = Date.parse(time)
  let isOpened = false
  for (const [row, seconds] of (curve?.timestamp ?? []).entries()) {
    const value = Number(curve?.equity[row])
    isOpened ||= value !== 0
    if (isOpened && Number(seconds) * 1000 <= nowMs) points.set(Number(seconds) * 1000, value)
  }
  points.set(nowMs, Number(account.equity))
  return [...points].sort(([a], [b]) => a - b)
}

export const curveOf = (snapshot: AccountSnapshot): Numbers =>
  pointsOf(snapshot)
    .map(([, value]) => value)
    .reverse()

type Row = Readonly<Record<string, unknown>> & { readonly id?: string; readonly symbol?: string }

/** The field of the record that a path names by its symbol or id: `AAPL.market_value`. */
export function fieldOf(path: string, rows: readonly object[]): Found {
  const [key, field = ''] = [path.slice(0, path.lastIndexOf('.')), path.slice(path.lastIndexOf('.') + 1)]
  const row = (rows as readonly Row[]).find((one) => (one.id ?? one.symbol) === key)
  return row?.[field] == null ? undefined : Number(row[field])
}

/** The change of a symbol since the previous close. */
function changeOf({ prices }: AccountSnapshot, symbol: string): Found {
  const [last, before] = [fieldOf(`${symbol}.last`, prices), fieldOf(`${symbol}.previous_close`, prices)]
  return last === undefined || before === undefined ? undefined : last - before
}

/** The numbers that the account snapshot has, by the first part of their name. */
export const snapshotFamilies: Readonly<Record<string, (snapshot: AccountSnapshot, path: string) => Found>> =
  {
    account: ({ account }, field) => Number(account[field as 'equity']),
    position: ({ positions }, path) => fieldOf(path, positions.map(bySymbol)),
    prices: ({ prices }, path) => fieldOf(path, prices),
    order: ({ orders }, path) => fieldOf(path, orders),
    activity: ({ activities }, path) => fieldOf(path, activities),
    cash: ({ activities }, id) => {
      const row = activities.find((one) => one.id === id) as Row | undefined
      if (row === undefined || 'net_amount' in row) return row && Number(row['net_amount'])
      const value = Number(row['qty']) * Number(row['price'])
      return row['side'] === 'buy' ? -value : value
    },
    change: changeOf,
    change_percent: (snapshot, symbol) => {
      const change = changeOf(snapshot, symbol)
      const before = fieldOf(`${symbol}.previous_close`, snapshot.prices)
      return change === undefined ? undefined : (change / before!) * 100
    },
    day_gain: ({ positions }) => sum(positions.map((one) => Number(one.unrealized_intraday_pl))),
    exposure: ({ positions }, path) => {
      const found = positions.find(({ symbol }) => symbol === path)
      return found && Math.abs(Number(found.market_value))
    },
    gain_today: ({ gain_today: gain, account }, path) =>
      path === '' ? Number(gain) : (Number(gain) / Number(account.last_equity)) * 100,
    transferred_today: ({ gain_today: gain, account }) =>
      Number(account.equity) - Number(account.last_equity) - Number(gain),
    margin_in_use: ({ account }) => (Number(account.initial_margin) / Number(account.equity)) * 100,
  }

/** Positions have the id of their asset too; the page names them by symbol. */
const bySymbol = (position: AccountSnapshot['positions'][number]): object => ({
  ...position,
  id: position.symbol,
})
