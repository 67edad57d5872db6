import { constants } from 'node:os'
import { setTimeout as after } from 'node:timers/promises'
import type { Client } from '@quipu/sdk'
import type { CleanUp } from '../clean-up.ts'
import type { LockStep } from './runner.ts'

/** The span of a replay and how it waits for the program. */
export type LockStepOptions = {
  readonly to: string
  readonly step: string
  readonly sessions?: 'regular' | 'all' | undefined
  readonly rounds?: number | undefined
  readonly think?: string | undefined
  /** Called about every two seconds with the time of the world. */
  readonly onProgress?: (now: string) => void
}

/** The replay in the summary of a run. */
export type ReplaySummary = {
  /** `not_exact`: something in a program that follows the clock did not, see `inexact`. */
  readonly mode: 'exact' | 'not_exact' | 'best_effort'
  /** Whether the program ran until the end of the span. */
  readonly finished: boolean
  readonly steps: number
  readonly waits: number
  readonly elapsed_ms: number
  /** The part of the real time in which the clock waited for the program. */
  readonly client_ms: number
  /** What did not follow the clock of the world, in sentences. */
  readonly inexact: readonly string[]
  /** At least so many steps passed without a request of a program that does not follow the clock. */
  readonly slept_steps: number
}

export type ReplayTarget = { readonly operator: Client; readonly world: string; readonly cleanUp: CleanUp }

export type LockStepResult = { readonly exit: number; readonly replay: ReplaySummary }

/** A program that ignores SIGTERM is killed after this time. */
const KILL_AFTER_MS = 10_000
/** Time for a program to end by itself after the broker has failed. */
const FAILING_MS = 2000
const CALL_TIME = '2s'
/** Time for a call to return when the program has ended. */
const CALL_END_MS = 2000
const FREEZE_AGAIN_MS = 100
const TIME_WITHIN_MS = 5000
const TERMINATED = 128 + constants.signals.SIGTERM

/**
 * Runs a program through a span of time in lock-step, then ends it with SIGTERM. A program that the signal ended has
 * the exit code 0.
 */
export async function replayProgram(
  { operator, world, cleanUp }: ReplayTarget,
  lockStep: LockStep,
  options: LockStepOptions,
  run: (ending: { readonly signal: AbortSignal; readonly killAfterMs: number }) => Promise<number>,
): Promise<LockStepResult> {
  const [ended, ending] = [new AbortController(), new AbortController()]
  const program = run({ signal: ending.signal, killAfterMs: KILL_AFTER_MS }).finally(() => ended.abort())
  const mode = await Promise.race([program.then(() => undefined), lockStep.started()])
  if (mode === 'best effort') {
    // The broker no longer sends the time.
    lockStep.clock.follow(() => timeOf(operator, world))
    await lockStep.leave()
  } else lockStep.streams.isReplaying = true
  const { problem, ...span } = await replaySpan(operator, world, options, ended.signal)
  const slept_steps = mode === 'best effort' ? Math.max(0, span.steps - lockStep.requests.count) : 0
  const inexact = [...lockStep.clock.ignored]
  const replay = { ...span, ...(inexact.length > 0 && { mode: 'not_exact' as const }), inexact, slept_steps }
  if (ended.signal.aborted) {
    const to = lockStep.clock.endedAt?.toISOString()
    if (to !== undefined)
      await cleanUp.step(`the clock of world ${world} was not set to ${to}`, (within) =>
        operator.advanceClock({ params: { world }, body: { to } }, within),
      )
    return { exit: await program, replay }
  }
  lockStep.release()
  // A program whose requests fail ends by itself, with its own exit code.
  if (problem !== undefined) await Promise.race([program, after(FAILING_MS, undefined, { ref: false })])
  ending.abort()
  const exit = await program
  if (problem !== undefined && exit === TERMINATED) throw problem
  return { exit: exit === TERMINATED ? 0 : exit, replay }
}

async function timeOf(operator: Client, world: string): Promise<number> {
  const signal = AbortSignal.timeout(TIME_WITHIN_MS)
  return Date.parse((await operator.getWorldClock({ params: { world } }, { signal })).now)
}

/**
 * Freezes the clock, so that the call of the replay returns with what it has done, unless the broker has failed. The call
 * may arrive after the first freeze. It is aborted here, or by its caller once it has returned.
 */
async function endCall(operator: Client, world: string, call: AbortController): Promise<void> {
  const { signal } = call
  try {
    for (let waitedMs = 0; waitedMs < CALL_END_MS; waitedMs += FREEZE_AGAIN_MS) {
      await operator.freezeClock({ params: { world } }, { signal })
      await after(FREEZE_AGAIN_MS, undefined, { ref: false, signal })
    }
  } catch {
    // The call has returned, or there is no broker.
  }
  call.abort()
}

/** Calls the replay until the end of the span or of the program, or until the broker fails. */
async function replaySpan(
  operator: Client,
  world: string,
  { onProgress, ...options }: LockStepOptions,
  signal: AbortSignal,
): Promise<Omit<ReplaySummary, 'inexact' | 'slept_steps'> & { readonly problem?: unknown }> {
  const call = new AbortController()
  const end = (): void => void endCall(operator, world, call)
  signal.addEventListener('abort', end, { once: true })
  let problem: unknown
  let [steps, waits, elapsed_ms, client_ms, finished, isExact] = [0, 0, 0, 0, false, true]
  const body = { ...options, within: CALL_TIME }
  while (!finished && !signal.aborted) {
    const part = await operator
      .replayClock({ params: { world }, body }, { signal: call.signal })
      .catch((error: unknown) => {
        if (!signal.aborted) problem = error
        return undefined
      })
    if (!part) break
    steps += part.steps
    waits += part.waits
    elapsed_ms += part.elapsed_ms
    client_ms += part.client_ms
    isExact &&= part.mode === 'exact'
    finished = part.finished
    onProgress?.(part.now)
  }
  signal.removeEventListener('abort', end)
  call.abort()
  return { mode: isExact ? 'exact' : 'best_effort', finished, steps, waits, elapsed_ms, client_ms, problem }
}
