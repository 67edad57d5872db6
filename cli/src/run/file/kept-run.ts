import { createHash, randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import { definedFields } from '@quipu/core/values'
import type { ClientOptions } from '@quipu/sdk'
import type { Run, RunEquity, RunFile, RunParts } from '@quipu/sdk/runs'
import type { Environment } from '../environment.ts'
import type { GatewayKeyPair } from '../gateway/keys.ts'
import { tradedSymbols } from '../report/holdings.ts'
import type { RunSummary } from '../report/measure.ts'
import type { Measured } from '../report/measured.ts'
import { worldSettings } from './provenance.ts'
import { accountEventsOf, runFaultsOf } from './read-world.ts'
import { revisionOf } from './revision.ts'
import { RunRecorder } from './run-recorder.ts'
import { SecretFilter, secretArguments } from './secrets.ts'
import { type Ending, verdictOf } from './verdict.ts'

/** The world and the account of a kept run. */
export type KeptTarget = Measured & {
  readonly account: GatewayKeyPair
  /** Other keys of the run, which its file must not have. */
  readonly otherSecrets?: readonly string[]
  readonly endpoint: Pick<ClientOptions, 'url' | 'fetch'>
}

/** What is known of a run before it begins. */
export type KeptFacts = Pick<Run, 'kind' | 'command' | 'version'> &
  Partial<Pick<Run, 'program' | 'scenario' | 'world' | 'group'>> & {
    readonly env: Environment
    /** Speed of the clock of the world, for the times of requests and output. */
    readonly speed?: string | undefined
    /** The line of the run. Absent: nothing repeats it, such as a run in a world of others. */
    readonly line?: readonly string[] | undefined
    /** The command that repeats the run with its seed, from its line without keys. */
    readonly repeatText?: (line: readonly string[], seed: string) => string | undefined
    /** The drill that the requests belong to. */
    readonly drill?: string | undefined
  }

type WorldFacts = {
  readonly seed: string
  readonly hours: Run['hours']
  readonly settings: readonly string[]
  readonly seq: number
  readonly startedAt: string
}
type Collected = Omit<RunParts, 'request' | 'output' | 'drill'> &
  Pick<Run, 'faults_met' | 'faults_planned' | 'journal_events' | 'journal_hash'>

const noParts: RunParts = {
  equity: [],
  fill: [],
  fault: [],
  price: [],
  drill: [],
  unfilled: [],
  request: [],
  output: [],
  event: [],
}

const CURVE_POINTS = 60
const ARGUMENT_MAX = 1000
const ARGUMENTS_MAX = 100
const SYMBOLS_MAX = 30

/** A run whose requests, output and result become a run file. */
export class KeptRun {
  readonly recorder: RunRecorder
  readonly secrets: SecretFilter
  readonly id = randomUUID()
  readonly #target: KeptTarget
  readonly #facts: KeptFacts
  readonly #world: WorldFacts
  readonly #startedAt = new Date().toISOString()
  readonly #started = performance.now()
  #collected: Collected | undefined
  #summary: RunSummary | undefined

  private constructor(target: KeptTarget, facts: KeptFacts, world: WorldFacts, now: () => number) {
    const { account, otherSecrets = [] } = target
    this.#target = target
    this.#facts = facts
    this.#world = world
    this.secrets = new SecretFilter(
      [account.keyId, account.secretKey, ...otherSecrets, ...secretArguments(facts.command)],
      facts.env,
    )
    this.recorder = new RunRecorder(this.secrets, now, facts.drill)
  }

  static async begin(target: KeptTarget, facts: KeptFacts): Promise<KeptRun> {
    const world = await target.operator.getWorld({ params: { world: target.world } })
    const { seed, hours, now, clock, seq } = world
    const [startMs, realMs] = [Date.parse(now), Date.now()]
    const rate = clock === 'wall' ? 1 : Number(facts.speed ?? 0)
    return new KeptRun(
      target,
      facts,
      { seed, hours, settings: worldSettings(world), seq, startedAt: now },
      () => startMs + (Date.now() - realMs) * rate,
    )
  }

  /** Reads what the file needs of the world, before the world is deleted. */
  async collect(summary: RunSummary): Promise<void> {
    const { started_at: from, ended_at: to, fills, equity, prices } = summary
    this.#summary = summary
    const { operator, world } = this.#target
    const [faults, events, head] = await Promise.all([
      runFaultsOf(this.#target, from, to),
      accountEventsOf(this.#target, this.#world.seq),
      operator.getJournalHead({ params: { world } }),
    ])
    const of = this.#facts.drill === undefined ? {} : { drill: this.#facts.drill }
    this.#collected = {
      equity: this.#facts.drill === undefined ? equity : [],
      fill: fills.map((fill) => ({ ...fill, ...of })),
      fault: faults.met,
      price: prices.map(({ symbol, price }) => ({ symbol, price })),
      unfilled: summary.unfilled,
      event: events.map((event) => ({ ...event, ...of })),
      faults_met: faults.metCount,
      faults_planned: faults.planned,
      journal_events: head.seq,
      journal_hash: head.hash,
    }
  }

  /** The file of a run that has begun, without a result. */
  begun(): RunFile {
    const { startedAt: at } = this.#world
    const result = {
      verdict: 'running',
      reason: '',
      exit_code: 0,
      equity_at_start: 0,
      profit_loss: 0,
    } as const
    const none = { orders: 0, fills: 0, requests: 0, refused: 0, faults_met: 0, faults_planned: 0 }
    const run: Run = {
      ...this.#identity(),
      from: at,
      to: at,
      ...result,
      max_drawdown: 0,
      ...none,
      curve: [],
      is_cut: false,
    }
    return { run, parts: noParts }
  }

  /** The file of the run; undefined if nothing is known of its account, because the program sent no request. */
  finish(
    ending: Omit<Ending, 'summary' | 'daysAwake'> & Partial<Pick<Run, 'verdict' | 'reason' | 'drills'>>,
  ): RunFile | undefined {
    const [summary, collected] = [this.#summary, this.#collected]
    if (!summary || !collected) return undefined
    const { verdict, reason, drills, ...end } = ending
    const { recorder } = this
    recorder.end()
    const found = verdictOf({ ...end, summary, daysAwake: recorder.daysAwake })
    const { faults_met, faults_planned, journal_events, journal_hash, ...parts } = collected
    const run: Run = {
      ...this.#identity(),
      ...numbersOf(summary, collected),
      verdict: verdict ?? found.verdict,
      reason: reason ?? found.reason,
      exit_code: end.exit,
      faults_met,
      faults_planned,
      ...definedFields({ journal_events, journal_hash }),
      ...(drills && { drills }),
      is_cut: recorder.isCut,
    }
    return { run, parts: { ...parts, drill: [], request: recorder.requests, output: recorder.output } }
  }

  #identity() {
    const { kind, command, program, scenario, world, group, version } = this.#facts
    const { line, repeatText } = this.#facts
    const repeat = line && repeatText?.(this.secrets.cleanCommand(line), this.#world.seed)
    const words = this.secrets.cleanCommand(command).map((word) => word.slice(0, ARGUMENT_MAX))
    const revision = revisionOf('.')
    return {
      id: this.id,
      kind,
      program: (program ?? programIn(words)).slice(0, 200),
      command: words.slice(0, ARGUMENTS_MAX),
      ...(revision !== undefined && { revision }),
      version,
      ...(scenario !== undefined && { scenario }),
      ...(world !== undefined && { world }),
      ...(group !== undefined && { group }),
      seed: this.#world.seed,
      hours: this.#world.hours,
      settings: this.#world.settings,
      ...(repeat !== undefined && { repeat }),
      started_at: this.#startedAt,
      took_ms: Math.round(performance.now() - this.#started),
    }
  }
}

/** Runtimes whose first argument is the program. */
const RUNTIME = /^(node|python\d?(\.\d+)?|deno|bun|ruby|php|java|sh|bash|go|npx|tsx|uv)(\.exe)?$/

/** `bot.js` of `node --flag bot.js 5`. */
function programIn([first = '', ...args]: readonly string[]): string {
  const name = basename(first)
  const script = args.find((word) => !word.startsWith('-') && word !== 'run')
  return RUNTIME.test(name) && script !== undefined && !/\s/.test(script) ? basename(script) : name
}

function numbersOf(summary: RunSummary, { equity }: Pick<Collected, 'equity'>) {
  const { sharpe, orders, fills, refusals, fees } = summary
  const symbols = tradedSymbols(fills).slice(0, SYMBOLS_MAX)
  return {
    from: summary.started_at,
    to: summary.ended_at,
    ...(symbols.length > 0 && { symbols }),
    equity_at_start: summary.equity_at_start,
    profit_loss: summary.profit_loss,
    ...definedFields({ buy_and_hold: gainOf(equity, 'hold'), spy: gainOf(equity, 'spy') }),
    fees,
    fills_hash: hashOfFills(fills),
    max_drawdown: summary.max_drawdown,
    ...(sharpe !== null && { sharpe }),
    orders: Object.values(orders).reduce((sum, count) => sum + count, 0),
    fills: fills.length,
    requests: summary.requests,
    refused: refusals.reduce((sum, { count }) => sum + count, 0),
    curve: sampled(summary.equity.map((point) => point.equity)),
  }
}

function gainOf(equity: readonly RunEquity[], of: 'hold' | 'spy'): number | undefined {
  const [first, last] = [equity[0]?.[of], equity.at(-1)?.[of]]
  return first === undefined || last === undefined ? undefined : Math.round((last - first) * 100) / 100
}

/** Without ids, which differ from run to run. */
function hashOfFills(fills: RunSummary['fills']): string {
  const lines = fills.map(({ at, symbol, side, qty, price }) => `${at} ${symbol} ${side} ${qty} ${price}\n`)
  return createHash('sha256').update(lines.join('')).digest('hex')
}

/** At most 60 of the values, the first and the last among them. */
function sampled(values: readonly number[]): number[] {
  if (values.length <= CURVE_POINTS) return [...values]
  return Array.from(
    { length: CURVE_POINTS },
    (_, index) => values[Math.round((index * (values.length - 1)) / (CURVE_POINTS - 1))]!,
  )
}
