import { randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import { type Client, type ClientOptions, createClient } from '@quipu/sdk'
import type { Run, RunFile, RunParts } from '@quipu/sdk/runs'
import type { Environment } from '../environment.ts'
import type { GatewayKeyPair } from '../gateway/keys.ts'
import type { Measured, RunSummary } from '../report/measure.ts'
import { lastPrices, mostTraded, withBuyAndHold } from './buy-and-hold.ts'
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
    /** The drill that the requests belong to. */
    readonly drill?: string | undefined
  }

type WorldFacts = {
  readonly seed: string
  readonly hours: Run['hours']
  readonly seq: number
  readonly startedAt: string
}
type Collected = Omit<RunParts, 'request' | 'output' | 'drill'> & Pick<Run, 'faults_met' | 'faults_planned'>

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
    const { seed, hours, now, clock, seq } = await target.operator.getWorld({
      params: { world: target.world },
    })
    const [startMs, realMs] = [Date.parse(now), Date.now()]
    const rate = clock === 'wall' ? 1 : Number(facts.speed ?? 0)
    return new KeptRun(
      target,
      facts,
      { seed, hours, seq, startedAt: now },
      () => startMs + (Date.now() - realMs) * rate,
    )
  }

  /** Reads what the file needs of the world, before the world is deleted. */
  async collect(summary: RunSummary): Promise<void> {
    const { started_at: from, ended_at: to, fills } = summary
    this.#summary = summary
    const account = this.#accountClient()
    const [faults, events, prices, equity] = await Promise.all([
      runFaultsOf(this.#target, from, to),
      accountEventsOf(this.#target, this.#world.seq),
      lastPrices(account),
      withBuyAndHold(account, mostTraded(fills), summary.equity).catch(() => summary.equity),
    ])
    const of = this.#facts.drill === undefined ? {} : { drill: this.#facts.drill }
    this.#collected = {
      equity: this.#facts.drill === undefined ? equity.map((point) => ({ ...point })) : [],
      fill: fills.map((fill) => ({ ...fill, ...of })),
      fault: faults.met,
      price: prices,
      unfilled: summary.unfilled,
      event: events.map((event) => ({ ...event, ...of })),
      faults_met: faults.metCount,
      faults_planned: faults.planned,
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
    const { faults_met, faults_planned, ...parts } = collected
    const run: Run = {
      ...this.#identity(),
      ...numbersOf(summary, collected),
      verdict: verdict ?? found.verdict,
      reason: reason ?? found.reason,
      exit_code: end.exit,
      faults_met,
      faults_planned,
      ...(drills && { drills }),
      is_cut: recorder.isCut,
    }
    return { run, parts: { ...parts, drill: [], request: recorder.requests, output: recorder.output } }
  }

  #identity() {
    const { kind, command, program, scenario, world, group, version } = this.#facts
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
      started_at: this.#startedAt,
      took_ms: Math.round(performance.now() - this.#started),
    }
  }

  #accountClient(): Client {
    const { endpoint, account } = this.#target
    return createClient({ ...endpoint, ...account })
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
  const { sharpe, orders, fills, refusals } = summary
  const [first, last] = [equity[0]?.hold, equity.at(-1)?.hold]
  const symbol = mostTraded(fills)
  return {
    from: summary.started_at,
    to: summary.ended_at,
    ...(symbol !== undefined && { symbol }),
    equity_at_start: summary.equity_at_start,
    profit_loss: summary.profit_loss,
    ...(first !== undefined &&
      last !== undefined && { buy_and_hold: Math.round((last - first) * 100) / 100 }),
    max_drawdown: summary.max_drawdown,
    ...(sharpe !== null && { sharpe }),
    orders: Object.values(orders).reduce((sum, count) => sum + count, 0),
    fills: fills.length,
    requests: summary.requests,
    refused: refusals.reduce((sum, { count }) => sum + count, 0),
    curve: sampled(summary.equity.map((point) => point.equity)),
  }
}

/** At most 60 of the values, the first and the last among them. */
function sampled(values: readonly number[]): number[] {
  if (values.length <= CURVE_POINTS) return [...values]
  return Array.from(
    { length: CURVE_POINTS },
    (_, index) => values[Math.round((index * (values.length - 1)) / (CURVE_POINTS - 1))]!,
  )
}
