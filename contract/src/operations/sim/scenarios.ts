import { jsonSchema } from '../../json-schema.ts'
import { operation } from '../../operation.ts'
import {
  array,
  bool,
  decimal,
  duration,
  either,
  integer,
  isPositive,
  map,
  moment,
  namesIn,
  oneOf,
  optional,
  record,
  text,
  withDefault,
} from '../../shape/index.ts'
import { IssuerBehaviour } from '../tokenization/issuers.ts'
import { redemptionFields } from '../tokenization/request-control.ts'
import { TokenizationMintRequest } from '../tokenization/tokenization.ts'
import { PlaceOrderShape, ReplaceOrderShape } from '../trading/orders.ts'
import { NewCorporateAction } from './corporate-actions.ts'
import { ScenarioFault } from './fault-rule.ts'
import { NewMarketEvent } from './market.ts'
import { Expectation } from './scenario-expectation.ts'
import { operatorOnly, seed, worldName } from './world-param.ts'
import { CreatedWorld, NewWorldShape, newWorldErrors } from './worlds.ts'

const accountName = () =>
  text({ pattern: /^[a-z][a-z0-9_-]{0,39}$/, expected: 'a name of a-z, 0-9, - and _', example: 'trader' })
const orderName = () => text({ min: 1, max: 160, example: 'entry' })
const scenarioName = () =>
  text({ pattern: /^[a-z0-9][a-z0-9-]{0,39}$/, expected: 'a name of a-z, 0-9 and -', example: 'flash-crash' })

const { world: _name, accounts: _count, follows: _followed, ...worldFields } = NewWorldShape.fields
const ScenarioWorld = record(worldFields).named('ScenarioWorld')

/** The actions of a step, at most one of them. */
const actions = {
  place: optional(PlaceOrderShape).about('Place an order; the fields of POST /v2/orders.'),
  cancel: optional(orderName()).about('Cancel the order with this client order id.'),
  replace: optional(
    record({ order: orderName().about('Client order id of the order.'), ...ReplaceOrderShape.fields }).named(
      'ReplaceStep',
    ),
  ).about('Replace an order; the other fields are those of PATCH /v2/orders/{order_id}.'),
  close_position: optional(text({ min: 1, max: 20 })).about('Close the position in this symbol.'),
  deposit: optional(decimal({ decimals: 2 }).where(isPositive, 'deposit must be > 0')).about('In dollars.'),
  withdraw: optional(decimal({ decimals: 2 }).where(isPositive, 'withdraw must be > 0')).about('In dollars.'),
  mint: optional(TokenizationMintRequest).about('Request tokens for shares.'),
  redeem: optional(record(redemptionFields).named('RedeemStep')).about('Return tokens to a built-in issuer.'),
  listen: optional(oneOf('trade_updates')).about(
    'Open a stream; `updates` of an expectation counts its messages.',
  ),
  market_event: optional(NewMarketEvent).about('Create a market event, two minutes ahead or later.'),
  corporate_action: optional(NewCorporateAction).about('Schedule a corporate action.'),
  fault: optional(ScenarioFault).about('Create a fault rule.'),
  check: optional(Expectation).about('Check what must hold at this moment.'),
}
export const scenarioActions = namesIn(actions)

const Step = record({
  at: optional(moment()).about('Advance the clock to this time first.'),
  after: optional(duration()).about('Advance the clock by this duration first.'),
  until: optional(oneOf('next_open', 'next_close')).about(
    'Advance the clock to the next open or close first.',
  ),
  account: optional(accountName()).about('Account that acts. Default: the first one.'),
  note: optional(text({ max: 200 })).about('Shown in the timeline.'),
  ...actions,
  refused: optional(either(text({ min: 1, max: 60 }), integer({ min: 400, max: 599 }))).about(
    'The action must fail: reason of the error, its HTTP status, or `no_answer` if the connection is lost.',
  ),
})
  .refine((step) => {
    const timings = (['at', 'after', 'until'] as const).filter((field) => step[field] !== undefined)
    const [, secondTiming] = timings
    if (secondTiming) return { field: secondTiming, message: 'give at most one of at, after and until' }
    const given = scenarioActions.filter((field) => step[field] !== undefined)
    const [, secondAction] = given
    if (secondAction)
      return { field: secondAction, message: `give one action per step, not ${given.join(' and ')}` }
    if (given.length + timings.length === 0)
      return { field: 'place', message: 'expected a time or an action' }
    return step.refused !== undefined && given.length === 0
      ? { field: 'refused', message: 'refused needs an action' }
      : undefined
  })
  .named('Step')

