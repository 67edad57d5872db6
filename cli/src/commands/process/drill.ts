import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { durationOf } from '@quipu/contract'
import { definedFields, entryIn } from '@quipu/core/values'
import type { ScenarioFile } from '@quipu/server/scenarios/scenario-file.ts'
import { strictSymbols } from '../../run/world-symbols.ts'
import { scenarioOf } from '../api/scenario.ts'
import { type CliCommand, type CommandContext, CommandFailed, UsageError } from '../command.ts'
import { printList } from '../output.ts'
import { stateFolder } from '../running-servers.ts'
import { commaSeparated, wholeNumberValue } from '../values.ts'
import { createdWorld } from './created-world.ts'
import { awaitInterruption } from './interruption.ts'
import { operatedBroker } from './memory-broker.ts'
import { onlyText, repeatText } from './repeated-line.ts'
import { replayFlags, replayOf } from './replay-flags.ts'
import { keepRun, keptTarget, RunShelf } from './run-files.ts'
import { programOf } from './run-program.ts'

const START = '2026-01-05T15:00:00Z'
const [LIMIT, REPLAY_LIMIT, CLIENT_TIMEOUT, JOBS] = ['60s', '10m', '10s', 4] as const

export const drillCommand: CliCommand = {
  name: 'drill',
  about:
    'Run a program against one failure after another, each in its own world, and print a certificate: exactly one order ' +
    'per client id, shares bought as intended, no update missed. Exit code 1 if a drill fails.',
  runsProgram: true,
  usesDataFolder: true,
  alsoSettings: ['runs'],
  arguments: [
    {
      name: 'COMMAND',
      about: 'The program and its arguments, after `--`. Leave it out with --list.',
      many: true,
      optional: true,
    },
  ],
  flags: {
    list: { about: 'List the drills. Run no program.' },
    only: { placeholder: 'NAMES', about: 'Run only these drills, separated by commas.' },
    scenario: {
      placeholder: 'FILE',
      about: 'Run in worlds of a scenario: a file, or a name of `quipu scenario list`.',
    },
    seed: {
      placeholder: 'TEXT',
      about: 'Seed of the worlds. Default: the seed of the scenario, else `drill`.',
    },
    ...strictSymbols,
    start: { placeholder: 'TIME', about: `Time at which the worlds begin. Default: ${START}.` },
    speed: { placeholder: 'N', about: 'Speed of the clock of the worlds. Default: 1.' },
    ...replayFlags,
    for: {
      placeholder: 'DURATION',
      about: 'Instead of --to: how long each replay is by the clock of its world, such as 5d.',
    },
    limit: {
      placeholder: 'DURATION',
      about: `Real time that a run may take. Default: ${LIMIT}, and ${REPLAY_LIMIT} for a replay.`,
    },
    'client-timeout': {
      placeholder: 'DURATION',
      about: `Timeout of the program for a request; a late response takes longer. Default: ${CLIENT_TIMEOUT}.`,
    },
    jobs: { placeholder: 'N', about: `Number of runs at the same time. Default: ${JOBS}.` },
    output: { about: 'Show the output of the program.' },
    summary: { placeholder: 'FILE', about: 'Write the certificate as JSON to this file.' },
    report: { placeholder: 'FILE', about: 'Write the certificate as a page for a browser to this file.' },
  },
  operations: ['createFault', 'listFaults'],
  example: 'quipu drill -- node bot.js',
  run: async (context) => {
    const { catalogue } = await import('../../drill/catalogue.table.ts')
    if (context.args.has('list'))
      return printList(
        context,
        catalogue.map(({ name, kind, about }) => ({ name, kind, about })),
        [
          ['NAME', ({ name }) => name],
          ['ABOUT', ({ about }) => about, 30],
        ],
        'no drills',
      )
    const only = context.args.has('only') ? commaSeparated(entryIn(context.args, 'only')) : undefined
    const unknown = only?.find((wanted) => !catalogue.some(({ name }) => name === wanted))
    if (unknown !== undefined)
      throw new UsageError(`--only: no drill ${unknown}; \`quipu drill --list\` lists all`)
    return drill(context, only)
  },
}

