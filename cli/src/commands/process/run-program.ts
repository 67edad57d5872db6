import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { RunSummary } from '../../run/report/measure.ts'
import { strictSymbols } from '../../run/world-symbols.ts'
import { type CliCommand, type CommandContext, UsageError } from '../command.ts'
import { stateFolder } from '../running-servers.ts'
import { replayFlags, replayOf } from './replay-flags.ts'
import { runOne } from './run-one.ts'
import { runInSeeds, seedCount } from './run-seeds.ts'

export const runCommand: CliCommand = {
  name: 'run',
  about:
    'Run a program, unmodified: its requests to the official hosts go to a broker. Default: a new broker in memory; --data and --url select another one.',
  settings: 'all',
  alsoSettings: ['runs'],
  shownSettings: ['world'],
  runsProgram: true,
  usesDataFolder: true,
  arguments: [{ name: 'COMMAND', about: 'The program and its arguments, after `--`.', many: true }],
  flags: {
    account: {
      placeholder: 'ID',
      about:
        'Account that the program trades with, or `first` for the first one of the world. Default: a new one with 100000 dollars in a world of another process, else the first.',
    },
    'strict-keys': {
      about: 'Refuse keys that the broker does not know. Default: they act for the account of the run.',
    },
    ...strictSymbols,
    hosts: { about: 'Give the program its own /etc/hosts, for programs that ignore proxies. Linux only.' },
    summary: { placeholder: 'FILE', about: 'Write orders, fills, P/L and refusals as JSON to this file.' },
    report: {
      placeholder: 'FILE',
      about:
        'Write a page with equity, drawdown, trades, requests and output to this file, as `quipu runs export --html` does. With --seeds: the distribution.',
    },
    quiet: { about: 'Print no summary to stderr.' },
    scenario: {
      placeholder: 'FILE',
      about:
        'Run in the world of a scenario (a file, or a name of `quipu scenario list`), and check what it expects.',
    },
    start: { placeholder: 'TIME', about: 'Create the world of --world with its clock at this time.' },
    speed: {
      placeholder: 'N',
      about:
        'Run the clock of the world of --world at this speed while the program runs; 1 = real time. Default: 1 in a broker of the run, else unchanged.',
    },
    ...replayFlags,
    prices: {
      placeholder: 'FILE',
      about:
        'Replay the bars, trades or quotes of this file (CSV, JSON or Parquet, as for `quipu import`). May be repeated. Needs --from.',
      many: true,
    },
    exact: {
      about:
        'Exit with 71 if something in the program did not follow the clock of a replay. The summary names it.',
    },
    record: {
      placeholder: 'FILE',
      about: 'Write requests and responses to this file, without keys, tokens, account numbers and names.',
    },
    seeds: {
      placeholder: 'N',
      about:
        'Run the program in N generated markets, each in its own world, and report the distribution of results.',
    },
    parallel: {
      placeholder: 'N',
      about: 'Number of worlds of --seeds at a time. Default: one per core, at most 4.',
    },
  },
  example: 'quipu run -- node bot.js',
  run: async (context) => {
    const command = programOf(context.line, 'run')
    const { HostsRefused, NotRun, observersOf, runAgainst, summaryLines } = await loadRun()
    const report = ({ args, note, json }: CommandContext, summary: RunSummary): void => {
      if (!args.has('quiet'))
        note(json ? JSON.stringify(inSnakeCase(summary)) : summaryLines(summary).join('\n'))
      const file = args.get('summary')
      if (file !== undefined) writeFileSync(file, `${JSON.stringify(inSnakeCase(summary), undefined, 2)}\n`)
    }
    const options = {
      command,
      env: context.env,
      authorityFolder: join(stateFolder(context.env), 'authority'),
      strictKeys: context.args.has('strict-keys'),
      privateHosts: context.args.has('hosts'),
      umask: context.umask,
      replay: replayOf(context),
      mustBeExact: context.args.has('exact'),
      note: context.note,
    }
    const seeds = seedCount(context)
    if (seeds !== undefined) return runInSeeds(context, seeds, options)
    const onSummary = (summary: RunSummary) => report(context, summary)
    return runOne(context, options, { NotRun, HostsRefused, runAgainst, observersOf, onSummary })
  },
}

/** The statistics have the names of a library. */
const inSnakeCase = ({ statistics, ...summary }: RunSummary): object => ({
  ...summary,
  statistics: snakeCase(statistics),
})

function snakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCase)
  if (typeof value !== 'object' || value === null) return value
  const word = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [word(name), snakeCase(one)]))
}

/** Other commands start faster without the gateway. */
async function loadRun() {
  const [{ NotRun }, { HostsRefused }, { observersOf }, { runAgainst }, { summaryLines }] = await Promise.all(
    [
      import('../../run/child.ts'),
      import('../../run/gateway/private-hosts.ts'),
      import('../../run/gateway/traffic.ts'),
      import('../../run/session.ts'),
      import('../../run/report/summary.ts'),
    ],
  )
  return { HostsRefused, NotRun, observersOf, runAgainst, summaryLines }
}

/** The program after `--`. */
export function programOf(line: readonly string[], command: 'run' | 'drill'): readonly string[] {
  const dashes = line.indexOf('--')
  const program = dashes < 0 ? [] : line.slice(dashes + 1)
  if (program.length === 0)
    throw new UsageError(`${command}: expected a program after \`--\`, e.g. quipu ${command} -- node bot.js`)
  return program
}
