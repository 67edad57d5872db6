import type { Outcome } from './job.ts'
import { waits } from './plan.ts'

/** More failures than a busy machine causes. */
const MOST = 3

/**
 * The failed specs of a whole run that are repeated alone: they wait for browsers, processes or databases, which five
 * processes on two cores delay. A fault of the product fails again. None are repeated if there are more than a few, if another
 * spec failed too, or if a process ended early (docs/decisions/code.md).
 */
export function specsToRepeat(outcomes: readonly Outcome[]): readonly string[] {
  const failed = outcomes.filter(({ failures }) => failures.length > 0).map(({ failedFiles }) => failedFiles)
  const files = failed.flatMap((names) => names ?? [])
  const areAllWaiting = failed.every((names) => names?.every(waits) === true)
  return areAllWaiting && files.length <= MOST ? files : []
}

/** A process whose failed specs have all passed alone counts as passed. */
export function afterRepeat(outcome: Outcome, passedAlone: ReadonlySet<string>): Outcome {
  const { passed, failed, failedFiles } = outcome
  if (failed === 0 || failedFiles?.every((file) => passedAlone.has(file)) !== true) return outcome
  return { ...outcome, passed: passed + failed, failed: 0, failures: [] }
}
