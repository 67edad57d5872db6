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
import { inWorld, operatorOnly, worldName } from './world-param.ts'

export const WorldClock = record({
  world: worldName(),
  clock: oneOf('wall', 'virtual'),
  now: timestamp(),
  frozen: bool(),
  speed: number().about('1 = real time, 0 = frozen.'),
  is_open: bool(),
  next_open: timestamp(),
  next_close: timestamp(),
}).named('WorldClock')

export const Advanced = record({
  world: worldName(),
  from: timestamp(),
  now: timestamp(),
  frozen: bool(),
  seq: integer(),
  events: map(integer()).about('Number of events by kind that the advance caused.'),
  orders_ended: map(integer()).about('Number of orders by final status that ended during the advance.'),
  reached: bool().about('False if `until` was not reached within the limit. The clock is at the limit then.'),
}).named('Advanced')

const advance = record({
  by: optional(duration()).about('Advance by this duration.'),
  to: optional(moment()).about('Advance to this time.'),
  until: optional(oneOf('next_open', 'next_close', 'order_end', 'idle')).about(
    'Advance to the next open or close of the regular session, to the end of an order, or until nothing is in progress.',
  ),
  order_id: optional(uuid()).about('The order of `order_end`.'),
  within: optional(duration()).about(
    'Maximum duration of `order_end` and `idle`. Default: the limit of an advance.',
  ),
})
  .refine(({ by, to, until, order_id, within }) => {
    const count = [by, to, until].filter((value) => value !== undefined).length
    if (count !== 1) return { field: 'by', message: 'give exactly one of by, to or until' }
    if ((until === 'order_end') !== (order_id !== undefined))
      return { field: 'order_id', message: 'order_id: give it with until order_end, and only then' }
    if (within !== undefined && until !== 'order_end' && until !== 'idle')
      return { field: 'within', message: 'within: expected only with until order_end or idle' }
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
  getWorldClock: operation('GET /sim/v1/worlds/{world}/clock', operatorOnly, {
    summary: 'Get the time and the clock of a world.',
    params: inWorld,
    output: WorldClock,
    errors: ['worldNotFound'],
  }),
  freezeClock: operation('POST /sim/v1/worlds/{world}/clock/freeze', operatorOnly, {
    needsSim: true,
    summary: 'Freeze the clock.',
    params: inWorld,
    output: WorldClock,
    errors: ['worldNotFound', 'mainClockNotAdjustable'],
  }),
  runClock: operation('POST /sim/v1/worlds/{world}/clock/run', operatorOnly, {
    needsSim: true,
    summary:
      'Run the clock at a speed, at most to the end of the calendar. It slows down rather than skip events.',
    params: inWorld,
    body: record({
      speed: decimal({ decimals: 3 })
        .where(isSpeed, `speed: expected more than 0, up to ${SPEED_MAX}`)
        .about('1 = real time.'),
    }).named('RunClock'),
    output: WorldClock,
    errors: clockErrors,
  }),
  advanceClock: operation('POST /sim/v1/worlds/{world}/clock/advance', operatorOnly, {
    needsSim: true,
    summary: 'Advance the clock. Returns when all resulting events are stored and published.',
    params: inWorld,
    body: advance,
    output: Advanced,
    errors: [...clockErrors, 'instantInPast', 'advanceTooLong', 'orderNotFound'],
  }),
  setClock: operation('POST /sim/v1/worlds/{world}/clock/set', operatorOnly, {
    needsSim: true,
    summary:
      'Set the clock to a later time and freeze it. Everything that is due on the way happens, as in an advance.',
    params: inWorld,
    body: record({ to: moment().about('The new time. The clock cannot move back.') }).named('SetClock'),
    output: Advanced,
    errors: [...clockErrors, 'instantInPast', 'advanceTooLong'],
  }),
}
