import type { InputOf } from '@quipu/contract'
import type { IssuerCode } from '@quipu/core'
import { tickerOf, type WorldId } from '@quipu/core'
import { itemAt, missing } from '@quipu/core/values'
import { nameProblems, withAccountId } from '../../scenarios/problems.ts'
import { shippedNames, shippedScenario } from '../../scenarios/shipped.ts'
import { refuse } from '../../wire/refusal.ts'
import type { Context, SomeHandlers } from '../context.ts'
import { corporateActionHandlers } from './corporate-actions.ts'
import { faultHandlers } from './faults.ts'
import { scheduleSteps } from './world-steps.ts'

type Needed = Required<Pick<SomeHandlers, 'createWorld' | 'deleteWorld' | 'useData' | 'changeIssuer'>>
type Body = InputOf<'createScenarioWorld'>['body']
type Scenario = NonNullable<Body['scenario']>

/** The parts of a request that an operation does not have. */
const empty = { params: {}, query: {}, headers: {} }

/** Creates worlds of scenarios by the handlers of worlds, data and corporate actions. */
export const scenarioHandlers = (handlers: Needed) =>
  ({
    async listScenarios() {
      const files = await Promise.all(shippedNames().map((name) => shippedScenario(name)))
      return files.map((file) => {
        const { name, about, accounts } = (file ?? missing('a shipped scenario')).scenario
        return { name, about, accounts: [...accounts] }
      })
    },

    async createScenarioWorld({ body }, context) {
      const scenario = body.scenario ?? (await scenarioNamed(body.name ?? missing('name')))
      const [unknown] = nameProblems(scenario)
      if (unknown) {
        const problem = `scenario.${unknown.field}: ${unknown.message}`
        throw refuse({ code: 'invalidParameter', problem })
      }
      const created = await handlers.createWorld({ ...empty, body: worldOf(scenario, body) }, context)
      const { id: world } = context.state.world ?? missing('the new world')
      const params = { world }
      const ids = new Map(
        scenario.accounts.map((name, index) => [name, itemAt(created.accounts, index).account_id] as const),
      )
      try {
        await prepare(handlers, scenario, params, ids, context)
        if (body.world_steps) await scheduleSteps(scenario, world, ids, context)
      } catch (error) {
        await handlers.deleteWorld({ ...empty, params, body: undefined }, context)
        throw error
      }
      return { ...created, account_names: [...scenario.accounts] }
    },
  }) satisfies SomeHandlers

async function scenarioNamed(name: string): Promise<Scenario> {
  const found = await shippedScenario(name)
  if (found) return found.scenario as Scenario
  throw refuse({ code: 'scenarioNotFound', scenario: name, scenarios: shippedNames().join(', ') })
}

const worldOf = (scenario: Scenario, { world, seed }: Body): InputOf<'createWorld'>['body'] => ({
  ...scenario.world,
  seed: seed ?? scenario.world.seed ?? scenario.name,
  accounts: scenario.accounts.length,
  ...(world !== undefined && { world }),
})

async function prepare(
  { useData, changeIssuer }: Needed,
  { imported, issuers = {}, corporate_actions: actions = [], faults = [] }: Scenario,
  params: { readonly world: WorldId },
  ids: ReadonlyMap<string, string>,
  context: Context,
): Promise<void> {
  if (imported) await useData({ ...empty, params, body: { symbols: imported.map(tickerOf) } }, context)
  for (const [issuer, behaviour] of Object.entries(issuers))
    await changeIssuer(
      { ...empty, params: { ...params, issuer: issuer as IssuerCode }, body: behaviour },
      context,
    )
  for (const body of actions)
    await corporateActionHandlers.createCorporateAction({ ...empty, params, body }, context)
  for (const fault of faults)
    faultHandlers.createFault({ ...empty, params, body: withAccountId(fault, ids) }, context)
}
