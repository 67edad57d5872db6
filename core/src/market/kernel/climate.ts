import { dayOf } from '../../time.ts'
import { MINUTE_MICROS, microsAfter } from '../micros.ts'
import type { Weather } from '../weather.ts'
import { dayIn } from '../zone.ts'
import { mix, uniform } from './dice.ts'
import type { Course } from './pace.ts'
import type { Shift } from './path.ts'
import { isPriced, type Segment } from './segments.ts'
import type { Print } from './tree.ts'
import { minusLog } from './walk.ts'
import type { Window } from './windows.ts'

/** What the weather of a symbol does to its tape: windows over it, and levels that change for good. */
export type Climate = { readonly windows: readonly Window[]; readonly shifts: readonly Shift[] }

/** Which keys are made of a symbol's own for what the weather draws. */
const MISSING = 90

export function climateOf(weather: readonly Weather[], course: Course, key: number): Climate {
  return {
    windows: weather.flatMap((each) => windowOf(each, course, key) ?? []),
    shifts: weather.flatMap((each) => shiftOf(each, course) ?? []),
  }
}

function windowOf(weather: Weather, course: Course, key: number): Window | undefined {
  switch (weather.kind) {
    case 'halt':
    case 'pause':
      return { ...stillness(weather), isDark: true }
    case 'crash':
      return crash(weather, course)
    case 'thin':
      return { ...stretchOf(weather), bend: (print) => thinned(print, weather.times) }
    case 'missing': {
      const dice = mix(key, MISSING)
      return { ...stretchOf(weather), isDark: (minute) => uniform(dice, minute) < weather.share }
    }
    default:
      return undefined
  }
}

type Stretch = { readonly from: number; readonly to: number }
type Of<Kind extends Weather['kind']> = Extract<Weather, { kind: Kind }>

/** From when to when nothing trades. */
export function stillness(weather: Of<'halt'> | Of<'pause'>): Stretch {
  if (weather.kind === 'halt') return { from: microsAfter(weather.from), to: microsAfter(weather.to) }
  const from = microsAfter(weather.at)
  return { from, to: from + weather.minutes * MINUTE_MICROS }
}

export const stretchOf = ({ from, to }: Pick<Of<'thin'>, 'from' | 'to'>): Stretch => ({
  from: from === undefined ? 0 : microsAfter(from),
  to: to === undefined ? Number.POSITIVE_INFINITY : microsAfter(to),
})

/** A fall takes so much of the time, the bottom lasts until so much, then the price climbs back. */
const FALL = 0.3
const BOTTOM = 0.4

/** What does not recover lasts until the session ends; from then on the level itself is another. */
function crash(weather: Of<'crash'>, course: Course): Window | undefined {
  const { depth, recovers, minutes } = weather
  const segment = sessionAt(weather, course)
  if (!segment) return undefined
  const from = microsAfter(weather.at)
  const length = minutes * MINUTE_MICROS
  const factor = (at: number): number => {
    const part = (at - from) / length
    if (!recovers) return 1 - depth * Math.min(1, part)
    if (part < FALL) return 1 - (depth * part) / FALL
    return part < BOTTOM ? 1 - depth : 1 - (depth * (1 - part)) / (1 - BOTTOM)
  }
  const to = recovers ? Math.min(from + length, segment.to) : segment.to
  return { from, to, isRepriced: true, bend: (print) => repriced(print, factor(print.at)) }
}

const sessionAt = ({ at }: Of<'crash'>, { zone, segments }: Course): Segment | undefined => {
  const micros = microsAfter(at)
  return segments(dayIn(zone, micros)).find(
    ({ kind, from, to }) => isPriced(kind) && from <= micros && micros < to,
  )
}

/** The quote stays as far from the trade as it was. */
function repriced(print: Print, factor: number): Print {
  const price = Math.max(1, Math.round(print.price * factor))
  return {
    ...print,
    price,
    bid: Math.max(1, price - (print.price - print.bid)),
    ask: price + (print.ask - print.price),
  }
}

function thinned(print: Print, times: number): Print {
  return {
    ...print,
    bid: Math.max(1, print.price - Math.round((print.price - print.bid) * times)),
    ask: print.price + Math.round((print.ask - print.price) * times),
    bidSize: Math.max(1, Math.floor(print.bidSize / times)),
    askSize: Math.max(1, Math.floor(print.askSize / times)),
  }
}

function shiftOf(weather: Weather, course: Course): Shift | undefined {
  if (weather.kind === 'gap')
    return {
      index: course.index(dayOf(weather.on)),
      amount: logarithm(1 + weather.percent / 100),
      when: 'beforeOpen',
    }
  if (weather.kind !== 'crash' || weather.recovers) return undefined
  const segment = sessionAt(weather, course)
  return (
    segment && { index: course.index(segment.day), amount: logarithm(1 - weather.depth), when: 'inSession' }
  )
}

const logarithm = (x: number): number => (x > 1 ? minusLog(1 / x) : -minusLog(x))
