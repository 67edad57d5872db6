import type { Scenario, TypeOf, WireOf } from '@quipu/contract'

export type ParsedScenario = TypeOf<typeof Scenario>
/** A scenario as its file has it, for requests. */
export type WireScenario = WireOf<typeof Scenario>

export type ScenarioFile = {
  readonly path: string
  readonly text: string
  readonly scenario: ParsedScenario
  readonly wire: WireScenario
}
