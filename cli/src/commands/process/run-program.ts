import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { durationOf } from '@quipu/contract'
import type { RunSummary } from '../../run/report/measure.ts'
import type { RunOptions } from '../../run/session.ts'
import { type CliCommand, type CommandContext, UsageError } from '../command.ts'
import { stateFolder } from '../running-servers.ts'
import { oneOfWords, wholeNumberValue } from '../values.ts'
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
    hosts: { about: 'Give the program its own /etc/hosts, for programs that ignore proxies. Linux only.' },
    summary: { placeholder: 'FILE', about: 'Write orders, fills, P/L and refusals as JSON to this file.' },
    report: {
      placeholder: 'FILE',
      about: 'Write a page with equity curve, trades, drawdown and Sharpe ratio to this file.',
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
    from: {
      placeholder: 'TIME',
      about: 'Replay: create a world whose clock begins at this time or date. Needs --to.',
    },
    to: {
      placeholder: 'TIME',
      about:
        'Replay the world of the run in lock-step to this time or date, then end the program with SIGTERM.',
    },
    step: {
      placeholder: 'DURATION',
      about: 'Longest time of a replay without a wait for the program: 1m, 1h, 1d. Default: 1m.',
    },
    sessions: {
      placeholder: 'regular|all',
      about: 'Steps of a replay in regular sessions or at all hours. Default: regular.',
      value: oneOfWords('regular', 'all'),
    },
    think: {
      placeholder: 'DURATION',
      about: 'Real time that a replay gives the program in addition, at each wait. Default: 0.',
    },
    rounds: {
      placeholder: 'N',
      about: 'Pings in a row that a replay waits for, if the program is not on Node. Default: 4.',
      value: wholeNumberValue,
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
    const { HostsRefused, NotRun, observersOf, reportPage, runAgainst, summaryLines } = await loadRun()
    const report = ({ args, note, json }: CommandContext, summary: RunSummary): void => {
      if (!args.has('quiet')) note(json ? JSON.stringify(summary) : summaryLines(summary).join('\n'))
      const [file, page] = [args.get('summary'), args.get('report')]
      if (file !== undefined) writeFileSync(file, `${JSON.stringify(summary, undefined, 2)}\n`)
      if (page !== undefined) writeFileSync(page, reportPage(summary))
    }
    const options = {
      command,
      env: context.env,
      authorityFolder: join(stateFolder(context.env), 'authority'),
      strictKeys: context.args.has('strict-keys'),
      privateHosts: context.args.has('hosts'),
      umask: context.umask,
      replay: replayOf(context),
      note: context.note,
    }
    const seeds = seedCount(context)
    if (seeds !== undefined) return runInSeeds(context, seeds, options)
    const onSummary = (summary: RunSummary) => report(context, summary)
    return runOne(context, options, { NotRun, HostsRefused, runAgainst, observersOf, onSummary })
  },
}

const REPLAY_FLAGS = ['from', 'step', 'sessions', 'think', 'rounds'] as const
const DEFAULT_STEP = '1m'

/** The span of a replay; undefined without --to. */
function replayOf({ args, note, isTerminal }: CommandContext): RunOptions['replay'] {
  const to = args.get('to')
  if (to === undefined) {
    const flag = REPLAY_FLAGS.find((name) => args.has(name))
    if (flag !== undefined) throw new UsageError(`run: --${flag} needs --to, the end of the replay`)
    return undefined
  }
  for (const flag of ['start', 'speed'])
    if (args.has(flag)) throw new UsageError(`run: --${flag} is not for a replay; --from is its start`)
  const [step = DEFAULT_STEP, sessions, rounds, think] = ['step', 'sessions', 'rounds', 'think'].map((name) =>
    args.get(name),
  )
  const stepNs = durationOf(step)
  if (stepNs === undefined || stepNs === 0n)
    throw new UsageError(`run: --step: expected a duration such as 1m or 1d, received ${step}`)
  return {
    to,
    step,
    stepMs: Number(stepNs / 1_000_000n),
    sessions:
      sessions === undefined
        ? undefined
        : (oneOfWords('regular', 'all')(sessions, 'sessions') as 'regular' | 'all'),
    rounds: rounds === undefined ? undefined : wholeNumberValue(rounds, 'rounds'),
    think,
    ...(isTerminal && { onProgress: (now: string) => note(`quipu run: ${now.slice(0, 10)} of ${to}`) }),
  }
}

/** Other commands start faster without the gateway. */
async function loadRun() {
  const [{ NotRun }, { HostsRefused }, { observersOf }, { reportPage }, { runAgainst }, { summaryLines }] =
    await Promise.all([
      import('../../run/child.ts'),
      import('../../run/gateway/private-hosts.ts'),
      import('../../run/gateway/traffic.ts'),
      import('../../run/report/report.ts'),
      import('../../run/session.ts'),
      import('../../run/report/summary.ts'),
    ])
  return { HostsRefused, NotRun, observersOf, reportPage, runAgainst, summaryLines }
}

/** The program after `--`. */
export function programOf(line: readonly string[], command: 'run' | 'drill'): readonly string[] {
  const dashes = line.indexOf('--')
  const program = dashes < 0 ? [] : line.slice(dashes + 1)
  if (program.length === 0)
    throw new UsageError(`${command}: expected a program after \`--\`, e.g. quipu ${command} -- node bot.js`)
  return program
}
