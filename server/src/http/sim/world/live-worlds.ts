import { setTimeout as sleep } from 'node:timers/promises'
import type { AdvanceReport } from '@quipu/broker/registry/advance.ts'
import type { WorldChange } from '@quipu/broker/registry/changes.ts'
import { MAIN, type WorldEntry, type Worlds } from '@quipu/broker/registry/worlds.ts'
import type { WorldRecord } from '@quipu/contract'
import { min, nextCloseAfter, nextOpenAfter, type WorldId } from '@quipu/core'
import type { Context } from '../../context.ts'
import { eventStream, type Sink, sseMessage } from '../../event-stream.ts'
import { followElsewhere, worldsElsewhere } from '../../forwarding/remote-worlds.ts'
import { openReader } from '../../reading/readers.ts'
import { ruleToWire } from '../fault-rule.ts'
import { advancedToWire, clockToWire, worldToWire } from './world-wire.ts'

/** A moving clock changes thousands of times a second, so changes are collected for this time. */
const INTERVAL_MS = 100

/** Sends the list of worlds and their clocks, then the changes. */
export function worldsStream<Output>(context: Context, worlds: Worlds): Output {
  openReader(context)
  return eventStream(async (sink) => {
    const changes = new Changes(worlds)
    for (const { world } of worlds.entries()) {
      changes.add({ kind: 'clock', world: world.id })
      if (world.clients.faults) changes.add({ kind: 'faults', world: world.id })
    }
    const list = await allWorlds(context, worlds)
    await sink.write(message('worlds', list))
    await Promise.all([send(changes, sink), followElsewhere(context, sink)])
  })
}

/** All worlds, also of other nodes. A world that is being deleted cannot be read. */
export async function allWorlds(context: Context, worlds: Worlds): Promise<readonly WorldRecord[]> {
  const entries = worlds
    .entries()
    .filter(({ world: { status } }) => status.isUp || status.ending !== 'deleted')
  return [...entries.map(worldToWire), ...(await worldsElsewhere(context))]
}

/** Sends the clock of one world, then its changes and the reports of its advances, until the world is deleted. */
export function clockStream<Output>(context: Context, worlds: Worlds, { world: { id } }: WorldEntry): Output {
  openReader(context)
  return eventStream(async (sink) => {
    const changes = new Changes(worlds, id)
    changes.add({ kind: 'clock', world: id })
    await send(changes, sink)
  })
}

async function send(changes: Changes, { write, signal }: Sink): Promise<void> {
  signal.addEventListener('abort', changes.wake)
  try {
    while (!signal.aborted) {
      const messages = changes.take()
      if (messages !== '') await write(messages)
      if (changes.isOver) return
      if (changes.isReleased) throw new Error('another node takes the world over')
      await sleep(INTERVAL_MS, undefined, { signal }).catch(() => undefined)
      await changes.more(signal)
    }
  } finally {
    signal.removeEventListener('abort', changes.wake)
    changes.close()
  }
}

const message = (event: string, data: object): string => sseMessage(event, JSON.stringify(data))

const faultsToWire = ({ world: { id, clients } }: WorldEntry) => ({
  world: id,
  faults: (clients.faults?.all() ?? []).map(ruleToWire),
})

/** The changes since the last message. Of several changes of one kind in one world, only the last is sent. */
class Changes {
  /** Whether the only world of the stream was deleted. */
  isOver = false
  /** Whether another node takes over the only world of the stream, or `main`, which has the credentials of operators. */
  isReleased = false
  readonly #worlds: Worlds
  readonly #only: WorldId | undefined
  readonly #deleted = new Set<WorldId>()
  readonly #changed = new Set<WorldId>()
  readonly #faults = new Set<WorldId>()
  readonly #clocks = new Set<WorldId>()
  readonly #reports = new Map<WorldId, AdvanceReport>()
  readonly #stop: () => void
  /** A wall clock does not report the open and the close of the market. */
  readonly #alarms = new Map<WorldId, () => void>()
  #wake: (() => void) | undefined

  constructor(worlds: Worlds, only?: WorldId) {
    this.#worlds = worlds
    this.#only = only
    this.#stop = worlds.changes.listen((change) => {
      if (only === undefined || change.world === only) this.add(change)
    })
  }

  add(change: WorldChange): void {
    const { world } = change
    if (change.kind === 'advanced') this.#reports.set(world, change.report)
    else if (change.kind === 'clock') this.#clocks.add(world)
    else if (change.kind === 'faults') this.#faults.add(world)
    else if (change.kind === 'world') {
      this.#changed.add(world)
      this.#clocks.add(world)
    } else {
      for (const collected of [this.#changed, this.#faults, this.#clocks, this.#reports])
        collected.delete(world)
      if (change.kind === 'deleted') this.#deleted.add(world)
      else if (this.#only === world || world === MAIN) this.isReleased = true
    }
    this.wake()
  }

  get #collected() {
    return [this.#deleted, this.#changed, this.#faults, this.#clocks, this.#reports]
  }

  /** The messages of the collected changes. */
  take(): string {
    const messages: string[] = []
    for (const world of this.#deleted) messages.push(message('deleted', { world }))
    if (this.#only !== undefined && this.#deleted.size > 0) this.isOver = true
    else if (this.#only === undefined) {
      for (const entry of this.#entries(this.#changed)) messages.push(message('world', worldToWire(entry)))
      for (const entry of this.#entries(this.#faults)) messages.push(message('faults', faultsToWire(entry)))
    }
    for (const entry of this.#entries(this.#clocks)) {
      messages.push(message('clock', clockToWire(entry)))
      if (!entry.clock) this.#awaitSession(entry)
    }
    for (const [world, report] of this.#reports)
      messages.push(message('advanced', advancedToWire(world, report)))
    for (const collected of this.#collected) collected.clear()
    return messages.join('')
  }

  /** Resolves when there are changes, or the stream ends. */
  async more(signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#collected.some(({ size }) => size > 0)) return
    await new Promise<void>((wake) => {
      this.#wake = wake
    })
  }

  readonly wake = (): void => {
    this.#wake?.()
    this.#wake = undefined
  }

  close(): void {
    this.#stop()
    for (const cancel of this.#alarms.values()) cancel()
  }

  /** A world that is being reset cannot be read; it is sent when the reset has ended. */
  #entries(ids: Iterable<WorldId>): readonly WorldEntry[] {
    return [...ids]
      .map((id) => this.#worlds.entry(id))
      .filter((entry) => entry !== undefined)
      .filter(({ world }) => world.status.isUp)
  }

  #awaitSession({ world: { id, clock, engine } }: WorldEntry): void {
    const { latest } = engine
    this.#alarms.get(id)?.()
    const due = min(nextOpenAfter(latest), nextCloseAfter(latest))
    this.#alarms.set(
      id,
      clock.timer(due, 'feed', () => this.add({ kind: 'clock', world: id })),
    )
  }
}
