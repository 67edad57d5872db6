import type { RunFile } from '@quipu/sdk/runs'
import { CleanUp } from '../clean-up.ts'
import type { KeptRun } from '../file/kept-run.ts'
import { type RunOptions, type RunTarget, runAgainst } from '../session.ts'
import { type SeedRun, seedRunOf, silentRun } from './distribution.ts'

export type SeedsOptions = {
  readonly seeds: readonly string[]
  /** The number of worlds at a time. */
  readonly parallel: number
  /** The settings of each world, without its seed. */
  readonly world: {
    readonly start?: string
    readonly hours?: 'always' | 'nyse'
    readonly symbols?: readonly string[]
  }
  readonly run: Omit<RunOptions, 'onSummary' | 'hasOutput'>
  /** Called after each seed. */
  readonly onRun: (run: SeedRun, done: number) => void
  /** Begins to keep the run of a seed for its run file. */
  readonly keep?: (target: RunTarget) => Promise<KeptRun | undefined>
  readonly save?: (file: RunFile | undefined) => Promise<void>
}

/**
 * Runs the program once per seed, each in its own world, and returns the runs in the order of the seeds. After an abort, or
 * when a seed cannot be run, no further seed begins and the running programs end.
 */
export async function runSeeds(broker: SeedsBroker, options: SeedsOptions): Promise<readonly SeedRun[]> {
  const { seeds, parallel, world, run, onRun } = options
  const runs: SeedRun[] = []
  const failed = new AbortController()
  const signal = run.signal ? AbortSignal.any([run.signal, failed.signal]) : failed.signal
  let [next, done] = [0, 0]
  const work = async (): Promise<void> => {
    for (let index = next++; index < seeds.length && !signal.aborted; index = next++) {
      const seed = seeds[index]!
      const ended = await runSeed(broker, { ...world, seed }, { ...options, run: { ...run, signal } })
      if (signal.aborted) return
      runs[index] = ended
      done += 1
      onRun(ended, done)
    }
  }
  const fail = (error: unknown): never => {
    failed.abort()
    throw error
  }
  const workers = Array.from({ length: Math.min(parallel, seeds.length) }, () => work().catch(fail))
  await Promise.allSettled(workers)
  await Promise.all(workers)
  return runs
}

type SeedsBroker = Pick<RunTarget, 'operator' | 'upstream' | 'endpoint'>

async function runSeed(
  broker: SeedsBroker,
  body: SeedsOptions['world'] & { readonly seed: string },
  { run: options, keep, save }: Pick<SeedsOptions, 'run' | 'keep' | 'save'>,
): Promise<SeedRun> {
  const { operator } = broker
  const { world, accounts } = await operator.createWorld({ body })
  const [{ account_id: accountId, key_id: keyId, secret_key: secretKey }] = accounts as [(typeof accounts)[0]]
  const cleanUp = new CleanUp((text) => options.note(`quipu run: ${text}`))
  const target = { ...broker, world, accountId, keys: { account: { keyId, secretKey } }, cleanUp }
  try {
    let ended: SeedRun | undefined
    let problem: Error | undefined
    const kept = await keep?.(target)
    const exit = await runAgainst(target, {
      ...options,
      hasOutput: false,
      note: () => undefined,
      observer: kept?.recorder,
      onOutput: kept && ((stream, bytes) => kept.recorder.print(stream, bytes)),
      onSummary: async (summary) => {
        ended = seedRunOf(body.seed, summary)
        await kept?.collect(summary)
      },
      onNoSummary: (error) => {
        problem = error
      },
    })
    if (problem) throw problem
    await save?.(kept?.finish({ exit }))
    return ended ?? silentRun(body.seed, exit)
  } finally {
    await cleanUp.step(`world ${world} was not deleted`, (within) =>
      operator.deleteWorld({ params: { world } }, within),
    )
  }
}
