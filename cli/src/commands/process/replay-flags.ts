import { durationOf } from '@quipu/contract'
import type { RunOptions } from '../../run/session.ts'
import { type CommandContext, UsageError } from '../command.ts'
import { oneOfWords, wholeNumberValue } from '../values.ts'

/** The flags of a replay in lock-step. */
export const replayFlags = {
  from: {
    placeholder: 'TIME',
    about:
      'Replay: create a world whose clock begins at this time, or with this day of New York. Its hours are nyse unless --hours is set. Needs --to.',
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
} as const

const NEED_TO = ['from', 'step', 'sessions', 'think', 'rounds', 'exact'] as const
const DEFAULT_STEP = '1m'

/** The span of a replay; undefined without --to. */
export function replayOf(
  { args, note, isTerminal }: CommandContext,
  command: 'run' | 'drill' = 'run',
): RunOptions['replay'] {
  const to = args.get('to')
  if (to === undefined) {
    const flag = NEED_TO.find((name) => args.has(name))
    if (flag !== undefined) throw new UsageError(`${command}: --${flag} needs --to, the end of the replay`)
    return undefined
  }
  for (const flag of ['start', 'speed'])
    if (args.has(flag)) throw new UsageError(`${command}: --${flag} is not for a replay; --from is its start`)
  const [step = DEFAULT_STEP, sessions, rounds, think] = ['step', 'sessions', 'rounds', 'think'].map((name) =>
    args.get(name),
  )
  const stepNs = durationOf(step)
  if (stepNs === undefined || stepNs === 0n)
    throw new UsageError(`${command}: --step: expected a duration such as 1m or 1d, received ${step}`)
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
