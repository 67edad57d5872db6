import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { definedFields } from '@quipu/core/values'
import type { Client } from '@quipu/sdk'
import type { RunFile } from '@quipu/sdk/runs'
import type { RunOptions, RunTarget } from '../../run/session.ts'
import { symbolsOfRun } from '../../run/world-symbols.ts'
import { type CommandContext, UsageError } from '../command.ts'
import { wholeNumberValue } from '../values.ts'
import { createdWorld } from './created-world.ts'
import { awaitInterruption } from './interruption.ts'
import { commandFor, repeatSeedText } from './repeated-line.ts'
import { openBroker } from './run-broker.ts'
import { keepRun, keptTarget, RunShelf } from './run-files.ts'

const SEEDS_MAX = 10_000
const PARALLEL_MAX = 4

/** The number of seeds; undefined without --seeds. */
export function seedCount({ args, config }: CommandContext): number | undefined {
  const text = args.get('seeds')
  if (text === undefined) {
    if (args.has('parallel')) throw new UsageError('run: --parallel needs --seeds')
    return undefined
  }
  const count = wholeNumberValue(text, 'seeds')
  if (count < 1 || count > SEEDS_MAX)
    throw new UsageError(`run: --seeds: expected 1 to ${SEEDS_MAX}, received ${text}`)
  if (config.world !== 'main')
    throw new UsageError('run: --world is not for --seeds: each seed has its own world')
  for (const flag of ['scenario', 'record', 'account'])
    if (args.has(flag)) throw new UsageError(`run: --${flag} is not for --seeds`)
  return count
}

/** Runs the program in the markets of many seeds, and reports the distribution of the results. */
export async function runInSeeds(
  context: CommandContext,
  count: number,
  options: Omit<RunOptions, 'onSummary'>,
): Promise<number> {
  const { args, config, sources, note, json } = context
  const { runSeeds } = await import('../../run/seeds/run-seeds.ts')
  const { summarize } = await import('../../run/seeds/distribution.ts')
  const { seedsLines, seedsPage } = await import('../../run/seeds/report.ts')
  const parallel = parallelOf(context)
  const prefix = sources.seed.source === 'default' ? '' : `${config.seed}-`
  const created = await createdWorld(context)
  const interruption = awaitInterruption()
  const broker = await openBroker(context)
  // Each program forwards signals.
  process.setMaxListeners(process.getMaxListeners() + parallel)
  try {
    const runs = await runSeeds(broker, {
      seeds: Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`),
      parallel,
      world: { ...definedFields(created), ...symbolsOfRun(args.has('strict-symbols')) },
      run: {
        ...options,
        signal: interruption.signal,
        speed: args.get('speed') ?? '1',
        replay: options.replay && definedFields({ ...options.replay, onProgress: undefined }),
      },
      ...keepingSeeds(context, broker.operator, options.command, count),
      onRun: ({ seed, profit_loss: profit }, done) => {
        if (context.isTerminal || done % Math.ceil(count / 10) === 0)
          note(`quipu run: ${done} of ${count} seeds; seed ${seed}: ${profit.toFixed(2)}`)
      },
    }).catch((error: unknown) => {
      if (interruption.exit === undefined) throw error
      return []
    })
    if (interruption.exit !== undefined) return interruption.exit
    const summary = summarize(runs, (seed) => commandFor(context.line, seed))
    if (!args.has('quiet')) note(json ? JSON.stringify(summary) : seedsLines(summary).join('\n'))
    const [file, page] = [args.get('summary'), args.get('report')]
    if (file !== undefined) writeFileSync(file, `${JSON.stringify(summary, undefined, 2)}\n`)
    if (page !== undefined) writeFileSync(page, seedsPage(summary))
    return summary.failed.length === 0 ? 0 : 1
  } finally {
    interruption.close()
    await broker.close()
  }
}

/** Each seed has its own file. All of a command have one group. */
function keepingSeeds(context: CommandContext, operator: Client, command: readonly string[], count: number) {
  const group = randomUUID()
  let saved = 0
  return {
    keep: (target: RunTarget) => {
      const speed = context.args.get('speed') ?? '1'
      const { line } = context
      const facts = { kind: 'run', command, group, speed, line, repeatText: repeatSeedText } as const
      return keepRun(context, keptTarget(target), facts)
    },
    save: async (file: RunFile | undefined) => {
      saved += 1
      const note = saved === count ? context.note : () => undefined
      if (file) await new RunShelf({ ...context, note }, operator).add(file)
    },
  }
}

function parallelOf({ args }: CommandContext): number {
  const text = args.get('parallel')
  const parallel =
    text === undefined ? Math.min(PARALLEL_MAX, availableParallelism()) : wholeNumberValue(text, 'parallel')
  if (parallel < 1) throw new UsageError('run: --parallel: expected at least 1')
  return parallel
}
