import { readFileSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import type { Command, Instant, LastTrade, Quote, Refusal } from '@quipu/core'
import { appendText } from '../../data-folder/file-operations.ts'

/** Commands whose refusals are kept: order commands. They hold no digests of secrets. */
export const KEPT_KINDS = ['placeOrder', 'replaceOrder', 'cancelOrder', 'closePosition'] as const
export type RefusableCommand = Extract<Command, { kind: (typeof KEPT_KINDS)[number] }>

/** A refused command, with the prices at that moment. */
export type RefusedCommand = {
  readonly cause: string
  readonly at: Instant
  readonly command: RefusableCommand
  readonly reason: Refusal
  readonly quote?: Quote | undefined
  readonly trade?: LastTrade | undefined
}

/** Where refusals are stored beyond the end of the process. */
export interface RefusalStore {
  add(world: string, refused: RefusedCommand): void
  /** A refusal that was stored before this process opened the world. */
  find(world: string, requestId: string): Promise<RefusedCommand | undefined>
  /** Writes everything that was added. */
  written(): Promise<void>
}

/** Rows of one moment are written together. */
const WRITE_MS = 100

/**
 * Rows on their way to a store: written together, at most WRITE_MS later. A flood between two writes keeps the latest. A
 * failed write, for example on a full disk, loses explanations and nothing else.
 */
export class RefusalQueue<Row> {
  readonly #max: number
  readonly #store: (rows: readonly Row[]) => Promise<unknown>
  #rows: Row[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<unknown> = Promise.resolve()

  constructor(max: number, store: (rows: readonly Row[]) => Promise<unknown>) {
    this.#max = max
    this.#store = store
  }

  push(row: Row): void {
    this.#rows.push(row)
    if (this.#rows.length > this.#max) this.#rows.shift()
    this.#timer ??= setTimeout(() => void this.written(), WRITE_MS).unref()
  }

  async written(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const rows = this.#rows.splice(0)
    if (rows.length > 0) this.#writing = this.#writing.then(() => this.#store(rows)).catch(() => undefined)
    await this.#writing
  }
}

/**
 * The latest refused order commands of all stored worlds, in two files of JSON lines. A file with `linesMax` lines becomes
 * the older file, which replaces the one before, so two files are the most.
 */
export class RefusedOrders implements RefusalStore {
  readonly #file: string
  readonly #linesMax: number
  readonly #queue: RefusalQueue<string>
  /** The refusals of earlier processes, oldest first. */
  readonly #stored = new Map<string, readonly RefusedCommand[]>()
  #lines = 0

  constructor(file: string, linesMax: number) {
    this.#file = file
    this.#linesMax = linesMax
    this.#queue = new RefusalQueue(linesMax, (lines) => this.#write(lines))
    const lines = linesOf(file)
    this.#lines = lines.length
    for (const line of [...linesOf(older(file)), ...lines]) this.#read(line)
  }

  add(world: string, refused: RefusedCommand): void {
    if (this.#linesMax > 0) this.#queue.push(lineOf({ world, refused }))
  }

  async find(world: string, requestId: string): Promise<RefusedCommand | undefined> {
    return this.#stored.get(world)?.findLast(({ cause }) => cause === requestId)
  }

  /** The world was deleted: another one may get its name. */
  drop(world: string): void {
    this.#stored.delete(world)
    this.#queue.push(lineOf({ world }))
  }

  written(): Promise<void> {
    return this.#queue.written()
  }

  #read(line: string): void {
    const { world, refused } = parsed(line) ?? {}
    if (world === undefined) return
    if (refused === undefined) this.#stored.delete(world)
    else this.#stored.set(world, [...(this.#stored.get(world) ?? []), refused].slice(-this.#linesMax))
  }

  async #write(lines: readonly string[]): Promise<void> {
    if (this.#lines >= this.#linesMax) {
      await rename(this.#file, older(this.#file))
      this.#lines = 0
    }
    await appendText(this.#file, lines.join(''))
    this.#lines += lines.length
  }
}

/** A refusal, or without one: the world was deleted. */
type Row = { readonly world: string; readonly refused?: RefusedCommand }

const older = (file: string): string => `${file}.older`

const lineOf = (row: Row): string => `${refusalText(row)}\n`

/** A line that a crash has cut off is no JSON. */
function parsed(line: string): Row | undefined {
  try {
    return parseRefusal<Row>(line)
  } catch {
    return undefined
  }
}

function linesOf(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1)
  } catch {
    return []
  }
}

const BIGINT = '#'

/** Amounts and times as JSON, and back. */
export const refusalText = (value: unknown): string => JSON.stringify(value, withBigints)
export const parseRefusal = <Value>(text: string): Value => JSON.parse(text, toBigints) as Value

const withBigints = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? { [BIGINT]: String(value) } : value

const toBigints = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && BIGINT in value ? BigInt(String(value[BIGINT])) : value
