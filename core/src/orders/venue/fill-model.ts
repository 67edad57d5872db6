import {
  divide,
  isWhole,
  max,
  min,
  NO_QUANTITY,
  type Price,
  type Quantity,
  subtract,
  toPrice,
  toQuantity,
  UNIT,
} from '../../amount.ts'
import type { Ticker } from '../../ids.ts'
import { isPair } from '../../market/assets/asset.ts'
import type { Quote } from '../../market/prices.ts'
import { roundToTick } from '../../market/tick.ts'
import type { Moment } from '../../moment.ts'
import { settingsOf, type View } from '../../state/state.ts'
import { type Instant, later, minuteOf } from '../../time.ts'
import type { OrderFilled } from '../events.ts'
import { worstPrice } from '../matching/book.ts'
import { type Filler, quantityAt } from '../matching/fill.ts'
import type { Order, Side } from '../order.ts'
import { drawDelay, drawMillionths } from './draw.ts'
import { MILLION, type Venue } from './settings.ts'

type FillParts = { readonly symbol: Ticker; readonly quote: Quote; readonly filler: Filler }

/** The fill models of a world; undefined without venue settings. */
export const fillModelOf = (view: View, moment: Moment, parts: FillParts): FillModel | undefined =>
  settingsOf(view).venue && new FillModel(view, moment, parts)

const PARTS = BigInt(MILLION)
const ONE_SHARE = toQuantity(UNIT)
const SMALLEST = toQuantity(1n)
const BASIS_POINTS = 10_000n
/** The price moves at most this many percent. */
const IMPACT_MAX = 10n

/** The fill models of the venue settings, for the fills of one decision at one quote. */
class FillModel {
  readonly #moment: Moment
  readonly #venue: Venue
  readonly #quote: Quote
  readonly #filler: Filler
  readonly #volume: Quantity | undefined
  #volumeLeft: Quantity

  constructor(view: View, moment: Moment, { symbol, quote, filler }: FillParts) {
    this.#moment = moment
    this.#venue = settingsOf(view).venue ?? {}
    this.#quote = quote
    this.#filler = filler
    const volume = volumeAt(view, moment, symbol)
    this.#volume = volume?.ofMinute
    this.#volumeLeft = volume?.left ?? NO_QUANTITY
  }

  /** A fill of at most `most` at the price of the quote or a worse one; undefined if nothing can fill. */
  fill(order: Order, most: Quantity, quoted: Price): OrderFilled | undefined {
    const available = this.#volume === undefined ? most : min(most, inLots(order, this.#volumeLeft))
    if (available <= NO_QUANTITY) return undefined
    const piecesLeft = this.#piecesLeftOf(order)
    const piece = piecesLeft > 1 ? this.#pieceOf(order, available, piecesLeft) : available
    const price = this.#priceOf(order, piece, quoted)
    const wanted = quantityAt(order, price)
    const quantity = min(piece, wanted)
    if (quantity === NO_QUANTITY) return undefined
    this.#volumeLeft = subtract(this.#volumeLeft, quantity)
    const rests = piecesLeft > 1 && quantity < wanted
    const venue = {
      ...(this.#volume !== undefined && { volume: this.#volume }),
      ...(rests && { piecesLeft: piecesLeft - 1, restsUntil: this.#restOf(order, piecesLeft) }),
    }
    return { ...this.#filler.fill(order, quantity, price), venue }
  }

  /** How many pieces are left of an order, this one included. */
  #piecesLeftOf(order: Order): number {
    const { fillPieces } = this.#venue
    if (!fillPieces || order.timeInForce === 'fok') return 1
    const { min: least, max: most } = fillPieces
    const drawn = drawMillionths(this.#moment, order.id, 'pieces')
    return order.venue?.piecesLeft ?? least + Math.floor((drawn * (most - least + 1)) / MILLION)
  }

  /** Half to one and a half times the equal part, at least the smallest quantity. */
  #pieceOf(order: Order, available: Quantity, piecesLeft: number): Quantity {
    const drawn = BigInt(drawMillionths(this.#moment, order.id, 'piece', piecesLeft))
    const part = (available * (PARTS / 2n + drawn)) / (PARTS * BigInt(piecesLeft))
    const least = min(available, isWhole(available) ? ONE_SHARE : SMALLEST)
    return max(inLots(order, toQuantity(part)), least)
  }

  #restOf({ id }: Order, piecesLeft: number): Instant {
    const { fillInterval } = this.#venue
    const rest = fillInterval ? drawDelay(this.#moment, id, 'rest', fillInterval, piecesLeft) : 0n
    return later(this.#moment.at, rest)
  }

  /** The quoted price, moved against the order by its size in displayed sizes; never beyond its limit. */
  #priceOf(order: Order, quantity: Quantity, quoted: Price): Price {
    const { impactBasisPoints } = this.#venue
    if (impactBasisPoints === undefined) return quoted
    const { side, symbol } = order
    const move = impactOf(quoted, quantity, displayedIn(this.#quote, side), BigInt(impactBasisPoints))
    const moved = toPrice(side === 'buy' ? quoted + move : quoted - move)
    const price = isPair(symbol) ? moved : roundToTick(moved, side === 'buy' ? 'up' : 'down')
    const worst = worstPrice(order)
    if (worst === undefined) return price
    return side === 'buy' ? min(price, worst) : max(price, worst)
  }
}

const displayedIn = ({ bidSize, askSize }: Quote, side: Side): Quantity =>
  max(side === 'buy' ? askSize : bidSize, SMALLEST)

const impactOf = (price: Price, quantity: Quantity, displayed: Quantity, basisPoints: bigint): bigint =>
  min(divide(price * basisPoints * quantity, BASIS_POINTS * displayed, 'up'), (price * IMPACT_MAX) / 100n)

/** Whole shares for an order of whole shares. */
const inLots = ({ quantity }: Order, size: Quantity): Quantity =>
  isWhole(quantity) ? toQuantity(size - (size % UNIT)) : size

/**
 * The volume of the current minute, and the part of it that fills may still take; undefined without a limit, or
 * if the volume is unknown.
 */
function volumeAt(
  view: View,
  { at, prices }: Pick<Moment, 'at' | 'prices'>,
  symbol: Ticker,
): { readonly ofMinute: Quantity; readonly left: Quantity } | undefined {
  const share = settingsOf(view).venue?.participation
  const ofMinute = share === undefined ? undefined : prices.volume?.(symbol)
  if (share === undefined || ofMinute === undefined) return undefined
  const used = view.usedSizes.get(symbol)
  const taken = used?.minuteAt === minuteOf(at) ? (used.taken ?? NO_QUANTITY) : NO_QUANTITY
  const most = toQuantity(divide(ofMinute * BigInt(share), PARTS, 'down'))
  return { ofMinute, left: max(subtract(most, taken), NO_QUANTITY) }
}
