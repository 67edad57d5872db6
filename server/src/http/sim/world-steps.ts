import { type InputOf, sentErrorResponse } from '@quipu/contract'
import { type Instant, later, max, missing, nextCloseAfter, nextOpenAfter, type WorldId } from '@quipu/core'
import { withAccountId } from '../../scenarios/problems.ts'
import { Refused } from '../../wire/refusal.ts'
import type { Context } from '../context.ts'
import { corporateActionHandlers } from './corporate-actions.ts'
import { faultHandlers } from './faults.ts'
import { marketHandlers } from './market.ts'

type Scenario = NonNullable<InputOf<'createScenarioWorld'>['body']['scenario']>
type WorldStep = Scenario['steps'][number]
type TimedStep = { readonly at: Instant; readonly step: WorldStep; readonly index: number }

const empty = { params: {}, query: {}, headers: {} }

/** The steps of a scenario that change its world, with their times. The other steps are those of a scripted client. */
function worldSteps({ steps }: Scenario, start: Instant): readonly TimedStep[] {
  let at = start
  return steps.flatMap((step, index) => {
    at = timeOf(step, at)
    const isOfWorld = step.market_event ?? step.corporate_action ?? step.fault
    return isOfWorld === undefined ? [] : [{ at, step, index }]
  })
}

function timeOf({ at, after = 0n, until }: WorldStep, before: Instant): Instant {
  if (until === 'next_open') return nextOpenAfter(before)
  if (until === 'next_close') return nextCloseAfter(before)
  return max(at?.nanos ?? before, later(before, after))
}

/** Runs the steps that change a world when its clock reaches their time. Steps without a time before them run now. */
export async function scheduleSteps(
  scenario: Scenario,
  world: WorldId,
  ids: ReadonlyMap<string, string>,
  context: Context,
): Promise<void> {
  const clock = context.services.worlds.entry(world)?.clock ?? missing('the clock of the world')
  const start = clock.now()
  for (const { at, step, index } of worldSteps(scenario, start)) {
    const run = () => runStep(step, world, ids, context)
    if (at <= start) await run()
    else clock.timer(at, 'agenda', () => run().catch((error) => stepFailed(context, world, index, error)))
  }
}

async function runStep(
  { market_event, corporate_action, fault, refused }: WorldStep,
  world: WorldId,
  ids: ReadonlyMap<string, string>,
  context: Context,
): Promise<void> {
  const shared = { ...empty, params: { world } }
  try {
    if (market_event) await marketHandlers.createMarketEvent({ ...shared, body: market_event }, context)
    else if (corporate_action)
      await corporateActionHandlers.createCorporateAction({ ...shared, body: corporate_action }, context)
    else if (fault) faultHandlers.createFault({ ...shared, body: withAccountId(fault, ids) }, context)
  } catch (error) {
    if (refused === undefined) throw error
  }
}

/** A step that fails stops neither the clock nor the program. */
function stepFailed({ services: { log } }: Context, world: WorldId, index: number, error: unknown): void {
  const problem =
    error instanceof Refused ? sentErrorResponse(error.reason.code, error.reason).body.message : String(error)
  log.warn('a step of the scenario failed', { world, step: `steps[${index}]`, problem })
}
