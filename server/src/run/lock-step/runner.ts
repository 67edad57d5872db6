import { once } from 'node:events'
import { closeSync, openSync, writeSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import { type ParticipantMessage, participantHeader, participantPath } from '@quipu/contract'
import { WebSocket } from 'ws'
import type { KeyPair } from '../keys.ts'
import { lockStepOptions, type Upstream } from '../upstream.ts'
import type { ProgramReport } from './program.ts'

/** A process of the program, with its last report. */
type Member = {
  readonly socket: Socket
  /** The number of requests to fire timers. */
  fires: number
  report: ProgramReport | undefined
}

/** A stream of the program, with the messages that the program may not see yet. */
export type ProgramStream = { held: (() => void)[] }

/** How a program follows a replay: `exact` reports when it is done, `best effort` only answers pings. */
export type ProgramMode = 'exact' | 'best effort'

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
  readonly #server: Server
  readonly #broker: WebSocket
  readonly #descriptor: number
  readonly #members = new Set<Member>()
  readonly #connections = new Map<number, Socket>()
  readonly #streams = new Set<ProgramStream>()
  readonly #asking: NodeJS.Timeout
  #participant = ''
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
    this.pipe =
      process.platform === 'win32' ? `\\\\.\\pipe\\${folder.replace(/\W/g, '-')}` : join(folder, 'steps')
    this.#descriptor = openSync(this.file, 'w+')
    this.#server = createServer((socket) => this.#join(socket))
    this.#broker = broker
    broker.on('message', (data: Buffer) => this.#receive(JSON.parse(data.toString('utf8'))))
    broker.on('error', () => undefined)
    this.#asking = setInterval(() => this.#askAgain(), ASK_AGAIN_MS).unref()
  }

  /** Connects to the broker with a key of the world. */
  static async open(folder: string, upstream: Upstream, { keyId, secretKey }: KeyPair): Promise<LockStep> {
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

  /** The header for handshakes of the program's streams. */
  get header(): readonly [string, string] {
    return [participantHeader, this.#participant]
  }

  /** A request of the program begins. Call the returned function when its response is sent. */
  begin(): () => void {
    this.#requests += 1
    this.#lastRequestMs = performance.now()
    return this.hold()
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

  /** A connection of the program to the TLS listener. */
  connected(socket: Socket): void {
    const { remotePort } = socket
    if (remotePort === undefined) return
    this.#connections.set(remotePort, socket)
    socket.once('close', () => {
      if (this.#connections.get(remotePort) === socket) this.#connections.delete(remotePort)
      this.#check()
    })
  }

  /** A stream of the program. Streams take turns in the order of their creation. */
  newStream(): ProgramStream {
    const stream: ProgramStream = { held: [] }
    this.#streams.add(stream)
    return stream
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
      if (isQuiet && this.#members.size === 0) return 'best effort'
      await new Promise<void>((resolve) => this.#settled.push(resolve))
    }
  }

  /** From now on the broker says what the program may see. */
  replay(): void {
    this.#isReplaying = true
  }

  /** The replay is over: timers of the program run in real time from now on. */
  release(): void {
    this.#isReplaying = false
    for (const stream of this.#streams) this.#pass(stream)
    this.#write(1)
    for (const { socket } of this.#members) socket.write('release\n')
  }

  close(): void {
    clearInterval(this.#asking)
    this.#broker.terminate()
    this.#server.close()
    for (const { socket } of this.#members) socket.destroy()
    closeSync(this.#descriptor)
  }

  /** The broker waits for the pings of the program from now on. */
  async leave(): Promise<void> {
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
    if (message.fire) for (const member of this.#members) this.#fire(member)
    this.#check()
  }

  #write(speed: number): void {
    writeSync(this.#descriptor, new Float64Array([this.#now, speed, Date.now()]), 0, 24, 0)
  }

  #fire(member: Member): void {
    const { next } = member.report ?? { next: null }
    if (next === null || next > this.#now) return
    member.fires += 1
    member.socket.write(`fire ${member.fires}\n`)
  }

  #join(socket: Socket): void {
    const member: Member = { socket, fires: 0, report: undefined }
    this.#members.add(member)
    let rest = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      // Only the last report counts.
      if (lines.length > 0) member.report = JSON.parse(lines.at(-1)!) as ProgramReport
      this.#check()
    })
    socket.on('error', () => undefined)
    socket.once('close', () => {
      this.#members.delete(member)
      this.#check()
    })
  }

  get #isDone(): boolean {
    if (this.#holds > 0 || this.#members.size === 0) return false
    for (const { report, fires } of this.#members) {
      if (!report || report.fired !== fires) return false
      for (const [port, read, written] of report.connections) {
        const connection = this.#connections.get(port)
        if (connection && (connection.bytesWritten !== read || connection.bytesRead !== written)) return false
      }
    }
    return true
  }

  #check(): void {
    if (!this.#isDone || this.#passNext()) return
    let next: number | null = null
    for (const { report } of this.#members)
      if (report!.next !== null) next = Math.min(next ?? report!.next, report!.next)
    const text = JSON.stringify({ ...this.#counts, next })
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
    for (const { socket } of this.#members) socket.write('report\n')
  }

  #wake(): void {
    for (const resolve of this.#settled.splice(0)) resolve()
  }
}
