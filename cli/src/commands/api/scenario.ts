import { existsSync, readFileSync } from 'node:fs'
import { entryIn } from '@quipu/core/values'
import type { RunFile } from '@quipu/sdk/runs'
import { nearest } from '@quipu/server/config/nearest.ts'
import type { ScenarioFile } from '@quipu/server/scenarios/scenario-file.ts'
import type { KeptTarget } from '../../run/file/kept-run.ts'
import { strictSymbols } from '../../run/world-symbols.ts'
import type { ScenarioResult } from '../../scenario/run.ts'
import { type CliCommand, type CommandContext, CommandFailed, UsageError } from '../command.ts'
import { type Column, columns, counted, printList, printRecord, printText, utcMs } from '../output.ts'
import { operatedBroker } from '../process/memory-broker.ts'
import { keepRun, RunShelf } from '../process/run-files.ts'
import { nameIsAnArgument } from './world.ts'

const nameArgument = { name: 'NAME', about: 'Name of a scenario that ships with Quipu.' } as const

export const scenarioCommands: readonly CliCommand[] = [
  {
    name: 'scenario run',
    about:
      'Run scenarios, each in a new world: print the timeline and the journal hash, and whether all expectations hold. ' +
      'Default: in a new broker in memory; --data and --url select a running one. Exit code 1 if a scenario fails.',
    usesDataFolder: true,
    arguments: [
      { name: 'FILE', about: 'Scenario files, or names of scenarios that ship with Quipu.', many: true },
    ],
    flags: {
      seed: { placeholder: 'TEXT', about: 'Seed of the world. Default: the seed of the scenario.' },
      ...strictSymbols,
      keep: { about: 'Keep the world of each scenario in a running broker.' },
      quiet: { about: 'Print no timeline.' },
    },
    operations: ['createScenarioWorld'],
    alsoSettings: ['runs'],
    example: 'quipu scenario run flash-crash',
    run: runScenarios,
  },
  {
    name: 'scenario list',
    about: 'List the scenarios that ship with Quipu.',
    usesDataFolder: true,
    example: 'quipu scenario list',
    run: async (context) => {
      const { shippedNames, shippedScenario } = await loaded()
      const all = await Promise.all(shippedNames().map((name) => shippedScenario(name)))
      const rows = all.map((file) => ({ name: file!.scenario.name, about: file!.scenario.about }))
      return printList(context, rows, scenarioTable, 'no scenarios')
    },
  },
  {
    name: 'scenario show',
    about: 'Print the file of a scenario, to copy and change it. With --json, its content as JSON.',
    usesDataFolder: true,
    arguments: [nameArgument],
    example: 'quipu scenario show flash-crash > my-crash.yml',
    run: async (context) => {
      const { text, wire } = await scenarioOf(context, entryIn(context.args, 'NAME'))
      return printText(context, wire, text.trimEnd())
    },
  },
  {
    name: 'scenario schema',
    about: 'Print the JSON Schema of scenario files, for editors.',
    usesDataFolder: true,
    example: 'quipu scenario schema > scenario.schema.json',
    run: async (context) => {
      const { scenarioSchema } = await loaded()
      return printText(context, scenarioSchema(), JSON.stringify(scenarioSchema(), undefined, 2))
    },
  },
]

/** Lets `world create` take a scenario. Other commands are unchanged. */
export const withScenario = (command: CliCommand): CliCommand =>
  command.name !== 'world create'
    ? command
    : {
        ...command,
        flags: { ...command.flags, scenario: scenarioFlag },
        operations: [...(command.operations ?? []), 'createScenarioWorld'],
        run: (context) => (context.args.has('scenario') ? createWorld(context) : command.run(context)),
      }

const scenarioFlag = {
  placeholder: 'FILE',
  about:
    'Create the world of a scenario: a file or a name of `quipu scenario list`. Only --seed may be added.',
}

async function createWorld(context: CommandContext): Promise<number> {
  const { args, operator } = context
  const other = [...args.keys()].find((name) => !['NAME', 'seed', 'scenario'].includes(name))
  if (other !== undefined) throw new UsageError(`--${other} cannot be combined with --scenario`)
  await nameIsAnArgument(context)
  const { createWorldOf } = await loaded()
  const file = await scenarioOf(context, entryIn(args, 'scenario'))
  const options = { world: args.get('NAME'), seed: args.get('seed'), strictSymbols: true }
  return printRecord(context, await createWorldOf(operator(), file, options))
}

