import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { durationOf } from '@quipu/contract'
import { entryIn } from '@quipu/core/values'
import type { ScenarioFile } from '@quipu/server/scenarios/scenario-file.ts'
import { scenarioOf } from '../api/scenario.ts'
import { type CliCommand, type CommandContext, CommandFailed, UsageError } from '../command.ts'
import { printList } from '../output.ts'
import { stateFolder } from '../running-servers.ts'
import { commaSeparated, wholeNumberValue } from '../values.ts'
import { awaitInterruption } from './interruption.ts'
import { operatedBroker } from './memory-broker.ts'
import { keepRun, keptTarget, RunShelf } from './run-files.ts'
import { programOf } from './run-program.ts'

const START = '2026-01-05T15:00:00Z'
const [LIMIT, CLIENT_TIMEOUT, JOBS] = ['60s', '10s', 4] as const

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
    start: { placeholder: 'TIME', about: `Time at which the worlds begin. Default: ${START}.` },
    speed: { placeholder: 'N', about: 'Speed of the clock of the worlds. Default: 1.' },
    limit: { placeholder: 'DURATION', about: `Real time that a run may take. Default: ${LIMIT}.` },
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

async function drill(context: CommandContext, only: readonly string[] | undefined): Promise<number> {
  const { args, env, json, print, note } = context
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
      start: args.get('start') ?? START,
      scenario,
      speed: args.get('speed') ?? '1',
      limitMs: msOf(args, 'limit', LIMIT),
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
