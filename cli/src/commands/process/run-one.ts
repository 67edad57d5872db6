import { writeFileSync } from 'node:fs'
import { ANY_SYMBOL } from '@quipu/contract'
import { errorMessage } from '@quipu/core/values'
import type { RunFile } from '@quipu/sdk/runs'
import type { NotRun } from '../../run/child.ts'
import type { KeptRun } from '../../run/file/kept-run.ts'
import type { HostsRefused } from '../../run/gateway/private-hosts.ts'
import type { Observer, observersOf } from '../../run/gateway/traffic.ts'
import type { RunSummary } from '../../run/report/measure.ts'
import type { RunOptions, RunTarget, runAgainst } from '../../run/session.ts'
import { type CommandContext, CommandFailed } from '../command.ts'
import { repeatText } from './repeated-line.ts'
import { openRun } from './run-broker.ts'
import { keepRun, keptTarget, RunShelf } from './run-files.ts'
import { checkedExit, scenarioIn } from './run-scenario.ts'

/** The parts that are loaded only for a run. */
type RunModules = {
  readonly NotRun: typeof NotRun
  readonly HostsRefused: typeof HostsRefused
  readonly runAgainst: typeof runAgainst
  readonly observersOf: typeof observersOf
  readonly onSummary: (summary: RunSummary) => void
}

/** Runs the program once, and stores its run. Returns its exit code. */
export async function runOne(
  context: CommandContext,
  options: Omit<RunOptions, 'onSummary'>,
  { NotRun, HostsRefused, runAgainst, observersOf, onSummary }: RunModules,
): Promise<number> {
  const scenario = await scenarioIn(context)
  const { target, hasNewAccount, keepsWorld, guard, close, ...opened } = await openRun(context, scenario)
  const shelf = new RunShelf(context, target.operator)
  const speed = context.args.get('speed') ?? opened.speed
  const { command } = options
  const name = scenario && { scenario: scenario.scenario.name }
  // A world of others goes on: nothing brings it back.
  const isRepeatable = !keepsWorld || context.args.has('from') || scenario !== undefined
  const facts = {
    kind: 'run',
    command,
    speed,
    ...name,
    ...(keepsWorld && { world: target.world }),
    ...(isRepeatable && { line: context.line, repeatText }),
  } as const
  const kept = await keepRun(context, keptTarget(target), facts, context.args.has('report'))
  let file: RunFile | undefined
  try {
    await shelf.announce(kept)
    const exit = await runAgainst(target, {
      ...options,
      ...keepingOf(context, kept),
      guard,
      speed,
      observer: observersOf([await recorderOf(context, target, speed), kept?.recorder]),
      onSummary: async (summary) => {
        onSummary({ ...summary, has_new_account: hasNewAccount })
        await kept?.collect(summary)
      },
    })
    const checked = scenario ? await checkedExit(context, target, scenario, exit) : { exit }
    file = kept?.finish(checked)
    await writePage(context, file)
    return checked.exit
  } catch (error) {
    if (error instanceof HostsRefused) throw new CommandFailed(error.message)
    if (!(error instanceof NotRun)) throw error
    context.note(`quipu run: ${error.message}`)
    return error.exit
  } finally {
    await shelf.save(kept, file)
    await close()
  }
}

/** With `--runs off` the program keeps the terminal. */
const keepingOf = ({ config }: CommandContext, kept: KeptRun | undefined): Pick<RunOptions, 'onOutput'> =>
  kept && config.runs.kind !== 'off'
    ? { onOutput: (stream, bytes) => kept.recorder.print(stream, bytes) }
    : {}

/** The page of --report. */
async function writePage({ args, note }: CommandContext, file: RunFile | undefined): Promise<void> {
  const path = args.get('report')
  if (path === undefined) return
  try {
    if (!file) throw new Error('the run has no result')
    const { runPage } = await import('@quipu/sdk/runs')
    writeFileSync(path, runPage(file))
  } catch (error) {
    note(`quipu run: ${path} was not written: ${errorMessage(error)}`)
  }
}

/** The recorder of --record. It estimates the time of the world from its speed; a replay has the exact time. */
async function recorderOf(
  { args, env }: CommandContext,
  { operator, world, keys }: RunTarget,
  speed: string | undefined,
): Promise<Observer | undefined> {
  const file = args.get('record')
  if (file === undefined) return undefined
  const { Recorder } = await import('../../run/record/recording.ts')
  const { seed, hours, now, clock, symbols } = await operator.getWorld({ params: { world } })
  const isAny = symbols?.includes(ANY_SYMBOL) === true
  const secrets = [keys.account, keys.partner].flatMap((pair) => (pair ? [pair.keyId, pair.secretKey] : []))
  const own = ['APCA_API_KEY_ID', 'APCA_API_SECRET_KEY'].flatMap((name) => env[name] ?? [])
  const [startMs, realMs] = [Date.parse(now), Date.now()]
  const rate = clock === 'wall' ? 1 : Number(speed ?? 0)
  return new Recorder(
    file,
    {
      recording: 1,
      seed,
      hours,
      start: new Date(startMs).toISOString(),
      replayed: args.has('from'),
      ...(isAny && { symbols: [ANY_SYMBOL] }),
    },
    [...secrets, ...own],
    () => startMs + (Date.now() - realMs) * rate,
  )
}