/** Other commands start faster without the parser. */
async function loaded() {
  const [contract, parse, shipped, run] = await Promise.all([
    import('@quipu/contract'),
    import('@quipu/server/scenarios/parse.ts'),
    import('@quipu/server/scenarios/shipped.ts'),
    import('../../scenario/run.ts'),
  ])
  return { scenarioSchema: contract.scenarioSchema, ...parse, ...shipped, ...run }
}

/** A scenario by the path of its file, or by the name of one that ships with Quipu. */
export async function scenarioOf({ note }: CommandContext, fileOrName: string): Promise<ScenarioFile> {
  const { parseScenario, ScenarioInvalid, shippedNames, shippedScenario } = await loaded()
  const shipped = await shippedScenario(fileOrName)
  if (shipped) return shipped
  if (!existsSync(fileOrName)) {
    const names = shippedNames()
    const similar = nearest(fileOrName, names)
    const hint = similar ? `did you mean ${similar}?` : `there are ${names.join(', ')}`
    throw new UsageError(`${fileOrName}: no such file, and no scenario of this name: ${hint}`)
  }
  try {
    return parseScenario(readFileSync(fileOrName, 'utf8'), fileOrName)
  } catch (error) {
    if (!(error instanceof ScenarioInvalid)) throw error
    note(error.message)
    throw new CommandFailed(`${fileOrName} is not a scenario: ${counted(error.problems.length, 'problem')}`)
  }
}

/** A scenario that takes longer shows its steps. */
const PROGRESS_MS = 1000

async function runScenarios(context: CommandContext): Promise<number> {
  const { args, json, print, note, isTerminal } = context
  const files = await Promise.all(
    args
      .get('FILE')!
      .split('\n')
      .map((file) => scenarioOf(context, file)),
  )
  const { runScenario } = await loaded()
  const broker = await operatedBroker(context)
  const results: ScenarioResult[] = []
  try {
    for (const file of files) {
      let shownAt = Date.now()
      const onStep = (number: number, count: number): void => {
        if (!isTerminal || Date.now() - shownAt < PROGRESS_MS) return
        shownAt = Date.now()
        note(`${file.scenario.name}: step ${number} of ${count}`)
      }
      const { name } = file.scenario
      const keepScenario = (target: KeptTarget) =>
        keepRun(context, target, { kind: 'scenario', command: [name], program: name, scenario: name })
      const save = async (run: RunFile | undefined) => {
        if (run) await new RunShelf(context, broker.operator).add(run)
      }
      const options = {
        seed: args.get('seed'),
        strictSymbols: args.has('strict-symbols'),
        keep: args.has('keep'),
        onStep,
        note,
        keepRun: keepScenario,
        save,
      }
      const result = await runScenario(broker, file, options)
      results.push(result)
      if (!json) print(resultLines(result, args.has('quiet')).join('\n'))
    }
  } finally {
    await broker.close()
  }
  if (json) print(JSON.stringify(results.length === 1 ? results[0] : results))
  return results.every(({ passed }) => passed) ? 0 : 1
}

/** The result of a scenario as text. */
export function resultLines(result: ScenarioResult, quiet = false): readonly string[] {
  const { scenario, passed, failures, timeline, events, journal_hash: hash } = result
  const rows = timeline.map(({ at, source, what }) => [utcMs(at) ?? at, source === 'step' ? '>' : ' ', what])
  return [
    ...(quiet ? [] : columns(rows)),
    ...failures.map(
      ({ field, expected, received }) => `${field}: expected ${expected}, received ${received}`,
    ),
    `${scenario}: ${passed ? 'passed' : `failed (${counted(failures.length, 'expectation')})`}, ` +
      `${counted(events, 'event')}, journal hash ${hash}`,
  ]
}

const scenarioTable: readonly Column<{ readonly name: string; readonly about: string }>[] = [
  ['NAME', ({ name }) => name],
  ['ABOUT', ({ about }) => about.trim(), 30],
]
