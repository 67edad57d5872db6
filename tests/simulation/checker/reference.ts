import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  type BrokerEvent,
  type Command,
  decode,
  emptyState,
  encode,
  forget,
  type Instant,
  type State,
  settingsOf,
  type WorldSettings,
} from '@quipu/core'
import { openMemoryJournal } from '../../../server/src/journal/memory.ts'
import { entryOf, eventOf } from '../../../server/src/journal/stored-event.ts'
import { worldMarket } from '../../../server/src/market/world-market.ts'
import { Engine } from '../../../server/src/world/engine.ts'
import type { World } from '../../../server/src/world/world.ts'
import type { Line } from './promises.ts'
import { commandOf, type Recorded } from './recorder.ts'

/** So small that a short life has many segments. */
export const SEGMENT_EVENTS = 48

/** What a world writes and knows that was given the same commands at the same instants, and never stopped. */
async function referenceRun(
  { commands, seed, settings }: { commands: Recorded; seed: string; settings: WorldSettings },
  events: readonly BrokerEvent[],
): Promise<{ readonly lines: readonly string[]; readonly state: State }> {
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
    changed: () => undefined,
    crashed: (error) => assert.fail(String(error)),
  })
  while (state.seq < events.length) {
    const event = events[state.seq]!
    const command = commandOf(commands, state.seq + 1, entryOf(event).open)
    assert(command, `event ${state.seq + 1} (${event.kind}) came of no command`)
    now = event.at
    const decision = engine.submitInternal(withoutFindings(command))
    assert(
      decision.ok && decision.value.length > 0,
      `${command.kind} led to event ${state.seq + 1}, and is refused without a crash`,
    )
    await engine.untilDurable(state.seq)
  }
  const lines: string[] = []
  for await (const entries of journal.read(0)) lines.push(...entries.map(({ open }) => open))
  return { lines, state }
}

/** The journal and the state of a world are those of a run that was never interrupted. */
export async function assertAsReference(
  world: World,
  given: { readonly commands: Recorded; readonly seed: string },
  journal: readonly Line[],
): Promise<void> {
  const events = journal.map((line) => eventOf(line))
  const { lines, state } = await referenceRun({ ...given, settings: settingsOf(world.view) }, events)
  const found = journal.map(({ open }) => open)
  assert.deepEqual(lines, found, 'a run that was never interrupted writes the same')
  assert.equal(world.journal.head().hash, ownHash(lines, SEGMENT_EVENTS))
  assert.equal(encode(essence(world.view as State)), encode(essence(state)), 'and ends in the same state')
}

/** A state without ended work: how much of that is remembered is a matter of timing. */
function essence(view: State): State {
  const state = decode(encode(view)) as State
  forget(state, state.seq)
  return { ...emptyState(), ...state }
}

/** The hash over lines as the page about the journal states it. */
export function ownHash(lines: readonly string[], segmentEvents: number): string {
  let seed: Buffer = Buffer.alloc(32)
  for (let start = 0; ; start += segmentEvents) {
    const segment = lines.slice(start, start + segmentEvents)
    const hash = createHash('sha256').update(seed)
    for (const line of segment) hash.update(`${line}\n`)
    seed = hash.digest()
    if (start + segmentEvents >= lines.length) return seed.toString('hex')
  }
}

/** This world forgets nothing, so nothing has to be brought back to it. */
function withoutFindings(command: Command): Command {
  if (!('earlier' in command)) return command
  const { earlier: _, ...asked } = command
  return asked as Command
}
