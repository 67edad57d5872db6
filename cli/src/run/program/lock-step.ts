import fs from 'node:fs'
import { connect } from 'node:net'
import timersModule from 'node:timers'
import { type Ahead, receiveAhead, seesAll, writtenTo } from './ahead.ts'
import { type Gate, type GateAddress, type GateSocket, watchGate } from './gate.ts'
import { leaveMark, watchChildren } from './processes.ts'
import { type ThreadWork, watchThreads } from './threads.ts'
import {
  type Callback,
  handleOf,
  newTimer,
  type ProgramClock,
  type ProgramTimer,
  type RealTimer,
  type RealTimers,
  type Schedule,
  useDate,
  useTimers,
} from './timers.ts'

export type ProgramSettings = GateAddress & {
  /** The file with the time: three numbers of eight bytes. */
  readonly file: string
  /** Where the runner's socket is. */
  readonly pipe: string
  /** Shorter intervals run in real time, because they keep connections alive. */
  readonly stepMs: number
}

type TimersOfModule = RealTimers & {
  setImmediate: (callback: Callback) => RealTimer
  clearImmediate: (timer: unknown) => void
}
type Steps = Schedule & {
  next(): number | null
  /** Fires the timers that are due, one per turn of the event loop. */
  fire(done: () => void): void
  /** From now on timers run in real time. */
  release(): void
}
type StepClock = ProgramClock & {
  forget(): void
  /** The program has reached an instant before the broker. */
  reach(instant: number): void
  /** The program ends: stores the instant for the runner if the broker has not reached it. */
  end(): void
}
type StepTimers = {
  readonly pending: Map<number, ProgramTimer>
  arm(timer: ProgramTimer): void
  run(timer: ProgramTimer): void
  clear(handle: unknown): boolean
  release(): void
}

/** Makes the program follow the clock of a replay, and report when it is idle. */
export function start(settings: ProgramSettings): void {
  const real = { ...(timersModule as unknown as TimersOfModule) }
  const clock = stepClock(settings.file, Date.now)
  const schedule = stepSchedule(real, clock, settings.stepMs)
  const changed: { run: () => void } = { run: () => undefined }
  const gate = watchGate(settings, () => {
    clock.forget()
    changed.run()
  })
  const threads = watchThreads(() => changed.run())
  changed.run = joinRunner(settings.pipe, { real, clock, schedule, gate, threads })
  process.on('exit', clock.end)
  useDate(clock)
  useTimers(schedule)
}

/** Reads the time from the file, and keeps it until something arrives. The program may be ahead of the file. */
function stepClock(file: string, realNow: () => number): StepClock {
  const descriptor = fs.openSync(file, 'r')
  const [now, speed, at] = [0, 1, 2]
  const numbers = new Float64Array(3)
  let isKnown = false
  let earliest = Number.NEGATIVE_INFINITY
  return {
    forget() {
      isKnown = false
    },
    reach(instant) {
      earliest = instant
    },
    end() {
      fs.readSync(descriptor, numbers, 0, 24, 0)
      if (earliest > numbers[now]!) fs.writeFileSync(`${file}-end`, `${earliest}`)
    },
    now() {
      if (!isKnown) fs.readSync(descriptor, numbers, 0, 24, 0)
      isKnown = true
      const read = numbers[now]! + (numbers[speed] === 0 ? 0 : (realNow() - numbers[at]!) * numbers[speed]!)
      return Math.max(read, earliest)
    },
  }
}

/** The timers that wait for the clock. */
function stepTimers(real: TimersOfModule, clock: ProgramClock): StepTimers {
  const LONGEST = 2 ** 31 - 1
  const pending = new Map<number, ProgramTimer>()
  let isReleased = false
  const disarm = (timer: ProgramTimer): void => {
    real.clearTimeout(timer.real)
    real.clearImmediate(timer.real)
  }
  const run = (timer: ProgramTimer): void => {
    if (pending.get(timer.id) !== timer) return
    timer.due += timer.delay
    if (timer.repeats) arm(timer)
    else clear(timer.id)
    timer.call()
  }
  // The real timer keeps the program running. It runs the callback only without a delay, or after the replay.
  const arm = (timer: ProgramTimer): void => {
    disarm(timer)
    const wait = Math.min(Math.max(timer.due - clock.now(), 1), LONGEST)
    if (timer.delay === 0) timer.real = real.setImmediate(() => run(timer))
    else if (isReleased) timer.real = real.setTimeout(() => run(timer), wait)
    else timer.real = real.setTimeout(() => arm(timer), LONGEST)
    if (!timer.isRef) timer.real.unref()
  }
  const clear = (handle: unknown): boolean => {
    const timer = pending.get(Number(handle))
    if (timer) disarm(timer)
    return timer !== undefined && pending.delete(timer.id)
  }
  const release = (): void => {
    isReleased = true
    for (const timer of pending.values()) arm(timer)
  }
  return { pending, arm, run, clear, release }
}

