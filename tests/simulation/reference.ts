import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type BrokerEvent, type Command, emptyState, type Instant, type State } from '@quipu/core'
import { Engine } from '../../server/src/engine.ts'
import { openMemoryJournal } from '../../server/src/journal/memory.ts'
import type { MarketSource } from '../../server/src/market/market-source.ts'
import type { Recorded } from './recorder.ts'

/** What a world writes and knows that was given the same commands at the same instants, and never stopped. */
export async function referenceRun(
  { commands, seed, market }: { commands: Recorded; seed: string; market: MarketSource },
  events: readonly BrokerEvent[],
): Promise<{ readonly lines: readonly string[]; readonly state: State }> {
  const journal = openMemoryJournal()
  const state = emptyState()
  let now = 0n as Instant
  const engine = new Engine({
    state,
    seed,
    journal,
    market,
    now: () => now,
    queueMax: 1,
    committed: () => undefined,
    turned: () => undefined,
    crashed: (error) => assert.fail(String(error)),
  })
  while (state.seq < events.length) {
    const event = events[state.seq]!
    const command = commands.get(state.seq + 1)
    assert(command, `event ${state.seq + 1} (${event.kind}) came of no command`)
    now = event.at
    const decision = engine.drive(withoutFindings(command))
    assert(
      decision.ok && decision.value.length > 0,
      `${command.kind} led to event ${state.seq + 1}, and is refused without a crash`,
    )
    await engine.reached(state.seq)
  }
  const lines: string[] = []
  for await (const entries of journal.read(0)) lines.push(...entries.map(({ open }) => open))
  return { lines, state }
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
