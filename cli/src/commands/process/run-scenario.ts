import { scenarioActions } from '@quipu/contract'
import type { Client } from '@quipu/sdk'
import type { ScenarioFile } from '@quipu/server/scenarios/scenario-file.ts'
import type { RunTarget } from '../../run/session.ts'
import type { Failure } from '../../scenario/check.ts'
import { scenarioOf } from '../api/scenario.ts'
import { type CommandContext, UsageError } from '../command.ts'
import { counted } from '../output.ts'

/** The scenario of --scenario. Its world has its own start. */
export async function scenarioIn(context: CommandContext): Promise<ScenarioFile | undefined> {
  const { args } = context
  const fileOrName = args.get('scenario')
  if (fileOrName === undefined) return undefined
  for (const flag of ['start', 'from'])
    if (args.has(flag))
      throw new UsageError(`--${flag} cannot be combined with --scenario, which has a start`)
  return scenarioOf(context, fileOrName)
}

/** The actions of the steps that a program replaces; the server runs the others. */
const stepsOfClient = ({ wire }: ScenarioFile): readonly string[] =>
  (wire.steps ?? []).flatMap((step) =>
    scenarioActions.filter((action) => step[action] != null && !ofWorld.has(action)),
  )

const ofWorld: ReadonlySet<string> = new Set(['market_event', 'corporate_action', 'fault'])

/** Creates the world of a scenario: the one of --world, or one with a generated name. */
export async function scenarioWorld(
  operator: Client,
  { config, sources, args, note }: CommandContext,
  file: ScenarioFile,
): Promise<string> {
  const skipped = stepsOfClient(file)
  if (skipped.length > 0 && !args.has('quiet'))
    note(
      `quipu run: ${counted(skipped.length, 'step')} of the scripted client skipped (${[...new Set(skipped)].join(', ')}); the program acts instead`,
    )
  const { createWorldOf } = await import('../../scenario/run.ts')
  const { world } = await createWorldOf(operator, file, {
    world: config.world === 'main' ? undefined : config.world,
    seed: sources.seed.source === 'default' ? undefined : config.seed,
    strictSymbols: args.has('strict-symbols'),
  })
  return world
}

type Checked = { readonly failures: readonly Failure[]; readonly hash: string }

/** The exit code of a run, and the expectations that do not hold, if they were checked. */
export type CheckedEnd = { readonly exit: number; readonly failedExpectations?: number }

/** Checks what the scenario expects after the program. The exit code of a program that failed stays. */
export async function checkedExit(
  { note }: CommandContext,
  { operator, world }: RunTarget,
  { scenario }: ScenarioFile,
  exit: number,
): Promise<CheckedEnd> {
  const { checkEnd } = await import('../../scenario/check.ts')
  const { checkResponses } = await import('../../run/report/measure.ts')
  const checked = async (): Promise<Checked> => {
    await checkResponses({ operator, world })
    const failures = await checkEnd(operator, world, scenario)
    return { failures, ...(await operator.getJournalHead({ params: { world } })) }
  }
  const result = await checked().catch(({ message }: Error) => {
    note(`quipu run: scenario ${scenario.name} was not checked: ${message}`)
  })
  if (!result) return { exit: exit || 1 }
  const { failures, hash } = result
  for (const { field, expected, received } of failures)
    note(`  ${field}: expected ${expected}, received ${received}`)
  const outcome = failures.length === 0 ? 'passed' : `failed (${counted(failures.length, 'expectation')})`
  note(`quipu run: scenario ${scenario.name} ${outcome}, journal hash ${hash}`)
  return { exit: exit === 0 && failures.length > 0 ? 1 : exit, failedExpectations: failures.length }
}