function stepSchedule(real: TimersOfModule, clock: ProgramClock, stepMs: number): Steps {
  const { pending, arm, run, clear, release } = stepTimers(real, clock)
  let lastId = 0
  const first = (): ProgramTimer | undefined => {
    let first: ProgramTimer | undefined
    for (const timer of pending.values()) if (!first || timer.due < first.due) first = timer
    return first
  }
  const fire = (done: () => void): void => {
    const timer = first()
    if (!timer || timer.due > clock.now()) return done()
    try {
      run(timer)
    } finally {
      real.setImmediate(() => fire(done))
    }
  }
  return {
    set(callback, delay, repeats, args) {
      lastId += 1
      const timer = newTimer(lastId, callback, delay, repeats, args)
      const setInterval = real.setInterval as (call: Callback, delay: number) => object
      if (repeats && timer.delay < stepMs) return setInterval(timer.call, timer.delay)
      const start = (): void => {
        timer.due = clock.now() + timer.delay
        pending.set(timer.id, timer)
        arm(timer)
      }
      start()
      return handleOf(timer, start, clear)
    },
    clear,
    next: () => first()?.due ?? null,
    fire,
    release,
  }
}

/** Whether the program waits for nothing but its connections and timers. */
function isIdle(gate: Gate, threads: ThreadWork, resources: readonly string[]): boolean {
  const busy = /Req|Connect|^Immediate$|^WriteWrap$|Job/
  return gate.opening === 0 && threads.pending === 0 && !resources.some((resource) => busy.test(resource))
}

type Joined = {
  readonly real: TimersOfModule
  readonly clock: StepClock
  readonly schedule: Steps
  readonly gate: Gate
  readonly threads: ThreadWork
}

/**
 * Returns the function to call when something has arrived. Once the program is idle, `proceed` may give it more to do and
 * return true; else `idle` is called.
 */
function watchLoop(
  { real, gate, threads }: Joined,
  proceed: (resources: readonly string[]) => boolean,
  idle: () => void,
): () => void {
  let [isChecking, turns] = [false, 0]
  const later = (): void => {
    isChecking = true
    // Work of other threads, such as reading files, needs time.
    if (turns % 100 === 99) real.setTimeout(check, 1).unref()
    else real.setImmediate(check)
  }
  const check = (): void => {
    const resources = process.getActiveResourcesInfo()
    const isDone = isIdle(gate, threads, resources) && hasPrinted()
    turns = isDone ? 0 : turns + 1
    if (!isDone || proceed(resources)) return later()
    isChecking = false
    idle()
  }
  return () => {
    if (!isChecking) later()
  }
}

/** Whether the pipes have taken all output. Node keeps what does not fit into them. */
const hasPrinted = (): boolean => process.stdout.writableLength + process.stderr.writableLength === 0

/** Connects to the runner. Returns the function to call when something has arrived: it reports once the program is idle. */
function joinRunner(pipe: string, joined: Joined): () => void {
  const { clock, schedule, gate } = joined
  const children = watchChildren()
  let [fired, batches, received, confirmed, written, reported, partial] = [0, 0, 0, 0, 0, '', '']
  let ahead: Ahead | undefined
  const runner = (connect(pipe) as unknown as GateSocket).setEncoding('utf8')
  runner.unref()
  const report = (): void => {
    if (ahead) [batches, received, ahead] = [batches + 1, ahead.received, undefined]
    const connections = [...gate.sockets].map((one) => [one.gateId, one.bytesRead, one.bytesWritten])
    const next = schedule.next()
    // What the program does between two reports shows in the others.
    const counts = { fired, batches, ahead: received, turns: 0, confirmed }
    const text = JSON.stringify({ children: [...children], ...counts, next, connections })
    written = writtenTo(gate)
    if (text === reported) return
    reported = text
    clock.forget()
    runner.write(`${text}\n`)
  }
  const proceed = (resources: readonly string[]): boolean =>
    ahead !== undefined && written === writtenTo(gate) && seesAll(resources) && receiveAhead(joined, ahead)
  const changed = watchLoop(joined, proceed, report)
  const receive = (word: string, value: string): void => {
    if (word === 'release') return schedule.release()
    if (word === 'ahead') ahead = { ...JSON.parse(value), received: 0 } as Ahead
    if (word === 'report' || word === 'confirm') reported = ''
    // What arrived before this question is handled in the same turn of the event loop.
    if (word === 'confirm') confirmed = Number(value)
    if (word !== 'fire') return changed()
    schedule.fire(() => {
      fired = Number(value)
      changed()
    })
  }
  runner.on('error', () => undefined)
  runner.on('data', (text) => {
    clock.forget()
    const lines = (partial + text).split('\n')
    partial = lines.pop()!
    for (const line of lines) receive(...(line.split(' ', 2) as [string, string]))
  })
  runner.once('connect', () => {
    runner.write(`${JSON.stringify({ pid: process.pid })}\n`)
    leaveMark(pipe)
    changed()
  })
  return changed
}
