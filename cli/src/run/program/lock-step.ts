import fs from 'node:fs'
import { connect } from 'node:net'
import { type Ahead, receiveAhead, seesAll, writtenTo } from './ahead.ts'
import { placeOf, useBlocking } from './blocking.ts'
import { type Gate, type GateAddress, type GateSocket, watchGate } from './gate.ts'
import { countMessages } from './messages.ts'
import { useOtherClocks } from './other-clocks.ts'
import { type Children, leaveMark, memberId, watchChildren } from './processes.ts'
import { type StepClock, stepClock } from './step-clock.ts'
import { type NodeTimers, nodeTimers, type Steps, stepSchedule, useAbortTimeout } from './step-timers.ts'
import { type ThreadWork, watchThreads } from './threads.ts'
import { useDate, useTimers } from './timers.ts'

export type ProgramSettings = GateAddress & {
  /** The file with the time: three numbers of eight bytes. */
  readonly file: string
  /** Where the runner's socket is. */
  readonly pipe: string
  /** Shorter intervals that only ping a connection run in real time. */
  readonly stepMs: number
}

/** Makes the program follow the clock of a replay, and report when it is idle. */
export function start(settings: ProgramSettings): void {
  const { file, pipe, stepMs } = settings
  const realNow = performance.now.bind(performance)
  const real = nodeTimers()
  const clock = stepClock(file, Date.now)
  const changed: { run: () => void } = { run: () => undefined }
  const runner = connectRunner(pipe)
  const isInexact = namer((reason) => runner.send({ inexact: reason }))
  const gate = watchGate(settings, {
    changed: () => {
      clock.forget()
      changed.run()
    },
    connected: (address) =>
      address === pipe || isInexact(`the clock does not wait for the connection to ${address}`),
  })
  const schedule = stepSchedule(real, { clock, gate, stepMs, isInexact })
  const threads = watchThreads(() => changed.run())
  const joined = { real, realNow, clock, schedule, gate, threads, isInexact }
  const { blocker, watch } = reportTo(runner, joined, countMessages())
  const blockFor = <Result>(call: () => Result): Result => {
    blocker.block(null, 'process')
    try {
      return call()
    } finally {
      blocker.unblock()
    }
  }
  changed.run = watch(watchChildren({ pipe, realNow, isInexact, blockFor }))
  leaveMark(pipe)
  changed.run()
  process.on('exit', clock.end)
  useDate({ now: clock.read })
  useOtherClocks(clock)
  useBlocking(clock, blocker, isInexact)
  useAbortTimeout(schedule)
  useTimers(schedule)
}

type IsInexact = (reason: string, hasPlace?: boolean) => void

/** Names each thing that does not follow the clock once, with the line of the program. */
function namer(send: (reason: string) => void): IsInexact {
  const named = new Set<string>()
  return (reason, hasPlace = false) => {
    const text = hasPlace ? `${reason}, at ${placeOf()}` : reason
    if (named.has(text)) return
    named.add(text)
    send(text)
  }
}

type Runner = {
  readonly socket: GateSocket
  /** Whether what is sent leaves at once, also from a thread that blocks. */
  readonly isDirect: boolean
  send(message: object): void
}

function connectRunner(pipe: string): Runner {
  const socket = (connect(pipe) as unknown as GateSocket).setEncoding('utf8')
  socket.unref()
  socket.on('error', () => undefined)
  const { writeSync } = fs
  // Node connects at once, and passes on what is written only in the next turn of its event loop.
  const { fd = -1 } = (socket as unknown as { readonly _handle?: { readonly fd?: number } })._handle ?? {}
  const isDirect = fd >= 0
  const send = (message: object): void => {
    const text = `${JSON.stringify(message)}\n`
    if (!isDirect) return void socket.write(text)
    for (let rest = Buffer.from(text); rest.length > 0; ) {
      try {
        rest = rest.subarray(writeSync(fd, rest))
      } catch (error) {
        // The run has ended, unless the runner is only slow.
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      }
    }
  }
  send({ pid: memberId() })
  return { socket, isDirect, send }
}

