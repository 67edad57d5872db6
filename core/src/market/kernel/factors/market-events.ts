import { dayOf } from '../../../civil-date.ts'
import { MINUTE_MICROS, microsAfter } from '../../history/micros.ts'
import { dayIn } from '../../history/zone.ts'
import { type MarketEvent, marketEventBegins, marketEventEnds } from '../../market-event.ts'
import type { TapeItem } from '../quotes.ts'
import { mix, uniform } from '../random.ts'
import { isPriced, type Segment } from '../segments.ts'
import type { ItemChange, KernelWindow } from '../windows.ts'
import { logarithm } from './exponential.ts'
import type { TapeCalendar } from './pace.ts'
import type { Shift } from './path.ts'

/** Which of a symbol's random keys its market events use. */
const MISSING = 90

/** The price levels that market events change permanently. */
export const eventShifts = (events: readonly MarketEvent[], calendar: TapeCalendar): readonly Shift[] =>
  events.flatMap((each) => shiftOf(each, calendar) ?? [])

/**
 * The price that a crash leaves unchanged: zero, or for a leveraged fund the part of its price that does not
 * follow the leader.
 */
export type FixedPrice = (segment: Segment, event: MarketEvent) => number

/** The windows in which market events change a tape. */
export const eventWindows = (
  events: readonly MarketEvent[],
  calendar: TapeCalendar,
  key: number,
  fixedPrice: FixedPrice,
): readonly KernelWindow[] => events.flatMap((each) => windowOf(each, calendar, key, fixedPrice) ?? [])

function windowOf(
  event: MarketEvent,
  calendar: TapeCalendar,
  key: number,
  fixedPrice: FixedPrice,
): KernelWindow | undefined {
  switch (event.kind) {
    case 'halt':
    case 'pause':
      return silence(haltSpan(event), calendar)
    case 'crash':
      return crash(event, calendar, fixedPrice)
    case 'thin':
      return { ...stretchOf(event), change: (item) => thinned(item, event.times) }
    case 'missing': {
      const missingKey = mix(key, MISSING)
      return { ...stretchOf(event), isSilent: (minute) => uniform(missingKey, minute) < event.share }
    }
    case 'gap':
    case 'late':
    case 'mistakes':
      return undefined
  }
}

type Stretch = { readonly from: number; readonly to: number }
type Of<Kind extends MarketEvent['kind']> = Extract<MarketEvent, { kind: Kind }>

/** A stop that lasts until the close ends in the closing auction. */
function silence(span: Stretch, calendar: TapeCalendar): KernelWindow {
  const segment = segmentAt(span.to - 1, calendar)
  return { ...span, isSilent: true, endsInAuction: segment?.kind === 'regular' && segment.to === span.to }
}

/** The time span without trading. */
export function haltSpan(event: Of<'halt'> | Of<'pause'>): Stretch {
  return { from: microsAfter(marketEventBegins(event)), to: microsAfter(marketEventEnds(event)!) }
}

export const stretchOf = ({ from, to }: Pick<Of<'thin'>, 'from' | 'to'>): Stretch => ({
  from: from === undefined ? 0 : microsAfter(from),
  to: to === undefined ? Number.POSITIVE_INFINITY : microsAfter(to),
})

/** End of the fall and of the bottom, as parts of the duration; then the price recovers. */
const FALL = 0.3
const BOTTOM = 0.4

/** A crash without recovery lasts until the session ends; from then on the level is permanently lower. */
function crash(event: Of<'crash'>, calendar: TapeCalendar, fixedPrice: FixedPrice): KernelWindow | undefined {
  const { depth, recovers, minutes } = event
  const segment = sessionAt(event, calendar)
  if (!segment) return undefined
  const from = microsAfter(event.at)
  const length = minutes * MINUTE_MICROS
  const factor = (at: number): number => {
    const part = (at - from) / length
    if (!recovers) return 1 - depth * Math.min(1, part)
    if (part < FALL) return 1 - (depth * part) / FALL
    return part < BOTTOM ? 1 - depth : 1 - (depth * (1 - part)) / (1 - BOTTOM)
  }
  const to = recovers ? Math.min(from + length, segment.to) : segment.to
  const still = fixedPrice(segment, event)
  const change: ItemChange = (item) => repriced(item, still + (item.price - still) * factor(item.at))
  return { from, to, isRepriced: true, change }
}

const sessionAt = ({ at }: Of<'crash'>, calendar: TapeCalendar): Segment | undefined =>
  segmentAt(microsAfter(at), calendar)

const segmentAt = (micros: number, { zone, segments }: TapeCalendar): Segment | undefined =>
  segments(dayIn(zone, micros)).find(({ kind, from, to }) => isPriced(kind) && from <= micros && micros < to)

/** The quote keeps its distance to the trade. */
function repriced<Item extends TapeItem>(item: Item, to: number): Item {
  const price = Math.max(1, Math.round(to))
  const bid = Math.max(1, price + item.bid - item.price)
  return { ...item, price, bid, ask: Math.max(bid + 1, price + item.ask - item.price) }
}

/** Both sides move away from the trade, or from the nearer side if the trade is outside the quote. */
function thinned<Item extends TapeItem>(item: Item, times: number): Item {
  const middle = Math.min(item.ask, Math.max(item.bid, item.price))
  return {
    ...item,
    bid: Math.max(1, middle - Math.round((middle - item.bid) * times)),
    ask: middle + Math.round((item.ask - middle) * times),
    bidSize: Math.max(1, Math.floor(item.bidSize / times)),
    askSize: Math.max(1, Math.floor(item.askSize / times)),
  }
}

function shiftOf(event: MarketEvent, calendar: TapeCalendar): Shift | undefined {
  if (event.kind === 'gap')
    return {
      index: calendar.index(dayOf(event.on)),
      amount: logarithm(1 + event.percent / 100),
      when: 'beforeOpen',
    }
  if (event.kind !== 'crash' || event.recovers) return undefined
  const segment = sessionAt(event, calendar)
  return (
    segment && { index: calendar.index(segment.day), amount: logarithm(1 - event.depth), when: 'inSession' }
  )
}
