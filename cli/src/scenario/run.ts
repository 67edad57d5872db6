import { scenarioActions } from '@quipu/contract'
import { errorMessage } from '@quipu/core/values'
import { ApiError, type Client, type ClientOptions, NetworkError } from '@quipu/sdk'
import type { RunFile } from '@quipu/sdk/runs'
import type { ParsedScenario, ScenarioFile } from '@quipu/server/scenarios/scenario-file.ts'
import { CleanUp } from '../run/clean-up.ts'
import { symbolsOfRun } from '../run/world-symbols.ts'
import { actorClient, runAction, type ScenarioActor, type Stage, type WireStep } from './actions.ts'
import { type CheckedScenario, check, checkLedger, type Failure } from './check.ts'
import { readJournal, type StepLine, type TimelineLine, timelineOf } from './journal.ts'
import { type KeepScenario, KeptScenario } from './kept-scenario.ts'

/** The broker that a scenario runs in. */
export type ScenarioTarget = Pick<ClientOptions, 'url' | 'fetch'> & { readonly operator: Client }

export type ScenarioOptions = {
  readonly world?: string | undefined
  readonly seed?: string | undefined
  /** Unknown symbols stay unknown. Default: the world lists them on first use. */
  readonly strictSymbols?: boolean
  /** Keep the world at the end. */
  readonly keep?: boolean
  /** Called before each step. */
  readonly onStep?: (number: number, count: number) => void
  /** Receives what could not be undone at the end. */
  readonly note?: (text: string) => void
  /** Keeps the run for its run file. */
  readonly keepRun?: KeepScenario | undefined
  readonly save?: (file: RunFile | undefined) => Promise<void>
}

/** The result of a scenario. Printed by --json. */
export type ScenarioResult = {
  readonly scenario: string
  readonly passed: boolean
  readonly world: string
  readonly seed: string
  readonly failures: readonly Failure[]
  readonly timeline: readonly TimelineLine[]
  readonly events: number
  readonly journal_hash: string
}

type Created = Awaited<ReturnType<typeof createWorldOf>>['accounts'][number]

/** Runs the steps of a scenario in a new world and checks what it expects. */
export async function runScenario(
  { operator, ...endpoint }: ScenarioTarget,
  file: ScenarioFile,
  options: ScenarioOptions = {},
): Promise<ScenarioResult> {
  const created = await createWorldOf(operator, file, { ...options, runsSteps: true })
  const { world } = created
  const [{ account_id: firstId, key_id: firstKey, secret_key: firstSecret }] = created.accounts as [Created]
  const otherSecrets = created.accounts.map(({ secret_key: secret }) => secret)
  const account = { keyId: firstKey, secretKey: firstSecret }
  const first = { operator, world, accountId: firstId, endpoint, account, otherSecrets }
  const kept = options.keepRun && (await KeptScenario.begin(first, options.keepRun))
  const acting = kept ? { ...endpoint, fetch: kept.fetchWith(endpoint.fetch) } : endpoint
  const actors = created.accounts.map(
    ({ account_id: accountId, key_id: keyId, secret_key: secretKey }, index): ScenarioActor => ({
      name: created.account_names[index]!,
      accountId,
      keyId,
      secretKey,
      client: actorClient(acting, keyId, secretKey),
    }),
  )
  const accounts = new Map(actors.map(({ name, accountId }) => [name, accountId]))
  const stage: Stage = { url: endpoint.url, operator, world, accounts, streams: [], updates: new Map() }
  try {
    const { failures, lines } = await new Runner(stage, actors, file, kept).run(options.onStep)
    const timeline = timelineOf(lines, await readJournal(operator, world))
    const { hash, seq } = await operator.getJournalHead({ params: { world } })
    const passed = failures.length === 0
    const { seed } = created
    await kept?.collect(timeline)
    await options.save?.(kept?.kept.finish({ exit: passed ? 0 : 1, failedExpectations: failures.length }))
    return {
      scenario: file.scenario.name,
      passed,
      world,
      seed,
      failures,
      timeline,
      events: seq,
      journal_hash: hash,
    }
  } finally {
    kept?.stop()
    for (const stream of stage.streams) stream.close()
    if (!options.keep)
      await new CleanUp(options.note ?? (() => undefined)).step(`world ${world} was not deleted`, (within) =>
        operator.deleteWorld({ params: { world } }, within),
      )
  }
}

/** Creates the world of a scenario. The server runs the steps that change the world, unless the caller runs all. */
export const createWorldOf = (
  operator: Client,
  { wire }: ScenarioFile,
  {
    world,
    seed,
    strictSymbols = false,
    runsSteps = false,
  }: ScenarioOptions & { readonly runsSteps?: boolean } = {},
) =>
  operator.createScenarioWorld({
    body: {
      scenario: withRunSymbols(wire, strictSymbols),
      world_steps: !runsSteps,
      ...(world !== undefined && { world }),
      ...(seed !== undefined && { seed }),
    },
  })