/** The context with the end that --for means. */
function withEnd(context: CommandContext, start: string): CommandContext {
  const { args } = context
  const span = args.get('for')
  if (span === undefined) return context
  if (!args.has('from') || args.has('to')) throw new UsageError('drill: --for needs --from, and no --to')
  const end = new Date(Date.parse(start) + msOf(args, 'for', span)).toISOString()
  return { ...context, args: new Map([...args, ['to', end]]) }
}

async function drill(asked: CommandContext, only: readonly string[] | undefined): Promise<number> {
  const { start = START, hours } = await createdWorld(asked)
  const context = withEnd(asked, start)
  const { args, env, json, print, note } = context
  const replay = replayOf(context, 'drill')
  if (replay && args.has('scenario'))
    throw new UsageError('drill: --from is not for --scenario, which has its own start')
  const command = programOf(context.line, 'drill')
  const scenario = args.has('scenario') ? await scenarioOf(context, entryIn(args, 'scenario')) : undefined
  const [{ NotDrilled, runDrills }, { certificateLines }, { drillPage }] = await Promise.all([
    import('../../drill/run.ts'),
    import('../../drill/lines.ts'),
    import('../../drill/report.ts'),
  ])
  const interruption = awaitInterruption()
  const broker = await operatedBroker(context)
  try {
    const kept = await keptDrills(context, command, scenario)
    const authorityFolder = join(stateFolder(env), 'authority')
    const certificate = await runDrills({
      operator: broker.operator,
      upstream: { url: broker.url, tls: broker.tls },
      endpoint: { url: broker.url, ...(broker.fetch && { fetch: broker.fetch }) },
      kept,
      seed: args.get('seed') ?? seedOf(scenario),
      start,
      ...(replay && { hours, replay: definedFields({ ...replay, onProgress: undefined }) }),
      repeat: (name) => onlyText(context.line, name),
      strictSymbols: args.has('strict-symbols'),
      scenario,
      speed: args.get('speed') ?? '1',
      limitMs: msOf(args, 'limit', replay ? REPLAY_LIMIT : LIMIT),
      clientTimeoutMs: msOf(args, 'client-timeout', CLIENT_TIMEOUT),
      jobs: args.has('jobs') ? Math.max(1, wholeNumberValue(entryIn(args, 'jobs'), 'jobs')) : JOBS,
      only,
      program: { command, env, authorityFolder, hasOutput: args.has('output'), umask: context.umask },
      stop: interruption.signal,
      onProgress: (text) => json || note(`quipu drill: ${text}`),
    }).catch((error: unknown) => {
      if (interruption.exit !== undefined) return undefined
      throw error instanceof NotDrilled ? new CommandFailed(error.message) : error
    })
    if (certificate === undefined) {
      note('quipu: the drill was interrupted')
      return interruption.exit ?? 1
    }
    const [file, page] = [args.get('summary'), args.get('report')]
    if (file !== undefined) writeFileSync(file, `${JSON.stringify(certificate, undefined, 2)}\n`)
    if (page !== undefined) writeFileSync(page, drillPage(certificate))
    const run = kept?.finish(certificate)
    if (run) await new RunShelf(context, broker.operator).add(run)
    print(json ? JSON.stringify(certificate) : certificateLines(certificate).join('\n'))
    return certificate.passed ? 0 : 1
  } finally {
    interruption.close()
    await broker.close()
  }
}

async function keptDrills(
  context: CommandContext,
  command: readonly string[],
  scenario: ScenarioFile | undefined,
) {
  if (context.config.runs.kind === 'off') return undefined
  const { KeptDrills } = await import('../../drill/drill-file.ts')
  const facts = {
    kind: 'drill',
    command,
    speed: context.args.get('speed') ?? '1',
    line: context.line,
    repeatText,
    ...(scenario && { scenario: scenario.scenario.name }),
  } as const
  return new KeptDrills((target, drill) => keepRun(context, keptTarget(target), { ...facts, drill }))
}

const seedOf = (file: ScenarioFile | undefined): string =>
  file ? (file.scenario.world.seed ?? file.scenario.name) : 'drill'

function msOf(args: CommandContext['args'], flag: string, text: string): number {
  const written = args.get(flag) ?? text
  const nanos = durationOf(written)
  if (nanos === undefined || nanos <= 0n)
    throw new UsageError(`--${flag}: expected a duration such as 30s, received ${written}`)
  return Number(nanos / 1_000_000n)
}
