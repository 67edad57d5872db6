import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import type { ObservedResponse, Observer } from '../gateway/traffic.ts'
import { Redaction } from './redact.ts'

/** The first line of a recording: the world of the run. */
export type RecordedWorld = {
  readonly recording: 1
  readonly seed: string
  readonly hours: 'always' | 'nyse'
  /** By the clock of the world. */
  readonly start: string
  /** Whether the program ran in a replay of a new world, so that seed and times of the requests determine the responses. */
  readonly replayed?: boolean
  /** Of a world that lists unknown symbols on first use. */
  readonly symbols?: readonly string[]
}

export type RecordedRequest = {
  /** Milliseconds since the start, by the clock of the world. */
  readonly ms: number
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** Absent: no response. */
  readonly status?: number
  readonly answer?: unknown
}

/** An update of an order that the program received on its stream. */
export type RecordedUpdate = { readonly ms: number; readonly event: string; readonly client_order_id: string }

export type Recording = {
  readonly world: RecordedWorld
  readonly requests: readonly RecordedRequest[]
  readonly updates: readonly RecordedUpdate[]
}

const RESPONSE_MAX = 256 * 1024

/** Writes the requests of a program and their responses to a file, one JSON object per line, without headers. */
export class Recorder implements Observer {
  readonly keepsResponses = true
  readonly watchesMessages = true
  readonly #file: string
  readonly #startMs: number
  readonly #redaction: Redaction
  #now: () => number

  constructor(file: string, world: RecordedWorld, secrets: readonly string[], now: () => number) {
    this.#file = file
    this.#startMs = Date.parse(world.start)
    this.#redaction = new Redaction(secrets)
    this.#now = now
    writeFileSync(file, `${JSON.stringify(world)}\n`, { mode: 0o600 })
  }

  useClock(now: () => number): void {
    this.#now = now
  }

  request(method: string, path: string) {
    const ms = this.#ms
    return (body: string, { status, body: response = '' }: ObservedResponse): void =>
      this.#write({
        ms,
        method,
        path: this.#redaction.form(path),
        body: this.#redaction.body(path, body),
        status,
        answer: response.length > RESPONSE_MAX ? undefined : this.#redaction.body(path, response),
      })
  }

  message(path: string, data: Buffer): void {
    if (!path.startsWith('/stream')) return
    const { stream, data: update } = parsed<TradeUpdate>(data.toString('utf8')) ?? {}
    if (stream !== 'trade_updates' || !update?.order) return
    this.#write({ ms: this.#ms, event: update.event, client_order_id: update.order.client_order_id })
  }

  get #ms(): number {
    return Math.round(this.#now() - this.#startMs)
  }

  #write(line: object): void {
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`)
  }
}

type TradeUpdate = {
  readonly stream?: string
  readonly data?: { readonly event: string; readonly order?: { readonly client_order_id: string } }
}

/** A file is not a recording. */
export class NotARecording extends Error {
  override readonly name = 'NotARecording'
}

export function readRecording(file: string): Recording {
  const [first = '', ...rest] = readFileSync(file, 'utf8').trimEnd().split('\n')
  const world = parsed<RecordedWorld>(first)
  if (world?.recording !== 1) throw new NotARecording(`${file}: not a recording of quipu run --record`)
  const lines = rest.map((line, index) => {
    const entry = parsed<RecordedRequest | RecordedUpdate>(line)
    if (!entry) throw new NotARecording(`${file}:${index + 2}: expected a JSON object`)
    return entry
  })
  return {
    world,
    requests: lines.filter((line): line is RecordedRequest => 'method' in line),
    updates: lines.filter((line): line is RecordedUpdate => 'event' in line),
  }
}

function parsed<Entry>(line: string): Entry | undefined {
  try {
    const value = JSON.parse(line)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
