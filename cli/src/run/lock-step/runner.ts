import { once } from 'node:events'
import { statSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { type ParticipantMessage, participantPath } from '@quipu/contract'
import { WebSocket } from 'ws'
import type { ProgramRestart } from '../child.ts'
import type { GatewayKeyPair } from '../gateway/keys.ts'
import { type GatewayUpstream, lockStepOptions } from '../gateway/upstream.ts'
import { pipePath } from '../platform.ts'
import { LookAhead } from './look-ahead.ts'
import { Members } from './members.ts'
import { ProgramClock } from './program-clock.ts'
import { ProgramOutput } from './program-output.ts'
import { ProgramRequests } from './program-requests.ts'
import { type ProgramStream, ProgramStreams, streamHeader } from './program-streams.ts'

/** How a program follows a replay: `exact` reports when it is done, `best effort` only answers pings. */
export type ProgramMode = 'exact' | 'best effort'

/** An unsettled program is asked for its report again after this time. */
const ASK_AGAIN_MS = 20
/** A program without our preload has started when it has sent no request for this time. */
const STARTED_MS = 1000
/** A program with our preload that was killed and is started again joins within this time, also on a busy machine. */
const RESTARTED_MS = 30_000
/** A program without our preload that sends no request for so long does not follow the clock. */
const SILENT_MS = 10_000
/** A program with our preload that waits for so long has started, although it has sent no request. */
const WAITING_MS = 2000

export type LockStepSetup = {
  /** Whether each message must pass the gateway at its time. */
  readonly isObserved: boolean
  /** How far the clock of the program is wrong. */
  readonly clockOffsetMs?: number | undefined
  readonly restart?: Pick<ProgramRestart, 'hasKilled'> | undefined
}

/**
 * Reports to the broker when the program is done. It is done when no request is open, all bytes in both directions have
 * arrived, and the event loop of each process is idle.
 */
export class LockStep {
  readonly clock: ProgramClock
  readonly streams = new ProgramStreams({
    arrived: () => this.#check(),
    passed: (count) => {
      this.#received += count
    },
  })
  readonly requests: ProgramRequests
  readonly output = new ProgramOutput(() => this.#check())
  /** Where the processes of the program report, and where the gateway serves them without TLS. */
  readonly pipes: { readonly steps: string; readonly gate: string }
  /** Each message must pass the gateway at its time. */
  readonly #isObserved: boolean
  readonly #restart: LockStepSetup['restart']
  readonly #server: Server
  readonly #broker: WebSocket
  readonly #members = new Members({
    changed: () => this.#check(),
    receivedAhead: (count) => this.#receiveAhead(count),
    isAhead: () => this.#ahead.isAhead,
    inexact: (reason) => this.clock.ignored.add(reason),
    // A process that only helps others leaves a text.
    hasConnected: (id) => statSync(`${this.pipes.steps}-${id}`, { throwIfNoEntry: false })?.size === 0,
  })
  readonly #ahead = new LookAhead()
  readonly #asking: NodeJS.Timeout
  #participant = ''
  /** Messages that the broker sent to the streams. */
  #sent = 0
  #updates = 0
  /** Messages that the program was given. */
  #received = 0
  #reported = ''
  #settled: (() => void)[] = []

  private constructor(
    folder: string,
    broker: WebSocket,
    { isObserved, clockOffsetMs, restart }: LockStepSetup,
  ) {
    this.#isObserved = isObserved
    this.#restart = restart
    this.clock = new ProgramClock(folder, clockOffsetMs)
    this.requests = new ProgramRequests(this.#ahead, {
      changed: () => this.#check(),
      broke: (socket) => this.#members.broke(socket),
    })
    this.pipes = { steps: pipePath(folder, 'steps'), gate: pipePath(folder, 'gate') }
    this.#server = createServer((socket) => this.#members.add(socket))
    this.#broker = broker
    broker.on('message', (data: Buffer) => this.#receive(JSON.parse(data.toString('utf8'))))
    broker.on('error', () => undefined)
    this.#asking = setInterval(() => this.#askAgain(), ASK_AGAIN_MS).unref()
  }

  /** Connects to the broker with a key of the world. */
  static async open(
    folder: string,
    upstream: GatewayUpstream,
    key: GatewayKeyPair,
    setup: LockStepSetup = { isObserved: false },
  ): Promise<LockStep> {
    const { keyId, secretKey } = key
    const headers = { 'APCA-API-KEY-ID': keyId, 'APCA-API-SECRET-KEY': secretKey }
    const broker = new WebSocket(upstream.url.replace(/^http/, 'ws') + participantPath, {
      ...lockStepOptions(upstream),
      headers,
    })
    const opened = new LockStep(folder, broker, setup)
    await once(broker, 'open')
    opened.#server.listen(opened.pipes.steps)
    await once(opened.#server, 'listening')
    while (opened.#updates === 0) await once(broker, 'message')
    return opened
  }

  /** A connection of a process of the program to the gateway. */
  connected(id: string, socket: Socket): void {
    this.#members.connected(id, socket)
    // What arrived with the id is read in this turn of the event loop.
    setImmediate(this.requests.hold())
  }

  /** A stream of the program on a connection, with the header for its handshake. */
  newStream(socket: unknown): { readonly stream: ProgramStream; readonly header: readonly [string, string] } {
    const stream = this.streams.create(this.#members.idOf(socket))
    return { stream, header: streamHeader(this.#participant, stream) }
  }

  /** Resolves when the program is done with its start: it has sent a request, or waits for something else. */
  async started(): Promise<ProgramMode> {
    const sinceMs = performance.now()
    let waitsSince: number | undefined
    let hasJoined = false
    for (;;) {
      hasJoined ||= !this.#members.isEmpty
      waitsSince = this.#isDone ? (waitsSince ?? performance.now()) : undefined
      const hasBegun = this.requests.hasBegun || this.#members.haveBegun
      // A Node process without a request may still load modules.
      if (waitsSince !== undefined && (hasBegun || performance.now() - waitsSince > WAITING_MS)) {
        this.#members.hasStarted = true
        return 'exact'
      }
      const quietMs = hasJoined && this.#restart?.hasKilled ? RESTARTED_MS : STARTED_MS
      if (this.requests.isQuietFor(quietMs) && this.#members.isEmpty) return 'best effort'
      const isSilent = !hasJoined && !this.requests.hasBegun && performance.now() - sinceMs > SILENT_MS
      if (isSilent) return 'best effort'
      await new Promise<void>((resolve) => this.#settled.push(resolve))
    }
  }

  /** The replay is over: timers of the program run in real time from now on. */
  release(): void {
    this.streams.isReplaying = false
    this.#ahead.close()
    this.streams.passAll()
    this.clock.release()
    this.#members.send('release')
  }

  close(): void {
    clearInterval(this.#asking)
    this.#broker.terminate()
    this.#server.close()
    this.#members.send('close')
    this.clock.close()
  }

  /** The broker waits for the pings of the program from now on. */
  async leave(): Promise<void> {
    if (this.#broker.readyState === WebSocket.CLOSED) return
    this.#broker.close()
    await once(this.#broker, 'close')
  }

  #receive(message: ParticipantMessage): void {
    if ('participant' in message) {
      this.#participant = message.participant
      return
    }
    this.clock.set(message.now)
    this.#sent = message.sent
    this.#updates += 1
    // The broker counts a message at its time.
    this.streams.arrivedCount += this.#ahead.received
    this.#ahead.update(message.now, message.ahead)
    this.#members.reach(message.now + this.clock.offsetMs, message.fire)
    this.#check()
  }

  /** The program has received this number of the messages that it was given. */
  #receiveAhead(count: number): void {
    this.#received += count
    this.#ahead.end(count)
  }

  /** When the next timer of the program is due, by the clock of the world. */
  get #nextMs(): number | null {
    const { next } = this.#members
    return next === null ? null : next - this.clock.offsetMs
  }

  get #isDone(): boolean {
    return this.requests.areDone && this.#members.areDone
  }

  #check(): void {
    if (!this.#isDone || this.#passNext() || this.#passAhead() || !this.output.isRead()) return
    const text = JSON.stringify({
      updates: this.#updates,
      received: this.#received,
      sent: this.requests.passed,
      next: this.#nextMs,
      ahead: this.#ahead.received,
    })
    if (text !== this.#reported && this.#broker.readyState === WebSocket.OPEN) this.#broker.send(text)
    this.#reported = text
    this.#wake()
  }

  /** Passes on the messages of the next stream; false if there are none. */
  #passNext(): boolean {
    if (this.streams.arrivedCount !== this.#sent) return this.streams.isReplaying
    return this.streams.passNext()
  }

  /** Gives messages of later instants to the program; false if there are none. */
  #passAhead(): boolean {
    const ahead = this.streams.isReplaying && !this.#isObserved ? this.#ahead.take() : undefined
    if (!ahead) return false
    const isGiven = this.#members.give(this.streams.named(ahead.stream)?.gateId, ahead.frames)
    if (isGiven) this.#ahead.give(ahead.frames)
    return isGiven
  }

  /** A process may have sent something without having received anything. */
  #askAgain(): void {
    this.#wake()
    if (this.#isDone) return
    this.#members.send('report')
  }

  #wake(): void {
    for (const resolve of this.#settled.splice(0)) resolve()
  }
}
