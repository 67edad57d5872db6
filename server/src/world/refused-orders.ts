import { readFileSync } from 'node:fs'
import { appendFile, rename } from 'node:fs/promises'
import type { Command, Instant, LastTrade, Quote, Refusal } from '@quipu/core'

/** Commands whose refusals are kept: order commands. They hold no digests of secrets. */
export const KEPT_KINDS = ['placeOrder', 'replaceOrder', 'cancelOrder', 'closePosition'] as const
export type OrderCommand = Extract<Command, { kind: (typeof KEPT_KINDS)[number] }>

/** A refused command, with the prices at that moment. */
export type RefusedCommand = {
  readonly cause: string
  readonly at: Instant
  readonly command: OrderCommand
  readonly reason: Refusal
  readonly quote?: Quote | undefined
  readonly trade?: LastTrade | undefined
}

/** Lines of one moment are written together. */
const WRITE_MS = 100

/**
 * The latest refused order commands of all stored worlds, in two files of JSON lines, so that their explanations survive
 * a restart. How it works:
 *   - a refusal is a line in memory until the next write, at most WRITE_MS later; no response waits for it
 *   - a file with `linesMax` lines becomes the older file, which replaces the one before, so two files are the most
 *   - a failed write, for example on a full disk, loses explanations and nothing else
 */
export class RefusedOrders {
  readonly #file: string
  readonly #linesMax: number
  readonly #stored = new Map<string, readonly RefusedCommand[]>()
  #lines = 0
  #unwritten: string[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(file: string, linesMax: number) {
    this.#file = file
    this.#linesMax = linesMax
    const lines = linesOf(file)
    this.#lines = lines.length
    for (const line of [...linesOf(older(file)), ...lines]) this.#read(line)
  }

  /** The refusals of a world that an earlier process has stored, oldest first. Only once: the world keeps them. */
  take(world: string): readonly RefusedCommand[] {
    const stored = this.#stored.get(world) ?? []
    this.#stored.delete(world)
    return stored
  }

  add(world: string, refused: RefusedCommand): void {
    if (this.#linesMax > 0) this.#append({ world, refused })
  }

  /** The world was deleted: another one may get its name. */
  drop(world: string): void {
    this.#stored.delete(world)
    this.#append({ world })
  }

  /** Writes all lines. */
  async close(): Promise<void> {
    this.#write()
    await this.#writing
  }

  #read(line: string): void {
    const { world, refused } = parsed(line) ?? {}
    if (world === undefined) return
    if (refused === undefined) this.#stored.delete(world)
    else this.#stored.set(world, [...(this.#stored.get(world) ?? []), refused].slice(-this.#linesMax))
  }

  #append(row: Row): void {
    this.#unwritten.push(`${JSON.stringify(row, withBigints)}\n`)
    if (this.#unwritten.length > this.#linesMax) this.#unwritten.shift()
    this.#timer ??= setTimeout(() => this.#write(), WRITE_MS).unref()
  }

  #write(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const lines = this.#unwritten.splice(0)
    if (lines.length === 0) return
    this.#writing = this.#writing
      .then(async () => {
        if (this.#lines >= this.#linesMax) {
          await rename(this.#file, older(this.#file))
          this.#lines = 0
        }
        await appendFile(this.#file, lines.join(''), { mode: 0o600 })
        this.#lines += lines.length
      })
      .catch(() => undefined)
  }
}

/** A refusal, or without one: the world was deleted. */
type Row = { readonly world: string; readonly refused?: RefusedCommand }

const older = (file: string): string => `${file}.older`

/** A line that a crash has cut off is no JSON. */
function parsed(line: string): Row | undefined {
  try {
    return JSON.parse(line, toBigints) as Row
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

const withBigints = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? { [BIGINT]: String(value) } : value

const toBigints = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && BIGINT in value ? BigInt(String(value[BIGINT])) : value
