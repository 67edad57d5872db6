import { operation } from '../../operation.ts'
import {
  bool,
  decimal,
  duration,
  integer,
  map,
  moment,
  number,
  oneOf,
  optional,
  record,
  timestamp,
  uuid,
} from '../../shape/index.ts'
import { ofWorld, worldName } from './world-param.ts'

const untils = ['next_open', 'next_close', 'next_bar', 'next_event', 'order_end', 'idle'] as const
/** They have a limit, because nothing guarantees that they are reached. */
const limited: ReadonlySet<string | undefined> = new Set(['next_event', 'order_end', 'idle'])

export const WorldClockShape = record({
  world: worldName(),
  clock: oneOf('wall', 'virtual'),
  now: timestamp(),
  frozen: bool(),
  speed: number().about('1 = real time, 0 = frozen.'),
  is_open: bool(),
  next_open: timestamp(),
  next_close: timestamp(),
  advance: optional(
    record({
      from: timestamp(),
      to: timestamp().about('The end, or the limit of `until`.'),
      until: optional(oneOf(...untils)),
    }),
  ).about('The advance or replay in progress.'),
}).named('WorldClock')

export const Advanced = record({
  world: worldName(),
  from: timestamp(),
  now: timestamp(),
  frozen: bool(),
  seq: integer(),
  events: map(integer()).about('Number of events by kind that the advance caused.'),
  orders_ended: map(integer()).about('Number of orders by final status that ended during the advance.'),
  reached: bool().about('False if `until` was not reached within the limit, or the advance was stopped.'),
  stopped: bool().about('A stop ended the advance early.'),
}).named('Advanced')

const advance = record({
  by: optional(duration()).about('Advance by this duration.'),
  to: optional(moment()).about('Advance to this time.'),
  until: optional(oneOf(...untils)).about(
    'next_open, next_close: of the regular session. next_bar: the end of the next minute bar. next_event: the next event ' +
      'of the journal, or start or end of a market event. order_end: the end of an order. idle: nothing is in progress.',
  ),
  order_id: optional(uuid()).about('The order of `order_end`.'),
  within: optional(duration()).about(
    'Maximum duration of `next_event`, `order_end` and `idle`. Default: the limit of an advance.',
  ),
})
  .refine(({ by, to, until, order_id, within }) => {
    const count = [by, to, until].filter((value) => value !== undefined).length
    if (count !== 1) return { field: 'by', message: 'give exactly one of by, to or until' }
    if ((until === 'order_end') !== (order_id !== undefined))
      return { field: 'order_id', message: 'order_id: give it with until order_end, and only then' }
    if (within !== undefined && !limited.has(until))
      return { field: 'within', message: 'within: expected only with until next_event, order_end or idle' }
    return undefined
  })
  .named('Advance')

const SPEED_MAX = 100_000
const isSpeed = (value: string): boolean => Number(value) > 0 && Number(value) <= SPEED_MAX

const clockErrors = [
  'invalidParameter',
  'worldNotFound',
  'mainClockNotAdjustable',
  'clockEndReached',
] as const

export const clocks = {
  getWorldClock: operation('GET /sim/v1/worlds/{world}/clock', ofWorld, {
    summary:
      'Get the time and the clock of a world. As an event stream: also its changes, and reports of advances.',
    output: WorldClockShape,
    also: ['text/event-stream'],
    errors: ['worldNotFound', 'eventStreamsFull'],
  }),
  freezeClock: operation('POST /sim/v1/worlds/{world}/clock/freeze', ofWorld, {
    needsSim: true,
    summary: 'Freeze the clock.',
    output: WorldClockShape,
    errors: ['worldNotFound', 'mainClockNotAdjustable'],
  }),
  runClock: operation('POST /sim/v1/worlds/{world}/clock/run', ofWorld, {
    needsSim: true,
    summary:
      'Run the clock at a speed, at most to the end of the calendar. It slows down rather than skip events.',
    body: record({
      speed: decimal({ decimals: 3 })
        .where(isSpeed, `speed: expected more than 0, up to ${SPEED_MAX}`)
        .about('1 = real time.'),
    }).named('RunClock'),
    output: WorldClockShape,
    errors: clockErrors,
  }),
  advanceClock: operation('POST /sim/v1/worlds/{world}/clock/advance', ofWorld, {
    needsSim: true,
    summary: 'Advance the clock. Returns when all resulting events are stored and published.',
    body: advance,
    output: Advanced,
    errors: [...clockErrors, 'instantInPast', 'advanceTooLong', 'orderNotFound'],
  }),
  stopClock: operation('POST /sim/v1/worlds/{world}/clock/stop', ofWorld, {
    needsSim: true,
    summary:
      'Stop the advances and the replay in progress at their next step. A running clock keeps running.',
    output: WorldClockShape,
    errors: ['worldNotFound', 'mainClockNotAdjustable'],
  }),
  setClock: operation('POST /sim/v1/worlds/{world}/clock/set', ofWorld, {
    needsSim: true,
    summary:
      'Set the clock to a later time and freeze it. Everything that is due on the way happens, as in an advance.',
    body: record({ to: moment().about('The new time. The clock cannot move back.') }).named('SetClock'),
    output: Advanced,
    errors: [...clockErrors, 'instantInPast', 'advanceTooLong'],
  }),
}
