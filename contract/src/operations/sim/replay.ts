import { operation } from '../../operation.ts'
import {
  bool,
  duration,
  integer,
  moment,
  oneOf,
  optional,
  record,
  timestamp,
  withDefault,
} from '../../shape/index.ts'
import { ofWorld, worldName } from './world-param.ts'

const MILLISECOND = 1_000_000n
const SECOND = 1000n * MILLISECOND
const ROUNDS_MAX = 100

const newReplay = record({
  to: moment().about('End of the replay. A date includes that day.'),
  step: optional(duration().where((step) => step >= MILLISECOND, 'step: expected at least 1ms')).about(
    'Longest time without a wait for clients. Whole days end at the close. Absent: only events wait.',
  ),
  sessions: withDefault(oneOf('regular', 'all'), 'regular').about(
    'regular: steps only from the open to the close. all: steps at all hours.',
  ),
  rounds: withDefault(integer({ min: 1, max: ROUNDS_MAX }), 4).about(
    'Pings that a client without acknowledgements answers in a row.',
  ),
  think: withDefault(duration(), 0n).about('Real time to wait in addition, after each step and event.'),
  within: withDefault(duration(), 20n * SECOND).about(
    'Real time after which the call returns. Repeat the call to continue.',
  ),
}).named('NewReplay')

export const ReplayedShape = record({
  world: worldName(),
  from: timestamp(),
  now: timestamp(),
  finished: bool().about(
    'False if the time of the call was over, or the clock was frozen or changed, before the end.',
  ),
  mode: oneOf('exact', 'best_effort').about(
    'exact: every client reported when it was done. best_effort: some only answered pings, or none was connected.',
  ),
  steps: integer(),
  waits: integer().about('How often the clock waited for clients.'),
  elapsed_ms: integer().about('Real time.'),
  client_ms: integer().about('The part of the real time in which the clock waited for clients.'),
  seq: integer().about('Number of events in the journal.'),
}).named('Replayed')

export const replay = {
  replayClock: operation('POST /sim/v1/worlds/{world}/clock/replay', ofWorld, {
    needsSim: true,
    summary:
      'Replay in lock-step: advance in steps, and begin each step when the clients are done with the one before.',
    body: newReplay,
    output: ReplayedShape,
    errors: [
      'invalidParameter',
      'worldNotFound',
      'mainClockNotAdjustable',
      'clockEndReached',
      'instantInPast',
      'advanceTooLong',
    ],
  }),
}
