import {
  compare,
  type Decimal,
  decimal,
  multiply,
  negate,
  quotient,
  signOf,
  subtract,
} from '../format/decimal.ts'

type Sized = { readonly qty?: string | undefined; readonly estimated_value?: string | undefined }
type Held = { readonly qty: string; readonly side: string; readonly avg_entry_price: string }

/** The part of an order that closes a position, and what it gains against the average price. */
export function closedPart(
  { qty, estimated_value: value }: Sized,
  position: Held | undefined,
  isBuy: boolean,
): { readonly quantity: Decimal; readonly gain: Decimal } | undefined {
  if (qty === undefined || value === undefined || !position) return undefined
  if ((position.side === 'short') !== isBuy) return undefined
  const [ordered, held] = [decimal(qty), absolute(decimal(position.qty))]
  const quantity = compare(ordered, held) < 0 ? ordered : held
  const price = quotient(decimal(value), ordered, 9)
  if (price === undefined || signOf(quantity) === 0) return undefined
  const perShare = subtract(price, decimal(position.avg_entry_price))
  return { quantity, gain: multiply(isBuy ? negate(perShare) : perShare, quantity) }
}

const absolute = (value: Decimal): Decimal => (signOf(value) < 0 ? negate(value) : value)
