import { constants } from 'node:os'
import type { Run } from '@quipu/sdk/runs'
import type { RunSummary } from '../report/measure.ts'

export type RunVerdict = Pick<Run, 'verdict' | 'reason'>

/** Days without a request or a message, as a fraction of the days of the run, above which a program slept. */
const SLEPT_FROM = 0.5
/** A shorter run says nothing about it. */
const SLEPT_DAYS_MIN = 5
const SIGNAL_BASE = 128

export type Ending = {
  readonly exit: number
  /** Expectations of the scenario that do not hold; undefined if it has none. */
  readonly failedExpectations?: number | undefined
  readonly summary?: Pick<RunSummary, 'replay' | 'equity'> | undefined
  readonly daysAwake?: ReadonlySet<string>
}

export function verdictOf({ exit, failedExpectations = 0, summary, daysAwake }: Ending): RunVerdict {
  if (failedExpectations > 0)
    return {
      verdict: 'failed',
      reason: `${failedExpectations} ${failedExpectations === 1 ? 'expectation' : 'expectations'} of the scenario`,
    }
  if (exit > SIGNAL_BASE) return { verdict: 'stopped', reason: `by ${signalName(exit - SIGNAL_BASE)}` }
  if (exit !== 0) return { verdict: 'failed', reason: `exit code ${exit}` }
  if (summary?.replay?.finished === false)
    return { verdict: 'warning', reason: 'ended before the end of the replay' }
  const slept = summary && daysAwake && sleptShare(summary.equity, daysAwake)
  if (slept !== undefined && slept > SLEPT_FROM)
    return { verdict: 'warning', reason: `slept through ${Math.floor(slept * 100)} % of the days` }
  return { verdict: 'passed', reason: '' }
}

function sleptShare(equity: RunSummary['equity'], awake: ReadonlySet<string>): number | undefined {
  const days = new Set(equity.map(({ at }) => at.slice(0, 10)))
  if (days.size < SLEPT_DAYS_MIN) return undefined
  return [...days].filter((day) => !awake.has(day)).length / days.size
}

function signalName(number: number): string {
  const found = Object.entries(constants.signals).find(([, one]) => one === number)
  return found?.[0] ?? `signal ${number}`
}
