import type { RunDrill, RunFile, RunParts } from '@quipu/sdk/runs'
import type { KeptRun } from '../run/file/kept-run.ts'
import type { RunTarget } from '../run/session.ts'
import { catalogue } from './catalogue.table.ts'
import type { Certificate } from './certificate.ts'
import type { Evidence } from './evidence.ts'
import type { DrillResult } from './judge.ts'
import { wrongText } from './lines.ts'

/** Begins to keep a run of the program: without faults, or of one drill. */
export type KeepDrill = (
  target: Omit<RunTarget, 'cleanUp'>,
  drill: string | undefined,
) => Promise<KeptRun | undefined>

/** The runs of a drill session: without faults, and one per drill. */
export class KeptDrills {
  readonly keep: KeepDrill
  #baseline: KeptRun | undefined
  readonly #files: RunFile[] = []
  readonly #evidence = new Map<string, string>()
  readonly #figures = new Map<string, Pick<RunDrill, 'profit_loss' | 'requests' | 'orders'>>()

  constructor(keep: KeepDrill) {
    this.keep = keep
  }

  /** Takes a run that has ended. Of the two runs without faults it keeps the first. */
  add(kept: KeptRun, drill: string | undefined, evidence: Evidence): void {
    if (drill === undefined) {
      this.#baseline ??= kept
      return
    }
    this.#evidence.set(drill, evidenceText(evidence))
    const file = kept.finish({ exit: evidence.exit ?? 0 })
    if (!file) return
    this.#files.push(file)
    const { profit_loss, requests, orders } = file.run
    this.#figures.set(drill, { profit_loss, requests, orders })
  }

  /** One file of all runs. Its result is that of the run without faults; requests and output of the others name their drill. */
  finish({ drills, counts, passed }: Certificate): RunFile | undefined {
    const total = counts.passed + counts.failed
    const file = this.#baseline?.finish({
      exit: passed ? 0 : 1,
      verdict: passed ? 'passed' : 'failed',
      reason: `${passed ? counts.passed : counts.failed} of ${total} drills ${passed ? 'passed' : 'failed'}`,
      drills: counts,
    })
    if (!file) return undefined
    const consumed = drills.filter(({ faults_consumed: count }) => count > 0).length
    const run = { ...file.run, faults_met: consumed, faults_planned: drills.length }
    const all = [file, ...this.#files]
    const merged = <Part extends keyof RunParts>(part: Part): RunParts[Part] =>
      all.flatMap(
        ({ parts }) => parts[part] as readonly RunParts[Part][number][],
      ) as unknown as RunParts[Part]
    const parts: RunParts = {
      ...file.parts,
      drill: drills.map((result) => this.#drillOf(result)),
      request: merged('request'),
      output: merged('output'),
      event: merged('event'),
    }
    return { run: { ...run, is_cut: all.some((one) => one.run.is_cut) }, parts }
  }

  #drillOf({ drill, about, result, seconds, wrong_at: wrong, repeat, ...verdict }: DrillResult): RunDrill {
    const again = repeat === undefined ? [] : [`again: ${repeat}`]
    const reasons = [...verdict.reasons, ...(wrong ? [wrongText(wrong)] : []), ...again]
    const advice = result === 'failed' ? catalogue.find(({ name }) => name === drill)?.advice : undefined
    const evidence = this.#evidence.get(drill) ?? ''
    const figures = result === 'skipped' ? {} : this.#figures.get(drill)
    return {
      drill,
      about,
      result,
      reasons,
      evidence,
      seconds,
      ...figures,
      ...(advice !== undefined && { advice }),
    }
  }
}

/** `3 placements, 1 order, 2 AAPL, exit code 0`. */
function evidenceText({ placements, orders, shares, exit }: Evidence): string {
  const held = [...shares].map(([symbol, quantity]) => `${quantity} ${symbol}`)
  const end = exit === undefined ? 'stopped at its time limit' : `exit code ${exit}`
  const sent = `sent ${counted(placements.length, 'placement')}`
  return [sent, counted(orders.length, 'order'), ...(held.length > 0 ? held : ['no shares']), end].join(', ')
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
