import type { Client } from '@quipu/sdk'
import type { ScenarioFile } from '@quipu/server/scenarios/scenario-file.ts'
import { CleanUp } from '../run/clean-up.ts'
import { observersOf } from '../run/gateway/traffic.ts'
import type { GatewayUpstream } from '../run/gateway/upstream.ts'
import { type RunOptions, type RunTarget, runAgainst } from '../run/session.ts'
import { createWorldOf } from '../scenario/run.ts'
import { catalogue, type Drill, type DrillFault, type DrillOptions } from './catalogue.table.ts'
import type { Certificate } from './certificate.ts'
import type { KeptDrills } from './drill-file.ts'
import { type Evidence, evidenceOf } from './evidence.ts'
import { type DrillResult, differs, judge, unfit } from './judge.ts'
import { DrillObserver } from './observe.ts'

export type DrillSetup = DrillOptions & {
  readonly operator: Client
  readonly upstream: GatewayUpstream
  readonly endpoint: RunTarget['endpoint']
  /** Keeps the runs for a run file. */
  readonly kept?: KeptDrills | undefined
  readonly seed: string
  readonly start: string
  readonly scenario?: ScenarioFile | undefined
  readonly speed: string
  /** Real time after which a run is stopped. */
  readonly limitMs: number
  /** How many runs at the same time. */
  readonly jobs: number
  /** Only these drills. Default: all. */
  readonly only?: readonly string[] | undefined
  readonly program: Pick<RunOptions, 'command' | 'env' | 'authorityFolder' | 'hasOutput' | 'umask'>
  readonly onProgress: (text: string) => void
  /** Ends all runs. */
  readonly stop: AbortSignal
}

/** The program cannot be drilled. */
export class NotDrilled extends Error {
  override readonly name = 'NotDrilled'
}

const INTERRUPTED = 'the drill was interrupted'

/** Runs the program without faults, twice, and then once per drill. */
export async function runDrills(setup: DrillSetup): Promise<Certificate> {
  const { onProgress, jobs, only, scenario, seed, program } = setup
  onProgress('without faults')
  const baseline = await runOnce(setup, [])
  const reason = unfit(baseline) ?? differs(baseline, await runOnce(setup, []))
  if (reason !== undefined) throw new NotDrilled(reason)
  const drills = catalogue.filter(({ name }) => only?.includes(name) ?? true)
  const results = await inParallel(drills, jobs, (drill) => {
    onProgress(drill.name)
    return runDrill(setup, drill, baseline)
  })
  const count = (wanted: DrillResult['result']): number =>
    results.filter(({ result }) => result === wanted).length
  const counts = { passed: count('passed'), failed: count('failed'), skipped: count('skipped') }
  return {
    program: program.command.join(' '),
    passed: counts.failed === 0,
    counts,
    seed,
    scenario: scenario?.scenario.name ?? null,
    baseline: {
      orders: baseline.orders.length,
      shares: Object.fromEntries(baseline.shares),
      uses_stream: baseline.hasStream,
      seconds: baseline.seconds,
    },
    drills: results,
  }
}

async function runDrill(setup: DrillSetup, drill: Drill, baseline: Evidence): Promise<DrillResult> {
  if (drill.kind === 'stream' && !baseline.hasStream) return withoutStream(drill, baseline)
  return judge(drill, await runOnce(setup, drill.rules(setup), drill.name), baseline)
}

/** A program without a stream cannot meet its failures. */
const withoutStream = (drill: Drill, baseline: Evidence): DrillResult => ({
  ...judge(drill, baseline, baseline),
  result: 'skipped',
  reasons: ['the program opens no stream of trade updates'],
  seconds: 0,
})

/** Runs the program in a new world under these rules. */
async function runOnce(setup: DrillSetup, rules: readonly DrillFault[], drill?: string): Promise<Evidence> {
  if (setup.stop.aborted) throw new NotDrilled(INTERRUPTED)
  const { operator, upstream, endpoint, speed, limitMs, program } = setup
  const created = await newWorld(setup)
  const [account] = created.accounts
  const { account_id: accountId, key_id: keyId, secret_key: secretKey } = account!
  const params = { world: created.world }
  const cleanUp = new CleanUp(setup.onProgress)
  const observer = new DrillObserver()
  const limit = AbortSignal.timeout(limitMs)
  const signal = AbortSignal.any([limit, setup.stop])
  const started = performance.now()
  try {
    for (const body of rules) await operator.createFault({ params, body })
    const keys = { account: { keyId, secretKey } }
    const target = { upstream, operator, endpoint, world: created.world, accountId, keys, cleanUp }
    const kept = await setup.kept?.keep(target, drill)
    const exit = await runAgainst(target, {
      ...program,
      strictKeys: false,
      privateHosts: false,
      speed,
      observer: observersOf([observer, kept?.recorder]),
      onOutput: kept && ((stream, bytes) => kept.recorder.print(stream, bytes)),
      signal,
      note: quiet,
      onSummary: (summary) => kept?.collect(summary),
    })
    // The end of a program that was interrupted says nothing about it.
    if (setup.stop.aborted) throw new NotDrilled(INTERRUPTED)
    // Ending a program takes time of its own, which is not a part of the limit.
    const ranMs = limit.aborted ? limitMs : performance.now() - started
    const seconds = Math.round(ranMs) / 1000
    const outcome = { exit: limit.aborted ? undefined : exit, seconds, observed: observer.observed() }
    const evidence = await evidenceOf(operator, { ...outcome, world: created.world, accountId })
    if (kept) setup.kept?.add(kept, drill, evidence)
    return evidence
  } finally {
    await cleanUp.step(`world ${created.world} was not deleted`, (within) =>
      operator.deleteWorld({ params }, within),
    )
  }
}

const quiet = (): void => {}

const newWorld = ({ operator, scenario, seed, start }: DrillSetup) =>
  scenario ? createWorldOf(operator, scenario, { seed }) : operator.createWorld({ body: { seed, start } })

/** After a failure no further item begins, and the others end first: their worlds are deleted. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  jobs: number,
  run: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = []
  const waiting = [...items.entries()]
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results[next[0]] = await run(next[1])
  }
  const workers = Array.from({ length: Math.min(jobs, items.length) }, () =>
    worker().catch((error: unknown) => {
      waiting.length = 0
      throw error
    }),
  )
  await Promise.allSettled(workers)
  await Promise.all(workers)
  return results
}