const ACCOUNTS_MAX = 100

/** A scenario: a world, what happens in it, and what must hold at the end. */
export const Scenario = record({
  name: scenarioName(),
  about: text({ min: 1, max: 500 }).about('What happens, in one or two sentences.'),
  world: ScenarioWorld.about(
    'Settings of the world; the fields of POST /sim/v1/worlds. Default seed: the name.',
  ),
  accounts: withDefault(
    array(accountName(), { max: ACCOUNTS_MAX }).where(
      (names) => names.length > 0 && new Set(names).size === names.length,
      'accounts: expected at least one name, and no name twice',
    ),
    ['trader'],
  ).about('Names of the accounts. Each has the cash of the world.'),
  imported: optional(array(text({ min: 1, max: 40 }))).about('Symbols that use imported data of the server.'),
  corporate_actions: optional(array(NewCorporateAction, { max: 1000 })).about('Scheduled at the start.'),
  faults: optional(array(ScenarioFault, { max: 100 })).about(
    'Fault rules: which requests and messages fail, and how.',
  ),
  issuers: optional(map(IssuerBehaviour)).about(
    'Behaviour of built-in issuers by name: what becomes of mints.',
  ),
  steps: withDefault(array(Step), []).about(
    'A scripted client. A program takes its place: then only the steps market_event, corporate_action and fault run.',
  ),
  expect: optional(Expectation).about('What must hold at the end, for the script or any program.'),
}).named('Scenario')

/** The JSON Schema of scenario files. */
export const scenarioSchema = () =>
  jsonSchema(Scenario, { id: 'scenario.schema.json', title: 'Quipu scenario' })

export const scenarios = {
  listScenarios: operation('GET /sim/v1/scenarios', operatorOnly, {
    summary: 'List the scenarios that ship with the server.',
    output: array(
      record({
        name: scenarioName(),
        about: text().about('What happens, in one or two sentences.'),
        accounts: array(text()).about('Names of its accounts.'),
      }).named('ScenarioSummary'),
    ),
  }),
  createScenarioWorld: operation('POST /sim/v1/scenario-worlds', operatorOnly, {
    bodySize: 'large',
    needsSim: true,
    summary:
      'Create the world of a scenario. Steps that change the world run at their time of its clock; others do not run.',
    body: record({
      name: optional(scenarioName()).about('A scenario that ships with the server.'),
      scenario: optional(Scenario).about('Any other scenario.'),
      world: optional(worldName()).about('Default: a generated name.'),
      seed: optional(seed()).about('Default: the seed of the scenario.'),
      world_steps: withDefault(bool(), true).about(
        'Run the steps market_event, corporate_action and fault at their time. false: the caller runs all steps.',
      ),
    })
      .refine(({ name, scenario }) =>
        (name === undefined) === (scenario === undefined)
          ? { field: 'name', message: 'give one of name and scenario' }
          : undefined,
      )
      .named('NewScenarioWorld'),
    output: record({
      ...CreatedWorld.fields,
      account_names: array(text()).about('Names of `accounts`, in the same order.'),
    }).named('CreatedScenarioWorld'),
    status: 201,
    errors: [
      ...newWorldErrors,
      'scenarioNotFound',
      'actionInvalid',
      'tooManyActions',
      'issuerNotFound',
      'issuerNotBuiltin',
      'faultLimitReached',
    ],
  }),
}
