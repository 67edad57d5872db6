import type { Client } from '@quipu/sdk'
import type { ScenarioFile } from '@quipu/server/scenarios/scenario-file.ts'
import { CleanUp } from '../run/clean-up.ts'
import { observersOf } from '../run/gateway/traffic.ts'
import type { GatewayUpstream } from '../run/gateway/upstream.ts'
import type { RunSummary } from '../run/report/measure.ts'
import { type RunOptions, type RunTarget, runAgainst } from '../run/session.ts'
import { symbolsOfRun } from '../run/world-symbols.ts'
import { createWorldOf } from '../scenario/run.ts'
import { catalogue, type Drill, type DrillOptions, needsReplay } from './catalogue.table.ts'
import type { Certificate } from './certificate.ts'
import { Disturber } from './disturb.ts'
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
  readonly hours?: 'always' | 'nyse' | undefined
  /** Each run is a replay in lock-step, which ends the program. */
  readonly replay?: RunOptions['replay']
  /** The command that runs only this drill. */
  readonly repeat: (drill: string) => string
  /** Unknown symbols stay unknown. */
  readonly strictSymbols: boolean
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
  const baseline = await runOnce(setup)
  const reason = unfit(baseline) ?? differs(baseline, await runOnce(setup))
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
  if (drill.kind === 'stream' && !baseline.hasStream)
    return skipped(drill, baseline, 'the program opens no stream of trade updates')
  if (needsReplay(drill) && !setup.replay)
    return skipped(drill, baseline, 'only in a replay: add --from and --to')
  const result = judge(drill, await runOnce(setup, { drill, baseline }), baseline)
  return result.result === 'failed' ? { ...result, repeat: setup.repeat(drill.name) } : result
}

/** The program cannot meet it. */
const skipped = (drill: Drill, baseline: Evidence, reason: string): DrillResult => {
  const { wrong_at: _, ...result } = judge(drill, baseline, baseline)
  return { ...result, result: 'skipped', reasons: [reason], seconds: 0 }
}

type Drilled = { readonly drill: Drill; readonly baseline: Evidence }

/** Runs the program in a new world, without faults or with those of a drill. */
async function runOnce(setup: DrillSetup, drilled?: Drilled): Promise<Evidence> {
  if (setup.stop.aborted) throw new NotDrilled(INTERRUPTED)
  const { operator, upstream, endpoint, speed, limitMs, program, replay } = setup
  const { drill } = drilled ?? {}
  const created = await newWorld(setup)
  const [account] = created.accounts
  const { account_id: accountId, key_id: keyId, secret_key: secretKey } = account!
  const { world } = created
  const keys = { account: { keyId, secretKey } }
  const params = { world }
  const cleanUp = new CleanUp(setup.onProgress)
  const disturber = new Disturber({ operator, world, endpoint, ...keys }, drill?.disturbance)
  const observer = new DrillObserver(() => disturber.placed())
  const limit = AbortSignal.timeout(limitMs)
  const signal = AbortSignal.any([limit, setup.stop])
  const started = performance.now()
  let summary: RunSummary | undefined
  try {
    for (const body of drill?.rules(setup) ?? []) await operator.createFault({ params, body })
    if (drilled) await disturber.prepare(drilled.baseline)
    const target = { upstream, operator, endpoint, world, accountId, keys, cleanUp }
    const kept = await setup.kept?.keep(target, drill?.name)
    const exit = await runAgainst(target, {
      ...program,
      strictKeys: false,
      privateHosts: false,
      ...(replay ? { replay, clockOffsetMs: disturber.clockOffsetMs } : { speed }),
      observer: observersOf([observer, kept?.recorder]),
      onOutput: kept && ((stream, bytes) => kept.recorder.print(stream, bytes)),
      restart: disturber.restart,
      signal,
      note: quiet,
      onSummary: (ended) => {
        summary = ended
        return kept?.collect(ended)
      },
    })
    // The end of a program that was interrupted says nothing about it.
    if (setup.stop.aborted) throw new NotDrilled(INTERRUPTED)
    if (disturber.problem !== undefined) throw disturber.problem
    disturber.end((await operator.getWorldClock({ params })).now)
    // Ending a program takes time of its own, which is not a part of the limit.
    const ranMs = limit.aborted ? limitMs : performance.now() - started
    const evidence = await evidenceOf(operator, {
      exit: limit.aborted ? undefined : exit,
      seconds: Math.round(ranMs) / 1000,
      hasFinished: summary?.replay?.finished,
      isDisturbed: disturber.isDone,
      observed: observer.observed(),
      world,
      accountId,
    })
    if (kept) setup.kept?.add(kept, drill?.name, evidence)
    return evidence
  } finally {
    await cleanUp.step(`world ${world} was not deleted`, (within) => operator.deleteWorld({ params }, within))
  }
}

const quiet = (): void => {}

const newWorld = ({ operator, scenario, seed, start, hours, strictSymbols }: DrillSetup) =>
  scenario
    ? createWorldOf(operator, scenario, { seed, strictSymbols })
    : operator.createWorld({
        body: { seed, start, ...(hours && { hours }), ...symbolsOfRun(strictSymbols) },
      })

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
