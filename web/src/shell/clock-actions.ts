import { batch, effect, signal } from '@preact/signals'
import { type Call, NetworkError } from '@quipu/sdk'
import { minuteText } from '../format/times.ts'
import { type ClockState, clock, clocks } from '../live/clock.ts'
import { ask } from '../parts/question.tsx'
import { toast } from '../parts/toasts.tsx'
import { actingOperator } from '../session/connections.ts'
import { type World, world, worldName, worlds } from '../session/selection.ts'
import { chosenSpeed, rememberSpeed } from './chosen-speed.ts'
import { showNewWorld } from './show-new-world.ts'

type Move = NonNullable<Call<'advanceClock'>['body']>

export const speeds = [
  { speed: 1, label: '1×' },
  { speed: 60, label: '60×' },
  { speed: 600, label: '600×' },
  { speed: 100_000, label: 'Max' },
] as const

export const speedText = (speed: number): string =>
  speeds.find((one) => one.speed === speed)?.label ?? `${speed}×`

/** What became of the last action, if it did not succeed. */
export const clockProblem = signal<{ readonly title: string; readonly text: string } | undefined>(undefined)
/** Time that another client moved the clock, by this machine. */
export const movedByOtherAtMs = signal<number | undefined>(undefined)

/** How many actions of this page are in progress, when the last one ended, and the time that it led to. */
let running = 0
let lastEndMs = Number.NEGATIVE_INFINITY
let ownNowMs = Number.NEGATIVE_INFINITY
/** The response of the last action was lost, so its time is unknown. */
let isLastLost = false
/** Messages about the start or the stop of a clock arrive a little after the response. */
const OWN_MS = 1500

/** Runs an action on the clock of the world on screen. */
async function act(
  action: (params: { readonly world: string }) => Promise<{ readonly now: string }>,
  failed = 'The clock did not move',
): Promise<void> {
  running += 1
  batch(() => {
    clockProblem.value = undefined
    movedByOtherAtMs.value = undefined
  })
  try {
    const { now } = await action({ world: worldName.peek() })
    ownNowMs = Date.parse(now)
    isLastLost = false
  } catch (error) {
    isLastLost = error instanceof NetworkError
    // The server may have done it: only a refusal says that nothing happened.
    clockProblem.value = isLastLost
      ? { title: 'The response of the server was lost', text: 'The time bar shows what became of it.' }
      : { title: failed, text: (error as Error).message }
  } finally {
    running -= 1
    lastEndMs = performance.now()
  }
}

export const advance = (body: Move): Promise<void> =>
  act((params) => actingOperator().client.advanceClock({ params, body }))

export const stop = (): Promise<void> => act((params) => actingOperator().client.stopClock({ params }))

const freeze = (): Promise<void> => act((params) => actingOperator().client.freezeClock({ params }))

const run = (speed: number): Promise<void> =>
  act((params) => actingOperator().client.runClock({ params, body: { speed: String(speed) } }))

/** Plays or pauses. Pausing during an advance stops the advance. */
export async function playOrPause(): Promise<void> {
  const state = clock.peek()
  if (!state?.isVirtual) return
  if (state.advance) {
    await stop()
    // A clock that ran before the advance would run on.
    if (clocks.peek().get(state.world)?.frozen === false) await freeze()
  } else if (state.speed > 0) await freeze()
  else await run(chosenSpeed.peek())
}

/** Chooses the speed, also of a running clock. */
export async function chooseSpeed(speed: number): Promise<void> {
  rememberSpeed(speed)
  if ((clock.peek()?.speed ?? 0) > 0) await run(speed)
}

/** Forks the world on screen, now or at a past instant, and shows the fork. Asks before a second one that would be the same. */
export async function forkHere(atMs?: number): Promise<void> {
  const same = unusedForkAt(worldName.peek(), atMs ?? clock.peek()?.nowMs)
  if (same === undefined || (await askForSecond(same))) await forkAt(atMs)
}

/** The last event of each fork that this page made, when it was made. */
const made = new Map<string, number>()
const SAME_MS = 1

/** A fork of a world at an instant in which nothing was done. */
function unusedForkAt(parent: string, atMs: number | undefined): string | undefined {
  const isUnused = ({ world: name, forked_at: at = '', seq }: World) =>
    made.get(name) === seq &&
    Date.parse(clocks.peek().get(name)?.now ?? at) === Date.parse(at) &&
    Math.abs(Date.parse(at) - (atMs ?? 0)) <= SAME_MS
  return worlds.peek()?.find((one) => one.parent === parent && isUnused(one))?.world
}

const askForSecond = (same: string): Promise<boolean> =>
  ask({
    title: 'Fork a second time?',
    effect: `${same} is a fork of this instant, and nothing was done in it.`,
    keep: `Keep only ${same}`,
    confirm: 'Fork again',
  })

const forkAt = (atMs: number | undefined): Promise<void> =>
  act(async (params) => {
    const body = atMs === undefined ? {} : { at: new Date(atMs).toISOString() }
    const fork = await actingOperator().client.forkWorld({ params, body })
    const { world } = fork
    made.set(world, fork.seq)
    const where = atMs === undefined ? '' : ` at ${minuteText(atMs)}`
    toast(`Forked ${params.world}${where}. You see the fork ${world}.`)
    await showNewWorld(fork)
    return fork
  }, 'The world was not forked')

/** Forks the world on screen at a past instant into a branch that ends when nobody uses it, and shows it. */
export const branchAt = (atMs: number, name: string): Promise<void> =>
  act(async (params) => {
    const durable = world.peek()?.durable === true
    const note = `Rewound from ${params.world}`
    const body = { world: name, at: new Date(atMs).toISOString(), temporary: true, durable, note }
    const branch = await actingOperator().client.forkWorld({ params, body })
    toast(`You see ${branch.world}, from ${minuteText(atMs)}. Press u to return to ${params.world}.`)
    await showNewWorld(branch)
    return branch
  }, 'The clock did not go back')

/** Notices when a clock starts, stops or jumps without an action of this page. */
export function watchOtherClients(): () => void {
  let last: ClockState | undefined
  return effect(() => {
    const state = clock.value
    const before = last
    last = state
    if (before?.world !== state?.world) ownNowMs = Number.NEGATIVE_INFINITY
    if (!state?.isVirtual || before?.world !== state.world) return
    if (running === 0 && isMoveOfOther(before, state)) movedByOtherAtMs.value = performance.now()
  })
}

function isMoveOfOther(before: ClockState, state: ClockState): boolean {
  const { advance, speed, nowMs } = state
  if (isLastLost && performance.now() - lastEndMs < OWN_MS) return false
  if (advance) return before.advance === undefined && Date.parse(advance.from) >= ownNowMs
  if (speed !== before.speed) return performance.now() - lastEndMs > OWN_MS
  return speed === 0 && nowMs !== before.nowMs && nowMs > ownNowMs
}
