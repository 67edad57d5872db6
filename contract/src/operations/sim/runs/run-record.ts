import {
  array,
  bool,
  integer,
  number,
  oneOf,
  optional,
  record,
  text,
  timestamp,
  uuid,
} from '../../../shape/index.ts'

/** The version of the format of run files. */
export const RUN_FORMAT = 1
/** How a run ended; `running` has not ended. */
export const runVerdicts = ['passed', 'failed', 'warning', 'stopped', 'running'] as const
export const runKinds = ['run', 'scenario', 'drill'] as const

const word = (max: number) => text({ min: 1, max })

/** More is no amount of an account, and no chart could show it. */
const amount = () => number().where((value) => Math.abs(value) <= 1e15, 'expected at most 1e15')

/** What a run was, and its result: the first line of a run file. Amounts are of this account, without transfers. */
export const RunShape = record({
  id: uuid(),
  kind: oneOf(...runKinds).about('run: quipu run. scenario: quipu scenario run. drill: quipu drill.'),
  program: word(200).about('Name of the program, or of the scenario.'),
  command: array(text({ max: 1000 }), { max: 100 }).about('Program and arguments, without keys.'),
  revision: optional(word(64)).about('Git commit of the folder that the program ran in.'),
  version: word(64).about('Version of Quipu.'),
  scenario: optional(word(200)),
  world: optional(word(200)).about('World of the run on the server, if it was kept.'),
  group: optional(uuid()).about('The same for all seeds of one command.'),
  seed: word(64),
  hours: oneOf('always', 'nyse'),
  from: timestamp().about('Start, by the clock of the world.'),
  to: timestamp().about('End, by the clock of the world.'),
  started_at: timestamp().about('By the clock of the machine.'),
  took_ms: integer({ min: 0 }),
  verdict: oneOf(...runVerdicts),
  reason: text({ max: 500 }).about('Why, in a few words. Empty if there is nothing to say.'),
  exit_code: integer({ min: 0, max: 255 }),
  symbols: optional(array(word(40), { max: 30 })).about(
    'Symbols that the run traded, the one with the largest value first.',
  ),
  equity_at_start: amount(),
  profit_loss: amount(),
  buy_and_hold: optional(amount()).about(
    'Profit or loss of buying these symbols at the start, in equal parts, with all the money.',
  ),
  spy: optional(amount()).about('Profit or loss of buying SPY at the start with all the money.'),
  fees: optional(amount()).about('All that the account paid.'),
  max_drawdown: amount().about('Largest fall from a peak, as a fraction of the peak.'),
  sharpe: optional(amount()).about('Absent below 20 days.'),
  orders: integer({ min: 0 }),
  fills: integer({ min: 0 }),
  requests: integer({ min: 0 }),
  refused: integer({ min: 0 }).about('Requests that the broker refused.'),
  faults_met: integer({ min: 0 }).about('Faults and market events of the world that happened.'),
  faults_planned: integer({ min: 0 }),
  drills: optional(
    record({ passed: integer({ min: 0 }), failed: integer({ min: 0 }), skipped: integer({ min: 0 }) }),
  ),
  curve: array(amount(), { max: 60 }).about('Equity, at most 60 points at equal distances.'),
  repeat: optional(text({ max: 4000 })).about('Command that repeats the run, without keys.'),
  settings: optional(array(text({ max: 400 }), { max: 40 })).about(
    'Settings of the world that results depend on, such as `fees us`.',
  ),
  journal_events: optional(integer({ min: 0 })).about('Events in the journal of the world at the end.'),
  journal_hash: optional(word(64)).about('SHA-256 over these events.'),
  fills_hash: optional(word(64)).about(
    'SHA-256 over time, symbol, side, quantity and price of the fills. Equal runs have the same.',
  ),
  is_cut: bool().about('Whether the file has less than the run: its output or its requests were too long.'),
}).named('RunRecord')
