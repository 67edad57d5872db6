import type { Call } from '@quipu/sdk'
import { decimal, textOf } from '../../format/decimal.ts'
import { dayKey, minuteText, newYorkMs } from '../../format/times.ts'
import type { Field, Values } from '../../parts/fields.tsx'

export type NewMarketEvent = NonNullable<Call<'createMarketEvent'>['body']>

/** What a form knows about the time of the world. */
export type Moment = { readonly now: number; readonly speed: number; readonly nextOpenMs: number }

export type EventKind = {
  readonly title: string
  readonly about: string
  readonly submit: string
  readonly help: string
  readonly fields: readonly Field[]
  readonly start: (moment: Moment) => Values
  readonly body: (values: Values, moment: Moment) => NewMarketEvent
}

const MINUTE_MS = 60_000

/** The first minute that an event may begin in: quotes of the next minute may already be sent. */
export function earliest({ now, speed }: Moment): number {
  // While the clock runs, ten seconds remain to fill in the form.
  const ahead = Math.max(2 * MINUTE_MS, Math.min(speed * 10_000, 60 * MINUTE_MS) + MINUTE_MS)
  return Math.floor((now + ahead) / MINUTE_MS) * MINUTE_MS
}

const symbol: Field = { name: 'symbol', label: 'Symbol', hint: 'all stocks' }
const oneSymbol: Field = { name: 'symbol', label: 'Symbol', isRequired: true }
const begins: Field = { name: 'begins', label: 'Begins', hint: 'HH:MM', unit: 'New York', isRequired: true }
const minutes: Field = { name: 'minutes', label: 'Lasts', kind: 'number', unit: 'min' }

function instantOf({ begins = '' }: Values, { now }: Moment): number {
  const time = begins.trim().padStart(5, '0')
  if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(time))
    throw new Error(`begins: expected a time of today such as ${minuteText(now)}, received ${begins}`)
  return newYorkMs(dayKey(now), time)
}
const isoOf = (ms: number): string => new Date(ms).toISOString()
const about = ({ symbol }: Values) => (symbol?.trim() ? { symbol: symbol.trim().toUpperCase() } : {})
/** `6` per cent as the fraction `0.06`. */
const fraction = (percent: string): string => {
  if (!/^\d+(\.\d+)?$/.test(percent)) throw new Error(`expected a number of per cent, received "${percent}"`)
  const { units, places } = decimal(percent)
  return textOf({ units, places: places + 2 })
}
const during = (values: Values, moment: Moment) => {
  const from = instantOf(values, moment)
  return { from: isoOf(from), to: isoOf(from + Number(values['minutes']) * MINUTE_MS) }
}
const begin = (moment: Moment): Values => ({ begins: minuteText(earliest(moment)), symbol: '' })

/** The buttons of market events, and their forms. */
export const eventKinds: readonly EventKind[] = [
  {
    title: 'Crash',
    about: 'fall and recover',
    submit: 'Plan the crash',
    help: 'Prices fall at once and recover, or stay low.',
    fields: [
      symbol,
      begins,
      { name: 'depth', label: 'Falls by', kind: 'number', unit: '%', isRequired: true },
      minutes,
      { name: 'recovers', label: 'Prices recover', kind: 'check', isWide: true },
    ],
    start: (moment) => ({ ...begin(moment), depth: '6', minutes: '10', recovers: 'yes' }),
    body: (values, moment) => ({
      kind: 'crash',
      ...about(values),
      at: isoOf(instantOf(values, moment)),
      depth: fraction(values['depth'] ?? ''),
      minutes: Number(values['minutes']),
      recovers: values['recovers'] === 'yes',
    }),
  },
  {
    title: 'Halt',
    about: 'stop a symbol',
    submit: 'Plan the halt',
    help: 'Trading in the symbol stops. Orders wait.',
    fields: [
      oneSymbol,
      begins,
      minutes,
      {
        name: 'reason',
        label: 'Reason',
        options: {
          news_pending: 'News pending',
          news_released: 'News released',
          operational: 'Operational',
          circuit_breaker_1: 'Circuit breaker 1',
          circuit_breaker_2: 'Circuit breaker 2',
          circuit_breaker_3: 'Circuit breaker 3',
        },
      },
    ],
    start: (moment) => ({ ...begin(moment), symbol: 'AAPL', minutes: '15', reason: 'news_pending' }),
    body: (values, moment) => ({
      kind: 'halt',
      ...about(values),
      ...during(values, moment),
      reason: values['reason'] as NonNullable<NewMarketEvent['reason']>,
    }),
  },
  {
    title: 'Pause',
    about: 'limit up or down',
    submit: 'Plan the pause',
    help: 'The price leaves its band, and trading stops for some minutes.',
    fields: [
      oneSymbol,
      begins,
      minutes,
      { name: 'limit', label: 'Limit', options: { down: 'Down', up: 'Up' } },
    ],
    start: (moment) => ({ ...begin(moment), symbol: 'AAPL', minutes: '5', limit: 'down' }),
    body: (values, moment) => ({
      kind: 'pause',
      ...about(values),
      at: isoOf(instantOf(values, moment)),
      minutes: Number(values['minutes']),
      limit: values['limit'] as 'up' | 'down',
    }),
  },
  {
    title: 'Gap',
    about: 'next open',
    submit: 'Plan the gap',
    help: 'The session opens away from the price before.',
    fields: [
      symbol,
      { name: 'on', label: 'Session of', kind: 'date', isRequired: true },
      { name: 'percent', label: 'Opens at', kind: 'number', unit: '%', isRequired: true },
    ],
    start: ({ nextOpenMs }) => ({ symbol: '', on: dayKey(nextOpenMs), percent: '-3' }),
    body: (values) => ({
      kind: 'gap',
      ...about(values),
      on: values['on'] ?? '',
      percent: (values['percent'] ?? '').replace('−', '-'),
    }),
  },
  {
    title: 'Thin',
    about: 'wide spreads',
    submit: 'Plan thin quotes',
    help: 'Bid and ask are further apart.',
    fields: [
      symbol,
      begins,
      minutes,
      { name: 'times', label: 'Spreads', kind: 'number', unit: 'times as wide', isRequired: true },
    ],
    start: (moment) => ({ ...begin(moment), minutes: '30', times: '4' }),
    body: (values, moment) => ({
      kind: 'thin',
      ...about(values),
      ...during(values, moment),
      times: values['times'] ?? '',
    }),
  },
  {
    title: 'Late, wrong',
    about: 'trade reports',
    submit: 'Plan the reports',
    help: 'A part of the trades is reported late, corrected, or missing.',
    fields: [
      symbol,
      begins,
      minutes,
      {
        name: 'kind',
        label: 'Reports are',
        options: { late: 'Late', mistakes: 'Corrected or canceled', missing: 'Missing' },
      },
      { name: 'share', label: 'Share', kind: 'number', unit: '%', isRequired: true },
    ],
    start: (moment) => ({ ...begin(moment), minutes: '30', kind: 'late', share: '10' }),
    body: (values, moment) => ({
      kind: values['kind'] as 'late' | 'mistakes' | 'missing',
      ...about(values),
      ...during(values, moment),
      share: fraction(values['share'] ?? ''),
    }),
  },
]
