import {
  type Callback,
  handleOf,
  type Load,
  newTimer,
  type ProgramClock,
  type RealTimer,
  type RealTimers,
  type Schedule,
  type Timer,
  timeFunctions,
  useDate,
  useTimers,
} from '../world-time.ts'
import { countCalls, countHandles, type ThreadWork, watchThreads } from './threads.ts'

export type ProgramSettings = {
  /** The file with the time: three numbers of eight bytes. */
  readonly file: string
  /** The path of the socket of the runner. */
  readonly pipe: string
  /** The port of the TLS listener. */
  readonly tlsPort: number
  /** Shorter intervals run in real time, because they keep connections alive. */
  readonly stepMs: number
}

/** What a process of the program reports when its event loop is idle. */
export type ProgramReport = {
  /** The number of requests to fire timers that it has finished. */
  readonly fired: number
  /** When its next timer is due, in milliseconds since 1970. */
  readonly next: number | null
  /** Local port, bytes read and bytes written of each connection to the gateway. */
  readonly connections: readonly (readonly [port: number, read: number, written: number])[]
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
type StepTimers = {
  readonly pending: Map<number, Timer>
  arm(timer: Timer): void
  run(timer: Timer): void
  clear(handle: unknown): boolean
  release(): void
}
type Gate = {
  readonly sockets: Set<GateSocket>
  /** The number of connections in their handshake. */
  opening: number
}
type GateSocket = {
  readonly localPort?: number
  readonly bytesRead: number
  readonly bytesWritten: number
  push(...args: unknown[]): unknown
  on(event: string, listener: (text: string) => void): GateSocket
  once(event: string, listener: () => void): GateSocket
  unref(): void
  setEncoding(encoding: string): GateSocket
  write(text: string): void
}

/** The text that makes a Node program follow the clock of a replay and report when it is idle. */
export const lockStepText = (settings: ProgramSettings): string =>
  [
    "'use strict'",
    ...timeFunctions.map(String),
    ...[countCalls, countHandles, watchThreads].map(String),
    ...[stepClock, stepTimers, stepSchedule, watchGate, isIdle, joinRunner, useLockStep].map(String),
    `${useLockStep.name}(require, ${JSON.stringify(settings)})`,
    '',
  ].join('\n')

function useLockStep(load: Load, settings: ProgramSettings): void {
  const real = { ...(load('node:timers') as TimersOfModule) }
  const clock = stepClock(load, settings.file, Date.now)
  const schedule = stepSchedule(real, clock, settings.stepMs)
  const changed: { run: () => void } = { run: () => undefined }
  const gate = watchGate(load, settings.tlsPort, () => {
    clock.forget()
    changed.run()
  })
  const threads = watchThreads(load, () => changed.run())
  changed.run = joinRunner(load, settings.pipe, { real, clock, schedule, gate, threads })
  useDate(clock)
  useTimers(load, schedule)
}

/** Reads the time from the file, and keeps it until something arrives. */
function stepClock(load: Load, file: string, realNow: () => number): ProgramClock & { forget(): void } {
  const fs = load('node:fs') as typeof import('node:fs')
  const descriptor = fs.openSync(file, 'r')
  const [now, speed, at] = [0, 1, 2]
  const numbers = new Float64Array(3)
  let isKnown = false
  return {
    forget() {
      isKnown = false
    },
    now() {
      if (!isKnown) fs.readSync(descriptor, numbers, 0, 24, 0)
      isKnown = true
      return numbers[now]! + (numbers[speed] === 0 ? 0 : (realNow() - numbers[at]!) * numbers[speed]!)
    },
  }
}

/** The timers that wait for the clock. */
function stepTimers(real: TimersOfModule, clock: ProgramClock): StepTimers {
  const LONGEST = 2 ** 31 - 1
  const pending = new Map<number, Timer>()
  let isReleased = false
  const disarm = (timer: Timer): void => {
    real.clearTimeout(timer.real)
    real.clearImmediate(timer.real)
  }
  const run = (timer: Timer): void => {
    if (pending.get(timer.id) !== timer) return
    timer.due += timer.delay
    if (timer.repeats) arm(timer)
    else clear(timer.id)
    timer.call()
  }
  // The real timer keeps the program running. It runs the callback only without a delay, or after the replay.
  const arm = (timer: Timer): void => {
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
  const first = (): Timer | undefined => {
    let first: Timer | undefined
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

/** Watches the connections to the gateway; `changed` is called whenever one of them received something. */
function watchGate(load: Load, port: number, changed: () => void): Gate {
  const tls = load('node:tls') as { connect: (...args: unknown[]) => GateSocket }
  const { connect } = tls
  const gate: Gate = { sockets: new Set(), opening: 0 }
  const watch = (socket: GateSocket): void => {
    gate.opening += 1
    let isOpening = true
    const opened = (): void => {
      if (isOpening) gate.opening -= 1
      isOpening = false
      changed()
    }
    gate.sockets.add(socket)
    const { push } = socket
    socket.push = function pushed(this: unknown, ...args: unknown[]): unknown {
      changed()
      return push.apply(socket, args)
    }
    socket.once('secureConnect', opened)
    socket.once('close', () => {
      gate.sockets.delete(socket)
      opened()
    })
  }
  tls.connect = function watched(this: unknown, ...args: unknown[]): GateSocket {
    const socket = connect.apply(this, args)
    const options = args.find((value) => typeof value === 'object' && value !== null) as { port?: unknown }
    if (Number(options?.port ?? args[0]) === port) watch(socket)
    return socket
  }
  ;(load('node:module') as { syncBuiltinESMExports: () => void }).syncBuiltinESMExports()
  return gate
}

/** Whether the program waits for nothing but its connections and timers. */
function isIdle(gate: Gate, threads: ThreadWork): boolean {
  const busy = /Req|Connect|^Immediate$|^WriteWrap$|Job/
  if (gate.opening > 0 || threads.pending > 0) return false
  return !process.getActiveResourcesInfo().some((resource) => busy.test(resource))
}

type Joined = {
  readonly real: TimersOfModule
  readonly clock: ProgramClock & { forget(): void }
  readonly schedule: Steps
  readonly gate: Gate
  readonly threads: ThreadWork
}

/** Connects to the runner. Returns the function to call when something has arrived: it reports once the program is idle. */
function joinRunner(load: Load, pipe: string, joined: Joined): () => void {
  const { real, clock, schedule, gate, threads } = joined
  const net = load('node:net') as { connect: (path: string) => GateSocket }
  let [fired, reported, isChecking, turns] = [0, '', false, 0]
  const runner = net.connect(pipe).setEncoding('utf8')
  runner.unref()
  const report = (): void => {
    const connections = [...gate.sockets].map((one) => [one.localPort, one.bytesRead, one.bytesWritten])
    const text = JSON.stringify({ fired, next: schedule.next(), connections })
    if (text === reported) return
    reported = text
    clock.forget()
    runner.write(`${text}\n`)
  }
  const check = (): void => {
    isChecking = false
    if (isIdle(gate, threads)) return report()
    turns += 1
    isChecking = true
    // Work of other threads, such as reading files, needs time.
    if (turns % 100 === 0) real.setTimeout(check, 1).unref()
    else real.setImmediate(check)
  }
  const changed = (): void => {
    if (isChecking) return
    isChecking = true
    real.setImmediate(check)
  }
  runner.on('error', () => undefined)
  runner.on('data', (text) => {
    clock.forget()
    for (const line of text.split('\n')) {
      const [word, count] = line.split(' ')
      if (word === 'fire')
        schedule.fire(() => {
          fired = Number(count)
          changed()
        })
      else if (word === 'report') {
        reported = ''
        changed()
      } else if (word === 'release') schedule.release()
    }
  })
  runner.once('connect', changed)
  return changed
}
