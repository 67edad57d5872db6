import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  type BrokerEvent,
  type Command,
  type Decision,
  decode,
  emptyState,
  encode,
  forget,
  type Instant,
  type State,
  settingsOf,
  type View,
  type WorldSettings,
} from '@quipu/core'
import type { Entry } from '../../../broker/src/journal/journal.ts'
import { openMemoryJournal } from '../../../broker/src/journal/memory.ts'
import { eventOf } from '../../../broker/src/journal/stored-event.ts'
import { worldMarket } from '../../../broker/src/market/world-market.ts'
import { Engine } from '../../../broker/src/world/engine.ts'
import type { World } from '../../../broker/src/world/world.ts'
import { stateText } from '../../../core/src/testing/state-text.ts'
import { commandOf, type Recorded } from './recorder.ts'

/** Small, so that a short run has many segments. */
export const SEGMENT_EVENTS = 48

/** The journal and state of a world that executes the same commands at the same instants without interruption. */
async function referenceRun(
  { commands, seed, settings }: { commands: Recorded; seed: string; settings: WorldSettings },
  events: readonly BrokerEvent[],
): Promise<{ readonly stored: readonly Buffer[]; readonly state: State }> {
  const journal = openMemoryJournal()
  const state = emptyState()
  let now = 0n as Instant
  const engine = new Engine({
    state,
    seed,
    journal,
    market: worldMarket({ settings, added: state }),
    now: () => now,
    queueMax: 1,
    committed: () => undefined,
    crashed: (error) => assert.fail(String(error)),
  })
  while (state.seq < events.length) {
    const event = events[state.seq]!
    const command = commandOf(commands, state.seq + 1, event)
    assert(command, `event ${state.seq + 1} (${event.kind}) has no recorded command`)
    now = event.at
    const decision = decideAgain(engine, withoutEarlier(command), events[state.seq + 1])
    assert(
      decision.ok && decision.value.length > 0,
      `${command.kind} caused event ${state.seq + 1}, but is refused in a run without a crash`,
    )
    await engine.untilDurable(state.seq)
  }
  const stored: Buffer[] = []
  for await (const entries of journal.read(0)) stored.push(...entries.map(({ open }) => open))
  return { stored, state }
}

/** A command with an idempotency key has one event, and its response is the next. */
function decideAgain(engine: Engine, command: Command, next: BrokerEvent | undefined): Decision {
  const isKeyed = command.kind === 'requestMint' || command.kind === 'requestRedeem'
  if (!isKeyed || next?.kind !== 'callAnswered') return engine.decide(command)
  const { sealed, response } = next
  let decided: Decision | undefined
  const look = (_: View, decision: Decision) => {
    decided = decision
  }
  const request = { ...next, holders: [sealed.holder] } as const
  void engine.submit(command, look, undefined, { request, engine, responseFor: () => response })
  return decided!
}

/** The journal and state of a world equal those of a run without interruption. */
export async function assertSameAsReference(
  world: World,
  input: { readonly commands: Recorded; readonly seed: string },
  journal: readonly Entry[],
): Promise<void> {
  const { stored, state } = await referenceRun(
    { ...input, settings: settingsOf(world.view) },
    journal.map(eventOf),
  )
  const found = journal.map(({ open }) => open)
  assert.deepEqual(stored, found, 'the same journal as a run without interruption')
  assert.equal(world.storage.journal.head().hash, expectedHash(stored, SEGMENT_EVENTS))
  assert.equal(
    stateText(withoutEndedWork(world.view as State)),
    stateText(withoutEndedWork(state)),
    'the same state as a run without interruption',
  )
}

/** A state without ended work, because the time at which ended work is forgotten varies. */
function withoutEndedWork(view: State): State {
  const state = decode(encode(view)) as State
  forget(state, state.seq)
  return { ...emptyState(), ...state }
}

/** The hash of events as docs/internals/journal.md describes it. */
export function expectedHash(stored: readonly Buffer[], segmentEvents: number): string {
  let seed: Buffer = Buffer.alloc(32)
  for (let start = 0; ; start += segmentEvents) {
    const segment = stored.slice(start, start + segmentEvents)
    const hash = createHash('sha256').update(seed)
    for (const open of segment) hash.update(lengthOf(open)).update(open)
    seed = hash.digest()
    if (start + segmentEvents >= stored.length) return seed.toString('hex')
  }
}

/** Seven bits a byte, the lowest first; every byte but the last has its upper bit set. */
function lengthOf({ length }: Buffer): Buffer {
  const bytes: number[] = []
  let rest = length
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push(128 + (rest % 128))
  return Buffer.from([...bytes, rest])
}

/** The reference world forgets nothing, so a command needs no data from the query tables. */
function withoutEarlier(command: Command): Command {
  if (!('earlier' in command)) return command
  const { earlier: _, ...rest } = command
  return rest as Command
}