/** Whether the program waits for nothing but its connections and timers. */
function isIdle({ gate, threads }: Joined, resources: readonly string[], busy: RegExp): boolean {
  return gate.opening === 0 && threads.pending === 0 && !resources.some((resource) => busy.test(resource))
}

type Joined = {
  readonly real: NodeTimers
  readonly realNow: () => number
  readonly clock: StepClock
  readonly schedule: Steps
  readonly gate: Gate
  readonly threads: ThreadWork
  readonly isInexact: IsInexact
}

const WORK = /Req|Connect|^WriteWrap$|Job/
const WORK_OR_TURN = /Req|Connect|^WriteWrap$|Job|^Immediate$/
/** A loop of `setImmediate` that takes so long waits for something. */
const TURNS_WITHIN_MS = 5000

/**
 * Returns the function to call when something has arrived. Once the program is idle, `proceed` may give it more to do and
 * return true; else `idle` is called.
 */
function watchLoop(
  joined: Joined,
  children: Children,
  proceed: (resources: readonly string[]) => boolean,
  idle: () => void,
): () => void {
  const { real, realNow, isInexact } = joined
  let [isChecking, turns, turnsSince] = [false, 0, 0]
  const later = (): void => {
    isChecking = true
    if (turns === 0) turnsSince = realNow()
    // Work of other threads, such as reading files, needs time.
    if (turns % 100 === 99) real.setTimeout(check, 1).unref()
    else real.setImmediate(check)
  }
  const hasTurnedLong = (resources: readonly string[]): boolean => {
    if (realNow() - turnsSince < TURNS_WITHIN_MS || !isIdle(joined, resources, WORK)) return false
    isInexact('a loop of setImmediate does not wait, so that the clock went on beside it')
    return true
  }
  const check = (): void => {
    const resources = process.getActiveResourcesInfo()
    const hasTurns = !isIdle(joined, resources, WORK_OR_TURN)
    const isDone = (!hasTurns || hasTurnedLong(resources)) && !children.areJoining() && hasPrinted()
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

/** Reports to the runner. `watch` returns the function to call when something has arrived. */
function reportTo({ socket, isDirect, send }: Runner, joined: Joined, sent: () => number) {
  const { clock, schedule, gate } = joined
  let [fired, batches, received, confirmed, written, reported, partial] = [0, 0, 0, 0, 0, '', '']
  let ahead: Ahead | undefined
  let children: Children = { ids: () => [], areJoining: () => false }
  const reportOf = (next: number | null, blocked: false | 'process' | 'wait'): object => {
    if (ahead) [batches, received, ahead] = [batches + 1, ahead.received, undefined]
    const connections = [...gate.sockets].map((one) => [one.gateId, one.bytesRead, one.bytesWritten])
    // What the program does between two reports shows in the others.
    const counts = { fired, batches, ahead: received, turns: sent(), confirmed }
    return { children: children.ids(), ...counts, next, blocked, connections }
  }
  const report = (): void => {
    clock.rest()
    const message = reportOf(schedule.next(), false)
    written = writtenTo(gate)
    const text = JSON.stringify(message)
    if (text === reported) return
    reported = text
    clock.forget()
    send(message)
  }
  const proceed = (resources: readonly string[]): boolean =>
    ahead !== undefined && written === writtenTo(gate) && seesAll(resources) && receiveAhead(joined, ahead)
  const blocker = {
    canBlock: isDirect,
    block: (next: number | null, kind: 'process' | 'wait' = 'wait') => send(reportOf(next, kind)),
    unblock() {
      clock.forget()
      reported = ''
      send({ unblocked: true })
    },
  }
  const watch = (all: Children): (() => void) => {
    children = all
    const changed = watchLoop(joined, children, proceed, report)
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
    socket.on('data', (text) => {
      clock.forget()
      const lines = (partial + text).split('\n')
      partial = lines.pop()!
      for (const line of lines) receive(...(line.split(' ', 2) as [string, string]))
    })
    return changed
  }
  return { blocker, watch }
}
