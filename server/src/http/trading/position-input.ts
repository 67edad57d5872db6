import type { World } from '@quipu/broker/world/world.ts'
import type { InputOf } from '@quipu/contract'
import {
  definedFields,
  divide,
  type Money,
  type NewPosition,
  type Quantity,
  type Ticker,
  tickerOf,
  toMoney,
  toPrice,
  toQuantity,
  worthOf,
} from '@quipu/core'
import { assetNamed } from './assets.ts'

type PositionInput = InputOf<'resetAccount'>['body']['positions'][number]

/** Reads positions as the API of Quipu or of another broker returns them. */
export const positionsFrom = (world: World, inputs: readonly PositionInput[]): readonly NewPosition[] =>
  inputs.map((one) => {
    const size = rounded(one.qty, 9)
    const quantity = toQuantity(one.side === 'short' && size > 0n ? -size : size)
    const costBasis = costOf(one, quantity)
    const symbol = symbolOf(world, one.symbol)
    return { symbol, quantity, ...definedFields({ costBasis }) }
  })

function costOf({ cost_basis, avg_entry_price }: PositionInput, quantity: Quantity): Money | undefined {
  if (cost_basis !== undefined) return toMoney(rounded(cost_basis, 9))
  if (avg_entry_price === undefined) return undefined
  return worthOf(toPrice(rounded(avg_entry_price, 9)), quantity, 'nearest')
}

/** Finds an asset by symbol, by id, or a pair without its slash. The core refuses an unknown name. */
export function symbolOf(world: World, name: string): Ticker {
  const asset = assetNamed(world, name)
  if (asset) return asset.symbol
  for (const { class: kind, symbol } of world.market.assets().values())
    if (kind === 'crypto' && symbol.replace('/', '') === name) return symbol
  return tickerOf(name)
}

/** In billionths. */
export const closeAmount = (decimal: string): bigint => rounded(decimal, 9)

/** Rounded to cents. */
export const centsOf = (dollars: string): Money => toMoney(rounded(dollars, 2))

/** A decimal in billionths, rounded to the number of places, half away from zero. */
function rounded(decimal: string, places: 2 | 9): bigint {
  const [whole = '0', fraction = ''] = decimal.replace('-', '').split('.')
  // One more digit is enough to round, because the text has no exponent.
  const scaled = BigInt(whole + fraction.slice(0, places + 1).padEnd(places + 1, '0'))
  const size = divide(scaled, 10n, 'nearest') * 10n ** BigInt(9 - places)
  return decimal.startsWith('-') ? -size : size
}