/** The scenario with the symbols of a run. One that names its symbols keeps them. */
function withRunSymbols(wire: ScenarioFile['wire'], isStrict: boolean): ScenarioFile['wire'] {
  const { world } = wire
  return world.symbols || world.market === 'replay'
    ? wire
    : { ...wire, world: { ...world, ...symbolsOfRun(isStrict) } }
}

/** Streams deliver after their events are stored, and reconnect after a fault. */
const UPDATES_MS = 15_000
const POLL_MS = 20

class Runner {
  readonly #stage: Stage
  readonly #actors: readonly ScenarioActor[]
  readonly #file: ScenarioFile
  readonly #checked: CheckedScenario
  readonly #kept: KeptScenario | undefined
  readonly #failures: Failure[] = []
  readonly #lines: StepLine[] = []

  constructor(
    stage: Stage,
    actors: readonly ScenarioActor[],
    file: ScenarioFile,
    kept: KeptScenario | undefined,
  ) {
    this.#kept = kept
    this.#stage = stage
    this.#actors = actors
    this.#file = file
    this.#checked = stage
  }

  async run(onStep: ScenarioOptions['onStep']) {
    const { scenario, wire } = this.#file
    const steps = wire.steps ?? []
    for (const [index, step] of steps.entries()) {
      onStep?.(index + 1, steps.length)
      await this.#advance(step)
      await this.#act(step, index)
    }
    if (scenario.expect) await this.#check(scenario.expect, 'expect')
    this.#failures.push(...(await checkLedger(this.#checked)))
    return { failures: this.#failures, lines: this.#lines }
  }

  async #advance({ at, after, until }: WireStep): Promise<void> {
    const body = at ? { to: at } : after ? { by: after } : until ? { until } : undefined
    const { operator, world } = this.#stage
    if (body) await operator.advanceClock({ params: { world }, body })
  }

  async #act(step: WireStep, index: number): Promise<void> {
    const action = scenarioActions.find((name) => step[name] !== undefined && step[name] !== null)
    const { operator, world } = this.#stage
    const { now, seq } = await operator.getWorld({ params: { world } })
    if (this.#kept) this.#kept.nowMs = Date.parse(now)
    const line = (what: string) => this.#lines.push({ at: now, after: seq, what })
    const note = step.note ? `${step.note}: ` : ''
    if (action === undefined) return void (step.note && line(step.note))
    if (action === 'check') {
      const failed = await this.#check(this.#file.scenario.steps[index]!.check!, `steps[${index}].check`)
      return void line(`${note}check: ${failed === 0 ? 'holds' : `${failed} failed`}`)
    }
    const actor = this.#actors.find(({ name }) => name === step.account) ?? this.#actors[0]!
    const outcome = await outcomeOf(() => runAction[action]!(this.#stage, actor, step))
    const who = this.#actors.length > 1 ? `${actor.name} ` : ''
    line(`${note}${who}${describe(action, step)}${outcome === 'done' ? '' : `: ${outcome}`}`)
    const expected = String(step.refused ?? 'done')
    if (!outcomes(outcome).includes(expected))
      this.#failures.push({ field: `steps[${index}].${action}`, expected, received: outcome })
  }

  /** Returns the number of failures. */
  async #check(expected: NonNullable<ParsedScenario['expect']>, path: string): Promise<number> {
    const countsUpdates = Object.values(expected.accounts ?? {}).some(({ updates }) => updates)
    const deadline = Date.now() + (countsUpdates ? UPDATES_MS : 0)
    for (;;) {
      const failures = await check(this.#checked, expected, path)
      if (failures.length === 0 || Date.now() >= deadline) {
        this.#failures.push(...failures)
        return failures.length
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }
}

/** `done`, or how an action failed: `403 insufficientBuyingPower: message`, `no_answer`. */
async function outcomeOf(act: () => Promise<unknown>): Promise<string> {
  try {
    await act()
    return 'done'
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.reason ?? '-'}: ${error.message}`
    if (error instanceof NetworkError) return 'no_answer'
    return `failed: ${errorMessage(error)}`
  }
}

/** The names that `refused` may give an outcome: its status and its reason. */
const outcomes = (outcome: string): readonly string[] => outcome.split(': ')[0]!.split(' ')

function describe(action: (typeof scenarioActions)[number], step: WireStep): string {
  const value = step[action]
  if (typeof value !== 'object' || value === null) return `${action} ${value}`
  const words = Object.values(value).filter((one) => ['string', 'number'].includes(typeof one))
  return [action, ...words].join(' ')
}
