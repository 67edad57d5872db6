import type { Run, RunParts } from './run-file.ts'

type Check = (value: unknown) => boolean
/** A row for each field, so that a new field stops the build. */
type Checks<Line> = { readonly [Field in keyof Required<Line>]: Check }

/** More is no amount of an account, and no chart could show it. */
const NUMBER_MAX = 1e15
const TIME_MAX = 40

const text: Check = (value) => typeof value === 'string'
const number: Check = (value) => typeof value === 'number' && Math.abs(value) <= NUMBER_MAX
const flag: Check = (value) => typeof value === 'boolean'
const anything: Check = () => true
const decimal: Check = (value) => typeof value === 'string' && /^-?\d{1,15}(\.\d{1,20})?$/.test(value)
const time: Check = (value) =>
  typeof value === 'string' && value.length <= TIME_MAX && !Number.isNaN(Date.parse(value))
const record: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.some((word) => word === value)
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)

const ofDrill = { drill: optional(text) }

const runChecks: Checks<Run> = {
  id: text,
  kind: oneOf('run', 'scenario', 'drill'),
  program: text,
  command: listOf(text),
  revision: optional(text),
  version: text,
  scenario: optional(text),
  world: optional(text),
  group: optional(text),
  seed: text,
  hours: oneOf('always', 'nyse'),
  from: time,
  to: time,
  started_at: time,
  took_ms: number,
  verdict: oneOf('passed', 'failed', 'warning', 'stopped', 'running'),
  reason: text,
  exit_code: number,
  symbols: optional(listOf(text)),
  equity_at_start: number,
  profit_loss: number,
  buy_and_hold: optional(number),
  spy: optional(number),
  fees: optional(number),
  max_drawdown: number,
  sharpe: optional(number),
  orders: number,
  fills: number,
  requests: number,
  refused: number,
  faults_met: number,
  faults_planned: number,
  drills: optional(record),
  curve: listOf(number),
  repeat: optional(text),
  settings: optional(listOf(text)),
  journal_events: optional(number),
  journal_hash: optional(text),
  fills_hash: optional(text),
  is_cut: flag,
}

const partChecks: { readonly [Part in keyof RunParts]: Checks<RunParts[Part][number]> } = {
  equity: {
    at: time,
    equity: number,
    transfers: optional(number),
    day: optional(text),
    exposure: optional(number),
    hold: optional(number),
    spy: optional(number),
  },
  fill: {
    ...ofDrill,
    at: time,
    symbol: text,
    side: text,
    qty: decimal,
    price: decimal,
    order_id: text,
    bid: optional(decimal),
    ask: optional(decimal),
  },
  fault: { at: time, label: text, kind: oneOf('fault', 'market') },
  price: { symbol: text, price: number },
  drill: {
    drill: text,
    about: text,
    result: oneOf('passed', 'failed', 'skipped'),
    reasons: listOf(text),
    evidence: text,
    advice: optional(text),
    seconds: number,
    profit_loss: optional(number),
    requests: optional(number),
    orders: optional(number),
  },
  unfilled: { order_id: text, status: text, summary: text, counterfactual: listOf(text) },
  request: {
    ...ofDrill,
    at: time,
    method: text,
    path: text,
    body: anything,
    status: optional(number),
    answer: anything,
    fault: optional(text),
  },
  output: { ...ofDrill, at: time, stream: oneOf('stdout', 'stderr'), text },
  event: { ...ofDrill, at: time, number, kind: text, order_id: optional(text), event: record },
}

type Entry = Readonly<Record<string, unknown>>

/** The first field of the record of a run that has an unexpected value. */
export const wrongFieldOfRun = (run: Entry): string | undefined => wrongField(runChecks, run)

/** The first field of a line that has an unexpected value. */
export const wrongFieldOfPart = (part: keyof RunParts, line: Entry): string | undefined =>
  wrongField(partChecks[part], line)

const wrongField = (checks: Readonly<Record<string, Check>>, entry: Entry): string | undefined =>
  Object.entries(checks).find(([field, check]) => !check(entry[field]))?.[0]
