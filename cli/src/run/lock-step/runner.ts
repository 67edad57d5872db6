import { once } from 'node:events'
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { type ParticipantMessage, participantHeader, participantPath } from '@quipu/contract'
import { WebSocket } from 'ws'
import type { GatewayKeyPair } from '../gateway/keys.ts'
import { type GatewayUpstream, lockStepOptions } from '../gateway/upstream.ts'
import { LookAhead } from './look-ahead.ts'
import { Members } from './members.ts'
import type { ProgramMode, ProgramStream } from './program-stream.ts'

/** An unsettled program is asked for its report again after this time. */
const ASK_AGAIN_MS = 20
/** A program without our preload has started when it has sent no request for this time. */
const STARTED_MS = 1000

/**
 * Reports to the broker when the program is done. It is done when no request is open, all bytes in both directions have
 * arrived, and the event loop of each process is idle.
 */
export class LockStep {
  readonly file: string
  readonly pipe: string
  /** Where the gateway serves the Node processes of the program, without TLS. */
  readonly gate: string
  /** Each message must pass the gateway at its time. */
  isObserved = false
  readonly #server: Server
  readonly #broker: WebSocket
  readonly #descriptor: number
  readonly #members = new Members({
    changed: () => this.#check(),
    receivedAhead: (count) => this.#receiveAhead(count),
  })
  readonly #streams = new Set<ProgramStream>()
  readonly #ahead = new LookAhead()
  readonly #asking: NodeJS.Timeout
  #participant = ''
  #streamNames = 0
  #isReplaying = false
  #now = 0
  /** Messages that the broker sent to the streams, and messages that arrived here. */
  #sent = 0
  #arrived = 0
  #holds = 0
  #requests = 0
  #lastRequestMs = 0
  #counts = { updates: 0, received: 0, sent: 0 }
  #reported = ''
  #settled: (() => void)[] = []

  private constructor(folder: string, broker: WebSocket) {
    this.file = join(folder, 'time')
    this.pipe = pipePath(folder, 'steps')
    this.gate = pipePath(folder, 'gate')
    this.#descriptor = openSync(this.file, 'w+')
    this.#server = createServer((socket) => this.#members.add(socket))
    this.#broker = broker
    broker.on('message', (data: Buffer) => this.#receive(JSON.parse(data.toString('utf8'))))
    broker.on('error', () => undefined)
    this.#asking = setInterval(() => this.#askAgain(), ASK_AGAIN_MS).unref()
  }

  /** Connects to the broker with a key of the world. */
  static async open(folder: string, upstream: GatewayUpstream, key: GatewayKeyPair): Promise<LockStep> {
    const { keyId, secretKey } = key
    const headers = { 'APCA-API-KEY-ID': keyId, 'APCA-API-SECRET-KEY': secretKey }
    const broker = new WebSocket(upstream.url.replace(/^http/, 'ws') + participantPath, {
      ...lockStepOptions(upstream),
      headers,
    })
    const opened = new LockStep(folder, broker)
    await once(broker, 'open')
    opened.#server.listen(opened.pipe)
    await once(opened.#server, 'listening')
    while (opened.#counts.updates === 0) await once(broker, 'message')
    return opened
  }

  /** The time of the world in milliseconds since 1970. */
  get now(): number {
    return this.#now
  }

  /** The header for the handshake of a stream. */
  headerOf({ name }: ProgramStream): readonly [string, string] {
    return [participantHeader, `${this.#participant} ${name}`]
  }

  /** Runs a request of the program at its time. It calls the function that it gets when its response is sent. */
  begin(request: (end: () => void) => void): void {
    this.#requests += 1
    this.#lastRequestMs = performance.now()
    this.#ahead.enter(() => request(this.hold()))
  }

  /** Runs something that the program does on an open stream, at its time. */
  enter(action: () => void): void {
    this.#ahead.enter(action)
  }

  /** The program is not done until the returned function is called. */
  hold(): () => void {
    this.#holds += 1
    let isHeld = true
    return () => {
      if (isHeld) this.#holds -= 1
      isHeld = false
      this.#check()
    }
  }

  /** A connection of a Node process of the program to the gateway. */
  connected(id: string, socket: Socket): void {
    this.#members.connected(id, socket)
    // What arrived with the id is read in this turn of the event loop.
    setImmediate(this.hold())
  }

  /** A stream of the program on a connection. */
  newStream(socket: unknown): ProgramStream {
    this.#streamNames += 1
    return { name: `${this.#streamNames}`, gateId: this.#members.idOf(socket), held: [] }
  }

  /** Streams take turns in the order in which they were opened. */
  openStream(stream: ProgramStream): void {
    this.#streams.add(stream)
  }

  /**
   * Passes a message on to the program. In a replay all messages of an instant are collected first; then the program gets
   * those of one stream, and those of the next when it is done.
   */
  deliver(stream: ProgramStream, pass: () => void): void {
    stream.held.push(pass)
    this.#arrived += 1
    if (this.#isReplaying) this.#check()
    else this.#pass(stream)
  }

  /** Passes on what was collected. */
  endStream(stream: ProgramStream): void {
    this.#pass(stream)
    this.#streams.delete(stream)
  }

  /** A message of a stream was passed on to the broker. */
  passedToBroker(): void {
    this.#counts.sent += 1
  }

  /** Resolves when the program has sent a request and is done with its start. */
  async started(): Promise<ProgramMode> {
    for (;;) {
      if (this.#requests > 0 && this.#isDone) return 'exact'
      const isQuiet = this.#requests > 0 && performance.now() - this.#lastRequestMs > STARTED_MS
      if (isQuiet && this.#members.isEmpty) return 'best effort'
      await new Promise<void>((resolve) => this.#settled.push(resolve))
    }
  }

  /** From now on the broker says what the program may see. */
  replay(): void {
    this.#isReplaying = true
  }

  /** The time at which the program has ended, if the broker has not reached it. */
  get endedAt(): Date | undefined {
    const file = `${this.file}-end`
    return existsSync(file) ? new Date(Number(readFileSync(file, 'utf8'))) : undefined
  }

  /** The replay is over: timers of the program run in real time from now on. */
  release(): void {
    this.#isReplaying = false
    this.#ahead.close()
    for (const stream of this.#streams) this.#pass(stream)
    this.#write(1)
    this.#members.send('release')
  }

  close(): void {
    clearInterval(this.#asking)
    this.#broker.terminate()
    this.#server.close()
    this.#members.close()
    closeSync(this.#descriptor)
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
    this.#now = message.now
    this.#sent = message.sent
    this.#counts.updates += 1
    this.#write(0)
    // The broker counts a message at its time.
    this.#arrived += this.#ahead.received
    this.#ahead.update(message.now, message.ahead)
    if (message.fire) this.#members.fire(message.now)
    this.#check()
  }

  #write(speed: number): void {
    writeSync(this.#descriptor, new Float64Array([this.#now, speed, Date.now()]), 0, 24, 0)
  }

  /** The program has received this number of the messages that it was given. */
  #receiveAhead(count: number): void {
    this.#counts.received += count
    this.#ahead.end(count)
  }

  get #isDone(): boolean {
    return this.#holds === 0 && this.#members.areDone
  }

  #check(): void {
    if (!this.#isDone || this.#passNext() || this.#passAhead()) return
    const text = JSON.stringify({ ...this.#counts, next: this.#members.next, ahead: this.#ahead.received })
    if (text !== this.#reported && this.#broker.readyState === WebSocket.OPEN) this.#broker.send(text)
    this.#reported = text
    this.#wake()
  }

  /** Passes on the messages of the next stream; false if there are none. */
  #passNext(): boolean {
    if (this.#arrived !== this.#sent) return this.#isReplaying
    for (const stream of this.#streams)
      if (stream.held.length > 0) {
        this.#pass(stream)
        return true
      }
    return false
  }

  /** Gives messages of later instants to the program; false if there are none. */
  #passAhead(): boolean {
    const ahead = this.#isReplaying && !this.isObserved ? this.#ahead.take() : undefined
    if (!ahead) return false
    const stream = [...this.#streams].find(({ name }) => name === ahead.stream)
    const isGiven = this.#members.give(stream?.gateId, ahead.frames)
    if (isGiven) this.#ahead.give(ahead.frames)
    return isGiven
  }

  #pass(stream: ProgramStream): void {
    const { held } = stream
    stream.held = []
    this.#counts.received += held.length
    for (const pass of held) pass()
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

const pipePath = (folder: string, name: string): string =>
  process.platform === 'win32' ? `\\\\.\\pipe\\${folder.replace(/\W/g, '-')}-${name}` : join(folder, name)
